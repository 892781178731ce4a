// The way into the console of a development installation: an account that owns the first project, and a link that logs in as
// it, once. Nothing of it is stored: a link is valid in the process that has shown it.
import { createHash, randomBytes } from "node:crypto";
import { type Context, inTransaction, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { type Admission, admit } from "./admission.ts";
import { createUser } from "./mod.ts";
import type { Visitor } from "./sessions.ts";

/** The address of that account. It has no password, and nobody else can have the address. */
const EMAIL = "owner@sandbox.example";

/** For how long a link is good, in minutes. */
export const START_LINK_MINUTES = 15;

/** Makes the account that owns the first project. */
export async function addFirstOwner(tx: Context, projectId: string): Promise<void> {
  const account = { email: EMAIL, passwordHash: null, emailVerified: true };
  const userId = (await q.users.byEmail(tx, { email: EMAIL }))?.id ?? (await createUser(tx, account)).id;
  await q.members.add(tx, { projectId, userId, role: "OWNER" });
}

/** The token of a new link for that account. Null if there is no such account. An earlier link no longer works. */
export async function makeStartToken(ctx: Context): Promise<string | null> {
  const user = await q.users.byEmail(ctx, { email: EMAIL });
  if (!user) return null;
  const token = randomBytes(24).toString("base64url");
  const expiresAt = ctx.now().getTime() + START_LINK_MINUTES * 60_000;
  links(ctx).good = { hash: hashOf(token), userId: user.id, expiresAt };
  return token;
}

/** Whether a link is still good. Asking does not use it up. */
export function isStartToken(ctx: Context, token: string): boolean {
  const { good } = links(ctx);
  return good !== null && good.hash === hashOf(token) && ctx.now().getTime() < good.expiresAt;
}

/** Lets the owner in by a link, which is used up by that. Throws 400 for one that no longer works. */
export async function enterByStartToken(ctx: Context, token: string, visitor: Visitor): Promise<Admission> {
  const kept = links(ctx);
  const { good } = kept;
  if (!good || !isStartToken(ctx, token)) throw problems.badToken();
  // Before anything is waited for: two requests at once are one.
  kept.good = null;
  try {
    return await inTransaction(ctx, (tx) => admit(tx, good.userId, visitor));
  } catch (error) {
    kept.good ??= good;
    throw error;
  }
}

interface StartLink {
  hash: string;
  userId: string;
  expiresAt: number;
}

const links = perService((): { good: StartLink | null } => ({ good: null }));

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
