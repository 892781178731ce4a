// Another address for an account. A mail to the new address asks for it, the old one is told; a person who
// reads only the new mailbox gets nothing, and neither does one who has only the account.
import { type Context, inTransaction } from "../../context.ts";
import { violatedConstraint } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import { addJob, removeJob } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import { takeToday } from "../daily_limits.ts";
import { acceptInvitations } from "../projects/invitations.ts";
import { type Checked, checkPassword, holdChecked } from "./credentials.ts";
import { takeAttempt } from "./login_limits.ts";
import { notify } from "./notices.ts";
import { isSessionOf, type SessionUser } from "./sessions.ts";
import { dropTokens, endEmailChanges, ownerOf, useToken } from "./tokens.ts";

/** Each is a mail to somebody who may not have asked for it. */
const MAX_BY_USER_A_DAY = 10;
const MAX_TO_ADDRESS_A_DAY = 10;

/**
 * Has a mail sent to the new address, whose link changes it, and one to the old address. Whether the new address has an
 * account does not show. Throws 422 for the address that it has, and 429 after too many.
 */
export async function requestEmailChange(
  ctx: Context,
  user: SessionUser,
  email: string,
  network: string | null,
): Promise<void> {
  if (email === user.email) {
    const message = "It is the address of the account already";
    throw problems.invalid([{ field: "email", code: "custom", message, received: email }]);
  }
  await takeAttempt(ctx, { mailsFor: network });
  await inTransaction(ctx, async (tx) => {
    const limits = {
      [`address changes by ${user.id}`]: MAX_BY_USER_A_DAY,
      [`address changes to ${email}`]: MAX_TO_ADDRESS_A_DAY,
    };
    await takeToday(tx, limits, problems.tooManyAddressChanges);
    await addJob(tx, "send_email_change_mail", { userId: user.id, email }, { key: jobKeyOf(user.id) });
    await notify(tx, user, { what: "address_requested", subject: email });
  });
}

/** Withdraws what was asked for: the mail that is on its way, or was sent, changes nothing any more. */
export async function withdrawEmailChange(ctx: Context, userId: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await removeJob(tx, jobKeyOf(userId));
    await endEmailChanges(tx, userId);
  });
}

const jobKeyOf = (userId: string) => `new email:${userId}`;

/** Who confirms a new address: a session of the account, or somebody who knows its password. */
export interface Confirmation {
  sessionId: string | null;
  password?: string | undefined;
  network: string | null;
}

/**
 * Gives the account the address that the token was mailed to. It is proven from then on, and joins the projects that it
 * is invited to. Elsewhere than in a session of the account its password is needed: otherwise somebody could be made to
 * lend their address to the account of another. Throws 400 for a bad token, 401 without either, and 409 if the
 * address has an account by now.
 */
export async function changeEmail(
  ctx: Context,
  token: string,
  { sessionId, password, network }: Confirmation,
): Promise<{ email: string }> {
  const owner = await ownerOf(ctx, token, "CHANGE_EMAIL");
  const email = owner.newEmail!;
  const isOwn = sessionId !== null && (await isSessionOf(ctx, sessionId, owner.id));
  if (!isOwn && password === undefined) throw problems.confirmInSession();
  const checked = isOwn
    ? null
    : await checkPassword(ctx, { email: owner.email, password: password! }, network, {
        network,
        email: owner.email,
      });
  try {
    return await inTransaction(ctx, (tx) => change(tx, token, email, checked));
  } catch (error) {
    throw violatedConstraint(error) === "users_email_key" ? problems.addressTaken(email) : error;
  }
}

async function change(tx: Context, token: string, email: string, checked: Checked | null) {
  if (checked) await holdChecked(tx, checked);
  const userId = await useToken(tx, token, "CHANGE_EMAIL");
  const { email: old } = await q.users.byId(tx, { userId });
  if ((await q.users.setEmail(tx, { userId, email, now: tx.now() })) === 0)
    throw problems.addressTaken(email);
  // What was mailed to the old address no longer works.
  await dropTokens(tx, userId);
  await acceptInvitations(tx, { id: userId, email, proven: true });
  await notify(tx, { email: old }, { what: "address_changed", subject: email });
  return { email };
}
