// /templates: what mails are made of. Bare resources; a few refusals are bare too, as the specification has them.
import { Elysia, t } from "elysia";
import {
  createTemplate,
  deleteTemplate,
  duplicateTemplate,
  getTemplate,
  getTemplateContent,
  getTemplateUsage,
  listTemplates,
  patchTemplate,
  templateTag,
} from "../../content/templates.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { previewMessage, previewUnsaved } from "../../sending/compose/preview.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import {
  FieldsQuery,
  orderQuery,
  pageList,
  PageQuery,
  picked,
  readFields,
  readIdCursor,
  readPage,
  toCursor,
} from "./_lists.ts";
import { MessageType } from "./_mail_fields.ts";
import { Preview, PreviewBody, UnsavedPreview, UnsavedPreviewBody } from "./_preview_schemas.ts";
import { EditHeaders, editOf } from "../entry/edits.ts";
import { bareRefusal } from "../entry/problems.ts";
import { answers, BareError, Nullable, PathId, Text } from "../entry/schemas.ts";
import {
  ListedTemplate,
  missingOf,
  readTemplateIds,
  requiredMessage,
  Template,
  TemplateBody,
  templateId,
  TemplateIds,
  TemplatePatch,
  templateRules,
  Usage,
} from "./_template_schemas.ts";

const one = { params: t.Object({ id: PathId }) };

/** The template endpoints, in the order of the specification's table, and the preview. */
export function templatesRoutes(ctx: Context) {
  return new Elysia().use(collectionRoutes(ctx)).use(itemRoutes(ctx));
}

/** `/templates`, and what needs none of them. */
function collectionRoutes(ctx: Context) {
  return new Elysia({ prefix: "/templates", detail: { tags: ["Templates"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, query }) => {
        const { page, pageSize } = readPage(query);
        const afterId = readIdCursor(query.cursor);
        const order = orderOf(query.sort, query.dir);
        if (afterId !== null && (page > 1 || order.sort !== "createdAt")) throw problems.cursorOfCreation();
        const fields = readFields(Template, query.fields);
        const { data, total } = await listTemplates(ctx, project.id, {
          page,
          pageSize,
          type: query.type,
          search: query.search,
          ids: query.ids === undefined ? null : readTemplateIds(query.ids),
          ...order,
          afterId,
          withBody: fields.includes("body"),
        });
        const isFull = order.sort === "createdAt" && data.length === pageSize;
        return {
          data: data.map((template) => picked(template, fields)),
          page,
          pageSize,
          total,
          totalPages: Math.ceil(total / pageSize),
          cursor: isFull ? toCursor([data.at(-1)!.id]) : null,
        };
      },
      {
        query: t.Object({
          ...PageQuery,
          type: t.Optional(MessageType),
          search: t.Optional(
            Text({
              description: "Part of the name, alias, description or subject, ignoring case.",
              maxLength: 255,
            }),
          ),
          ids: t.Optional(TemplateIds),
          cursor: t.Optional(
            t.String({
              description: "Instead of `page`: the `cursor` of the previous page, ordered by `createdAt`.",
            }),
          ),
          ...FieldsQuery,
          ...orderQuery(["createdAt", "name", "updatedAt"]),
        }),
        response: answers(
          t.Object({ ...pageList(ListedTemplate).properties, cursor: Nullable(t.String()) }),
          { refusals: [400] },
        ),
        detail: {
          operationId: "listTemplates",
          summary: "List templates",
          description:
            "A page list, which can also be read by `cursor`. `search` covers name, alias, description and subject. `ids` names up to 100 templates; ids that do not exist are omitted. Unknown values of `sort` and `dir` count as the default.",
        },
      },
    )
    .post(
      "/",
      async ({ project, actor, headers, request, body, status, set }) => {
        const missing = missingOf(body);
        if (missing.length > 0) {
          const errors = templateRules(body);
          if (errors.length > missing.length) throw problems.invalid(errors);
          return status(400, bareRefusal(request, requiredMessage(missing)));
        }
        const input = {
          ...body,
          name: body.name!,
          subject: body.subject!,
          body: body.body!,
          from: body.from!,
        };
        const template = await createTemplate(ctx, project.id, input, editOf(actor, headers));
        set.status = 201;
        set.headers.etag = templateTag(template);
        return template;
      },
      {
        body: TemplateBody,
        response: { ...answers(Template, { status: 201, refusals: [413, 415, 422] }), 400: BareError },
        detail: {
          operationId: "createTemplate",
          summary: "Create a template",
          description:
            "Stores a reusable message: HTML or MJML, with `{{variables}}`. It is compiled when it is saved; an error is refused with 422, with line and column. The sender's domain must be verified (403).",
        },
      },
    )
    .post("/preview", async ({ project, body }) => await previewUnsaved(ctx, project.id, body), {
      body: UnsavedPreviewBody,
      response: answers(UnsavedPreview, { refusals: [404, 413, 415, 422] }),
      detail: {
        operationId: "previewUnsavedTemplate",
        summary: "Render an unsaved template",
        description:
          "Refused with the same 422 as saving it, with line and column. `missing` lists the variables without a value, `warnings` likely problems for recipients or mail programs.",
      },
    });
}

/** `/templates/:id`. */
function itemRoutes(ctx: Context) {
  return new Elysia({ prefix: "/templates", detail: { tags: ["Templates"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/:id",
      async ({ project, params: { id }, set }) => {
        const template = await getTemplate(ctx, project.id, templateId(id));
        set.headers.etag = templateTag(template);
        return template;
      },
      {
        ...one,
        response: answers(Template, { refusals: [404] }),
        detail: {
          operationId: "getTemplate",
          summary: "Get a template",
          description: "One template, with its body.",
        },
      },
    )
    .patch(
      "/:id",
      async ({ project, actor, headers, params: { id }, body, set }) => {
        const template = await patchTemplate(ctx, project.id, templateId(id), body, editOf(actor, headers));
        set.headers.etag = templateTag(template);
        return template;
      },
      {
        ...one,
        headers: EditHeaders,
        body: TemplatePatch,
        response: answers(Template, { refusals: [400, 404, 412, 413, 415, 422] }),
        detail: {
          operationId: "updateTemplate",
          summary: "Change a template",
          description: "Changes only the given fields. Mails that were accepted before keep their content.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, actor, headers, params: { id }, set }) => {
        await deleteTemplate(ctx, project.id, templateId(id), editOf(actor, headers));
        set.status = 204;
      },
      {
        ...one,
        headers: EditHeaders,
        response: answers(t.Void(), { status: 204, refusals: [404, 409, 412] }),
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
      async ({ project, actor, headers, params: { id }, set }) => {
        const copy = await duplicateTemplate(ctx, project.id, templateId(id), editOf(actor, headers));
        set.status = 201;
        set.headers.etag = templateTag(copy);
        return copy;
      },
      {
        ...one,
        response: answers(Template, { status: 201, refusals: [404] }),
        detail: {
          operationId: "duplicateTemplate",
          summary: "Copy a template",
          description: "Returns the whole copy, whose name ends in ` (Copy)`.",
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
            "The campaigns and workflow steps that use it, the number of its mails, and the outcomes of the newest ones.",
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
            "Renders subject, HTML and text with the data of a contact, or with the given `data`. `missing` lists the variables without a value. Nothing is sent.",
        },
      },
    );
}

/** Unknown words fall back to the default, as the specification says. */
function orderOf(sort: string | undefined, dir: string | undefined) {
  const known = sort === "name" || sort === "updatedAt" ? sort : "createdAt";
  return { sort: known, dir: dir === "asc" ? "asc" : "desc" } as const;
}
