// What a message to be sent looks like in requests, and its answer.
import type { TProperties } from "@sinclair/typebox";
import { t } from "elysia";
import type { Context } from "../../context.ts";
import { MAX_BATCH } from "../../sending/send/batch.ts";
import { fileErrors, type SendInput, sendErrors } from "../../sending/send/input.ts";
import { sendLimits } from "../../sending/send/mod.ts";
import { MAX_NAMED } from "../../sending/send/recipients.ts";
import { SEND_BODY_LIMIT } from "../entry/body.ts";
import { bounded, boundedText } from "../entry/body_bounds.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import {
  Data,
  EmailAddress,
  HeaderText,
  IdOf,
  ProblemEnvelope,
  Text,
  TextMap,
  Timestamp,
  Uuid,
  Warnings,
  Words,
} from "../entry/schemas.ts";
import { Role, Tags } from "./_email_schemas.ts";

/** As much as a template may have. */
const MAX_BODY_CHARS = 1_048_576;
/** What is around the content of files. */
const ATTACHMENT_NAMES_BYTES = 65_536;

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
const Copies = (description: string) =>
  t.Optional(t.Union([Mailbox, t.Array(Mailbox, { maxItems: MAX_NAMED })], { description }));

/** A time up to 90 days ahead; the rules check it. */
export const SendAt = documented(t.String({ maxLength: 40 }), {
  type: "string",
  format: "date-time",
  description: "When to send it: ISO 8601, up to 90 days ahead; UTC if it has no zone.",
  examples: ["2030-01-31T09:00:00Z"],
});

/** What goes with a message, wherever its content comes from. */
const SendFields = {
  cc: Copies(
    "Recipients of a copy, whom everybody sees. With `cc` or `bcc`, all recipients get the same message, and see those of `to` and `cc`.",
  ),
  bcc: Copies(
    "Recipients of a copy, whom nobody sees. Up to 50 recipients in `to`, `cc` and `bcc` together.",
  ),
  name: t.Optional(HeaderText({ maxLength: 255 })),
  subscribed: t.Optional(t.Boolean()),
  data: t.Optional(Data),
  headers: t.Optional(TextMap),
  reply: t.Optional(EmailAddress),
  replyTo: t.Optional(
    t.Union([EmailAddress, t.Array(EmailAddress, { minItems: 1, maxItems: 10 })], {
      description: "One or more addresses for replies, in place of `reply`.",
    }),
  ),
  tags: t.Optional(Tags),
  sendAt: t.Optional(SendAt),
  tracking: t.Optional(
    t.Union(
      [
        t.Boolean(),
        t.Object(
          { opens: t.Optional(t.Boolean()), clicks: t.Optional(t.Boolean()) },
          { title: "TrackingChoice" },
        ),
      ],
      {
        description:
          "Whether opens and clicks are tracked. What is left out is decided by the project's setting.",
      },
    ),
  ),
  unsubscribe: t.Optional(
    t.Boolean({
      description:
        "True: a transactional mail has the headers of one-click unsubscription, too. Marketing mails always have them.",
    }),
  ),
};

/** The content is that of a template, or is in the request. `more`: fields of a message in a list, whose schemas have a prefix. */
const contents = (prefix = "", more: TProperties = {}) => [
  t.Object(
    {
      to: To,
      template: TemplateId,
      subject: t.Optional(Subject),
      body: t.Optional(Body),
      from: t.Optional(Mailbox),
      ...SendFields,
      attachments: Attachments,
      ...more,
    },
    {
      title: `${prefix}SendTemplateBody`,
      description: "A template; the request may replace its subject, body and sender.",
    },
  ),
  t.Object(
    { to: To, subject: Subject, body: Body, from: Mailbox, ...SendFields, attachments: Attachments, ...more },
    { title: `${prefix}SendMessageBody`, description: "A message without a template." },
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

const SentData = t.Object({
  emails: t.Array(
    t.Object({
      contact: t.Object({ id: Uuid, email: t.String() }),
      email: Uuid,
      role: t.Optional(Role),
    }),
  ),
  timestamp: Timestamp,
  scheduledFor: t.Optional(Timestamp),
});

/** What was accepted: for each recipient, in order. */
export const SentEmails = t.Object(
  {
    success: t.Literal(true),
    data: SentData,
    ...Warnings,
  },
  { title: "SentEmails" },
);

/** The body of `POST /v1/send`. */
export function sendBody(ctx: Context) {
  const { attachmentBytes } = sendLimits(ctx);
  return documented(
    withRules(sendSchema(attachmentBytes), (input: SendInput, refused) =>
      sendErrors(input, sendLimits(ctx), refused),
    ),
    { title: "SendBody", anyOf: contents() },
  );
}

const OwnKey = t.Optional(
  Text({
    minLength: 1,
    maxLength: 255,
    pattern: "^[\\x20-\\x7e]*$",
    expected: "Expected printable ASCII",
    description: "An idempotency key for this message alone.",
  }),
);

/** A message of `POST /v1/send/batch`: checked by itself, so that others are accepted where it is refused. */
export function batchMessage(ctx: Context) {
  const { properties } = sendSchema(sendLimits(ctx).attachmentBytes);
  return withRules(t.Object({ ...properties, idempotencyKey: OwnKey }), (input: SendInput, refused) =>
    sendErrors(input, sendLimits(ctx), refused),
  );
}

/** The body of `POST /v1/send/batch`. */
export const BatchBody = t.Object(
  {
    messages: documented(
      bounded(t.Array(t.Unknown(), { minItems: 1, maxItems: MAX_BATCH }), {
        bytes: SEND_BODY_LIMIT,
        values: 50_000,
        levels: 70,
        escape: 1,
      }),
      {
        type: "array",
        minItems: 1,
        maxItems: MAX_BATCH,
        items: { title: "BatchMessage", anyOf: contents("Batch", { idempotencyKey: OwnKey }) },
      },
    ),
    atomic: t.Optional(
      t.Boolean({
        description: "True: all are accepted in one transaction, or none. Default: each by itself.",
      }),
    ),
  },
  { title: "SendBatchBody" },
);

/** What became of each message, in order. */
export const SentBatch = t.Object(
  {
    success: t.Literal(true),
    data: t.Array(
      t.Union([
        t.Object({ success: t.Literal(true), data: SentData }, { title: "SentMessage" }),
        ProblemEnvelope,
      ]),
    ),
  },
  { title: "SentBatch" },
);
