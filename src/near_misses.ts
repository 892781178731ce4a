// Fields that a route does not know are ignored, but for those that are certainly a mistake: another service's word for
// one of ours, or one of ours with a typing error in it.
import type { FieldError } from "./problem/mod.ts";

/** What other services, and other endpoints of ours, call a field. */
const OTHER_NAMES: Record<string, string[]> = {
  body: ["html", "text", "content", "htmlBody", "message"],
  to: ["recipient", "recipients"],
  from: ["sender", "fromEmail", "fromAddress"],
  reply: ["replyTo", "replyToEmail"],
  replyTo: ["reply", "replyToEmail"],
  template: ["templateId", "templateID"],
  templateId: ["template", "templateID"],
  attachments: ["attachment", "files"],
  data: ["variables", "substitutions", "attributes", "properties", "metadata"],
  event: ["eventName", "name"],
  eventName: ["event"],
  scheduledFor: ["sendAt", "scheduledAt", "scheduleAt"],
  sendAt: ["scheduledAt", "scheduledFor", "scheduleAt"],
  condition: ["filter", "conditions"],
  audienceCondition: ["condition", "audienceFilter", "filter"],
  subscribed: ["isSubscribed"],
  contactIds: ["ids"],
  language: ["locale"],
};

/** Words of other services for what a mail, or an event, does not take here. */
const OTHER_POWERS = new Set([
  "cc",
  "bcc",
  "text",
  "scheduledfor",
  "sendat",
  "scheduledat",
  "tags",
  "timestamp",
]);

const MIN_TYPO_LENGTH = 5;
const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 40;

/**
 * The fields of a body that were meant to be others, which the body lacks: the right name for each wrong one. `known`
 * are all that the route takes.
 */
export function nearMisses(body: Record<string, unknown>, known: string[]): Map<string, string> {
  const missing = known.filter((name) => !Object.hasOwn(body, name));
  const found = new Map<string, string>();
  for (const name of Object.keys(body).slice(0, MAX_NAMES)) {
    if (known.includes(name) || name.length > MAX_NAME_LENGTH) continue;
    const meant = missing.find((candidate) => isMeant(name, candidate));
    if (meant !== undefined) found.set(name, meant);
  }
  return found;
}

/** What the answer says of them where the request was carried out without them. */
export function nearMissWarnings(misses: Map<string, string>): string[] {
  return [...misses].map(
    ([field, meant]) => `The field ${field} is unknown and was ignored: write it as ${meant}`,
  );
}

/** What the answer says of fields that would do something elsewhere, and do nothing here. */
export function powerlessWarnings(body: Record<string, unknown>, known: string[]): string[] {
  return Object.keys(body)
    .slice(0, MAX_NAMES)
    .filter(
      (name) => name.length <= MAX_NAME_LENGTH && !known.includes(name) && OTHER_POWERS.has(plainly(name)),
    )
    .map((name) => `The field ${name} is unknown and was ignored`);
}

/** What a refusal says of them. */
export function nearMissErrors(misses: Map<string, string>): FieldError[] {
  return [...misses].map(([field, meant]) => ({
    field,
    code: "custom",
    message: `Unknown field: write it as ${meant}`,
  }));
}

function isMeant(name: string, candidate: string): boolean {
  const plain = plainly(name);
  if (plain === plainly(candidate)) return true;
  if (OTHER_NAMES[candidate]?.some((other) => plainly(other) === plain)) return true;
  return candidate.length >= MIN_TYPO_LENGTH && isOneTypoAway(plain, plainly(candidate));
}

function plainly(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

/** One letter more, one less, one other, or two exchanged. */
function isOneTypoAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
}
