// /emails: the ledger, so that everyone can see what happened to a mail.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { searchedAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import { searchEmails } from "../../sending/delivery/email_search.ts";
import { countEmails, getEmail, listEmails } from "../../sending/delivery/emails.ts";
import { mailEvents, showMail } from "../../sending/delivery/shown_mail.ts";
import { cancelEmail, rescheduleEmail } from "../../sending/delivery/scheduled.ts";
import { resend } from "../../sending/send/resend.ts";
import { readSendAt, sendAtErrors } from "../../sending/send/send_at.ts";
import { COUNT_UP_TO } from "../../totals.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { idempotencyKey, IdempotencyHeaders } from "../entry/idempotency.ts";
import { answers, isUuid, PathId, Text, Uuid } from "../entry/schemas.ts";
import {
  Email,
  EmailContent,
  EmailEvent,
  MessageType,
  SourceType,
  EmailStatus,
  TagQuery,
} from "./_email_schemas.ts";
import { clampLimit, CursorList, CursorQuery, readIdCursor, strictOrderQuery, toIdPage } from "./_lists.ts";
import { SendAt } from "./_send_schemas.ts";
import { periodErrors, readPeriod, SpanQuery } from "./_periods.ts";

const Filters = {
  to: t.Optional(Text({ maxLength: 320, description: "The whole address of the recipient." })),
  contactId: t.Optional(Uuid),
  parentId: t.Optional(
    t.String({
      format: "uuid",
      description: "All mails of a message with several recipients who see each other.",
    }),
  ),
  campaignId: t.Optional(Uuid),
  templateId: t.Optional(
    t.String({ format: "uuid", description: "Of a single mail or a step of a workflow." }),
  ),
  workflowId: t.Optional(Uuid),
  sourceType: t.Optional(SourceType),
  type: t.Optional(MessageType),
  status: t.Optional(EmailStatus),
  tag: t.Optional(TagQuery("A tag that the mails were sent with, as `name:value`.")),
};

const Query = withRules(
  t.Object({
    ...CursorQuery,
    ...Filters,
    search: t.Optional(
      Text({
        maxLength: 254,
        description:
          "At least three letters of the address, or of the subject as it was written, ignoring case; can only be combined with `from` and `until`. Newest first.",
      }),
    ),
    ...SpanQuery("Accepted"),
    ...strictOrderQuery(["queuedAt"]),
  }),
  periodErrors,
);

const one = { params: t.Object({ id: PathId }) };

/** `GET /emails` and what is below it. */
export function emailsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/emails", detail: { tags: ["Emails"] } })
    .use(authenticateKey(ctx, "secret"))
    .get("/", async ({ project, query }) => await list(ctx, project.id, query), {
      query: Query,
      response: answers(CursorList(Email), { refusals: [400] }),
      detail: {
        operationId: "listEmails",
        summary: "List mails, newest first",
        description:
          "A cursor list of the ledger: one row per mail, with its outcome. Every filter has an index, so a page takes the same time among millions of mails. `contactId` and `to` can be combined with any other filter; otherwise use one of `parentId`, `campaignId`, `templateId`, `workflowId`, `sourceType`, `status` and `tag`, or `campaignId` with `status`: other combinations are refused with 400. `total` counts up to 100,000; for a search it counts the page.",
      },
    })
    .get("/:id", async ({ project, params: { id } }) => await getEmail(ctx, project.id, emailId(id)), {
      ...one,
      response: answers(Email, { refusals: [404] }),
      detail: {
        operationId: "getEmail",
        summary: "Get a mail and its outcome",
        description:
          "One row of the ledger. `error` has the reply of the mail server if the mail was not accepted.",
      },
    })
    .get(
      "/:id/content",
      async ({ project, params: { id } }) => await showMail(ctx, project.id, emailId(id)),
      {
        ...one,
        response: answers(EmailContent, { refusals: [404] }),
        detail: {
          operationId: "getEmailContent",
          summary: "Get the content of a mail",
          description:
            "HTML, text and headers, for as long as bodies are kept; after that, `removedAt` says when they were deleted. Content is stored once for all recipients, so variables show the contact's current data, except in the subject, which is kept as it was sent. Links are the original ones: following them is not counted.",
        },
      },
    )
    .get(
      "/:id/events",
      async ({ project, params: { id } }) => await mailEvents(ctx, project.id, emailId(id)),
      {
        ...one,
        response: answers(t.Array(EmailEvent), { refusals: [404] }),
        detail: {
          operationId: "listEmailEvents",
          summary: "List the events of a mail, oldest first",
          description:
            "Up to 200 entries: queued, captured, released, sent again; sent, delivered, opens, clicks with their links, bounce, complaint.",
        },
      },
    )
    .patch(
      "/:id",
      async ({ project, params: { id }, body: { sendAt } }) =>
        await rescheduleEmail(ctx, project.id, emailId(id), sendAtOf(ctx, sendAt)),
      {
        ...one,
        body: withRules(
          t.Object({ sendAt: SendAt }, { title: "RescheduleBody" }),
          ({ sendAt }: { sendAt?: string }) => sendAtErrors(sendAt, ctx.now()),
        ),
        response: answers(Email, { refusals: [400, 404, 409, 413, 415, 422] }),
        detail: {
          operationId: "rescheduleEmail",
          summary: "Give a scheduled mail another time",
          description:
            "For a mail that was sent with `sendAt` and still waits for its time. With the first mail of a message (`parentId`), all others of it that still wait get the same time. Refused with 409 once it is being sent, was sent or cancelled, and for a mail that is not scheduled.",
        },
      },
    )
    .post(
      "/:id/cancel",
      async ({ project, params: { id } }) => await cancelEmail(ctx, project.id, emailId(id)),
      {
        ...one,
        response: answers(Email, { refusals: [404, 409] }),
        detail: {
          operationId: "cancelEmail",
          summary: "Cancel a mail that was not sent yet",
          description:
            "The mail is not sent: its status is `SUPPRESSED`, and `error` says that it was cancelled. What it took of the month's limit is given back. For mails of `POST /v1/send` that are `PENDING`: scheduled ones, and those that wait for another attempt. With the first mail of a message (`parentId`), all others of it that were not sent yet are cancelled. Refused with 409 for all others, and once the mail is being sent.",
        },
      },
    )
    .post(
      "/:id/resend",
      async ({ project, params: { id }, headers, body, set }) => {
        refuseFields(body);
        const key = idempotencyKey(headers);
        const call = { projectId: project.id, key, request: "POST /emails/:id/resend" };
        set.status = 202;
        return await resend(ctx, call, emailId(id));
      },
      {
        ...one,
        headers: IdempotencyHeaders,
        response: answers(Email, { status: 202, refusals: [400, 402, 404, 409, 422] }),
        detail: {
          operationId: "resendEmail",
          summary: "Send a mail again to its recipient",
          description:
            "Sends the content as a new mail, whose `resendOf` names the original: with the same attachments, to the contact's current address and with the current data. Of a message with `cc` or `bcc`, only this recipient gets it again. It takes no body: a field such as `to` is refused (422), because nothing of the mail can be changed. It counts as a single transactional mail, even if the original belonged to a campaign. The response is its row in the ledger, which is `SUPPRESSED` if the address is on the suppression list. Refused for a sender whose domain is no longer verified (403), a recipient who has opted out of such mail (400, `details.recipients`), a used `Idempotency-Key`, and a mail that is still being sent, or whose content, contact or workflow no longer exists (409).",
        },
      },
    );
}

/** The time that is meant. Throws 422. */
function sendAtOf(ctx: Context, sendAt: string): Date {
  const errors = sendAtErrors(sendAt, ctx.now());
  if (errors.length > 0) throw problems.invalid(errors);
  return readSendAt(sendAt)!;
}

/** The mail goes out as it was: a request that wants it otherwise, for another recipient, say, must not send anything. */
function refuseFields(body: unknown): void {
  const message = "Unknown field: a mail is sent again as it was. To change anything, use POST /v1/send";
  const errors = Object.keys(body ?? {}).map((field) => ({ field, code: "custom" as const, message }));
  if (errors.length > 0) throw problems.invalid(errors);
}

async function list(ctx: Context, projectId: string, query: (typeof Query)["static"]) {
  const { contactId, parentId, campaignId, templateId, workflowId, sourceType, type, status, tag } = query;
  const period = readPeriod({ from: query.from, until: query.until });
  const to = query.to && searchedAddress(query.to);
  const belonging = { contactId, parentId, campaignId, templateId, workflowId };
  const filter = { to, ...belonging, sourceType, type, status, tag };
  const dir = query.dir === "asc" ? ("asc" as const) : ("desc" as const);
  const page = { limit: clampLimit(query.limit), afterId: readIdCursor(query.cursor), dir };
  if (query.search) {
    if (dir === "asc" || Object.values(filter).some(Boolean)) throw problems.searchAlone();
    const found = await searchEmails(ctx, projectId, query.search, {
      limit: page.limit,
      beforeId: page.afterId,
      ...period,
    });
    const total = page.afterId === null ? Math.min(found.length, page.limit) : 0;
    return toIdPage(found, page.limit, total, found.length > page.limit && total > 0);
  }
  const [rows, total] = await Promise.all([
    listEmails(ctx, projectId, { ...filter, ...period }, page),
    page.afterId === null ? countEmails(ctx, projectId, { ...filter, ...period }) : 0,
  ]);
  return toIdPage(rows, page.limit, total, total >= COUNT_UP_TO);
}

function emailId(id: string): string {
  if (!isUuid(id)) throw problems.notFound("email", id);
  return id;
}
