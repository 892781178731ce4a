// The campaigns and templates that conditions name in filters on mails.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { FieldError } from "../../problem/mod.ts";
import { isUuid } from "../faults.ts";
import { unknownSource } from "./_filters.ts";
import { MAIL_SOURCES, type MailSource } from "./fields.ts";
import { type Condition, filtersOf } from "./tree.ts";

const MAX_ERRORS = 100;
// No condition is nested as deep, with all that it stands in.
const MAX_DEPTH = 64;

/**
 * The ids of those campaigns and templates that are named anywhere in `conditions` (trees, or what holds some) and that the
 * project has. One that was deleted counts as long as there are mails of it: a condition about it can be saved again.
 */
export async function knownSources(
  ctx: Context,
  projectId: string,
  conditions: unknown,
): Promise<ReadonlySet<string>> {
  const named: Record<MailSource, Set<string>> = { campaignId: new Set(), templateId: new Set() };
  collect(conditions, named);
  const [campaignIds, templateIds] = [[...named.campaignId], [...named.templateId]];
  if (campaignIds.length + templateIds.length === 0) return new Set();
  const known = await q.audience.knownSources(ctx, { projectId, campaignIds, templateIds });
  return new Set(known.map(({ id }) => id));
}

function collect(json: unknown, named: Record<MailSource, Set<string>>, depth = 0): void {
  if (typeof json !== "object" || json === null || depth > MAX_DEPTH) return;
  for (const [key, value] of Object.entries(json)) {
    const source = MAIL_SOURCES.find((name) => name === key);
    if (source && typeof value === "string" && isUuid(value)) named[source].add(value.toLowerCase());
    else collect(value, named, depth + 1);
  }
}

/** What is wrong with the campaigns and templates that an otherwise valid tree names: those that are not `known`. */
export function sourceErrors(tree: Condition, known: ReadonlySet<string>, field = "condition"): FieldError[] {
  const errors = [...filtersOf(tree, field)].flatMap(({ filter, at }) =>
    MAIL_SOURCES.flatMap((source) => {
      const id = filter[source];
      return id && !known.has(id.toLowerCase()) ? [unknownSource(`${at}.${source}`, source, id)] : [];
    }),
  );
  return errors.slice(0, MAX_ERRORS);
}
