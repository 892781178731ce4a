// The segments of the demo: conditions of several kinds, two of them tracked, and a list kept by hand.
import type { Condition, Filter } from "../audience/conditions/tree.ts";
import { audienceOf } from "../audience/segments/audience.ts";
import { createSegment, patchSegment, refreshSegment } from "../audience/segments/mod.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";

/** Its segments, by their keys, with their ids. */
export interface Segments {
  customers: string;
  germany: string;
  lapsed: string;
  vip: string;
  others: string[];
  list: string;
}

const LIST_SIZE = 40;

/** Makes the segments. None is tracked yet: what is written next is history, and wakes nothing. */
export async function addSegments(tx: Context, projectId: string): Promise<Segments> {
  const dynamic = async (name: string, description: string, condition: Condition) => {
    const input = { name, description, type: "DYNAMIC" as const, condition, trackMembership: false };
    return (await createSegment(tx, projectId, input)).id;
  };
  const customers = await dynamic(
    "Customers",
    "Everybody who has ordered at least once",
    all({ field: "event.ordered", operator: "triggered" }),
  );
  const germany = await dynamic(
    "Germany",
    "Subscribed, and at home in Germany",
    all(
      { field: "data.country", operator: "equals", value: "DE" },
      { field: "subscribed", operator: "equals", value: true },
    ),
  );
  const lapsed = await dynamic(
    "Lapsed customers",
    "Ordered once, but not in the last 60 days",
    all(
      { field: `segment.${customers}`, operator: "memberOfSegment" },
      { field: "event.ordered", operator: "notTriggeredWithin", value: 60, unit: "days" },
    ),
  );
  const vip = await dynamic("Best customers", "More than 500 € of orders, or on the plan Pro", {
    logic: "OR",
    groups: [
      { filters: [{ field: "data.lifetimeValue", operator: "greaterThan", value: 500 }] },
      { filters: [{ field: "data.plan", operator: "equals", value: "pro" }] },
    ],
  });
  const recent = await dynamic(
    "New this week",
    "Came in the last seven days",
    all({ field: "createdAt", operator: "within", value: 7, unit: "days" }),
  );
  const readers = await dynamic(
    "Readers",
    "Opened a mail, and is not a customer yet",
    all(
      { field: "email.opened", operator: "triggered" },
      { field: `segment.${customers}`, operator: "notMemberOfSegment" },
    ),
  );
  const list = { name: "Shop opening, invited", description: "Picked by hand", type: "STATIC" as const };
  const { id } = await createSegment(tx, projectId, { ...list, condition: null, trackMembership: false });
  return { customers, germany, lapsed, vip, others: [recent, readers], list: id };
}

/** Gives the segments their members and their sizes, once all is there that their conditions ask for. */
export async function fillSegments(
  tx: Context,
  projectId: string,
  { customers, germany, lapsed, vip, others, list }: Segments,
  seed: number,
): Promise<void> {
  await q.demo.listMembers(tx, { projectId, segmentId: list, limit: LIST_SIZE });
  for (const id of [germany, vip, ...others]) await refreshSegment(tx, projectId, id);
  for (const id of [customers, lapsed]) {
    await refreshSegment(tx, projectId, id);
    await enter(tx, projectId, id, seed);
  }
  for (const id of [customers, lapsed]) await patchSegment(tx, projectId, id, { trackMembership: true });
  await q.demo.addSegmentSizes(tx, { projectId, now: tx.now() });
}

/** Its members entered over time, and not now: no events, which would start workflows. */
async function enter(tx: Context, projectId: string, segmentId: string, seed: number): Promise<void> {
  const audience = await audienceOf(tx, projectId, segmentId, { whole: true });
  await q.audience.allowHashing(tx);
  await q.demo.enterSegment(tx, { projectId, segmentId, audience: audience(), now: tx.now(), seed });
}

function all(...filters: Filter[]): Condition {
  return { logic: "AND", groups: [{ filters }] };
}
