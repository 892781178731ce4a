// /auth/two-factor: the second factor of somebody who logs in through a page of ours, as after signing in at a provider.
import { readFileSync } from "node:fs";
import {
  answerChallenge,
  type Admission,
  CHALLENGE_MS,
  isChallengeOpen,
  sessionOfAdmission,
} from "../../accounts/people/admission.ts";
import { logInAddress } from "../../accounts/people/links.ts";
import { seal, unseal } from "../../accounts/secrets.ts";
import { dashboardAddress } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { Problem } from "../../problem/mod.ts";
import { type FormPage, formRoutes, type FormVisit, type NoticePage, pathOf } from "./form_pages.ts";
import { escapeHtml } from "./html.ts";
import { addCookie, type Answering, ownCookie, setSessionCookie, visitorOf } from "../entry/session.ts";

const PURPOSE = "log-in challenges";
const SCRIPT = readFileSync(new URL("assets/passkey.js", import.meta.url), "utf8");

/** What the browser keeps for us, sealed, until the factor is given. */
interface Pending {
  challenge: string;
  returnTo: string;
}

/** Returns the path of the page that asks for the second factor. Keeps what is pending in the browser. */
export function askForFactor(ctx: Context, set: Answering, pending: Pending): string {
  const sealed = seal(ctx, PURPOSE, JSON.stringify(pending), []).toString("base64url");
  addCookie(ctx, set, cookieName(ctx), sealed, CHALLENGE_MS / 1000);
  return pathOf(ctx, "/auth/two-factor");
}

/** Gives the browser the session, and returns where it continues to: perhaps the page that asks for the second factor. */
export async function letIn(
  ctx: Context,
  set: Answering,
  admission: Admission,
  returnTo: string,
): Promise<string> {
  if ("challenge" in admission) {
    return askForFactor(ctx, set, { challenge: admission.challenge.challenge, returnTo });
  }
  await setSessionCookie(ctx, set, sessionOfAdmission(admission));
  return returnTo;
}

/** What a page shows while its visitor is sent on to the second factor; null for any other refusal. */
export function leadToFactor(
  ctx: Context,
  error: unknown,
  { set }: FormVisit,
  returnTo: string,
): NoticePage | null {
  if (!(error instanceof Problem) || error.problemCode !== "TWO_FACTOR_REQUIRED") return null;
  const { challenge } = error.extras.details as { challenge: string };
  return leadOn(set, askForFactor(ctx, set, { challenge, returnTo }), "One more step");
}

/** A page that continues automatically. Not a redirect: a form may not lead to another origin, as the dashboard may be. */
export function leadOn(set: FormVisit["set"], address: string, title = "You are logged in."): NoticePage {
  set.headers.refresh = `0; url=${address}`;
  return { title, more: `<p><a href="${escapeHtml(address)}">Continue</a></p>` };
}

/** The page, what its form sends, and its script. */
export function twoFactorPageRoutes(ctx: Context) {
  return formRoutes(ctx, "/auth/two-factor", factorForm).get("/auth/passkey.js", ({ set }) => {
    Object.assign(set.headers, {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "no-cache",
    });
    return SCRIPT;
  });
}

async function factorForm(
  ctx: Context,
  _given: URLSearchParams,
  { request, set }: FormVisit,
): Promise<FormPage | NoticePage> {
  const pending = keptBy(ctx, request);
  if (!pending || !(await isChallengeOpen(ctx, pending.challenge))) return over(ctx);
  set.headers["content-security-policy"] = String(set.headers["content-security-policy"]).replace(
    "default-src 'none';",
    "default-src 'none'; script-src 'self'; connect-src 'self';",
  );
  const { challenge, returnTo } = pending;
  const passkey = isAtHome(ctx)
    ? `<p class="aside" id="passkey" hidden data-challenge="${escapeHtml(challenge)}" data-return="${escapeHtml(returnTo)}" data-base="${escapeHtml(pathOf(ctx, ""))}"><button type="button" class="quiet">Use a passkey</button> <span role="alert"></span></p>
<script src="${escapeHtml(pathOf(ctx, "/auth/passkey.js"))}" defer></script>`
    : "";
  return {
    title: "The second factor",
    text: "Enter the code that your authenticator app shows now, or one of your recovery codes.",
    fields: `<label class="field">Code
<input name="code" required maxlength="100" autocomplete="one-time-code" autocapitalize="off" spellcheck="false"></label>`,
    button: "Log in",
    aside: passkey,
    async act(_, given, { request: sent, server, set: answer }) {
      const visitor = await visitorOf(ctx, sent, server);
      const { session } = await answerChallenge(ctx, challenge, typed(given.get("code") ?? ""), visitor);
      await setSessionCookie(ctx, answer, session);
      addCookie(ctx, answer, cookieName(ctx), "", 0);
      return leadOn(answer, returnTo);
    },
  };
}

/** Six digits are a code of the app; anything else can only be a recovery code. */
function typed(text: string) {
  return /^\s*(\d\s*){6}$/.test(text) ? { code: text } : { recoveryCode: text };
}

/** Passkeys belong to the host on which people log in: on any other, the browser would offer none. */
function isAtHome({ config }: Context): boolean {
  const home = new URL(dashboardAddress(config)).hostname;
  const { hostname } = new URL(config.BASE_URL);
  return hostname === home || hostname.endsWith(`.${home}`);
}

function keptBy(ctx: Context, request: Request): Pending | null {
  const text = new Bun.CookieMap(request.headers.get("cookie") ?? "").get(cookieName(ctx));
  const json = text ? unseal(ctx, PURPOSE, Buffer.from(text, "base64url"), []) : null;
  return json === null ? null : (JSON.parse(json) as Pending);
}

function cookieName(ctx: Context): string {
  return ownCookie(ctx, "postrider_two_factor");
}

const over = (ctx: Context): NoticePage => ({
  title: "Log in again",
  more: `<p>This log-in has expired or is complete.</p>
<p><a href="${escapeHtml(logInAddress(ctx.config))}">Log in</a></p>`,
  status: 400,
});
