// Mails of the installation itself: notices to members of a project, verification, and invitations. They are encrypted
// while they wait: links may be as good as a password.
import { seal, unseal } from "../../accounts/secrets.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob } from "../../jobs.ts";
import { parseMailbox } from "../../mail/address.ts";
import type { Mail } from "../../mail/mailer.ts";
import { gateOf } from "../delivery/server_gate.ts";
import { messageIdOf } from "../compose/message_id.ts";
import { type PlatformLayout, platformLayout, platformText, type PlatformWords } from "./_layout.ts";

/** A notice to members: plain text by paragraph, and an action. */
export type MemberNotice = PlatformWords;

/** A mail to one person. `projectId` is the project that causes it. */
export interface PlatformMail extends MemberNotice {
  to: string;
  projectId?: string | undefined;
  /** The reason for the mail, where it is neither a project nor an account. */
  reason?: string | undefined;
}

/** Longer than any handover takes; after that its process is considered dead. */
const HOLD_MS = 5 * 60_000;
/**
 * The job waits up to six hours between two attempts. It has 25 attempts of its own, because some of them only find that
 * another process is sending the mail.
 */
const MAX_ATTEMPTS = 15;
/** A mail in doubt is sent once more. After two copies there is no third one. */
const MAX_DOUBTS = 1;
const CLOSED_PAUSE_MS = 10_000;
const KEEP_DAYS = 30;
const PURGE_LIMIT = 1_000;
const MAX_SUBJECT = 250;

/** Tells the owners and admins of a project, each with a mail: they are sent if and only if `tx` commits. */
export async function notifyMembers(tx: Context, projectId: string, notice: MemberNotice): Promise<void> {
  await inTransaction(tx, async (on) => {
    const { name } = (await q.projects.presented(on, { projectId })) ?? { name: "" };
    for (const { email } of await q.platformMails.membersToTell(on, { projectId })) {
      await add(on, email, notice, reasonFor(name));
    }
  });
}

/** Sends a mail to one person, if and only if `tx` commits. */
export async function sendPlatformMail(
  tx: Context,
  { to, projectId, reason: given, ...words }: PlatformMail,
): Promise<void> {
  await inTransaction(tx, async (on) => {
    const project = projectId === undefined ? null : await q.projects.presented(on, { projectId });
    const reason = project
      ? reasonFor(project.name)
      : (given ?? "You are receiving this mail because you have a Postrider account.");
    await add(on, to, words, reason);
  });
}

/**
 * Hands a platform mail over. One that was sent is not sent again. Throws if it must be tried again: after a
 * temporary refusal, and once where it is unknown whether it was accepted, always with the same Message-ID. In the end it
 * is given up, and its row says why.
 */
export async function deliverPlatformMail(ctx: Context, mailId: string): Promise<void> {
  if (gateOf(ctx).way !== "here") return await comeAgain(ctx, mailId);
  // Before anything is claimed: where this fails, the mail is unchanged, and its job comes again.
  const layout = await platformLayout(ctx);
  const now = ctx.now();
  const heldUntil = new Date(now.getTime() + HOLD_MS);
  const mail = await q.platformMails.claim(ctx, { mailId, now, heldUntil });
  if (!mail) return await assertSettled(ctx, mailId);
  const from = ctx.config.PLATFORM_FROM && parseMailbox(ctx.config.PLATFORM_FROM);
  if (!from) {
    ctx.log.warn("platform mail not sent: PLATFORM_FROM is not set", { subject: mail.subject });
    return await settle(ctx, mailId, { failedAt: now, error: "PLATFORM_FROM is not set" });
  }
  if (mail.doubts > MAX_DOUBTS) return await settle(ctx, mailId, { failedAt: now, error: DOUBTFUL });
  const words = wordsOf(ctx, mailId, mail);
  if (!words) return await settle(ctx, mailId, { failedAt: now, error: UNREADABLE });
  const { state, response } = await ctx.mailer.send(toMail(mailId, { ...mail, words }, from, layout));
  if (state === "unreached") {
    gateOf(ctx).shut(response);
    await settle(ctx, mailId, { error: response, wasTried: false });
    return await comeAgain(ctx, mailId);
  }
  if (state === "accepted") return await settle(ctx, mailId, { sentAt: ctx.now() });
  // It is not released later: by then its link has expired, or it is out of date.
  if (state === "captured") return await settle(ctx, mailId, { sentAt: ctx.now(), error: response });
  if (state === "bounced" || state === "refused") {
    return await settle(ctx, mailId, { failedAt: ctx.now(), error: response });
  }
  const inDoubt = state === "in_doubt";
  const givenUp = whyGivenUp(mail, inDoubt);
  if (givenUp !== null) {
    return await settle(ctx, mailId, { failedAt: ctx.now(), error: `${givenUp}: ${response}`, inDoubt });
  }
  await settle(ctx, mailId, { error: response, inDoubt });
  throw new Error(`Cannot send this platform mail yet: it is ${state}`);
}

/** The mail server accepts no connections, which does not count as an attempt. The retries are spread out. */
async function comeAgain(ctx: Context, mailId: string): Promise<void> {
  const runAt = new Date(ctx.now().getTime() + CLOSED_PAUSE_MS * (1 + Math.random()));
  await addJob(ctx, "send_platform_mail", { mailId }, { runAt });
}

const DOUBTFUL = "Given up: it is unknown whether the mail server accepted it";
const UNREADABLE = "Given up: it was encrypted with another SECRET_KEY";

/** Null if it is to be tried again. */
function whyGivenUp({ attempts, doubts }: StoredMail, inDoubt: boolean): string | null {
  if (inDoubt && doubts >= MAX_DOUBTS) return DOUBTFUL;
  return attempts >= MAX_ATTEMPTS ? `Given up after ${attempts} attempts` : null;
}

/** Deletes platform mails that are 30 days old. */
export async function purgePlatformMails(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEEP_DAYS * 24 * 3_600_000);
  while ((await q.platformMails.purge(ctx, { before, limit: PURGE_LIMIT })) === PURGE_LIMIT);
}

/** If another process is sending it, this job must look again later: that process may be dead. */
async function assertSettled(ctx: Context, mailId: string): Promise<void> {
  const { open } = await q.platformMails.isOpen(ctx, { mailId });
  if (open) throw new Error("Cannot send this platform mail now: another process is sending it");
}

interface Attempt {
  sentAt?: Date;
  failedAt?: Date;
  error?: string;
  inDoubt?: boolean;
  wasTried?: boolean;
}

async function settle(ctx: Context, mailId: string, attempt: Attempt): Promise<void> {
  const { sentAt = null, failedAt = null, error = null, inDoubt = false, wasTried = true } = attempt;
  await q.platformMails.settle(ctx, { mailId, sentAt, failedAt, error, inDoubt, wasTried });
}

type StoredMail = NonNullable<Awaited<ReturnType<typeof q.platformMails.claim>>>;

function toMail(
  id: string,
  { words, reason, toAddress, createdAt }: Omit<StoredMail, "words"> & { words: PlatformWords },
  from: { email: string; name?: string },
  layout: PlatformLayout,
): Mail {
  return {
    messageId: messageIdOf(id, from.email),
    envelope: { from: from.email, to: toAddress },
    from: { name: from.name ?? "Postrider", address: from.email },
    to: { name: "", address: toAddress },
    replyTo: null,
    subject: words.subject,
    html: layout(words, reason),
    text: platformText(words, reason),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "OOF, AutoReply" },
    attachments: [],
    date: createdAt,
  };
}

const PURPOSE = "platform mails";

/** The encrypted part; the subject is stored in plain text, for the operator. */
type SealedWords = Omit<PlatformWords, "subject">;

async function add(tx: Context, toAddress: string, notice: MemberNotice, reason: string): Promise<void> {
  const id = newId(tx);
  const { paragraphs, link, below, otherLink } = notice;
  // JSON leaves out what is undefined.
  const sealed: SealedWords = { paragraphs, link, below, otherLink };
  const words = seal(tx, PURPOSE, JSON.stringify(sealed), [id]);
  const subject = inOneLine(notice.subject).slice(0, MAX_SUBJECT).toWellFormed();
  await q.platformMails.insert(tx, { id, toAddress, subject, words, reason, now: tx.now() });
  await addJob(tx, "send_platform_mail", { mailId: id });
}

/** Null if it can no longer be decrypted. */
function wordsOf(ctx: Context, id: string, { subject, words }: StoredMail): PlatformWords | null {
  const json = words && unseal(ctx, PURPOSE, words, [id]);
  return json ? { ...(JSON.parse(json) as SealedWords), subject } : null;
}

function reasonFor(projectName: string): string {
  return `You are receiving this mail because you are a member of the project ${inOneLine(projectName)} at Postrider.`;
}

/**
 * A name that strangers may have chosen: in one line, in quotes that it cannot close, and with nothing in it that a
 * mail program turns into a link. The joiners between the parts of an address are invisible.
 */
export function shown(name: string): string {
  const line = name.replace(/[\s\p{Cc}\p{Cs}\p{Cf}]+/gu, " ").trim();
  return `“${line.replace(/["“”„‟«»]/g, "'").replace(/[.:/@]/g, "$&\u2060")}”`;
}

/** A name may contain anything; in a subject it must stay on one line. */
function inOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}
