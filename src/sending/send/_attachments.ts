import type { Queries } from "../../db/queries.gen.ts";
import { WHOLE_MESSAGE } from "../compose/submitted.ts";
import type { SendInput } from "./input.ts";

/** A row of `attachments`. */
type FileRow = Parameters<Queries["contents"]["attach"]>[1]["rows"][number];

/** The attachments of a message as rows; of one that was submitted whole, the message itself. */
export function attachmentsOf({
  content,
  input,
  submitted,
}: {
  content: { id: string };
  input: Pick<SendInput, "attachments">;
  submitted?: Buffer | undefined;
}): FileRow[] {
  if (submitted) return [wholeMessage(content.id, submitted)];
  return (input.attachments ?? []).map((attachment, position) => ({
    content_id: content.id,
    position,
    filename: attachment.filename,
    content_type: attachment.contentType,
    cid: attachment.contentId ?? null,
    disposition: attachment.disposition ?? "attachment",
    content: attachment.content,
  }));
}

function wholeMessage(contentId: string, source: Buffer): FileRow {
  return {
    content_id: contentId,
    position: 0,
    filename: "message.eml",
    content_type: "message/rfc822",
    cid: null,
    disposition: WHOLE_MESSAGE,
    content: source.toString("base64"),
  };
}
