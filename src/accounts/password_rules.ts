// What a password must not be, besides too short: one of those that everybody tries first.
import { problems } from "../problem.ts";
import { PASSWORD_LENGTH } from "./passwords.ts";

/** A password holds more than a part of the own address when it has so many other characters. */
const OTHER_CHARACTERS = 4;

/**
 * Throws 422 for `field` when the password is one of the 50,000 most common ones, in whatever case, or hardly more than a
 * part of the address of whoever chooses it. To be called for a password that is chosen, never for one that is given to
 * log in: who has such a one must be able to change it.
 */
export async function assertGoodPassword(
  password: string,
  email: string,
  field: "password" | "newPassword",
): Promise<void> {
  const folded = password.normalize("NFKC").toLowerCase().trim();
  if ((await commonPasswords()).has(folded)) {
    throw problems.badPassword(field, "it is one of the most common ones, which are tried first");
  }
  if (partsOf(email).some((part) => isHardlyMoreThan(folded, part))) {
    throw problems.badPassword(field, "it is your address or a part of it, which is tried first");
  }
}

let common: Promise<Set<string>> | undefined;

/** Read when it is first asked for: it takes 30 ms of a processor, and 8 MB. */
function commonPasswords(): Promise<Set<string>> {
  return (common ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) =>
      new Set(dictionary["passwords-common"].filter(({ length }) => length >= PASSWORD_LENGTH.min)),
  ));
}

/** The address, what stands before its @ (also without what follows a plus), and its domain. */
function partsOf(email: string): string[] {
  const [local = "", domain = ""] = email.toLowerCase().split("@");
  return [email.toLowerCase(), local, local.replace(/\+.*/, ""), domain];
}

function isHardlyMoreThan(password: string, part: string): boolean {
  if (password === part) return true;
  // The shortest ones stand in many words.
  return (
    part.length >= OTHER_CHARACTERS &&
    password.includes(part) &&
    password.length - part.length < OTHER_CHARACTERS
  );
}
