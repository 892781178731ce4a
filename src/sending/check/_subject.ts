// What of a subject makes filters and readers take a mail for spam: rules that anybody can read.
import { type CampaignCheck, count } from "./_check.ts";

/** A rule, and what the subject does that it speaks against. */
interface SubjectRule {
  name: string;
  says: string;
  applies(subject: string): boolean;
}

const MAX_SHOWN_CHARS = 60;
const MIN_LETTERS = 8;
const MAX_CAPITALS = 0.7;
const MAX_PICTOGRAMS = 2;
/** Of words that spam is full of: each is harmless in a sentence, and a reason to look twice in a subject. */
const WORN = [
  "100% free",
  "act now",
  "buy now",
  "cash bonus",
  "click here",
  "double your",
  "earn money",
  "free money",
  "guaranteed",
  "limited time",
  "make money",
  "no obligation",
  "once in a lifetime",
  "risk free",
  "risk-free",
  "urgent",
  "winner",
  "you have won",
];
const WORN_WORDS = new RegExp(`(?<![\\p{L}\\p{N}])(?:${WORN.join("|")})(?![\\p{L}\\p{N}])`, "iu");

const RULES: SubjectRule[] = [
  {
    name: "LONG",
    says: `it is longer than ${MAX_SHOWN_CHARS} characters, and most inboxes cut it off`,
    applies: (subject) => [...subject].length > MAX_SHOWN_CHARS,
  },
  {
    name: "CAPITALS",
    says: "it is written in capitals",
    applies(subject) {
      const letters = subject.match(/\p{L}/gu) ?? [];
      const capitals = letters.filter((letter) => letter !== letter.toLowerCase()).length;
      return letters.length >= MIN_LETTERS && capitals / letters.length > MAX_CAPITALS;
    },
  },
  {
    name: "EXCLAMATION",
    says: "it has more than one exclamation mark",
    applies: (subject) => (subject.match(/[!¡！]/gu) ?? []).length - (subject.includes("¡") ? 1 : 0) > 1,
  },
  {
    name: "CURRENCY",
    says: "it repeats a currency sign",
    applies: (subject) => /\p{Sc}\s?\p{Sc}/u.test(subject),
  },
  {
    name: "REPLY",
    says: "it looks like an answer or a forwarded mail",
    applies: (subject) => /^\s*(?:re|fwd?|aw|wg)\s*:/i.test(subject),
  },
  {
    name: "SPACED",
    says: "its letters are spaced out",
    applies: (subject) => /(?<!\S)(?:\p{L} ){3}\p{L}(?!\S)/u.test(subject),
  },
  {
    name: "EMOJI",
    says: `it has more than ${MAX_PICTOGRAMS} emoji`,
    applies: (subject) => (subject.match(/\p{Extended_Pictographic}/gu) ?? []).length > MAX_PICTOGRAMS,
  },
  {
    name: "WORDS",
    says: "it has words that spam is full of",
    applies: (subject) => WORN_WORDS.test(subject),
  },
];

/** Looks at a subject as a recipient sees it. */
export function checkSubject(subject: string): CampaignCheck {
  const base = { id: "SUBJECT", title: "Subject", field: "subject" } as const;
  if (subject.trim() === "") {
    const message = "The subject is empty for this recipient: write one, or give its variables a fallback.";
    return { ...base, level: "ERROR", message, details: { rules: ["EMPTY"] } };
  }
  const broken = RULES.filter((rule) => rule.applies(subject));
  if (broken.length === 0)
    return { ...base, level: "OK", message: `${count([...subject].length, "character")}.` };
  const said = broken.map(({ says }) => says).join("; ");
  const message = `Filters and readers may take it for spam: ${said}.`;
  return { ...base, level: "WARNING", message, details: { rules: broken.map(({ name }) => name) } };
}
