// What a password must not be, besides too short: one of those that attackers try first.
import { problems } from "../../problem/mod.ts";

/** A password with at least this many other characters is more than a part of the user's address. */
const OTHER_CHARACTERS = 4;

/** Shorter parts of an address occur in many words. */
const MIN_PART = 4;

const MIN_DIFFERENT = 4;

/** What is typed in place of a letter. */
const LEET: Record<string, string> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/**
 * Throws 422 for `field` when the password is one of the 50,000 most common ones, in any case and with characters
 * substituted or appended, a simple pattern, or hardly more than a part of the user's own address. For choosing a
 * password, never for logging in: somebody who already has such a password must be able to change it.
 */
export async function assertGoodPassword(
  password: string,
  email: string,
  field: "password" | "newPassword",
): Promise<void> {
  // What is not seen makes no password better.
  const folded = password
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .toLowerCase()
    .trim();
  const common = await commonPasswords();
  if (variantsOf(folded).some((variant) => common.has(variant))) {
    throw problems.badPassword(field, "it is one of the most common passwords, which attackers try first");
  }
  if (isPattern(folded)) {
    throw problems.badPassword(
      field,
      "it repeats or counts through a few characters, which attackers try first",
    );
  }
  if (partsOf(email).some((part) => isHardlyMoreThan(folded, part))) {
    throw problems.badPassword(field, "it is your address or part of it, which attackers try first");
  }
}

let common: Promise<Set<string>> | undefined;

/**
 * The list, read when the first password is chosen: it takes 40 ms of a processor once, and 10 MB from then on. Where it could
 * not be read, the next one tries again.
 */
function commonPasswords(): Promise<Set<string>> {
  return (common ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"].filter(({ length }) => length >= MIN_PART)),
    (error: unknown) => {
      common = undefined;
      throw error;
    },
  ));
}

function isPattern(password: string): boolean {
  return new Set(password).size < MIN_DIFFERENT || /^(.{1,4})\1+.{0,3}$/su.test(password) || isRun(password);
}

/** Each character follows the one before, or each comes before it, as in 87654321. */
function isRun(password: string): boolean {
  const codes = Array.from(password, (letter) => letter.codePointAt(0)!);
  const steps = new Set(codes.slice(1).map((code, i) => code - codes[i]!));
  return steps.size === 1 && (steps.has(1) || steps.has(-1));
}

/** The password, and the word behind it: without a suffix, and with letters for digits. */
function variantsOf(password: string): string[] {
  const bare = password.replace(/[\p{N}\p{P}\p{S}]+$/u, "");
  const plain = (text: string) => text.replace(/[013457@$!]/g, (sign) => LEET[sign]!);
  const words = [bare, plain(bare)].filter(({ length }) => isMost(length, password.length));
  return [password, plain(password), ...words];
}

/** A word is looked up where its suffix adds little: after a short word there may be a password of its own. */
function isMost(length: number, whole: number): boolean {
  return length >= MIN_PART && whole - length <= OTHER_CHARACTERS;
}

/** The address, what is before its @, its domain, and the pieces of the two. */
function partsOf(email: string): string[] {
  const [local = "", domain = ""] = email.toLowerCase().split("@");
  const person = local.replace(/\+.*/, "");
  const pieces = [...local.split(/[._+-]/), ...domain.split(".")].filter(({ length }) => length >= MIN_PART);
  return [email.toLowerCase(), local, person, person.replace(/[._-]/g, ""), domain, ...pieces];
}

function isHardlyMoreThan(password: string, part: string): boolean {
  if (password === part) return true;
  return (
    part.length >= MIN_PART && password.includes(part) && password.length - part.length < OTHER_CHARACTERS
  );
}
