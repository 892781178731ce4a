// How captured mails look in answers.
import { t } from "elysia";
import { Int, Nullable, Timestamp, Uuid } from "../entry/schemas.ts";
import { CursorList } from "./_lists.ts";

const Shown = {
  id: Uuid,
  projectId: Nullable(
    t.String({
      format: "uuid",
      description: "Null for mails of the installation, such as a password reset.",
    }),
  ),
  emailId: Nullable(t.String({ format: "uuid", description: "The id of the mail, for `GET /emails/:id`." })),
  from: t.String({ description: "The envelope sender, to which bounces would be returned." }),
  to: t.String(),
  subject: t.String(),
  capturedAt: Timestamp,
  readAt: Nullable(Timestamp),
};

/** A captured mail in a list. */
export const ListedInboxMail = t.Object(Shown, { title: "ListedInboxMail" });

/** A page of them. */
export const InboxList = t.Object({ ...CursorList(ListedInboxMail).properties, unread: Int });

/** A captured mail, with what it says. */
export const InboxMail = t.Object(
  {
    ...Shown,
    headers: t.Array(t.Object({ name: t.String(), value: t.String() })),
    hasHtml: t.Boolean(),
    html: Nullable(t.String({ description: "As in the message." })),
    text: Nullable(t.String()),
    attachments: t.Array(
      t.Object({
        index: Int,
        filename: t.String(),
        contentType: t.String(),
        sizeBytes: Int,
        inline: t.Boolean({ description: "An image that the HTML shows." }),
      }),
    ),
  },
  { title: "InboxMail" },
);
