// /v1: the public API. Responses in the success envelope.
import { Elysia, t } from "elysia";
import { track, trackErrors } from "../../audience/tracking.ts";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { send } from "../../sending/send/mod.ts";
import { fileErrors, type SendInput, sendErrors } from "../../sending/send/input.ts";
import { verifyAddress } from "../../sending/send/verify.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { SEND_BODY_LIMIT } from "../entry/body.ts";
import { bounded, boundedText } from "../entry/body_bounds.ts";
import { bodyWarnings } from "../entry/body_plans.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import { idempotencyKey, IdempotencyHeaders } from "../entry/idempotency.ts";
import {
  answers,
  Data,
  EmailAddress,
  HeaderText,
  IdOf,
  Nullable,
  Text,
  TextMap,
  Timestamp,
  Uuid,
  Warnings,
  Words,
} from "../entry/schemas.ts";

/** As much as a template may have. */
const MAX_BODY_CHARS = 1_048_576;
/** What is around the content of files. */
const ATTACHMENT_NAMES_BYTES = 65_536;

const TrackBody = t.Object(
  {
    email: EmailAddress,
    event: Text({
      minLength: 1,
      maxLength: 255,
      trimmed: true,
      description: "Must not be a name of the service's own events.",
    }),
    subscribed: t.Optional(
      t.Boolean({ description: "Default: new contacts are subscribed, existing ones keep their state." }),
    ),
    data: t.Optional(Data),
  },
  { title: "TrackBody" },
);

const Tracked = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({
      contact: Uuid,
      event: Uuid,
      timestamp: Timestamp,
    }),
    ...Warnings,
  },
  { title: "TrackedEvent" },
);

const Mailbox = t.Union(
  [
    t.String({ format: "mailbox", examples: ["ada@example.com", "Ada <ada@example.com>"] }),
    t.Object(
      { email: EmailAddress, name: t.Optional(HeaderText({ maxLength: 255 })) },
      { title: "NamedAddress", additionalProperties: true },
    ),
  ],
  { title: "Mailbox" },
);

const ContentId = Text({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^<>"\\x00-\\x20\\x7f-\\uffff]+$',
  expected: "Expected ASCII without spaces, quotes and angle brackets, such as logo",
});
const FileFields = {
  filename: Text({
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\r\\n\\u0000"]*$',
    expected: "A file name has no quotes, no line breaks and no NUL",
  }),
  // Checked with its length, slice by slice: a file may have many megabytes.
  content: documented(t.String({ description: "Base64." }), {
    type: "string",
    pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
    examples: ["SGVsbG8="],
  }),
  contentType: Text({
    minLength: 1,
    maxLength: 255,
    pattern: "^(?![mM][uU][lL][tT][iI][pP][aA][rR][tT]/)[\\w.+-]+/[\\w.+-]+( *;[\\x20-\\x7e]*)?$",
    expected: "Expected a media type such as application/pdf, and no multipart one",
    examples: ["application/pdf"],
  }),
};

const Attachment = documented(
  withRules(
    t.Object({
      ...FileFields,
      contentId: t.Optional(ContentId),
      disposition: t.Optional(Words(["attachment", "inline"])),
    }),
    fileErrors,
  ),
  {
    title: "Attachment",
    anyOf: [
      t.Object(
        { ...FileFields, contentId: t.Optional(ContentId), disposition: t.Optional(Words(["attachment"])) },
        { title: "AttachedFile" },
      ),
      t.Object(
        { ...FileFields, contentId: ContentId, disposition: Words(["inline"]) },
        { title: "InlineFile", description: "The HTML shows it as `cid:…`." },
      ),
    ],
  },
);

const TemplateId = IdOf("a template");
const Subject = HeaderText({ minLength: 1, maxLength: 998 });
const Body = boundedText(
  t.String({ minLength: 1, description: "HTML, with `{{variables}}`." }),
  MAX_BODY_CHARS,
);
const Attachments = t.Optional(t.Array(Attachment, { maxItems: 10 }));
const To = t.Union([Mailbox, t.Array(Mailbox, { minItems: 1, maxItems: 1000 })]);

/** What goes with a message, wherever its content comes from. */
const SendFields = {
  name: t.Optional(HeaderText({ maxLength: 255 })),
  subscribed: t.Optional(t.Boolean()),
  data: t.Optional(Data),
  headers: t.Optional(TextMap),
  reply: t.Optional(EmailAddress),
};

/** The content is that of a template, or is in the request. */
const CONTENTS = [
  t.Object(
    {
      to: To,
      template: TemplateId,
      subject: t.Optional(Subject),
      body: t.Optional(Body),
      from: t.Optional(Mailbox),
      ...SendFields,
      attachments: Attachments,
    },
    {
      title: "SendTemplateBody",
      description: "A template; the request may replace its subject, body and sender.",
    },
  ),
  t.Object(
    { to: To, subject: Subject, body: Body, from: Mailbox, ...SendFields, attachments: Attachments },
    { title: "SendMessageBody", description: "A message without a template." },
  ),
];

/** A message whose files have this many bytes together. Base64 needs no escapes, but some encoders escape slashes. */
const sendSchema = (attachmentBytes: number) =>
  t.Object({
    to: To,
    subject: t.Optional(Subject),
    body: t.Optional(Body),
    template: t.Optional(TemplateId),
    from: t.Optional(Mailbox),
    ...SendFields,
    attachments: bounded(Attachments, {
      bytes: Math.ceil((attachmentBytes * 4) / 3) + ATTACHMENT_NAMES_BYTES,
      values: 100,
      levels: 2,
      escape: 1.1,
    }),
  });

const Sent = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({
      emails: t.Array(t.Object({ contact: t.Object({ id: Uuid, email: t.String() }), email: Uuid })),
      timestamp: Timestamp,
    }),
    ...Warnings,
  },
  { title: "SentEmails" },
);

const Verification = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({
      email: t.String(),
      valid: t.Boolean(),
      isDisposable: t.Boolean(),
      isAlias: t.Boolean(),
      isTypo: t.Boolean(),
      isPlusAddressed: t.Boolean(),
      isPersonalEmail: t.Boolean(),
      domainExists: Nullable(t.Boolean({ description: "Null if DNS could not be queried: see `reasons`." })),
      hasWebsite: t.Boolean(),
      hasMxRecords: Nullable(t.Boolean({ description: "Null if DNS could not be queried: see `reasons`." })),
      reasons: t.Array(t.String()),
    }),
  },
  { title: "Verification" },
);

/** `POST /v1/send`, `/v1/track` and `/v1/verify`. */
export function v1Routes(ctx: Context) {
  const attachmentBytes = ctx.config.MAX_ATTACHMENT_SIZE_MB * 1_048_576;
  const sendBody = documented(
    withRules(sendSchema(attachmentBytes), (input: SendInput, refused) =>
      sendErrors(input, { attachmentBytes }, refused),
    ),
    { title: "SendBody", anyOf: CONTENTS },
  );
  return new Elysia({ prefix: "/v1" })
    .use(
      new Elysia().use(authenticateKey(ctx, "secret", { bodyLimit: SEND_BODY_LIMIT })).post(
        "/send",
        async ({ project, body, headers, request }) => {
          const key = idempotencyKey(headers);
          const data = await send(
            ctx,
            { projectId: project.id, key, request: "POST /v1/send" },
            body as SendInput,
          );
          return { success: true as const, data, ...bodyWarnings(request) };
        },
        {
          headers: IdempotencyHeaders,
          body: sendBody,
          response: answers(Sent, { refusals: [400, 402, 404, 409, 413, 415, 422] }),
          detail: {
            operationId: "sendEmail",
            summary: "Send a transactional email",
            description:
              "Sends one message to 1 to 1,000 recipients right away. Contacts that do not exist are created, `data` is merged into theirs, and every recipient gets a separate mail. Everything is checked first and then committed together: either every mail is accepted, or none. After a 200, the mails will not be lost. Refused for a sender whose domain is not verified (403), an unknown template (404), a `MARKETING` template to a recipient who has opted out (400, `details.recipients`), and an `Idempotency-Key` that was used before (409, with the original response).",
            tags: ["Public API"],
          },
        },
      ),
    )
    .use(
      new Elysia().use(authenticateKey(ctx, "public")).post(
        "/track",
        async ({ project, body, headers, request }) => {
          const call = { projectId: project.id, key: idempotencyKey(headers), request: "POST /v1/track" };
          const email = parseAddress(body.email)!.email;
          const data = await track(ctx, call, { ...body, email, event: body.event.trim() });
          return { success: true as const, data, ...bodyWarnings(request) };
        },
        {
          headers: IdempotencyHeaders,
          body: withRules(TrackBody, trackErrors),
          response: answers(Tracked, { refusals: [400, 409, 413, 415, 422] }),
          detail: {
            operationId: "trackEvent",
            summary: "Track an event of a contact",
            description:
              "Records that a contact did something. The contact is created if it does not exist, `data` is merged into its data and stored with the event, and the event starts workflows and ends their waits. It takes the public key, so web pages may call it. Names of the service's own events are refused with 422 `reserved_event`.",
            tags: ["Public API"],
          },
        },
      ),
    )
    .use(
      new Elysia()
        .use(authenticateKey(ctx, "secret"))
        .post(
          "/verify",
          async ({ body }) => ({ success: true as const, data: await verifyAddress(ctx, body.email) }),
          {
            body: t.Object({ email: EmailAddress }),
            response: answers(Verification, { refusals: [400, 413, 415, 422] }),
            detail: {
              operationId: "verifyEmail",
              summary: "Check an email address",
              description:
                "Checks the syntax of an address, the DNS of its domain, and lists of disposable and forwarding services. No mail server is contacted. `valid` is false if there is a reason not to write to it, and `reasons` lists them. Results that could not be found within 5 seconds are null.",
              tags: ["Public API"],
            },
          },
        ),
    );
}
