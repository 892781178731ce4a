// Whom a campaign reaches, and what its mails would lack for them.
import { countBySubscription } from "../../audience/contacts/list.ts";
import { percentOf } from "../../audience/sampling.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { percent } from "../../percent.ts";
import { withinBudget } from "../../time_budget.ts";
import { type CampaignAudience, compileAudience, defineAudience } from "../campaigns/audience.ts";
import type { Reach } from "../campaigns/reach.ts";
import { type CampaignCheck, count } from "./_check.ts";

const MAX_SAMPLE = 500;
const MAX_NAMES = 50;
const SAMPLE_MS = 1_000;
/** From here on it costs reputation, and says that the list is old. */
const MANY_SUPPRESSED_PERCENT = 5;
/** Every mail has these. */
const ALWAYS_THERE = new Set([
  "id",
  "email",
  "subscribed",
  "data",
  "unsubscribeUrl",
  "subscribeUrl",
  "manageUrl",
]);

/** Whether there is anybody. */
export function checkAudience(reach: Reach): CampaignCheck {
  const base = { id: "AUDIENCE", title: "Audience", details: { reach } } as const;
  const { matching, unsubscribed, suppressed, reachable, estimated } = reach;
  if (reachable > 0) {
    const about = estimated ? "About " : "";
    return { ...base, level: "OK", message: `${about}${count(reachable, "contact")} will get it.` };
  }
  const message =
    matching === 0
      ? "Nobody is in the audience: choose another one."
      : `Nobody would get it: of ${count(matching, "contact")} in the audience, ${unsubscribed.toLocaleString("en")} are not subscribed and ${suppressed.toLocaleString("en")} are on the suppression list.`;
  return { ...base, level: "ERROR", message, field: "audienceType" };
}

/** How much of it cannot be reached, because those addresses bounced or complained. */
export function checkSuppressed({ suppressed, reachable }: Reach): CampaignCheck {
  const base = { id: "SUPPRESSED", title: "Suppressed addresses" } as const;
  if (suppressed === 0) return { ...base, level: "OK", message: "None of the audience." };
  const share = percent(suppressed, suppressed + reachable);
  const message = `${count(suppressed, "contact")} of the audience (${share}%) ${suppressed === 1 ? "is" : "are"} on the suppression list and will be left out.`;
  if (share < MANY_SUPPRESSED_PERCENT) return { ...base, level: "OK", message };
  return {
    ...base,
    level: "WARNING",
    message: `${message} That many say that the list is old: clean it up.`,
  };
}

/** Whether this month has room for it. */
export async function checkUsageLimit(ctx: Context, projectId: string, reach: Reach): Promise<CampaignCheck> {
  const base = { id: "USAGE_LIMIT", title: "Limit of the month" } as const;
  const room = await q.usage.room(ctx, { projectId, category: "campaigns", now: ctx.now() });
  if (!room) return { ...base, level: "OK", message: "There is none." };
  const { monthlyLimit: limit, used } = room;
  const left = Math.max(0, limit - used);
  const details = { usage: { limit, used } };
  // As sending it counts: mails to suppressed addresses are taken as well.
  if (reach.reachable + reach.suppressed <= left) {
    return {
      ...base,
      level: "OK",
      message: `${count(left, "mail")} are left of ${limit.toLocaleString("en")}.`,
      details,
    };
  }
  const message = `Only ${count(left, "campaign mail")} are left of this month's ${limit.toLocaleString("en")}: raise the limit, or choose a smaller audience.`;
  return { ...base, level: "ERROR", message, details };
}

/** Some of those who would get a mail, and in which order says nothing; empty if finding them takes too long. */
export async function sampleOf(
  ctx: Context,
  projectId: string,
  audience: CampaignAudience,
): Promise<string[]> {
  const defined = await defineAudience(ctx, projectId, audience);
  const membersIn = (tx: Context) =>
    compileAudience(tx, projectId, audience.type, defined, { now: tx.now() })();
  const share = percentOf(await countBySubscription(ctx, projectId));
  const spread = await withinBudget(ctx, SAMPLE_MS, (tx) =>
    q.audience.sampleIds(tx, { projectId, percent: share, audience: membersIn(tx), limit: MAX_SAMPLE }),
  );
  if (spread && spread.length > 0) return spread.map(({ id }) => id);
  if (share === 100) return [];
  // A small part of a large project: the oldest of it are found by walking.
  const first = await withinBudget(ctx, SAMPLE_MS, (tx) =>
    q.audience.matching(tx, { projectId, afterId: null, audience: membersIn(tx), limit: MAX_SAMPLE }),
  );
  return (first ?? []).map(({ id }) => id);
}

/** The variables that have no value for some of the sample. `paths` are those without a fallback. */
export async function checkVariables(
  ctx: Context,
  projectId: string,
  paths: readonly string[],
  ids: string[],
): Promise<CampaignCheck> {
  const base = { id: "VARIABLES", title: "Variables", field: "body" } as const;
  const names = namesOf(paths);
  if (names.length === 0) {
    return { ...base, level: "OK", message: "Every variable has a value, or a fallback." };
  }
  if (ids.length === 0) {
    const message = `Nobody of the audience could be looked at, so it is not known whether ${names.map((name) => `{{${name}}}`).join(", ")} have values. Give them a fallback: {{${names[0]} ?? "…"}}.`;
    return { ...base, level: "WARNING", message, details: { sample: 0 } };
  }
  const asked = names.map((name) => ({ name, path: name.split(".") }));
  const rows = await withinBudget(ctx, SAMPLE_MS, (tx) =>
    q.audience.missingValues(tx, { projectId, ids, names: asked }),
  );
  const details = { sample: ids.length };
  if (rows === null) {
    const message =
      "The contacts have too much data to look for missing values in time: give the variables a fallback.";
    return { ...base, level: "WARNING", message, details };
  }
  if (rows.length === 0) {
    return {
      ...base,
      level: "OK",
      message: `All have a value, for ${count(ids.length, "recipient")} looked at.`,
      details,
    };
  }
  const variables = rows.map(({ name, missing }) => ({ name, share: percent(missing, ids.length) }));
  const said = variables
    .slice(0, 5)
    .map(({ name, share }) => `{{${name}}} for ${share}%`)
    .join(", ");
  const more = variables.length > 5 ? ` and ${variables.length - 5} more` : "";
  const message = `Some recipients have no value: ${said}${more}, of ${count(ids.length, "recipient")} looked at. Give a fallback: {{${variables[0]!.name} ?? "…"}}.`;
  return { ...base, level: "WARNING", message, details: { ...details, variables } };
}

/** The keys of contacts' data that paths lead to, each once. */
function namesOf(paths: readonly string[]): string[] {
  const names = paths.map((path) => path.replace(/^data\./, "")).filter((name) => !ALWAYS_THERE.has(name));
  return [...new Set(names)].filter((name) => !/^(@|\.\.|this\b)/.test(name)).slice(0, MAX_NAMES);
}
