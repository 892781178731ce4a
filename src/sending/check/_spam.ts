// What the operator's spam filter thinks of a mail. It advises: a filter that is away holds nobody up for long.
import type { Context } from "../../context.ts";
import { askSpamFilter, type SpamOpinion } from "../../mail/spam_filter.ts";
import type { ReadyMail } from "../../mail/mailer.ts";
import type { CampaignCheck } from "./_check.ts";

const BASE = { id: "SPAM", title: "Spam score" } as const;
const MAX_LISTED = 10;
const MAX_NAMED = 3;

/** Asks the filter for its opinion of the composed mail; null where there is no filter. */
export async function checkSpam(
  { config, log }: Context,
  compose: () => Promise<ReadyMail>,
  timeoutMs?: number,
): Promise<CampaignCheck | null> {
  if (config.SPAM_FILTER_URL === undefined) return null;
  const { envelope, source } = await compose();
  const answer = await askSpamFilter(config.SPAM_FILTER_URL, source, {
    ...envelope,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  if (answer.state === "scored") return judge(answer.opinion);
  log.warn("no spam score", { reason: answer.reason });
  const message = `The spam filter gave no score: ${answer.reason}. That says nothing about the mail; check it again later.`;
  return { ...BASE, level: "WARNING", message };
}

function judge({ score, threshold, symbols }: SpamOpinion): CampaignCheck {
  const against = symbols.filter((symbol) => symbol.score > 0).slice(0, MAX_LISTED);
  const details = { spam: { score, threshold, symbols: against } };
  const points = `${shown(Math.max(0, score))} of the ${shown(threshold)} points from which on a mail is marked as spam`;
  if (score < threshold / 2) return { ...BASE, level: "OK", message: `It has ${points}.`, details };
  const costliest = against
    .slice(0, MAX_NAMED)
    .map((symbol) => `${lower(symbol.description)} (${shown(symbol.score)})`);
  const message = `It has ${points}. What costs most: ${costliest.join("; ")}.`;
  return { ...BASE, level: "WARNING", field: "body", message, details };
}

function shown(score: number): string {
  return score.toLocaleString("en", { maximumFractionDigits: 1 });
}

/** A sentence of its own becomes a part of another one; `HTML` stays as it is. */
function lower(words: string): string {
  const sentence = words.replace(/\.$/, "");
  return /^[A-Z][a-z]/.test(sentence) ? sentence[0]!.toLowerCase() + sentence.slice(1) : sentence;
}
