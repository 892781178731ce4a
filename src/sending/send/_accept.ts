// Messages on their way into the database: those of one transaction share its statements.
import type { SpanContext } from "@opentelemetry/api";
import { answerKeys, claimKeys, releaseKeys } from "../../accounts/idempotency.ts";
import { dealOut } from "../../accounts/billing/usage.ts";
import { contactKey } from "../../audience/contacts/mod.ts";
import { type Context, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { type ContentRow, contentsOf } from "./_content.ts";
import { upsertRecipients } from "./_contacts.ts";
import type { SendInput } from "./input.ts";
import { enqueueHere, type HandedMail, type HandOff } from "../delivery/hand_off.ts";
import type { QueuedMail } from "../delivery/enqueue.ts";
import { schedule } from "../delivery/scheduled.ts";
import { acceptedContent } from "./_accepted_content.ts";
import { attachmentsOf } from "./_attachments.ts";
import { addToLedger, refusalsOf, tagMails } from "./ledger.ts";
import type { Recipient, RecipientRole } from "./recipients.ts";
import { readSendAt, sendAtErrors } from "./send_at.ts";
import { withTraces } from "./_traces.ts";

/** What was accepted: for each recipient, in order, the contact and the id of the mail in the ledger. */
export interface SendResult {
  /** `role`: of a message with cc or bcc. */
  emails: { contact: { id: string; email: string }; email: string; role?: RecipientRole }[];
  timestamp: Date;
  /** Where the request names a time. */
  scheduledFor?: Date;
}

/** What was accepted, and how it is delivered once that is committed. */
export interface AcceptedMessage {
  result: SendResult;
  /** Begins the delivery of all that was accepted together, if this process delivers it. Only the first call counts. */
  handOff: () => void;
}

/** A message whose input is without errors. */
export interface CheckedMessage {
  input: SendInput;
  recipients: Recipient[];
  /** The text part of its own body: `textOfBody`. */
  text: string | null;
  /** The whole message, where it was submitted over SMTP: there is no body then. */
  submitted?: Buffer | undefined;
  /** The idempotency key. No two messages have the same. */
  key: string | null;
  /** The request that the key stands for. */
  request: string;
  /** Of what it says, where it has a key. */
  bodyHash: string | null;
  /** The span of its request, where that is recorded. */
  trace?: SpanContext | undefined;
}

interface Accepted extends CheckedMessage {
  content: ContentRow;
}

/** Statements of a batch carry that many characters of contents at most; a single content may have more. */
const MAX_STATEMENT_CHARS = 4_000_000;

/**
 * Accepts messages of one project, all in one statement for each table: keys, contacts, contents, ledger with the usage, jobs.
 * Returns for each what was accepted, or its refusal, in this order: 409 for a used key, 422 for a time that is over, 404 for an unknown template, 403
 * for a sender domain that is not verified, 400 for recipients who have opted out, 402 if less is left of this
 * month's limit. For a refused one nothing is written, and its key is free.
 */
export async function acceptAll(
  tx: Context,
  projectId: string,
  messages: CheckedMessage[],
): Promise<(AcceptedMessage | Error)[]> {
  const keyed = messages.flatMap(({ key, ...claim }) => (key === null ? [] : [{ ...claim, key }]));
  const [used, contents] = await Promise.all([
    claimKeys(tx, projectId, keyed),
    contentsOf(tx, projectId, messages),
  ]);
  const claimedOrNot = messages.map(
    (message, i) =>
      (message.key === null ? undefined : (used.get(message.key) ?? tooLate(message, tx.now()))) ??
      contents[i]!,
  );
  const judged = await judge(tx, projectId, messages, claimedOrNot);
  const accepted = judged.filter(isAccepted);
  const written = await writeAll(tx, projectId, accepted);
  const results = new Map(zip(accepted, written.results));
  await settleKeys(tx, projectId, { messages, judged, used, results });
  const { handOff } = written;
  return judged.map((message) =>
    message instanceof Error ? message : { result: results.get(message)!, handOff },
  );
}

/** The refusal of a message whose time was over before its key was used; it has not been looked at before (`sendAtErrors`). */
function tooLate({ input }: CheckedMessage, now: Date): Error | undefined {
  const errors = sendAtErrors(input.sendAt, now);
  return errors.length > 0 ? problems.invalid(errors) : undefined;
}

/** Each message with its content, or why it is refused. */
async function judge(
  tx: Context,
  projectId: string,
  messages: CheckedMessage[],
  contents: (ContentRow | Error)[],
): Promise<(Accepted | Error)[]> {
  const asked = zip(messages, contents).map(([message, content]) =>
    content instanceof Error ? content : { ...message, content },
  );
  const open = asked.filter(isAccepted);
  if (open.length === 0) return asked;
  const [refusals, deal] = await Promise.all([
    refusalsOf(tx, projectId, open.map(sendableOf)),
    dealOut(tx, projectId, "transactional"),
  ]);
  const refusalOf = new Map(zip(open, refusals));
  return asked.map((message) => {
    if (message instanceof Error) return message;
    return refusalOf.get(message) ?? deal(message.recipients.length) ?? message;
  });
}

function sendableOf({ content, recipients }: Accepted) {
  const addresses = recipients.map((recipient) => recipient.email);
  return { fromEmail: content.from_email, type: content.type, addresses };
}

/** Contacts, contents, attachments, ledger and jobs. */
async function writeAll(
  tx: Context,
  projectId: string,
  accepted: Accepted[],
): Promise<{ results: SendResult[]; handOff: () => void }> {
  if (accepted.length === 0) return { results: [], handOff: () => {} };
  const contacts = await upsertRecipients(tx, projectId, accepted);
  const mails = accepted.map(({ content, recipients, input }) => {
    const rows = recipients.map(({ email, name, role }) => {
      const contact = contacts.get(contactKey(projectId, email))!;
      return {
        id: newId(tx),
        contact_id: contact.id,
        address: contact.email,
        to_name: name,
        content_id: content.id,
        template_id: content.template_id,
        scheduled_for: input.sendAt === undefined ? null : readSendAt(input.sendAt),
        role,
        parent_id: null as string | null,
      };
    });
    const parent = rows.find(({ role }) => role === "to") ?? rows[0]!;
    if (parent.role !== null) for (const row of rows) row.parent_id = parent.id;
    return rows;
  });
  const [tracked, begun] = await Promise.all([
    addContents(tx, projectId, accepted),
    addToLedger(tx, projectId, mails.flat()).then((pending) =>
      enqueue(tx, projectId, withTraces(pending, accepted, mails)),
    ),
    tagMails(tx, projectId, taggedAmong(accepted, mails)),
  ]);
  const timestamp = tx.now();
  const results = mails.map((own) => ({
    emails: own.map(({ id, contact_id, address, role }) => ({
      contact: { id: contact_id, email: address },
      email: id,
      ...(role !== null && { role }),
    })),
    timestamp,
    ...(own[0]!.scheduled_for && { scheduledFor: own[0]!.scheduled_for }),
  }));
  const handed = () =>
    zip(accepted, mails).flatMap(([{ content, input, submitted, trace }, own]) => {
      const held = input.attachments?.length
        ? null
        : acceptedContent(content, tracked.has(content.id), submitted);
      return own.map(({ id, address }) => ({ id, address, content: held, trace }));
    });
  return { results, handOff: begun === null ? () => {} : once(begun, handed) };
}

/** Those that are sent at once may be delivered by this process; the others wait for their times. */
async function enqueue(
  tx: Context,
  projectId: string,
  pending: (QueuedMail & { scheduledFor: Date | null })[],
): Promise<HandOff | null> {
  const timed = pending.flatMap(({ scheduledFor, ...mail }) =>
    scheduledFor === null ? [] : [{ ...mail, sendAt: scheduledFor }],
  );
  const [begun] = await Promise.all([
    enqueueHere(
      tx,
      projectId,
      timed.length === 0 ? pending : pending.filter((mail) => mail.scheduledFor === null),
    ),
    timed.length === 0 ? null : schedule(tx, projectId, timed),
  ]);
  return begun;
}

function taggedAmong(accepted: Accepted[], mails: { id: string }[][]) {
  return zip(accepted, mails).flatMap(
    ([
      {
        input: { tags },
      },
      own,
    ]) => (tags ? [{ emailIds: own.map(({ id }) => id), tags }] : []),
  );
}

function once({ emailIds, begin }: HandOff, mails: () => HandedMail[]): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    const open = new Set(emailIds);
    begin(mails().filter(({ id }) => open.has(id)));
  };
}

/** Answers the ids of those whose mails are followed. */
async function addContents(tx: Context, projectId: string, accepted: Accepted[]): Promise<Set<string>> {
  const tracked = new Set<string>();
  const insert = async (some: ContentRow[]) => {
    for (const row of await q.contents.insertMany(tx, { projectId, rows: some })) {
      if (row.tracked) tracked.add(row.id);
    }
  };
  let rows: ContentRow[] = [];
  let chars = 0;
  for (const { content } of accepted) {
    const own = content.html.length + (content.text?.length ?? 0);
    if (chars + own > MAX_STATEMENT_CHARS && rows.length > 0) {
      await insert(rows);
      [rows, chars] = [[], 0];
    }
    rows.push(content);
    chars += own;
  }
  await insert(rows);
  const attachments = accepted.flatMap(attachmentsOf);
  if (attachments.length > 0) await q.contents.attach(tx, { projectId, rows: attachments });
  return tracked;
}

/** The answers of what was accepted are next to the keys, and the keys of what was refused are free again. */
async function settleKeys(
  tx: Context,
  projectId: string,
  {
    messages,
    judged,
    used,
    results,
  }: {
    messages: CheckedMessage[];
    judged: (Accepted | Error)[];
    used: Map<string, Error>;
    results: Map<Accepted, SendResult>;
  },
): Promise<void> {
  const claimed = zip(messages, judged).flatMap(([{ key }, message]) =>
    key === null || used.has(key) ? [] : [{ key, message }],
  );
  const answers = claimed.flatMap(({ key, message }) =>
    message instanceof Error ? [] : [{ key, data: results.get(message)! }],
  );
  const refused = claimed.flatMap(({ key, message }) => (message instanceof Error ? [key] : []));
  await Promise.all([answerKeys(tx, projectId, answers), releaseKeys(tx, projectId, refused)]);
}

function isAccepted(message: Accepted | Error): message is Accepted {
  return !(message instanceof Error);
}

function zip<A, B>(as: A[], bs: B[]): [A, B][] {
  return as.map((a, i) => [a, bs[i]!]);
}
