// A sign-in at a provider that meets an account which anybody may have created with its address. The password of that
// account links the two; without it, a reset by mail helps.
import { type Context, inTransaction } from "../../../context.ts";
import { problems } from "../../../problem/mod.ts";
import { type Admission, admit } from "../admission.ts";
import { checkPassword, holdChecked } from "../credentials.ts";
import { link, type Profile } from "./identities.ts";
import type { Provider } from "./providers.ts";
import { seal, unseal } from "../../secrets.ts";
import type { Visitor } from "../sessions.ts";
import { proveUser } from "../mod.ts";

/** How long somebody may take for the password. */
export const LINK_S = 600;

const PURPOSE = "links to providers";

/** What the browser keeps for us, sealed, until the password is given. The provider vouches for the address. */
export interface PendingLink extends Pick<Profile, "issuer" | "subject"> {
  email: string;
  returnTo: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** Begins to link: what the browser has to keep until then. */
export function sealLink(ctx: Context, provider: Provider, pending: Omit<PendingLink, "until">): string {
  const until = ctx.now().getTime() + LINK_S * 1_000;
  return seal(ctx, PURPOSE, JSON.stringify({ ...pending, until }), [provider.name]).toString("base64url");
}

/** What a browser has kept. Throws if it is nothing, or too old. */
export function openLink(ctx: Context, provider: Provider, text: string | null): PendingLink {
  const json = text ? unseal(ctx, PURPOSE, Buffer.from(text, "base64url"), [provider.name]) : null;
  const pending = json === null ? null : (JSON.parse(json) as PendingLink);
  if (!pending || pending.until <= ctx.now().getTime()) throw problems.signInStale();
  return pending;
}

/**
 * Links the account to the sign-in, and lets its holder in. Knowing the password and having the mailbox at the provider
 * shows that both belong to the same person. Throws as a log-in does.
 */
export async function finishLink(
  ctx: Context,
  pending: PendingLink,
  password: string,
  visitor: Visitor,
): Promise<Admission> {
  const { email } = pending;
  const { network } = visitor;
  const checked = await checkPassword(ctx, { email, password }, network, { network, email });
  return await inTransaction(ctx, async (tx) => {
    const { id } = await holdChecked(tx, checked);
    await proveUser(tx, id);
    if (!(await link(tx, pending, id))) throw problems.signInStale();
    return await admit(tx, id, visitor);
  });
}
