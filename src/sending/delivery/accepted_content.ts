import type { Content } from "../compose/mod.ts";

/** A content that this process has just written, as a claim would answer with it. */
export interface AcceptedContent extends Pick<
  Content,
  | "templateId"
  | "type"
  | "subject"
  | "html"
  | "text"
  | "fromEmail"
  | "fromName"
  | "replyTo"
  | "headers"
  | "data"
  | "tracked"
  | "trackOpens"
  | "trackClicks"
  | "offersUnsubscribe"
  | "tags"
  | "recipients"
  | "submitted"
> {
  id: string;
  /** Whether several mails have it. */
  shared: boolean;
}
