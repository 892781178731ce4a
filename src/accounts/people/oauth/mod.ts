// Signing in at a provider: there with a question that only the same browser can bring back, and back with its answer.
import { createHash, timingSafeEqual } from "node:crypto";
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import type { Context } from "../../../context.ts";
import { q } from "../../../db/queries.ts";
import { problems } from "../../../problem/mod.ts";
import { readProfile, type Tokens } from "./_profile.ts";
import { told } from "./_refusals.ts";
import { type Admission, admit } from "../admission.ts";
import { asUser, MustProve, type Profile } from "./identities.ts";
import { sealLink } from "./links.ts";
import type { Provider } from "./providers.ts";
import { seal, unseal } from "../../secrets.ts";
import type { Visitor } from "../sessions.ts";

/** How long somebody may take at the provider. */
export const TRANSACTION_S = 600;

const PURPOSE = "sign-ins at providers";

/** What the browser keeps for us, sealed, until it is back. */
interface Transaction {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** How a browser comes back. */
export interface Return {
  /** What it has kept. */
  transaction: string | null;
  /** What the provider has put into the address. */
  answer: URLSearchParams;
  visitor: Visitor;
}

/** Begins a sign-in: where the browser has to go, and what it has to keep until it returns. */
export async function beginSignIn(
  ctx: Context,
  provider: Provider,
  returnTo: string,
): Promise<{ address: string; transaction: string }> {
  const configuration = await told(provider, () => provider.configuration());
  const transaction: Transaction = {
    state: randomState(),
    nonce: randomNonce(),
    verifier: randomPKCECodeVerifier(),
    returnTo,
    until: ctx.now().getTime() + TRANSACTION_S * 1_000,
  };
  const question = {
    redirect_uri: provider.redirectUri,
    scope: provider.scope,
    state: transaction.state,
    code_challenge: await calculatePKCECodeChallenge(transaction.verifier),
    code_challenge_method: "S256",
    ...(provider.api === null && { nonce: transaction.nonce }),
  };
  const address = await told(provider, async () => buildAuthorizationUrl(configuration, question));
  const sealed = seal(ctx, PURPOSE, JSON.stringify(transaction), [provider.name]);
  return { address: address.href, transaction: sealed.toString("base64url") };
}

/** Where a sign-in ends: in a session, before a second factor, or before an account whose password is asked for. */
export type Finished = { returnTo: string } & (
  | Admission
  /** What the browser has to keep until it is given. */
  | { link: string }
);

/**
 * Finishes it: a session begins, and the one that the browser had ends. If it is not proven whose the account with this
 * address is, its password is asked for first. Throws if the browser is not the one in which it began or has been back
 * before, and where the provider's answer does not stand up.
 */
export async function finishSignIn(
  ctx: Context,
  provider: Provider,
  { transaction, answer, visitor }: Return,
): Promise<Finished> {
  const begun = opened(ctx, provider, transaction);
  if (!begun || !isSame(begun.state, answer.get("state") ?? "")) throw problems.signInStale();
  const stateHash = createHash("sha256").update(begun.state).digest();
  // Committed before the provider is asked: the same response cannot be used twice, nor tried at the provider twice.
  if ((await q.oauthCallbacks.take(ctx, { stateHash, now: ctx.now() })) === 0) throw problems.signInStale();
  const profile = await told(provider, () => profileOf(provider, begun, answer));
  const { returnTo } = begun;
  try {
    const admission = await asUser(ctx, profile, async (tx, user) => await admit(tx, user.id, visitor));
    return { ...admission, returnTo };
  } catch (error) {
    if (!(error instanceof MustProve)) throw error;
    const { issuer, subject } = profile;
    return { link: sealLink(ctx, provider, { issuer, subject, email: error.email, returnTo }), returnTo };
  }
}

async function profileOf(provider: Provider, begun: Transaction, answer: URLSearchParams): Promise<Profile> {
  const configuration = await provider.configuration();
  const isOpenId = provider.api === null;
  // The callback address as it is registered, whatever the request has passed through on its way.
  const url = new URL(`${provider.redirectUri}?${answer}`);
  const tokens: Tokens = await authorizationCodeGrant(configuration, url, {
    expectedState: begun.state,
    pkceCodeVerifier: begun.verifier,
    ...(isOpenId && { expectedNonce: begun.nonce, idTokenExpected: true }),
  });
  return await readProfile(provider, configuration, tokens);
}

function opened(ctx: Context, { name }: Provider, text: string | null): Transaction | null {
  const json = text ? unseal(ctx, PURPOSE, Buffer.from(text, "base64url"), [name]) : null;
  const transaction = json === null ? null : (JSON.parse(json) as Transaction);
  return transaction && transaction.until > ctx.now().getTime() ? transaction : null;
}

function isSame(left: string, right: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

const PURGE_LIMIT = 10_000;

/** Forgets sign-ins that could not come back any more. */
export async function purgeOauthCallbacks(ctx: Context): Promise<void> {
  // A sign-in that has expired by our clock has expired, even if another process's clock is behind.
  const before = new Date(ctx.now().getTime() - 2 * TRANSACTION_S * 1_000);
  while ((await q.oauthCallbacks.purge(ctx, { before, limit: PURGE_LIMIT })) === PURGE_LIMIT);
}
