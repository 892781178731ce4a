// What the answers of campaigns and templates have in common.
import { t } from "elysia";
import { Int, Nullable, Uuid, Words } from "../entry/schemas.ts";

/** A test mail is on its way. */
export const SentTest = t.Object({
  success: t.Literal(true),
  data: t.Object({ email: Uuid }),
  emailId: Uuid,
  message: t.String(),
});

/** What a mail is for. */
export const MessageType = Words(["TRANSACTIONAL", "MARKETING", "HEADLESS"]);

/** The name of a mail, and what it consists of. */
export const MailFields = {
  name: t.String(),
  description: Nullable(t.String()),
  subject: t.String(),
  preheader: Nullable(t.String()),
  body: t.String(),
  from: t.String(),
  fromName: Nullable(t.String()),
  replyTo: Nullable(t.String()),
  type: MessageType,
};

/** What happened to mails. */
export const OutcomeCounts = {
  sent: Int,
  delivered: Int,
  opened: Int,
  clicked: Int,
  bounced: Int,
  complained: Int,
  unsubscribed: Int,
};
