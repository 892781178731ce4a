// /templates/:id/versions: what a template was, and how it becomes that again.
import { Elysia, t } from "elysia";
import { templateTag } from "../../content/templates.ts";
import { getVersion, listVersions, restoreVersion } from "../../content/template_versions.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { EditHeaders, editOf } from "../entry/edits.ts";
import { answers, PathId } from "../entry/schemas.ts";
import { ListedVersion, Template, templateId, TemplateVersion } from "./_template_schemas.ts";

const one = { params: t.Object({ id: PathId }) };
const oneVersion = { params: t.Object({ id: PathId, version: PathId }) };

/** The versions of templates. */
export function templateVersionsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/templates", detail: { tags: ["Templates"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/:id/versions",
      async ({ project, params: { id } }) => await listVersions(ctx, project.id, templateId(id)),
      {
        ...one,
        response: answers(t.Array(ListedVersion), { refusals: [404] }),
        detail: {
          operationId: "listTemplateVersions",
          summary: "List the versions of a template, newest first",
          description: "The last 100 versions with their authors; the first is the current one.",
        },
      },
    )
    .get(
      "/:id/versions/:version",
      async ({ project, params: { id, version } }) =>
        await getVersion(ctx, project.id, templateId(id), numberOf(id, version)),
      {
        ...oneVersion,
        response: answers(TemplateVersion, { refusals: [404] }),
        detail: {
          operationId: "getTemplateVersion",
          summary: "Get a version of a template",
          description: "One version, with its body.",
        },
      },
    )
    .post(
      "/:id/versions/:version/restore",
      async ({ project, actor, headers, params: { id, version }, set }) => {
        const number = numberOf(id, version);
        const edit = editOf(actor, headers);
        const template = await restoreVersion(ctx, project.id, templateId(id), number, edit);
        set.headers.etag = templateTag(template);
        return template;
      },
      {
        ...oneVersion,
        headers: EditHeaders,
        response: answers(Template, { refusals: [404, 412] }),
        detail: {
          operationId: "restoreTemplateVersion",
          summary: "Restore a version of a template",
          description:
            "Creates a new version; those in between stay in the list. Refused with 403 if the sender's domain is no longer verified.",
        },
      },
    );
}

function numberOf(id: string, version: string): number {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw problems.notFound("template version", `${id}/${version}`);
  return Number(version);
}
