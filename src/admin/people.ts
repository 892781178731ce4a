// `bun run admin user` and `member`: accounts, and who looks after which project.
import { OPERATOR } from "../accounts/audit.ts";
import {
  addMember,
  changeRole,
  listMembers,
  type Member,
  removeMember,
} from "../accounts/projects/members.ts";
import { assertGoodPassword } from "../accounts/people/password_rules.ts";
import { hashPassword, PASSWORD_LENGTH } from "../accounts/people/passwords.ts";
import { type Role, ROLES } from "../accounts/projects/roles.ts";
import { switchOffTwoFactor } from "../accounts/people/factors/mod.ts";
import { createUser, listUsers } from "../accounts/people/mod.ts";
import { type Context, inTransaction } from "../context.ts";
import { parseAddress } from "../mail/address.ts";

/** Formats a person for the command line. */
export interface PeopleOptions {
  email?: string | undefined;
  role?: string | undefined;
  "password-from-stdin"?: boolean | undefined;
}

const { min: MIN_PASSWORD, max: MAX_PASSWORD } = PASSWORD_LENGTH;

/** Makes an account. Its address counts as verified: the operator vouches for it. */
export async function createAccount(ctx: Context, options: PeopleOptions) {
  const email = addressOf(options, "make an account");
  const isGiven = options["password-from-stdin"] === true;
  const password = isGiven ? await passwordFromStdin() : null;
  if (password !== null) await assertGoodPassword(password, email, "password");
  const passwordHash = password === null ? null : await hashPassword(ctx, password, null);
  return await inTransaction(ctx, (tx) => createUser(tx, { email, passwordHash, emailVerified: true }));
}

/** Takes the factors from somebody who has lost them all. They log in with the password alone, and may add others. */
export async function endTwoFactor(ctx: Context, options: PeopleOptions) {
  const email = addressOf(options, "switch off two-factor log-in");
  const { id, wasOn } = await switchOffTwoFactor(ctx, email);
  return { id, email, twoFactor: false, changed: wasOn };
}

/** Every account, oldest first. */
export async function listAccounts(ctx: Context) {
  return await listUsers(ctx);
}

/** Who looks after a project. */
export async function membersOf(ctx: Context, projectId: string): Promise<Member[]> {
  return await listMembers(ctx, projectId);
}

/** Adds a member to a project. Nobody is invited from here: somebody without an account needs one first. */
export async function addTo(ctx: Context, projectId: string, options: PeopleOptions): Promise<Member> {
  const wanted = { email: addressOf(options), role: roleOf(options.role ?? ROLES[0]!) };
  return await inTransaction(ctx, async (tx) => {
    const { member, token } = await addMember(tx, projectId, wanted, OPERATOR);
    if (token === null) return member;
    throw new Error("Cannot find a verified account with this address: create one with `user create`");
  });
}

/** Gives a member another role. */
export async function setRole(ctx: Context, projectId: string, options: PeopleOptions): Promise<Member> {
  const { userId } = await memberWith(ctx, projectId, addressOf(options));
  return await changeRole(ctx, projectId, userId, roleOf(options.role), OPERATOR);
}

/** Removes a member, or withdraws an invitation. */
export async function removeFrom(ctx: Context, projectId: string, options: PeopleOptions) {
  const member = await memberWith(ctx, projectId, addressOf(options));
  await removeMember(ctx, projectId, member.userId, OPERATOR);
  return { ...member, removed: true };
}

async function memberWith(ctx: Context, projectId: string, email: string): Promise<Member> {
  const member = (await listMembers(ctx, projectId)).find((one) => one.email === email);
  if (!member) throw new Error(`Cannot find ${email} among the members: see \`member list\``);
  return member;
}

function addressOf({ email }: PeopleOptions, what = "find somebody"): string {
  if (email === undefined) throw new Error(`Cannot ${what} without an address: add --email`);
  const address = parseAddress(email);
  if (!address) throw new Error(`Cannot ${what}: "${email}" is not an email address`);
  return address.email;
}

function roleOf(given: string | undefined): Role {
  const role = ROLES.find((known) => known === given?.toUpperCase());
  if (!role) throw new Error(`Cannot do this without a role: add --role with one of ${ROLES.join(", ")}`);
  return role;
}

/** Without the line's end. Never an argument: those are seen by everybody on the machine. */
async function passwordFromStdin(): Promise<string> {
  const password = (await Bun.stdin.text()).replace(/\r?\n$/, "");
  if (password.length >= MIN_PASSWORD && password.length <= MAX_PASSWORD && !/[\r\n\0]/.test(password)) {
    return password;
  }
  throw new Error(
    `Cannot use this password: it must be one line of ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`,
  );
}
