// Passkeys (WebAuthn): a second factor, and, where the authenticator has asked for a fingerprint or a PIN, a log-in of its own.
// A challenge is signed and stored nowhere; once it is answered it is noted, so that no answer counts twice.
import { createHash, randomBytes } from "node:crypto";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { dashboardAddress, dashboardOrigins } from "../../../config/mod.ts";
import { type Context, inTransaction, newId } from "../../../context.ts";
import { q } from "../../../db/queries.ts";
import { problems } from "../../../problem/mod.ts";
import { nameErrors } from "../../names.ts";
import { openToken, signToken } from "../../secrets.ts";
import type { ListedPasskey } from "./passkey_list.ts";
import type { SessionUser } from "../sessions.ts";
import { assertMayHaveFactors, factorAdded, factorRemoved } from "./mod.ts";

export type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";

/** The library. It is loaded when it is first needed: a third of what a start loads otherwise, and 25 MB. */
const library = () => import("@simplewebauthn/server");

/** How many a user may have. */
export const MAX_PASSKEYS = 20;

/** How long somebody may take to answer a challenge. */
const ANSWER_MS = 10 * 60_000;
const PURGE_LIMIT = 10_000;

/** What a challenge is for: an answer to another one is of no use. The id is that of the user, where it is known. */
type Use = ["register" | "second factor", userId: string] | ["log in"];

/** What the browser needs to make a passkey (`navigator.credentials.create`). */
export async function registrationOptions(ctx: Context, user: SessionUser) {
  assertMayHaveFactors(user);
  const { generateRegistrationOptions } = await library();
  return await generateRegistrationOptions({
    rpName: "Postrider",
    rpID: rpIdOf(ctx),
    userName: user.email,
    userDisplayName: user.name ?? user.email,
    userID: bytesOfId(user.id),
    challenge: newChallenge(ctx, ["register", user.id]),
    timeout: ANSWER_MS,
    attestationType: "none",
    excludeCredentials: await credentialsOf(ctx, user.id),
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  });
}

/**
 * Adds the passkey that the browser has made. Returns recovery codes where it is the first factor: two-factor log-in is on from
 * now on. Throws 422 for an answer that does not stand up, and 409 for one that is registered and for one too many.
 */
export async function addPasskey(
  ctx: Context,
  user: SessionUser,
  { name, passkey }: { name: string; passkey: RegistrationResponseJSON },
): Promise<{ passkey: ListedPasskey; recoveryCodes: string[] | null }> {
  assertMayHaveFactors(user);
  const errors = nameErrors(name);
  if (errors.length > 0) throw problems.invalid(errors);
  const challenge: { text?: string } = {};
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: passkey,
    expectedChallenge: (given) => isChallenge(ctx, (challenge.text = given), ["register", user.id]),
    expectedOrigin: originsOf(ctx),
    expectedRPID: rpIdOf(ctx),
    requireUserVerification: false,
  }).catch(() => ({ registrationInfo: undefined }));
  if (!registrationInfo) throw problems.badPasskey();
  const { id: credentialId, publicKey, counter } = registrationInfo.credential;
  return await inTransaction(ctx, async (tx) => {
    if ((await q.members.holdUser(tx, { userId: user.id })) === 0) throw problems.unauthorized();
    await takeChallenge(tx, challenge.text!);
    const { enabled } = await q.twoFactor.ofUser(tx, { userId: user.id });
    const added = await q.passkeys.insert(tx, {
      userId: user.id,
      id: newId(tx),
      credentialId,
      publicKey: Buffer.from(publicKey),
      counter,
      transports: transportsOf(passkey),
      name: name.trim(),
      now: tx.now(),
      max: MAX_PASSKEYS,
    });
    if (!added) throw problems.passkeyNotAdded(MAX_PASSKEYS);
    const change = { wasOn: enabled, what: "passkey_added", subject: added.name } as const;
    return { passkey: added, recoveryCodes: await factorAdded(tx, user, change) };
  });
}

/** Gives a passkey another name. Throws not-found. */
export async function renamePasskey(
  ctx: Context,
  userId: string,
  id: string,
  name: string,
): Promise<ListedPasskey> {
  const errors = nameErrors(name);
  if (errors.length > 0) throw problems.invalid(errors);
  const passkey = await q.passkeys.rename(ctx, { userId, id, name: name.trim() });
  if (!passkey) throw problems.notFound("passkey", id);
  return passkey;
}

/** Takes a passkey away. Throws not-found. Without another factor two-factor log-in is off then. */
export async function removePasskey(ctx: Context, user: SessionUser, id: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if ((await q.members.holdUser(tx, { userId: user.id })) === 0) throw problems.unauthorized();
    const removed = await q.passkeys.remove(tx, { userId: user.id, id });
    if (!removed) throw problems.notFound("passkey", id);
    await factorRemoved(tx, user, { what: "passkey_removed", subject: removed.name });
  });
}

/** What the browser needs to answer with a passkey (`navigator.credentials.get`): of this user, or of any. */
export async function answerOptions(ctx: Context, userId: string | null) {
  const { generateAuthenticationOptions } = await library();
  return await generateAuthenticationOptions({
    rpID: rpIdOf(ctx),
    challenge: newChallenge(ctx, userId === null ? ["log in"] : ["second factor", userId]),
    timeout: ANSWER_MS,
    userVerification: userId === null ? "required" : "preferred",
    ...(userId !== null && { allowCredentials: await credentialsOf(ctx, userId) }),
  });
}

/** An answer of a passkey that stands up. */
export interface VerifiedPasskey {
  user: { id: string; email: string };
  /** Has to be called in the transaction that lets somebody in: false if it was used in the meantime. */
  use(tx: Context): Promise<boolean>;
}

/** Checks an answer: for this user as a second factor, or, for null, as a log-in. Null if it does not stand up. */
export async function verifyPasskey(
  ctx: Context,
  passkey: AuthenticationResponseJSON,
  userId: string | null,
): Promise<VerifiedPasskey | null> {
  const known = await q.passkeys.byCredential(ctx, { credentialId: passkey.id });
  if (!known || (userId !== null && known.userId !== userId)) return null;
  if (!isHandleOf(passkey, known.userId)) return null;
  const challenge: { text?: string } = {};
  const use: Use = userId === null ? ["log in"] : ["second factor", userId];
  const { verifyAuthenticationResponse } = await library();
  const verified = await verifyAuthenticationResponse({
    response: passkey,
    expectedChallenge: (given) => isChallenge(ctx, (challenge.text = given), use),
    expectedOrigin: originsOf(ctx),
    expectedRPID: rpIdOf(ctx),
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(known.publicKey),
      counter: known.counter,
      transports: known.transports,
    },
    requireUserVerification: userId === null,
  }).catch(() => null);
  if (!verified?.verified) return null;
  const counter = verified.authenticationInfo.newCounter;
  return {
    user: { id: known.userId, email: known.email },
    async use(tx) {
      await takeChallenge(tx, challenge.text!);
      const key = { userId: known.userId, id: known.id, counter, now: tx.now() };
      return (await q.passkeys.noteUse(tx, key)) > 0;
    },
  };
}

/** Forgets answers whose challenge has expired. */
export async function purgePasskeyAnswers(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - 2 * ANSWER_MS);
  while ((await q.passkeys.purgeAnswers(ctx, { before, limit: PURGE_LIMIT })) === PURGE_LIMIT);
}

async function credentialsOf(ctx: Context, userId: string) {
  const rows = await q.passkeys.credentials(ctx, { userId });
  return rows.map(({ credentialId, transports }) => ({ id: credentialId, transports }));
}

/** The host that passkeys belong to: where people log in. */
function rpIdOf({ config }: Context): string {
  return new URL(dashboardAddress(config)).hostname;
}

function originsOf({ config }: Context): string[] {
  return [new URL(config.BASE_URL).origin, ...dashboardOrigins(config)];
}

const SIGNED_FOR = "passkey challenges";

/** What it is for, until when, and something that nobody can guess. */
function newChallenge(ctx: Context, use: Use): Uint8Array<ArrayBuffer> {
  const until = Buffer.alloc(8);
  until.writeDoubleBE(ctx.now().getTime() + ANSWER_MS);
  const payload = Buffer.concat([until, randomBytes(16), Buffer.from(use.join(" "))]);
  return new Uint8Array(Buffer.from(signToken(ctx, SIGNED_FOR, payload), "base64url"));
}

function isChallenge(ctx: Context, text: string, use: Use): boolean {
  const payload = openToken(ctx, SIGNED_FOR, text);
  if (!payload || payload.length < 24) return false;
  return payload.readDoubleBE(0) > ctx.now().getTime() && payload.subarray(24).toString() === use.join(" ");
}

async function takeChallenge(tx: Context, text: string): Promise<void> {
  const challengeHash = createHash("sha256").update(text).digest();
  if ((await q.passkeys.takeAnswer(tx, { challengeHash, now: tx.now() })) === 0) throw problems.badPasskey();
}

/** What the authenticator has kept says whose passkey it is, where it says so. */
function isHandleOf({ response }: AuthenticationResponseJSON, userId: string): boolean {
  return !response.userHandle || response.userHandle === Buffer.from(bytesOfId(userId)).toString("base64url");
}

function bytesOfId(id: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(id.replaceAll("-", ""), "hex"));
}

const TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"];

function transportsOf({ response }: RegistrationResponseJSON): string[] {
  return TRANSPORTS.filter((transport) => (response.transports as string[] | undefined)?.includes(transport));
}
