// /inbox/mails: what was captured instead of sent, for members of a project, its key and the operator.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { Problem, problems } from "../../problem/mod.ts";
import {
  clearCapturedMails,
  countCapturedMails,
  deleteCapturedMail,
  deleteCapturedMails,
  getCapturedMail,
  listCapturedMails,
  markAllCapturedMails,
  markCapturedMail,
  markCapturedMails,
  readCapturedMail,
} from "../../sending/captured/mod.ts";
import { authenticateOperatorOrMember } from "../entry/authenticate.ts";
import { answers, Int, isUuid, PathId, QueryInteger, Text, Uuid, Words } from "../entry/schemas.ts";
import { isOperator } from "../pages/inbox_login.ts";
import {
  attachmentResponse,
  deletedResponse,
  htmlResponse,
  sourceResponse,
  toListed,
  toMailJson,
} from "../pages/inbox_mail.ts";
import { InboxList, InboxMail, ListedInboxMail } from "./_inbox_schemas.ts";
import { clampLimit, CursorQuery, readIdCursor, toIdPage } from "./_lists.ts";

const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 100;

const Scope = {
  projectId: t.Optional(
    t.String({ format: "uuid", description: "With a session: instead of `X-Project-Id`." }),
  ),
};

const Query = t.Object({
  ...Scope,
  ...CursorQuery,
  limit: QueryInteger({
    minimum: 1,
    maximum: MAX_LIMIT,
    fallback: DEFAULT_LIMIT,
    description: `Clamped to 1..${MAX_LIMIT}.`,
  }),
  search: t.Optional(
    Text({ maxLength: 254, description: "Part of the subject, recipient or sender, ignoring case." }),
  ),
  to: t.Optional(Text({ maxLength: 320, description: "The whole address of the recipient." })),
  read: t.Optional(Words(["true", "false"], { description: "Only read or only unread mails." })),
  after: t.Optional(t.String({ format: "uuid", description: "Only mails captured after this one." })),
});

const Mark = t.Object({ read: t.Boolean() });
const LIMITS = { minItems: 1, maxItems: MAX_LIMIT };
const scoped = { query: t.Object(Scope) };
const one = { ...scoped, params: t.Object({ id: PathId }) };

/** The captured mails. */
export function inboxMailsRoutes(ctx: Context) {
  return (
    new Elysia({ prefix: "/inbox/mails", detail: { tags: ["Inbox"] } })
      .use(authenticateOperatorOrMember(ctx, (request) => isOperator(ctx, request)))
      // The operator may look at one project as well.
      .derive(({ project, query }) => ({ scope: project?.id ?? query.projectId?.toLowerCase() ?? null }))
      .get(
        "/",
        async ({ scope, query, headers, set }) => {
          const page = await list(ctx, scope, query);
          // The page asks every second, and mostly nothing is new.
          const etag = `"${Bun.hash(JSON.stringify(page)).toString(36)}"`;
          set.headers.etag = etag;
          if (headers["if-none-match"] !== etag) return page;
          set.status = 304;
          return undefined as never;
        },
        {
          query: Query,
          response: answers(InboxList, { refusals: [400] }),
          detail: {
            operationId: "listInboxMails",
            summary: "List captured mails, newest first",
            description:
              "Without `SMTP_URL` every mail is captured instead of sent: the newest 500 of each project are kept here, for as long as bodies are kept. `total` counts the matches and `unread` all that nobody has opened, both on the first page only. A request with `If-None-Match` gets 304 while nothing has changed. The status of the mails themselves is in the ledger, `GET /emails`. The secret key may read, too; for the operator, who sees all projects, see the guide on operating.",
          },
        },
      )
      .patch(
        "/",
        async ({ scope, body: { read, ids } }) => ({
          updated: await (ids
            ? markCapturedMails(ctx, scope, ids, read)
            : markAllCapturedMails(ctx, scope, read)),
        }),
        {
          ...scoped,
          body: t.Object({
            read: t.Boolean(),
            ids: t.Optional(t.Array(Uuid, { ...LIMITS, description: "Only these. Left out: all." })),
          }),
          response: answers(t.Object({ updated: Int }), { refusals: [400, 422] }),
          detail: {
            operationId: "markInboxMails",
            summary: "Mark captured mails as read or unread",
            description:
              "All of them, or those in `ids`; ids that are not there are skipped. `updated` counts those that were marked otherwise before. For everybody with access. Requires a session.",
          },
        },
      )
      .post(
        "/delete",
        async ({ scope, body }) => ({ deleted: await deleteCapturedMails(ctx, scope, body.ids) }),
        {
          ...scoped,
          body: t.Object({ ids: t.Array(Uuid, LIMITS) }),
          response: answers(t.Object({ deleted: Int }), { refusals: [400, 422] }),
          detail: {
            operationId: "deleteInboxMails",
            summary: "Delete several captured mails from the inbox",
            description:
              "Only what the inbox shows: the mails stay in the ledger as `CAPTURED`. One that is not there is skipped. Requires a session.",
          },
        },
      )
      .delete(
        "/",
        async ({ scope, set }) => {
          await clearCapturedMails(ctx, scope);
          set.status = 204;
        },
        {
          ...scoped,
          response: answers(t.Void(), { status: 204 }),
          detail: {
            operationId: "clearInbox",
            summary: "Delete all captured mails from the inbox",
            description:
              "Affects only the inbox: the mails stay in the ledger as `CAPTURED`, and the operator can still release them. Requires a session.",
          },
        },
      )
      .get(
        "/:id",
        async ({ scope, params }) => toMailJson(await readCapturedMail(ctx, scope, mailId(params.id))),
        {
          ...one,
          response: answers(InboxMail, { refusals: [404] }),
          detail: {
            operationId: "getInboxMail",
            summary: "Get a captured mail with its content",
            description:
              "Headers, HTML and text as they would have been sent, and a list of its attachments. Does not mark it as read.",
          },
        },
      )
      .patch(
        "/:id",
        async ({ scope, params, body }) => {
          const id = mailId(params.id);
          await markCapturedMail(ctx, scope, id, body.read);
          return toListed(await getCapturedMail(ctx, scope, id));
        },
        {
          ...one,
          body: Mark,
          response: answers(ListedInboxMail, { refusals: [404, 422] }),
          detail: {
            operationId: "markInboxMail",
            summary: "Mark a captured mail as read or unread",
            description: "For everybody with access. Requires a session.",
          },
        },
      )
      .delete(
        "/:id",
        async ({ scope, params, set }) => {
          await deleteCapturedMail(ctx, scope, mailId(params.id));
          set.status = 204;
        },
        {
          ...one,
          response: answers(t.Void(), { status: 204, refusals: [404] }),
          detail: {
            operationId: "deleteInboxMail",
            summary: "Delete a captured mail from the inbox",
            description:
              "Affects only the inbox: the mail stays in the ledger as `CAPTURED`. Requires a session.",
          },
        },
      )
      .get(
        "/:id/html",
        async ({ scope, params, headers }) => {
          try {
            return htmlResponse(await readCapturedMail(ctx, scope, mailId(params.id)));
          } catch (error) {
            const isGone = error instanceof Problem && error.status === 404;
            if (isGone && headers["sec-fetch-dest"] === "iframe") return deletedResponse();
            throw error;
          }
        },
        {
          ...one,
          response: answers(t.Any({ description: "The HTML, with a policy that blocks all scripts." }), {
            refusals: [404],
          }),
          detail: {
            operationId: "getInboxMailHtml",
            summary: "Show the HTML of a captured mail",
            description: "For a frame: images of the mail are embedded, and no script runs.",
          },
        },
      )
      .get(
        "/:id/source",
        async ({ scope, params }) =>
          sourceResponse((await getCapturedMail(ctx, scope, mailId(params.id))).source),
        {
          ...one,
          response: answers(t.Any({ description: "The message (RFC 5322)." }), { refusals: [404] }),
          detail: {
            operationId: "getInboxMailSource",
            summary: "Get the source of a captured mail",
            description: "The whole message as it would have been sent.",
          },
        },
      )
      .get(
        "/:id/attachments/:index",
        async ({ scope, params: { id, index } }) => {
          const file = attachmentResponse(await readCapturedMail(ctx, scope, mailId(id)), index);
          if (!file) throw problems.notFound("attachment", index);
          return file;
        },
        {
          ...scoped,
          params: t.Object({ id: PathId, index: t.String({ examples: ["0"] }) }),
          response: answers(t.Any({ description: "The file." }), { refusals: [404] }),
          detail: {
            operationId: "getInboxMailAttachment",
            summary: "Get an attachment of a captured mail",
            description: "By its `index` in the mail.",
          },
        },
      )
  );
}

async function list(ctx: Context, scope: string | null, query: (typeof Query)["static"]) {
  const limit = clampLimit(query.limit, { fallback: DEFAULT_LIMIT, max: MAX_LIMIT });
  const beforeId = readIdCursor(query.cursor);
  const read = query.read === undefined ? undefined : query.read === "true";
  const filter = { search: query.search, to: query.to, read };
  const [rows, counts] = await Promise.all([
    listCapturedMails(ctx, scope, filter, { limit, beforeId, afterId: query.after?.toLowerCase() ?? null }),
    beforeId === null ? countCapturedMails(ctx, scope, filter) : { total: 0, unread: 0 },
  ]);
  const { data, ...page } = toIdPage(rows, limit, counts.total);
  return { data: data.map(toListed), ...page, unread: counts.unread };
}

/** One that can be no id is simply not found. */
function mailId(id: string): string {
  if (!isUuid(id)) throw problems.notFound("captured mail", id);
  return id;
}
