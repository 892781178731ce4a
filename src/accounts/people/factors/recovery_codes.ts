// Codes for somebody who has lost their factors: shown once, kept as hashes, each valid for one log-in.
import { createHash, randomInt } from "node:crypto";
import { type Context, inTransaction } from "../../../context.ts";
import { q } from "../../../db/queries.ts";
import { problems } from "../../../problem/mod.ts";
import { notify } from "../notices.ts";
import type { SessionUser } from "../sessions.ts";

const CODES = 10;
/** Without what is read as something else. 16 of them are 80 bits. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Ten new codes; those before no longer work. Throws 409 if two-factor log-in is off. */
export async function renewRecoveryCodes(ctx: Context, user: SessionUser): Promise<string[]> {
  return await inTransaction(ctx, async (tx) => {
    if ((await q.members.holdUser(tx, { userId: user.id })) === 0) throw problems.unauthorized();
    if (!(await q.twoFactor.isOn(tx, { userId: user.id })).on) throw problems.twoFactorOff();
    await notify(tx, user, { what: "recovery_codes_made" });
    return await makeRecoveryCodes(tx, user.id);
  });
}

/** Ten new codes in place of those before. The user is held. */
export async function makeRecoveryCodes(tx: Context, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await q.twoFactor.dropCodes(tx, { userId });
  await q.twoFactor.addCodes(tx, { userId, hashes: codes.map((code) => hashOf(code).toString("hex")) });
  return codes;
}

/** Whether this is one of the user's codes, which is used up then. A mail tells of it. */
export async function useRecoveryCode(
  tx: Context,
  user: { id: string; email: string },
  code: string,
): Promise<boolean> {
  if ((await q.twoFactor.useCode(tx, { userId: user.id, hash: hashOf(code) })) === 0) return false;
  const { recoveryCodes } = await q.twoFactor.ofUser(tx, { userId: user.id });
  await notify(tx, user, { what: "recovery_code_used", subject: String(recoveryCodes) });
  return true;
}

function newCode(): string {
  const letters = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: GROUPS }, letters).join("-");
}

/** As people type it: in any case, with hyphens, spaces or neither, with the letters that look like digits. */
function hashOf(code: string): Buffer {
  const plain = code.toLowerCase().replace(/[\s-]/g, "").replace(/o/g, "0").replace(/[il]/g, "1");
  return createHash("sha256").update(plain).digest();
}
