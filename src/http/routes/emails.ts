// /emails: the ledger, so that everyone can see what became of a mail.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { problems } from "../../problem.ts";
import { countEmails, getEmail, listEmails } from "../../sending/delivery/emails.ts";
import { readPeriod } from "./_periods.ts";
import { searchedAddress } from "../../mail/address.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { clampLimit, CursorList, CursorQuery, orderQuery, readIdCursor, toIdPage } from "./_lists.ts";
import { answers, Int, isUuid, Nullable, PathId, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";

const Status = Words([
  "PENDING",
  "SENDING",
  "CAPTURED",
  "SENT",
  "DELIVERED",
  "OPENED",
  "CLICKED",
  "BOUNCED",
  "COMPLAINED",
  "FAILED",
  "SUPPRESSED",
  "IN_DOUBT",
]);

const Email = t.Object(
  {
    id: Uuid,
    contactId: Nullable(Uuid),
    to: Nullable(t.String({ description: "The address. Null once the contact has been deleted." })),
    toName: Nullable(t.String()),
    subject: Nullable(t.String({ description: "As it was written, with its variables." })),
    from: Nullable(t.String()),
    fromName: Nullable(t.String()),
    type: Nullable(Words(["TRANSACTIONAL", "MARKETING", "HEADLESS"])),
    templateId: Nullable(Uuid),
    workflowId: Nullable(Uuid),
    campaignId: Nullable(Uuid),
    workflowExecutionId: Nullable(Uuid),
    sourceType: Words(["TRANSACTIONAL", "CAMPAIGN", "WORKFLOW"]),
    status: Status,
    messageId: Nullable(t.String()),
    attempts: Int,
    error: Nullable(t.String()),
    queuedAt: Timestamp,
    capturedAt: Nullable(Timestamp),
    sentAt: Nullable(Timestamp),
    deliveredAt: Nullable(Timestamp),
    openedAt: Nullable(Timestamp),
    clickedAt: Nullable(Timestamp),
    bouncedAt: Nullable(Timestamp),
    complainedAt: Nullable(Timestamp),
    unsubscribedAt: Nullable(Timestamp),
    opens: Int,
    clicks: Int,
  },
  { title: "Email" },
);

/** `GET /emails` and `GET /emails/:id`. */
export function emailsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/emails" })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, query: { contactId, campaignId, status, to, limit, cursor, dir, ...times } }) => {
        const period = readPeriod({ startDate: times.from, endDate: times.until });
        const filter = { contactId, campaignId, status, to: to && searchedAddress(to), ...period };
        const order = dir === "asc" ? ("asc" as const) : ("desc" as const);
        const page = { limit: clampLimit(limit), afterId: readIdCursor(cursor), dir: order };
        const [rows, total] = await Promise.all([
          listEmails(ctx, project.id, filter, page),
          page.afterId === null ? countEmails(ctx, project.id, filter) : 0,
        ]);
        return toIdPage(rows, page.limit, total);
      },
      {
        query: t.Object({
          ...CursorQuery,
          contactId: t.Optional(Uuid),
          campaignId: t.Optional(Uuid),
          status: t.Optional(Status),
          to: t.Optional(Text({ maxLength: 320, description: "The whole address of the recipient." })),
          from: t.Optional(t.String({ description: "ISO 8601. Accepted at this moment or later." })),
          until: t.Optional(
            t.String({
              description: "ISO 8601. Accepted at this moment or before; a date is its end (UTC).",
            }),
          ),
          ...orderQuery(["queuedAt"]),
        }),
        response: answers(CursorList(Email), { refusals: [400] }),
        detail: {
          operationId: "listEmails",
          summary: "List mails, the newest first",
          description: "A cursor list of the ledger: one row for each mail, with what became of it.",
          tags: ["Emails"],
        },
      },
    )
    .get(
      "/:id",
      async ({ project, params: { id } }) => {
        if (!isUuid(id)) throw problems.notFound("email", id);
        return await getEmail(ctx, project.id, id);
      },
      {
        params: t.Object({ id: PathId }),
        response: answers(Email, { refusals: [404] }),
        detail: {
          operationId: "getEmail",
          summary: "Get a mail and its outcome",
          description:
            "One row of the ledger. `error` holds the words of the mail server where it was not accepted.",
          tags: ["Emails"],
        },
      },
    );
}
