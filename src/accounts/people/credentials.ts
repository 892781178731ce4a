// Whether a password is right. What a stranger can see is the same whether or not the account exists: the answer, and the
// time that it takes.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { assertNotLocked, type Counted, giveBackAttempt, takeAttempt } from "./login_limits.ts";
import type { NewSession } from "./sessions.ts";
import { inTurn, isPassword } from "./passwords.ts";

/** Who signs up, or logs in. */
export interface Credentials {
  /** In its one spelling: trimmed and in lower case. */
  email: string;
  password: string;
}

/** A person with a session that has just begun. */
export interface LoggedIn {
  user: { id: string; email: string };
  session: NewSession;
}

/** Somebody whose password was checked. */
export interface Checked {
  userId: string;
  passwordHash: string;
}

/**
 * Throws INVALID_CREDENTIALS, 429 after too many failures for those that are `counted`, even for the right password,
 * and 503 when too many others wait.
 */
export async function checkPassword(
  ctx: Context,
  { email, password }: Credentials,
  network: string | null,
  counted: Counted,
): Promise<Checked> {
  // Somebody who is locked out neither waits for others nor makes others wait.
  await assertNotLocked(ctx, counted);
  return await inTurn(ctx, { network }, async () => {
    const attempt = await takeAttempt(ctx, counted);
    const user = await q.users.byEmail(ctx, { email });
    const passwordHash = user?.passwordHash ?? null;
    const isRight = await isPassword(password, passwordHash);
    if (!user || passwordHash === null || !isRight) throw problems.invalidCredentials();
    await giveBackAttempt(ctx, attempt);
    return { userId: user.id, passwordHash };
  });
}

/** Locks the user. Throws when the password was changed since it was checked: a session would outlive the change. */
export async function holdChecked(tx: Context, checked: Checked): Promise<{ id: string; email: string }> {
  const user = await q.users.hold(tx, checked);
  if (!user) throw problems.invalidCredentials();
  return user;
}
