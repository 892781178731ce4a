// Opens and clicks of a mail: what its HTML contains for them, and what is read from the addresses when they are
// requested.
import { openToken, signToken } from "../../accounts/secrets.ts";
import { addBeforeBodyEnd } from "../../content/body_end.ts";
import { createLinkFollower } from "../../content/links.ts";
import { type Context, perService } from "../../context.ts";

/** Some mail clients and proxies cut longer ones. */
const MAX_ADDRESS_CHARS = 2_000;
const MAIL_TOKEN_BYTES = 32;
/** The two ids with their signature, in base64. */
const MAIL_TOKEN_CHARS = 64;
/** Our own pages: tracking there would track people who unsubscribe, or a link that is tracked already. */
const OWN_PATH = /^\/(?:unsubscribe|subscribe|manage|t)(?:\/|$)/;

/** HTML whose opens and clicks are followed. */
export interface FollowedHtml {
  /** What is compiled in place of the source. It means nothing to another process. */
  html: string;
  /** What is sent: the rendered `html`, with the addresses and the open pixel of one mail. */
  complete(rendered: string, projectId: string, emailId: string): string;
}

/** A mail, by the ids of the ledger. */
export interface FollowedMail {
  projectId: string;
  emailId: string;
}

/** Prepares HTML for being followed, once for all its mails. Never throws. */
export function followHtml(ctx: Context, source: string): FollowedHtml {
  const follower = followers(ctx);
  return {
    html: follower.rewrite(source),
    complete(rendered, projectId, emailId) {
      const token = signToken(ctx, "followed mails", bytesOf(projectId, emailId));
      const pixel = `<img src="${ctx.config.BASE_URL}/t/o/${token}" width="1" height="1" alt="" style="display:block;border:0">`;
      return addBeforeBodyEnd(follower.complete(rendered, token), pixel);
    },
  };
}

/** The mail that a token was made for, or null. */
export function openMailToken(ctx: Context, token: string): FollowedMail | null {
  const bytes = openToken(ctx, "followed mails", token);
  if (bytes?.length !== MAIL_TOKEN_BYTES) return null;
  return { projectId: uuidOf(bytes.subarray(0, 16)), emailId: uuidOf(bytes.subarray(16)) };
}

/**
 * The target of a tracked link, or null if the link is not ours. The mail is null if only its half of the token
 * is broken: the visitor is then redirected anyway.
 */
export function openClickToken(
  ctx: Context,
  token: string,
): { target: string; mail: FollowedMail | null } | null {
  const dot = token.indexOf(".");
  const target = dot === -1 ? null : openToken(ctx, "click targets", token.slice(dot + 1));
  return target && { target: target.toString("utf8"), mail: openMailToken(ctx, token.slice(0, dot)) };
}

const followers = perService((ctx) => {
  const base = ctx.config.BASE_URL;
  const prefix = `${base}/t/c/`;
  return createLinkFollower({
    prefix,
    sign(target) {
      if (target.startsWith(base) && OWN_PATH.test(target.slice(base.length))) return null;
      const token = signToken(ctx, "click targets", Buffer.from(target, "utf8"));
      return prefix.length + MAIL_TOKEN_CHARS + 1 + token.length < MAX_ADDRESS_CHARS ? token : null;
    },
  });
});

function bytesOf(...ids: string[]): Buffer {
  return Buffer.from(ids.join("").replaceAll("-", ""), "hex");
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
