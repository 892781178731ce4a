// A test mail by one transport alone, now, with the words of its server. It is in no ledger and counts nowhere.
import { createPrivateKey } from "node:crypto";
import { takeToday } from "../../accounts/daily_limits.ts";
import { listMembers } from "../../accounts/projects/members.ts";
import { assertSenderVerified } from "../../accounts/projects/domains.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { mailServerAddresses } from "../../guard.ts";
import { fieldsWrittenBy, signMail } from "../../mail/dkim.ts";
import type { Handover, Mail, Mailer } from "../../mail/mailer.ts";
import { probeSmtp, type SmtpProbe } from "../../mail/smtp_probe.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { dkimKeyOf } from "../dkim_keys.ts";
import { reasonForbidden, urlInUse } from "./direct.ts";
import { INSTALLATION } from "./routes.ts";
import { openUrl } from "./sealed.ts";
import type { TransportKind } from "./transport.ts";

/** What came of a test. */
export interface TransportTrial {
  success: boolean;
  /** The step that failed. MAIL: the server let us in, and did not take the mail. */
  failedAt: "CONNECT" | "TLS" | "LOGIN" | "MAIL" | null;
  /** What the server said last, or what happened. One line. */
  response: string;
  /** Null where nothing was connected. */
  isEncrypted: boolean | null;
  from: string;
  to: string;
  tookMs: number;
}

/** From whom and to whom. */
export interface TrialMail {
  from?: string | undefined;
  to: string;
}

/** All of it: the connection, the log-in and the mail. */
export const TRIAL_MS = 30_000;
const PROBE_MS = 10_000;
/** What could be found out about other people's servers, and what a member may get. */
const MAX_TRIALS_A_DAY = 200;

type Outcome = Pick<TransportTrial, "success" | "failedAt" | "response" | "isEncrypted">;

/**
 * Sends a test mail by a transport, paused or not, and tells what its server said, within 30 s. Throws not-found, 422 for an address
 * that is none of a member, 403 and 409 for a sender whose domain is not verified, and 429 after 200 on one day.
 */
export async function testTransport(
  ctx: Context,
  projectId: string,
  transportId: string,
  given: TrialMail,
): Promise<TransportTrial> {
  const row = await q.transportSettings.address(ctx, { projectId, transportId });
  if (!row) throw problems.notFound("transport", transportId);
  const isOwn = projectId !== INSTALLATION;
  if (isOwn) await assertMember(ctx, projectId, given.to);
  const from = await senderOf(ctx, projectId, given.from);
  if (isOwn) await takeTrial(ctx, projectId);
  const begin = performance.now();
  const kind = row.kind as TransportKind;
  const url = urlInUse(ctx, row.url && openUrl(ctx, { projectId, id: row.id }, row.url), { kind, isOwn });
  const forbidden = reasonForbidden(ctx, { ...row, isOwn });
  const transport = { name: row.name, kind, url, isOwn };
  const outcome = forbidden
    ? { ...failed("CONNECT", forbidden), isEncrypted: null }
    : row.url && url === null
      ? LOST_URL
      : await tryOut(ctx, transport, { projectId, from, to: given.to });
  return { ...outcome, from, to: given.to, tookMs: Math.round(performance.now() - begin) };
}

const LOST_URL: Outcome = {
  success: false,
  failedAt: "CONNECT",
  response: "The address was encrypted with another SECRET_KEY: set the URL again, with its password",
  isEncrypted: null,
};

interface Tried {
  name: string;
  kind: TransportKind;
  url: string | null;
  isOwn: boolean;
}

async function tryOut(
  ctx: Context,
  { name, kind, url, isOwn }: Tried,
  way: { projectId: string; from: string; to: string },
): Promise<Outcome> {
  const addressesOf = isOwn ? (host: string) => mailServerAddresses(ctx, host) : undefined;
  const probe = kind !== "SMTP" ? null : await inTime(probeSmtp(url!, PROBE_MS, addressesOf), PROBE_MS);
  if (probe === LATE)
    return { ...failed("CONNECT", `It did not answer within ${PROBE_MS / 1000} s`), isEncrypted: null };
  if (probe?.failedAt) {
    const step = probe.failedAt.toUpperCase() as "CONNECT" | "TLS" | "LOGIN";
    return { ...failed(step, probe.words), isEncrypted: probe.isEncrypted };
  }
  const mailer = ctx.openMailer!({ kind, url: kind === "SMTP" ? hurried(url!) : url, connections: 1, isOwn });
  try {
    const sent = await inTime(
      send(ctx, mailer, url, mailOf(ctx, name, way), way.projectId),
      TRIAL_MS - PROBE_MS,
    );
    return {
      ...outcomeOf(sent),
      isEncrypted: encryptionOf(sent) ?? (probe as SmtpProbe | null)?.isEncrypted ?? null,
    };
  } finally {
    mailer.close();
  }
}

function outcomeOf(sent: Handover | typeof LATE): Omit<Outcome, "isEncrypted"> {
  if (sent === LATE) {
    return failed("MAIL", `It did not answer within ${TRIAL_MS / 1000} s: the mail may arrive all the same`);
  }
  if (sent.state === "unreached") return failed("CONNECT", sent.response);
  if (sent.state !== "accepted" && sent.state !== "captured") return failed("MAIL", sent.response);
  return { success: true, failedAt: null, response: sent.response };
}

/** Of a server of a recipient: whether the connection to it was encrypted. */
function encryptionOf(sent: Handover | typeof LATE): boolean | null {
  return sent !== LATE && sent.via ? sent.via.tls !== null : null;
}

function failed(failedAt: TransportTrial["failedAt"], response: string): Omit<Outcome, "isEncrypted"> {
  return { success: false, failedAt, response };
}

/** A server that hangs is given up soon, also when nobody waits for it any more. */
function hurried(text: string): string {
  const url = new URL(text);
  for (const name of ["connectionTimeout", "greetingTimeout"]) url.searchParams.set(name, String(PROBE_MS));
  for (const name of ["socketTimeout", "messageTimeout"])
    url.searchParams.set(name, String(TRIAL_MS - PROBE_MS));
  return url.href;
}

/** Signed where the domain of the sender signs: receivers treat it as they will treat the others. */
async function send(
  ctx: Context,
  mailer: Mailer,
  url: string | null,
  mail: Mail,
  projectId: string,
): Promise<Handover> {
  const domain = mail.from.address.slice(mail.from.address.lastIndexOf("@") + 1);
  const key = await dkimKeyOf(ctx, projectId, domain).catch(() => null);
  if (!key) return await mailer.send(mail);
  const signing = { at: ctx.now(), except: fieldsWrittenBy(url ?? undefined) };
  return await mailer.send(
    await signMail(mail, { ...key, privateKey: createPrivateKey(key.privateKey) }, signing),
  );
}

function mailOf(
  ctx: Context,
  name: string,
  { projectId, from, to }: { projectId: string; from: string; to: string },
): Mail {
  const id = newId(ctx);
  const words = `This mail shows that the transport "${name}" works. Nobody needs to answer it.`;
  return {
    ...(projectId !== INSTALLATION && { origin: { projectId, emailId: id } }),
    messageId: `${id}@${from.slice(from.lastIndexOf("@") + 1)}`,
    envelope: { from, to },
    from: { name: "", address: from },
    to: { name: "", address: to },
    replyTo: null,
    subject: `Test of the transport ${name}`,
    html: `<p>${Bun.escapeHTML(words)}</p>`,
    text: words,
    headers: {},
    attachments: [],
    date: ctx.now(),
  };
}

/** Test mails go to people who look after the project: to nobody who has not asked. */
async function assertMember(ctx: Context, projectId: string, to: string): Promise<void> {
  const members = await listMembers(ctx, projectId);
  if (members.some(({ email, status }) => status === "ACTIVE" && email === to)) return;
  throw problems.invalid([{ ...NO_MEMBER, received: to }]);
}

const NO_MEMBER: FieldError = {
  field: "to",
  code: "custom",
  message: "Expected the address of a member of the project: test mails go to nobody else",
};

/** The sender that is asked for, or one of the first domain that mail may be sent from. */
async function senderOf(ctx: Context, projectId: string, given: string | undefined): Promise<string> {
  if (projectId === INSTALLATION) return given!;
  if (given !== undefined) {
    await assertSenderVerified(ctx, projectId, given);
    return given;
  }
  const domains = await q.domains.list(ctx, { projectId });
  const verified = domains.find(({ status }) => status === "VERIFIED");
  if (!verified) throw problems.noSenderForTest();
  return `test@${verified.domain}`;
}

async function takeTrial(ctx: Context, projectId: string): Promise<void> {
  const limits = { [`transport tests ${projectId}`]: MAX_TRIALS_A_DAY };
  await inTransaction(ctx, (tx) => takeToday(tx, limits, problems.tooManyTransportTests));
}

const LATE = Symbol("late");

async function inTime<T>(work: Promise<T>, limitMs: number): Promise<T | typeof LATE> {
  let timer: Timer | undefined;
  const late = new Promise<typeof LATE>((resolve) => (timer = setTimeout(() => resolve(LATE), limitMs)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
