// Where mail servers report the outcome of a mail (VERP): each mail has an unforgeable address of its own. So a report
// needs nothing else to identify its mail, and nobody can report about the mails of others.
//
// `b-<42 characters>@bounces.<domain>`: the mail's id and a signature, in digits and letters that survive changes of
// case. There is no room for the project's id (64 characters, and others prepend a tag), but the signature covers both:
// the projects with that domain are tried.
import { isSignedLink, signLink } from "../../accounts/projects/link_keys.ts";
import { isSandbox } from "../../accounts/projects/sandbox_id.ts";
import { createCache } from "../../cache.ts";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import { parseAddress } from "../../mail/address.ts";
import type { MailName } from "../../mail/notice.ts";

/** Whose mail it is. */
interface Sender {
  projectId: string;
  /** As it is in From. */
  fromEmail: string;
}

const PURPOSE = "return paths";
const ID_BYTES = 16;
/** 80 bits: more than anybody can try, one mail transaction after the other. */
const PROOF_BYTES = 10;
const TOKEN_LENGTH = 42;

/** As it was made, or with a tag of a server that signs its senders (BATV). */
const LOCAL_PART = /^(?:prvs=[0-9a-z]{1,16}=|btv1==[0-9a-z]{1,16}==)?b-([0-9a-v]{42})$/;
/** Also as a forwarder writes it (SRS): `…=bounces.shop.example=b-…@forwarder.example`. */
const ANYWHERE =
  /b-([0-9a-v]{42})@(bounces\.[a-z0-9.-]{1,240}[a-z0-9])|=(bounces\.[a-z0-9.-]{1,240})=b-([0-9a-v]{42})@/gi;
const MAX_FOUND = 5;
/** RFC 5321, 4.5.3.1.3: a path of 256 octets, less its two brackets. */
const MAX_ADDRESS_LENGTH = 254;

/** How long an answer of the database is used without another look. */
const KEEP_MS = 60_000;
const MAX_KNOWN = 1_000;
/** Projects that send from one domain. Each costs half a microsecond for a mail that comes back. */
const MAX_PROJECTS = 1_000;

/**
 * The envelope sender of a mail: its return path, where bounces are accepted and the DNS leads them here; otherwise, or
 * where that is unknown, the address of its sender. Never throws.
 */
export async function envelopeSender(ctx: Context, sender: Sender, emailId: string): Promise<string> {
  const { config } = ctx;
  // What is captured has never left.
  const isSent = config.SMTP_URL !== undefined && !isSandbox(sender.projectId);
  if (config.INBOUND_SMTP_PORT === undefined || !isSent) return sender.fromEmail;
  try {
    const returnPath = await returnPathOf(ctx, sender);
    if (returnPath === null) return sender.fromEmail;
    const address = `b-${tokenOf(ctx, sender.projectId, emailId)}@${returnPath}`;
    return address.length <= MAX_ADDRESS_LENGTH ? address : sender.fromEmail;
  } catch (error) {
    ctx.log.warn("mail without a return path", { emailId, ...describeError(error) });
    return sender.fromEmail;
  }
}

/** The mail that an address was made for; null when it is not ours. Throws when the database cannot say. */
export async function mailOfReturnPath(ctx: Context, address: string): Promise<MailName | null> {
  const { email, domain } = parseAddress(address) ?? { email: "", domain: "" };
  const token = LOCAL_PART.exec(email.slice(0, -domain.length - 1))?.[1];
  return token === undefined ? null : await mailOf(ctx, token, domain);
}

/** The first mail whose return path is somewhere in a text. Throws when the database cannot say. */
export async function mailNamedIn(ctx: Context, text: string): Promise<MailName | null> {
  const found = new Map(
    [...text.matchAll(ANYWHERE).take(MAX_FOUND)].map(([whole, token, domain, before, after]) => [
      whole.toLowerCase(),
      { token: (token ?? after)!.toLowerCase(), domain: (domain ?? before)!.toLowerCase() },
    ]),
  );
  for (const { token, domain } of found.values()) {
    const mail = await mailOf(ctx, token, domain);
    if (mail) return mail;
  }
  return null;
}

async function mailOf(ctx: Context, token: string, domain: string): Promise<MailName | null> {
  const bytes = bytesOfToken(token);
  if (!bytes || !domain.startsWith("bounces.")) return null;
  const emailId = uuidOf(bytes.subarray(0, ID_BYTES));
  const proof = bytes.subarray(ID_BYTES);
  // No answer is kept: a stranger could ask for a domain before it is ours.
  const projects = await q.domains.returnedTo(ctx, { returnPath: domain, limit: MAX_PROJECTS });
  for (const { projectId } of projects) {
    if (await isSignedLink(ctx, PURPOSE, projectId, signedPart(projectId, emailId), proof)) {
      return { projectId, emailId, providerId: null };
    }
  }
  return null;
}

function tokenOf(ctx: Context, projectId: string, emailId: string): string {
  const hex = hexOf(emailId) + proofOf(ctx, projectId, emailId).toString("hex");
  return BigInt(`0x${hex}`).toString(32).padStart(TOKEN_LENGTH, "0");
}

/** Null for more than that many bytes can hold: five bits a digit leave room for it. */
function bytesOfToken(token: string): Buffer | null {
  const digits = [...token].reduce((sum, digit) => sum * 32n + BigInt(parseInt(digit, 32)), 0n);
  const hex = digits.toString(16).padStart(2 * (ID_BYTES + PROOF_BYTES), "0");
  return hex.length === 2 * (ID_BYTES + PROOF_BYTES) ? Buffer.from(hex, "hex") : null;
}

function proofOf(ctx: Context, projectId: string, emailId: string): Buffer {
  return signLink(ctx, PURPOSE, projectId, signedPart(projectId, emailId)).subarray(0, PROOF_BYTES);
}

function signedPart(projectId: string, emailId: string): Buffer {
  return Buffer.from(projectId + emailId, "latin1");
}

function hexOf(uuid: string): string {
  return uuid.replaceAll("-", "");
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The domain that a sender's bounces come back to, read once for all mails of a minute. A failed look-up is forgotten. */
async function returnPathOf(ctx: Context, { projectId, fromEmail }: Sender): Promise<string | null> {
  const domain = fromEmail.slice(fromEmail.lastIndexOf("@") + 1).toLowerCase();
  return await knownPaths(ctx).load(`${projectId} ${domain}`, () => readReturnPath(ctx, projectId, domain));
}

const knownPaths = perService(({ now }) =>
  createCache<string | null>({ maxEntries: MAX_KNOWN, keepMs: KEEP_MS, now: () => now().getTime() }),
);

async function readReturnPath(ctx: Context, projectId: string, domain: string): Promise<string | null> {
  return (await q.domains.returnPath(ctx, { projectId, domain }))?.returnPath ?? null;
}
