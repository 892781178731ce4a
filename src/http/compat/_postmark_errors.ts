// Refusals in the shape of Postmark's, with the codes that its SDKs know.
import type { Problem } from "../../problem/mod.ts";
import type { ForeignRefusal } from "../entry/problems.ts";
import { refusalText } from "./_message.ts";

/** By our code: theirs, and the status that goes with it where that is another. */
const CODES: Readonly<Record<string, [errorCode: number, status?: number]>> = {
  MISSING_AUTH: [10],
  INVALID_API_KEY: [10],
  UNAUTHORIZED: [10],
  FORBIDDEN: [10],
  PROJECT_DISABLED: [405],
  BILLING_LIMIT_EXCEEDED: [405, 422],
  RATE_LIMIT_EXCEEDED: [429],
  TEMPLATE_NOT_FOUND: [1101, 422],
  UNSUPPORTED_MEDIA_TYPE: [409, 422],
};
/** By the reason in the details of ours. */
const REASONS: Readonly<Record<string, [errorCode: number, status: number]>> = {
  SENDER_DOMAIN_NOT_VERIFIED: [400, 422],
  RECIPIENTS_SUPPRESSED: [406, 422],
};
const [INVALID_REQUEST, INVALID_JSON, TOO_MANY_MESSAGES, NO_MESSAGE] = [300, 402, 410, 701];
const [INTERNAL_ERROR, MAINTENANCE] = [500, 100];

/** A refusal in the shape of Postmark's. */
export function postmarkError(problem: Problem): ForeignRefusal {
  const [ErrorCode, status = problem.status] = codeOf(problem);
  return { status, body: { ErrorCode, Message: wordsOf(problem) } };
}

function codeOf({ status, problemCode, extras }: Problem): [number, number?] {
  const reason = String(extras.details?.reason ?? "");
  if (Object.hasOwn(REASONS, reason)) return REASONS[reason]!;
  if (Object.hasOwn(CODES, problemCode)) return CODES[problemCode]!;
  if (status >= 500) return [status === 503 ? MAINTENANCE : INTERNAL_ERROR];
  if (extras.details?.resource === "email") return [NO_MESSAGE];
  if (status === 400 && problemCode === "VALIDATION_ERROR") return [INVALID_JSON, 422];
  const isTooMany = extras.errors?.some(
    ({ field, code }) => code === "too_big" && /^(Messages)?$/.test(field),
  );
  return [isTooMany ? TOO_MANY_MESSAGES : INVALID_REQUEST];
}

/** SDKs read the addresses out of this sentence. */
function wordsOf(problem: Problem): string {
  const { details } = problem.extras;
  if (details?.reason !== "RECIPIENTS_SUPPRESSED") return refusalText(problem);
  const addresses = (details.recipients as string[]).join(", ");
  return `You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: ${addresses}. Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.`;
}
