// One message that was submitted: what its own fields ask for, and its way into the ledger.
import { assertIdempotencyKey } from "../../accounts/idempotency.ts";
import type { DataInput } from "../../audience/contacts/data.ts";
import type { Context } from "../../context.ts";
import type { GivenMessage } from "../../mail/submission_smtp.ts";
import { readSubmitted, type SubmittedMessage, UnfitMessage } from "../../mail/submitted.ts";
import { Problem } from "../../problem/mod.ts";
import { filesOfSubmitted } from "../compose/submitted.ts";
import type { SendInput, Tag } from "../send/input.ts";
import type { NamedAddress, Recipient } from "../send/recipients.ts";
import { send, type SendResult, submit, type WholeMessage } from "../send/mod.ts";
import type { Submitter } from "./_caller.ts";

/** What the fields `X-Postrider-…` of a message say. */
interface Controls {
  key: string | null;
  template: string | null;
  options: WholeMessage["options"];
}

const REQUEST = "SMTP submission";
const KNOWN = ["template", "data", "tags", "tracking", "send-at", "idempotency-key"];
const MAX_TAGS = 10;
const TAG = /^([\w-]{1,256})=([\w-]{1,256})$/;
const TEMPLATE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NAMED_IDS = 3;

/** Stores a message for all its recipients: committed when it resolves. Returns what is said about it. */
export async function takeMessage(
  ctx: Context,
  hostname: string,
  { caller, recipients: addresses, message, client, protocol }: GivenMessage<Submitter>,
): Promise<string> {
  const began = performance.now();
  const { projectId } = caller;
  const read = readSubmitted(message, { from: client, by: hostname, protocol, at: ctx.now() });
  const controls = controlsOf(read.controls);
  const recipients = recipientsIn(read, addresses);
  const call = { projectId, key: controls.key, request: REQUEST };
  const sending =
    controls.template === null
      ? submit(ctx, call, { ...read, recipients, options: controls.options })
      : send(ctx, call, templateInput(read, recipients, controls)).then(({ result }) => result);
  const { text, repeated } = await sending.then(
    (result) => ({ text: accepted(result), repeated: false }),
    (error: unknown) => ({ text: alreadyAccepted(error), repeated: true }),
  );
  const ms = Math.round((performance.now() - began) * 10) / 10;
  ctx.log.info("submission", {
    projectId,
    recipients: recipients.length,
    bytes: message.source.length,
    ms,
    repeated,
  });
  return text;
}

/** Those of the envelope, with what the header says of them. Several recipients see who is in it. */
function recipientsIn({ names, roles }: SubmittedMessage, addresses: string[]): Recipient[] {
  return addresses.map((email) => ({
    email,
    name: names.get(email) ?? null,
    role: addresses.length > 1 ? (roles.get(email) ?? "bcc") : null,
  }));
}

function accepted({ emails }: SendResult): string {
  return `2.0.0 Accepted as ${idsOf(emails.map(({ email }) => email))}`;
}

/** A client that has not heard our reply sends the same again, and is told the same. Anything else is thrown. */
function alreadyAccepted(error: unknown): string {
  const original = error instanceof Problem && error.status === 409 ? error.extras.details : undefined;
  if (original?.originalRequest !== REQUEST) throw error;
  const { data } = original.originalResponse as { data: SendResult };
  return `2.0.0 Already accepted as ${idsOf(data.emails.map(({ email }) => email))}`;
}

function idsOf(ids: string[]): string {
  const more = ids.length - NAMED_IDS;
  return ids.slice(0, NAMED_IDS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function controlsOf(controls: SubmittedMessage["controls"]): Controls {
  for (const name of controls.keys()) {
    if (KNOWN.includes(name)) continue;
    throw new UnfitMessage(
      `X-Postrider-${name} is unknown: there are ${KNOWN.map((known) => `X-Postrider-${known}`).join(", ")}`,
    );
  }
  const key = controls.get("idempotency-key") ?? null;
  if (key !== null) assertIdempotencyKey(key);
  const template = controls.get("template") ?? null;
  if (template !== null && !TEMPLATE_ID.test(template)) {
    throw new UnfitMessage("X-Postrider-Template is the id of a template");
  }
  const options = {
    data: dataOf(controls.get("data")),
    tags: tagsOf(controls.get("tags")),
    tracking: trackingOf(controls.get("tracking")),
    sendAt: controls.get("send-at"),
  };
  return { key, template, options };
}

function dataOf(text: string | undefined): DataInput | undefined {
  if (text === undefined) return undefined;
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data === "object" && data !== null && !Array.isArray(data)) return data as DataInput;
  } catch {
    // Said below.
  }
  throw new UnfitMessage('X-Postrider-Data is a JSON object, such as {"name": "Ada"}');
}

function tagsOf(text: string | undefined): Tag[] | undefined {
  if (text === undefined) return undefined;
  const pairs = text.split(",").map((pair) => TAG.exec(pair.trim()));
  if (pairs.length <= MAX_TAGS && pairs.every((pair) => pair !== null)) {
    return pairs.map((pair) => ({ name: pair[1]!, value: pair[2]! }));
  }
  throw new UnfitMessage(
    "X-Postrider-Tags is up to 10 pairs such as kind=receipt, shop=de, of letters of ASCII, digits, _ and -",
  );
}

function trackingOf(text: string | undefined): boolean | undefined {
  if (text === undefined || /^(on|true)$/i.test(text)) return undefined;
  if (/^(off|false)$/i.test(text)) return false;
  throw new UnfitMessage("X-Postrider-Tracking is off, or on for what the project says");
}

/** A message whose content is that of a template: sender, reply address, files and, if it has one, the subject are its own. */
function templateInput(
  { from, replyTo, subject, source }: SubmittedMessage,
  recipients: NamedAddress[],
  { template, options }: Controls,
): SendInput {
  return {
    to: recipients.map(mailbox),
    from: mailbox(from),
    template: template!,
    ...(subject !== "" && { subject }),
    ...(replyTo && { reply: replyTo }),
    ...options,
    attachments: filesOfSubmitted(source),
  };
}

function mailbox({ email, name }: NamedAddress) {
  return name === null ? { email } : { email, name };
}
