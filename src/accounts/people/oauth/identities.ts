// Which of our users a sign-in at a provider belongs to.
import { type Context, inTransaction } from "../../../context.ts";
import { q } from "../../../db/queries.ts";
import { Problem, problems } from "../../../problem/mod.ts";
import { assertMaySignUp, createUser } from "../mod.ts";

/** Somebody, as a provider knows them. */
export interface Profile {
  /** The name of the provider, for people. */
  provider: string;
  /** Whose word it is. */
  issuer: string;
  /** The provider's own id of the account, which never goes to somebody else. */
  subject: string;
  /** Null if the provider tells none that is valid. */
  email: string | null;
  /** The provider says that the address is theirs. */
  emailVerified: boolean;
}

/** A user of ours. */
export interface User {
  id: string;
  email: string;
}

/** Two concurrent sign-ins may conflict once; after that one of them exists. */
const ATTEMPTS = 3;

/**
 * There is an account with the address of a profile, and anybody may have made it: before the two are linked, its password
 * is asked for.
 */
export class MustProve extends Error {
  readonly email: string;

  constructor(email: string) {
    super("The owner of this account has not been confirmed");
    this.email = email;
  }
}

/**
 * Finds or creates the user that a profile stands for, and does `work` with them in the same transaction. Throws
 * {@linkcode MustProve}, and where the address is not verified at the provider, and where sign-ups are closed.
 */
export async function asUser<T>(
  ctx: Context,
  profile: Profile,
  work: (tx: Context, user: User) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(ctx, async (tx) => await work(tx, await userOf(tx, profile)));
    } catch (error) {
      if (!isOvertaken(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Somebody else was first with this identity. */
class Overtaken extends Error {}

function isOvertaken(error: unknown): boolean {
  return error instanceof Overtaken || (error instanceof Problem && error.problemCode === "CONFLICT");
}

async function userOf(tx: Context, profile: Profile): Promise<User> {
  const { provider, issuer, subject, email, emailVerified } = profile;
  const known = await q.identities.userOf(tx, { issuer, subject });
  if (known) return known;
  if (email === null || !emailVerified) throw problems.addressNotVerifiedThere(provider);
  const user = await userWithAddress(tx, email);
  if (!(await link(tx, profile, user.id))) throw new Overtaken();
  return user;
}

/** Links this identity to a user. False when it belongs to somebody else already. */
export async function link(
  tx: Context,
  { issuer, subject }: Pick<Profile, "issuer" | "subject">,
  userId: string,
): Promise<boolean> {
  if ((await q.identities.add(tx, { issuer, subject, userId })) > 0) return true;
  return (await q.identities.userOf(tx, { issuer, subject }))?.id === userId;
}

async function userWithAddress(tx: Context, email: string): Promise<User> {
  const held = await q.users.holdByEmail(tx, { email });
  if (!held) {
    await assertMaySignUp(tx, { email, emailVerified: true });
    return await createUser(tx, { email, passwordHash: null, emailVerified: true });
  }
  if (!held.proven) throw new MustProve(held.email);
  return { id: held.id, email: held.email };
}
