// Opens and clicks of a mail: what its HTML contains for them, and what is read from the addresses when they are
// requested.
import { linkToken, openLinkToken } from "../../accounts/projects/link_keys.ts";
import { addBeforeBodyEnd } from "../../content/body_end.ts";
import { createLinkFollower } from "../../content/links.ts";
import { type Context, perService } from "../../context.ts";

/** Some mail clients and proxies cut longer ones. */
const MAX_ADDRESS_CHARS = 2_000;
/** The two ids with their signature, in base64. */
const MAIL_TOKEN_CHARS = 64;
/** A link holds this byte, the id of its project, and the address: it leads on without the half of its mail. */
const TARGET_FORMAT = 0;
const TARGET_AT = 17;
/** Our own pages: tracking there would track people who unsubscribe, or a link that is tracked already. */
const OWN_PATH = /^\/(?:unsubscribe|subscribe|manage|t)(?:\/|$)/;

/** HTML of a project whose opens and clicks are followed. */
export interface FollowedHtml {
  /** What is compiled in place of the source. It means nothing to another process. */
  html: string;
  /** What is sent: the rendered `html`, with the addresses and the open pixel of one mail. */
  complete(rendered: string, emailId: string): string;
}

/** A mail, by the ids of the ledger. */
export interface FollowedMail {
  projectId: string;
  emailId: string;
}

/** Prepares HTML of a project for being followed, once for all its mails: both, unless only one is wanted. Never throws. */
export function followHtml(
  ctx: Context,
  projectId: string,
  source: string,
  { opens, clicks } = { opens: true, clicks: true },
): FollowedHtml {
  const follower = followers(ctx);
  return {
    html: clicks ? follower.rewrite(source, projectId) : source,
    complete(rendered, emailId) {
      const token = linkToken(ctx, "followed mails", projectId, bytesOf(projectId, emailId));
      const body = clicks ? follower.complete(rendered, token, projectId) : rendered;
      if (!opens) return body;
      const pixel = `<img src="${ctx.config.BASE_URL}/t/o/${token}" width="1" height="1" alt="" style="display:block;border:0">`;
      return addBeforeBodyEnd(body, pixel);
    },
  };
}

/** The mail that a token was made for, or null. */
export async function openMailToken(ctx: Context, token: string): Promise<FollowedMail | null> {
  if (token.length !== MAIL_TOKEN_CHARS) return null;
  const bytes = await openLinkToken(ctx, "followed mails", token, projectAt);
  return bytes && { projectId: projectAt(bytes), emailId: uuidOf(bytes.subarray(16)) };
}

/**
 * The target of a tracked link, or null if the link is not ours. The mail is null if only its half of the token
 * is broken: the visitor is then redirected anyway.
 */
export async function openClickToken(
  ctx: Context,
  token: string,
): Promise<{ target: string; mail: FollowedMail | null } | null> {
  const dot = token.indexOf(".");
  if (dot === -1) return null;
  const projectOf = (payload: Buffer) => (namesProject(payload) ? projectAt(payload.subarray(1)) : "");
  const payload = await openLinkToken(ctx, "click targets", token.slice(dot + 1), projectOf);
  if (!payload) return null;
  const target = payload.subarray(namesProject(payload) ? TARGET_AT : 0).toString("utf8");
  return { target, mail: await openMailToken(ctx, token.slice(0, dot)) };
}

/** Links up to November 2026 are the address alone: it begins with a letter. */
function namesProject(payload: Buffer): boolean {
  return payload[0] === TARGET_FORMAT && payload.length > TARGET_AT;
}

const followers = perService((ctx) => {
  const base = ctx.config.BASE_URL;
  const prefix = `${base}/t/c/`;
  return createLinkFollower({
    prefix,
    sign(target, projectId) {
      if (target.startsWith(base) && OWN_PATH.test(target.slice(base.length))) return null;
      const named = [Buffer.of(TARGET_FORMAT), bytesOf(projectId), Buffer.from(target, "utf8")];
      const token = linkToken(ctx, "click targets", projectId, Buffer.concat(named));
      return prefix.length + MAIL_TOKEN_CHARS + 1 + token.length < MAX_ADDRESS_CHARS ? token : null;
    },
  });
});

function projectAt(bytes: Buffer): string {
  return uuidOf(bytes.subarray(0, 16));
}

function bytesOf(...ids: string[]): Buffer {
  return Buffer.from(ids.join("").replaceAll("-", ""), "hex");
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
