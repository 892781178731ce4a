// The addresses in account mails: pages of the console, which look at a link before they ask anything.
import { createHash } from "node:crypto";
import { type Config, dashboardOrigins } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import type { Role } from "../projects/roles.ts";
import { isSessionOf } from "./sessions.ts";
import type { TokenPurpose } from "./tokens.ts";

interface AccountPage {
  console: string;
  /** The page without a script; with a token where it has another one without. */
  hosted: string;
  hostedWithToken?: string;
}

/** The pages of the console that mails lead to, each with the hosted page that does the same without a script. */
const PAGES = {
  verifyEmail: {
    console: "/app/verify-email",
    hosted: "/auth/request-verification",
    hostedWithToken: "/auth/verify-email",
  },
  resetPassword: {
    console: "/app/reset-password",
    hosted: "/auth/request-password-reset",
    hostedWithToken: "/auth/reset-password",
  },
  changeEmail: { console: "/app/change-email", hosted: "/auth/change-email" },
  signUp: { console: "/app/sign-up", hosted: "/auth/signup" },
} satisfies Record<string, AccountPage>;

/**
 * The address of a page in a mail. A dashboard in the settings has pages of its own, at the paths of the hosted ones, and is given
 * the token alone; the console is also told the address that the mail went to, to offer another mail once the link has ended.
 */
export function accountLink(
  config: Pick<Config, "BASE_URL" | "DASHBOARD_ORIGINS">,
  name: keyof typeof PAGES,
  token: Record<string, string>,
  more: Record<string, string> = {},
): string {
  const known: AccountPage = PAGES[name];
  const [dashboard] = dashboardOrigins(config);
  return dashboard === undefined
    ? `${config.BASE_URL}${known.console}?${new URLSearchParams({ ...token, ...more })}`
    : `${dashboard}${known.hostedWithToken ?? known.hosted}?${new URLSearchParams(token)}`;
}

/** Where somebody asks for a new password: in the console of this installation, whatever dashboard there is. */
export function resetLink({ BASE_URL }: Pick<Config, "BASE_URL">, email: string): string {
  return `${BASE_URL}${PAGES.resetPassword.console}?${new URLSearchParams({ email })}`;
}

/** Where somebody logs in: the dashboard of the settings, or the console. */
export function logInAddress(config: Pick<Config, "BASE_URL" | "DASHBOARD_ORIGINS">): string {
  return dashboardOrigins(config)[0] ?? `${config.BASE_URL}/app/log-in`;
}

/** The hosted page that does what a page of the console does, with its parameters; null if there is none. */
export function hostedInstead({ pathname, searchParams }: URL): string | null {
  const known = Object.values(PAGES).find((page: AccountPage) => pathname.endsWith(page.console));
  if (!known) return null;
  const { hosted, hostedWithToken = hosted }: AccountPage = known;
  const query = searchParams.toString();
  return (searchParams.has("token") ? hostedWithToken : hosted) + (query && `?${query}`);
}

/** What a link of a mail is about. */
export interface AccountLink {
  purpose: TokenPurpose | "INVITATION";
  /** Of the account, or the one that is invited. */
  email: string;
  /** What a change of address gives the account. */
  newEmail: string | null;
  /** Null for an invitation of somebody who has none. */
  account: { verified: boolean; proven: boolean; hasPassword: boolean; own: boolean } | null;
  invitation: { projectId: string; project: string; role: Role } | null;
}

/** What a link is about, which stays as good as it is. Throws 400 for one that is used, has expired or never was. */
export async function lookUpLink(
  ctx: Context,
  token: string,
  sessionId: string | null,
): Promise<AccountLink> {
  const key = { tokenHash: createHash("sha256").update(token).digest(), now: ctx.now() };
  const mailed = await q.accountTokens.about(ctx, key);
  const invited = mailed ? null : await q.invitations.about(ctx, key);
  const found = mailed ?? invited;
  if (!found) throw problems.badToken();
  const { email, userId, verified, proven, hasPassword } = found;
  const own = userId !== null && sessionId !== null && (await isSessionOf(ctx, sessionId, userId));
  return {
    purpose: mailed?.purpose ?? "INVITATION",
    email,
    newEmail: mailed?.newEmail ?? null,
    account: userId === null ? null : { verified, proven, hasPassword, own },
    invitation: invited && { projectId: invited.projectId, project: invited.project, role: invited.role },
  };
}
