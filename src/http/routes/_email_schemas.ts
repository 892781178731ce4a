// How mails of the ledger look in answers.
import { t } from "elysia";
import { Int, Nullable, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";

/** The states of a mail. */
export const EmailStatus = Words([
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

/** What made a mail. */
export const SourceType = Words(["TRANSACTIONAL", "CAMPAIGN", "WORKFLOW"]);

/** What a mail is for. */
export const MessageType = Words(["TRANSACTIONAL", "MARKETING", "HEADLESS"]);

const TagWord = Text({
  minLength: 1,
  maxLength: 256,
  pattern: "^[A-Za-z0-9_-]*$",
  expected: "Expected letters of ASCII, digits, _ and -",
});

/** What a caller marks mails with. */
export const Tags = t.Array(t.Object({ name: TagWord, value: TagWord }, { title: "Tag" }), { maxItems: 10 });

/** How a recipient is named in the header of a message. */
const ROLES = ["to", "cc", "bcc"] as const;
export const Role = Words(ROLES);

const Named = (description: string) =>
  t.Array(t.Object({ email: t.String(), name: Nullable(t.String()) }, { title: "NamedRecipient" }), {
    description,
  });

/** A tag in a query, as `name:value`. */
export const TagQuery = (description: string) =>
  Text({
    maxLength: 513,
    pattern: "^[A-Za-z0-9_-]+:[A-Za-z0-9_-]+$",
    expected: "Expected the name and the value of a tag, such as category:welcome",
    description,
  });

/** A mail, and what happened to it. */
export const Email = t.Object(
  {
    id: Uuid,
    contactId: Nullable(Uuid),
    to: Nullable(t.String({ description: "The address. Null once the contact has been deleted." })),
    toName: Nullable(t.String()),
    subject: Nullable(
      t.String({
        description: "As it was last sent. Before the first attempt: as it was written, with its variables.",
      }),
    ),
    from: Nullable(t.String()),
    fromName: Nullable(t.String()),
    type: Nullable(MessageType),
    tags: Nullable(Tags),
    templateId: Nullable(Uuid),
    workflowId: Nullable(Uuid),
    campaignId: Nullable(Uuid),
    stepId: Nullable(Uuid),
    workflowExecutionId: Nullable(Uuid),
    sourceType: SourceType,
    status: EmailStatus,
    messageId: Nullable(t.String()),
    providerId: Nullable(
      t.String({ description: "The mail's id at the provider, if the mail server returns one." }),
    ),
    resendOf: Nullable(
      t.String({ format: "uuid", description: "The mail that this one repeats, which may no longer exist." }),
    ),
    role: Words(ROLES, {
      description: "How the message names this recipient: as `to`, as `cc`, or not at all (`bcc`).",
    }),
    parentId: Nullable(
      t.String({
        format: "uuid",
        description:
          "Of a message with several recipients who see each other: the mail to the first of them, which names itself. Null for all other mails.",
      }),
    ),
    cc: Named("Everybody whom the message names as `Cc`."),
    bcc: Named("Everybody who got the message as `bcc`."),
    attempts: Int,
    error: Nullable(t.String()),
    queuedAt: Timestamp,
    nextAttemptAt: Nullable(
      t.Unsafe<Date>({
        ...Timestamp,
        description:
          "For a PENDING mail: the earliest time of the next attempt. Null while it waits for its turn at a domain.",
      }),
    ),
    scheduledFor: Nullable(
      t.Unsafe<Date>({ ...Timestamp, description: "The time for which the request has scheduled it." }),
    ),
    doubtedAt: Nullable(
      t.Unsafe<Date>({
        ...Timestamp,
        description:
          "When it first became unknown whether the mail was sent: the recipient may get it twice.",
      }),
    ),
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

/** What a mail said. */
export const EmailContent = t.Object(
  {
    subject: Nullable(t.String()),
    html: Nullable(t.String({ description: "Without tracking. Null once the body has been deleted." })),
    text: Nullable(t.String()),
    headers: t.Record(t.String(), t.String(), {
      description: "Besides those that every mail has: sender, recipient, subject, date, message id.",
    }),
    attachments: t.Array(
      t.Object({ filename: t.String(), contentType: t.String(), disposition: t.String(), size: Int }),
    ),
    removedAt: Nullable(Timestamp),
  },
  { title: "EmailContent" },
);

/** Something that happened to a mail. */
export const EmailEvent = t.Object(
  {
    id: Uuid,
    name: t.String({
      description:
        "`email.queued`, `email.captured`, `email.released` and `email.resent`, whose data has the `emailId` of the new mail, or an event such as `email.click`, whose data has the `link`.",
    }),
    data: t.Unknown(),
    bot: t.Boolean({
      description: "Opened or clicked by a program, such as a filter or a mail program: not counted.",
    }),
    createdAt: Timestamp,
  },
  { title: "EmailEvent" },
);
