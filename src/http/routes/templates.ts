// /templates: what mails are made of. Bare resources; a few refusals are bare too, as the specification has them.
import { Elysia, t } from "elysia";
import { documented, requiredFields } from "../entry/document.ts";
import {
  createTemplate,
  deleteTemplate,
  duplicateTemplate,
  getTemplate,
  getTemplateContent,
  getTemplateUsage,
  listTemplates,
  MAX_NAME,
  patchTemplate,
} from "../../content/templates.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem.ts";
import { previewMessage, previewUnsaved } from "../../sending/compose/preview.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { orderQuery, pageList, PageQuery, readPage } from "./_lists.ts";
import { Preview, PreviewBody, UnsavedPreview, UnsavedPreviewBody } from "./_preview_schemas.ts";
import {
  answers,
  BareError,
  HeaderText,
  Int,
  isUuid,
  Nullable,
  PathId,
  Text,
  Timestamp,
  Uuid,
  Words,
} from "../entry/schemas.ts";

const Type = Words(["TRANSACTIONAL", "MARKETING", "HEADLESS"]);

const Template = t.Object(
  {
    id: Uuid,
    name: t.String(),
    description: Nullable(t.String()),
    subject: t.String(),
    body: t.String(),
    from: t.String(),
    fromName: Nullable(t.String()),
    replyTo: Nullable(t.String()),
    type: Type,
    projectId: Uuid,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: "Template" },
);

const Usage = t.Object(
  {
    campaigns: t.Array(
      t.Object({
        id: Uuid,
        name: t.String(),
        status: Words(["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELLED"]),
      }),
    ),
    workflowSteps: t.Array(
      t.Object({ id: Uuid, name: t.String(), workflowId: Uuid, workflowName: t.String() }),
    ),
    emailsSent: Int,
  },
  { title: "TemplateUsage" },
);

const MAX_SUBJECT = 998;
const MAX_BODY = 1_048_576;

/** Text with something in it; a header has no line breaks. */
const filled = { minLength: 1, pattern: "\\S" };
const BODY = { maxLength: MAX_BODY, description: "HTML or MJML, with `{{variables}}`." };
const Address = (description: string) => Text({ maxLength: 1000, description });
const FROM = "An address of a verified domain.";

/** What may be left out, or cleared with null, whether a template is made or changed. */
const Optional = {
  description: t.Optional(Nullable(Text({ maxLength: 1000 }))),
  fromName: t.Optional(Nullable(HeaderText({ maxLength: 255 }))),
  replyTo: t.Optional(Nullable(Address("An address."))),
  type: t.Optional(Type),
};

const Name = Text({ format: "header-text", ...filled, maxLength: MAX_NAME });
const Subject = Text({ format: "header-text", ...filled, maxLength: MAX_SUBJECT });
const Body = Text({ ...filled, ...BODY });

/** What is missing is refused in a way of its own. */
const TemplateBody = requiredFields(
  t.Object(
    {
      name: t.Optional(documented(Nullable(HeaderText({ maxLength: MAX_NAME })), Name)),
      subject: t.Optional(documented(Nullable(HeaderText({ maxLength: MAX_SUBJECT })), Subject)),
      body: t.Optional(documented(Nullable(Text(BODY)), Body)),
      from: t.Optional(documented(Nullable(Address(FROM)), Address(FROM))),
      ...Optional,
    },
    { title: "TemplateBody" },
  ),
  ["name", "subject", "body", "from"],
);

const TemplatePatch = t.Object(
  {
    name: t.Optional(Name),
    subject: t.Optional(Subject),
    body: t.Optional(Body),
    from: t.Optional(Address(FROM)),
    ...Optional,
  },
  { title: "TemplatePatch" },
);

const one = { params: t.Object({ id: PathId }) };

/** The template endpoints, in the order of the specification's table, and the preview. */
export function templatesRoutes(ctx: Context) {
  return new Elysia({ prefix: "/templates", detail: { tags: ["Templates"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, query }) => {
        const { page, pageSize } = readPage(query);
        const filter = { type: query.type, search: query.search, ...orderOf(query.sort, query.dir) };
        const { data, total } = await listTemplates(ctx, project.id, { page, pageSize, ...filter });
        return { data, page, pageSize, total, totalPages: Math.ceil(total / pageSize) };
      },
      {
        query: t.Object({
          ...PageQuery,
          type: t.Optional(Type),
          search: t.Optional(
            Text({
              description: "A part of the name, description or subject, in any case.",
              maxLength: 255,
            }),
          ),
          ...orderQuery(["createdAt", "name", "updatedAt"]),
        }),
        response: answers(pageList(Template), { refusals: [400] }),
        detail: {
          operationId: "listTemplates",
          summary: "List templates",
          description:
            "A page list. `search` looks at name, description and subject. Unknown words for `sort` and `dir` count as the default.",
        },
      },
    )
    .post(
      "/",
      async ({ project, body: { name, subject, body, from, ...rest }, status, set }) => {
        // Written out, so that the compiler sees that they are there.
        if (!name?.trim()) return status(400, { error: "A name is required" });
        if (!subject?.trim()) return status(400, { error: "A subject is required" });
        if (!body?.trim()) return status(400, { error: "A body is required" });
        if (!from?.trim()) return status(400, { error: "A from address is required" });
        set.status = 201;
        return await createTemplate(ctx, project.id, { ...rest, name, subject, body, from });
      },
      {
        body: TemplateBody,
        response: { ...answers(Template, { status: 201, refusals: [413, 415, 422] }), 400: BareError },
        detail: {
          operationId: "createTemplate",
          summary: "Create a template",
          description:
            "Stores a message to send again and again: HTML or MJML, with `{{variables}}`. It is compiled when it is saved, and one with an error is refused with 422, with line and column. The sender's domain has to be verified (403).",
        },
      },
    )
    .post("/preview", async ({ project, body }) => await previewUnsaved(ctx, project.id, body), {
      body: UnsavedPreviewBody,
      response: answers(UnsavedPreview, { refusals: [404, 413, 415, 422] }),
      detail: {
        operationId: "previewUnsavedTemplate",
        summary: "Render a template that is not saved",
        description:
          "With the same 422 as saving it, with line and column. `missing` lists the variables without a value, `warnings` what recipients or mail programs may stumble over.",
      },
    })
    .get("/:id", async ({ project, params: { id } }) => await getTemplate(ctx, project.id, templateId(id)), {
      ...one,
      response: answers(Template, { refusals: [404] }),
      detail: {
        operationId: "getTemplate",
        summary: "Get a template",
        description: "One template, with its body.",
      },
    })
    .patch(
      "/:id",
      async ({ project, params: { id }, body }) => await patchTemplate(ctx, project.id, templateId(id), body),
      {
        ...one,
        body: TemplatePatch,
        response: answers(Template, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "updateTemplate",
          summary: "Change a template",
          description:
            "Changes what is given. Mails that were accepted before keep the content that they had.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, params: { id }, set }) => {
        await deleteTemplate(ctx, project.id, templateId(id));
        set.status = 204;
      },
      {
        ...one,
        response: answers(t.Void(), { status: 204, refusals: [404, 409] }),
        detail: {
          operationId: "deleteTemplate",
          summary: "Delete a template",
          description:
            "Refused with 409 while a step of a workflow or an unsent campaign uses it: `details` names them.",
        },
      },
    )
    .post(
      "/:id/duplicate",
      async ({ project, params: { id }, set }) => {
        const copy = await duplicateTemplate(ctx, project.id, templateId(id));
        set.status = 201;
        return copy;
      },
      {
        ...one,
        response: answers(Template, { status: 201, refusals: [404] }),
        detail: {
          operationId: "duplicateTemplate",
          summary: "Make a copy of a template",
          description: "Answers with the whole copy, whose name ends in ` (Copy)`.",
        },
      },
    )
    .get(
      "/:id/usage",
      async ({ project, params: { id } }) => await getTemplateUsage(ctx, project.id, templateId(id)),
      {
        ...one,
        response: answers(Usage, { refusals: [404] }),
        detail: {
          operationId: "getTemplateUsage",
          summary: "List what refers to a template, and count its mails",
          description:
            "The campaigns and steps of workflows that use it, and how many mails were made from it.",
        },
      },
    )
    .post(
      "/:id/preview",
      async ({ project, params: { id }, body }) => {
        const content = await getTemplateContent(ctx, project.id, templateId(id));
        return await previewMessage(ctx, project.id, content, body ?? {});
      },
      {
        ...one,
        body: PreviewBody,
        response: answers(Preview, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "previewTemplate",
          summary: "Render a template for a contact, or for sample data",
          description:
            "Renders subject, HTML and text with the data of a contact, or with `data` of your own. `missing` lists the variables without a value. Nothing is sent.",
        },
      },
    );
}

function templateId(id: string): string {
  if (!isUuid(id)) throw problems.templateNotFound(id);
  return id;
}

/** Unknown words fall back to the default, as the specification says. */
function orderOf(sort: string | undefined, dir: string | undefined) {
  const known = sort === "name" || sort === "updatedAt" ? sort : "createdAt";
  return { sort: known, dir: dir === "asc" ? "asc" : "desc" } as const;
}
