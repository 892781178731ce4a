// What kind of mails they are, where the routes of their project ask. Contents never change, so that it is remembered.
import { createCache } from "../../cache.ts";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { routesAskForKind } from "../transports/candidates.ts";
import { transportsOf } from "../transports/known.ts";
import type { RoutedKind } from "../transports/routes.ts";

const MAX_KINDS = 5_000;

const kindsOf = perService(() => createCache<RoutedKind>({ maxEntries: MAX_KINDS }));

/** The kinds of these contents, by their ids; empty where no route asks. One that has expired is missing. */
export async function kindsOfContents(
  ctx: Context,
  projectId: string,
  contentIds: (string | null)[],
): Promise<Map<string, RoutedKind>> {
  if (!routesAskForKind(transportsOf(ctx), projectId)) return new Map();
  const cache = kindsOf(ctx);
  const ids = [...new Set(contentIds.filter((id) => id !== null))];
  const unknown = ids.filter((id) => cache.get(id) === undefined);
  const rows = unknown.length === 0 ? [] : await q.contents.kinds(ctx, { projectId, ids: unknown });
  for (const { id, type, senderDomain } of rows) cache.set(id, { type, senderDomain });
  return new Map(ids.flatMap((id) => (cache.get(id) ? [[id, cache.get(id)!]] : [])));
}

/** The kind of the mails of a campaign; null where no route asks. */
export async function kindOfCampaign(
  ctx: Context,
  projectId: string,
  campaignId: string,
): Promise<RoutedKind | null> {
  if (!routesAskForKind(transportsOf(ctx), projectId)) return null;
  return await q.contents.kindOfCampaign(ctx, { projectId, campaignId });
}

/** The kind of a mail whose content is at hand. */
export function kindOf({ type, fromEmail }: { type: RoutedKind["type"]; fromEmail: string }): RoutedKind {
  return { type, senderDomain: fromEmail.slice(fromEmail.lastIndexOf("@") + 1) };
}
