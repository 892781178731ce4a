// What SMTP clients are told of what went wrong: the code says whether to try again, the text says why, in the words of the API.
import { isConflict, isDatabaseAway, isTimeout, mayHaveHappened } from "../../database_errors.ts";
import type { Context } from "../../context.ts";
import { describeError } from "../../log.ts";
import { smtpReply } from "../../mail/smtp_reply.ts";
import { UnfitMessage } from "../../mail/submitted.ts";
import { Problem, problems } from "../../problem/mod.ts";

const MAX_TEXT_CHARS = 400;

/** By the status of a problem: the code and the enhanced code (RFC 3463). */
const REPLIES: Record<number, [code: number, enhanced: string]> = {
  400: [550, "5.7.1"],
  401: [535, "5.7.8"],
  402: [550, "5.7.1"],
  403: [550, "5.7.1"],
  404: [550, "5.6.0"],
  409: [550, "5.5.0"],
  413: [552, "5.3.4"],
  422: [550, "5.6.0"],
  429: [451, "4.7.1"],
  503: [451, "4.3.0"],
};

/** Does `work`, and turns what it throws into a reply. What nobody expected is logged, and may be tried again. */
export async function inReplies<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw replyTo(ctx, error);
  }
}

function replyTo(ctx: Context, error: unknown): Error {
  if (error instanceof Error && "responseCode" in error) return error;
  if (error instanceof UnfitMessage) return smtpReply(550, "5.6.0", error.message);
  const problem = problemOf(error);
  if (!problem) {
    ctx.log.error("submission failed", describeError(error));
    return smtpReply(451, "4.3.0", "Something unexpected went wrong, try again later");
  }
  const [code, enhanced] = REPLIES[problem.status] ?? [451, "4.3.0"];
  return smtpReply(code, enhanced, wordsOf(problem));
}

function problemOf(error: unknown): Problem | null {
  if (error instanceof Problem) return error;
  if (isDatabaseAway(error)) return mayHaveHappened(error) ? problems.unsure() : problems.unavailable();
  return isTimeout(error) || isConflict(error) ? problems.tooSlow() : null;
}

/** In one line of ASCII: a field that is wrong, or what helps. */
function wordsOf({ message, extras }: Problem): string {
  const field = extras.errors?.[0];
  const words = field
    ? `${message} (${field.field}: ${field.message})`
    : extras.suggestion
      ? `${message}. ${extras.suggestion}`
      : message;
  return words.replace(/[^ -~]+/g, "?").slice(0, MAX_TEXT_CHARS);
}
