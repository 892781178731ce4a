// Members are compared with contacts by hash or by key, also while Postgres does not know yet how many there are.
import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
import type { Condition } from "../../src/audience/conditions/tree.ts";
import { countAudience } from "../../src/audience/segments/audience.ts";
import { computeMembership, listSegmentMembers } from "../../src/audience/segments/members.ts";
import { createSegment } from "../../src/audience/segments/mod.ts";
import type { CampaignAudience } from "../../src/sending/campaigns/audience.ts";
import { countReach } from "../../src/sending/campaigns/reach.ts";
import type { Context } from "../../src/context.ts";
import { useService } from "../support/service.ts";

const CONTACTS = 5_000;
const isPro = { field: "data.plan", operator: "equals", value: "pro" };

const service = useService();
let explained: postgres.Sql;
let plans: string[] = [];
let watched: Context;
let projectId: string;

beforeAll(async () => {
  ({ id: projectId } = await service.createProject());
  // The wider they are, the less the way of joining weighs in what Postgres expects of a plan: within a hundredth it takes any.
  await service.pool`
    insert into contacts (project_id, email, subscribed, data)
    select
      ${projectId}, n || '@members.example', true,
      jsonb_build_object(
        'plan', case when n % 2 = 0 then 'pro' else 'free' end,
        'notes', (select string_agg(md5(n || ' ' || word), ' ') from generate_series(1, 40) as word)
      )
    from generate_series(1, ${CONTACTS}::int) as n`;
  await service.pool`vacuum analyze contacts`;
  explained = postgres(service.databaseUrl, {
    max: 1,
    transform: service.pool.options.transform,
    onnotice: ({ message = "" }) => plans.push(message),
  });
  // Every statement of this connection answers with its plan, and with what became of it.
  await explained.unsafe(`
    load 'auto_explain';
    set auto_explain.log_min_duration = 0;
    set auto_explain.log_analyze = on;
    set auto_explain.log_timing = off;
    set client_min_messages = log`);
  watched = { ...service, pool: explained, sql: explained };
});

afterAll(() => explained.end());

/** How many pairs were compared for nothing, in all joins. */
async function comparedInVain<T>(work: () => Promise<T>): Promise<{ result: T; pairs: number }> {
  plans = [];
  const result = await work();
  expect(plans.join("")).toContain("segment_members");
  const removed = plans.flatMap((plan) => [...plan.matchAll(/Rows Removed by Join Filter: (\d+)/g)]);
  return { result, pairs: removed.reduce((sum, [, rows]) => sum + Number(rows), 0) };
}

const whose = (filter: object) => ({ logic: "AND" as const, groups: [{ filters: [filter] }] }) as Condition;

test("a segment that has just been filled is computed again without comparing each contact with each member", async () => {
  const { id } = await createSegment(service, projectId, {
    name: "Pro",
    type: "DYNAMIC",
    condition: whose(isPro),
    trackMembership: true,
  });
  // By hand: computing so many would also have Postgres count them.
  await service.pool`
    insert into segment_members (project_id, segment_id, contact_id, entered_at)
    select project_id, ${id}, id, now() from contacts where project_id = ${projectId} and data ->> 'plan' = 'pro'`;

  const { result, pairs } = await comparedInVain(() => computeMembership(watched, projectId, id));

  expect(result).toEqual({ added: 0, removed: 0, total: CONTACTS / 2 });
  expect(pairs).toBeLessThanOrEqual(CONTACTS);
});

test("those who are not in a list that has just been filled are counted without comparing each contact with each member", async () => {
  const { id } = await createSegment(service, projectId, {
    name: "List",
    type: "STATIC",
    condition: null,
    trackMembership: false,
  });
  await service.pool`
    insert into segment_members (project_id, segment_id, contact_id, entered_at)
    select project_id, ${id}, id, now() from contacts where project_id = ${projectId} and data ->> 'plan' = 'pro'`;
  const others = await createSegment(service, projectId, {
    name: "Not on the list",
    type: "DYNAMIC",
    condition: whose({ field: `segment.${id}`, operator: "notMemberOfSegment" }),
    trackMembership: false,
  });

  const { result, pairs } = await comparedInVain(() => countAudience(watched, projectId, others.id));
  const last = await comparedInVain(() =>
    listSegmentMembers(watched, projectId, others.id, { page: 25, pageSize: 100 }),
  );

  expect(result).toBe(CONTACTS / 2);
  expect(pairs).toBeLessThanOrEqual(CONTACTS);
  expect(last.result.data).toHaveLength(100);
  expect(last.pairs).toBeLessThanOrEqual(CONTACTS);
});

test("how many of those who are not in such a list are suppressed is counted likewise, and not estimated", async () => {
  const { id } = await createSegment(service, projectId, {
    name: "Another list",
    type: "STATIC",
    condition: null,
    trackMembership: false,
  });
  await service.pool`
    insert into segment_members (project_id, segment_id, contact_id, entered_at)
    select project_id, ${id}, id, now() from contacts where project_id = ${projectId} and data ->> 'plan' = 'pro'`;
  await service.pool`
    insert into suppressions (project_id, email, reason)
    select project_id, email, 'MANUAL' from contacts where project_id = ${projectId}`;
  const audience: CampaignAudience = {
    type: "TRANSACTIONAL",
    audienceType: "FILTERED",
    segmentId: null,
    audienceCondition: whose({ field: `segment.${id}`, operator: "notMemberOfSegment" }),
  };

  const { result, pairs } = await comparedInVain(() =>
    countReach(watched, projectId, audience, { patienceMs: 60_000 }),
  );

  expect(result).toMatchObject({ matching: CONTACTS / 2, suppressed: CONTACTS / 2, estimated: false });
  expect(pairs).toBeLessThanOrEqual(2 * CONTACTS);
});

test("whoever did something often enough is looked for once, and not once for each member", async () => {
  await service.pool`
    insert into events (project_id, contact_id, name)
    select ${projectId}, id, 'bought' from contacts cross join generate_series(1, 2)
    where project_id = ${projectId} and data ->> 'plan' = 'pro'`;
  await service.pool`analyze events`;
  const { id } = await createSegment(service, projectId, {
    name: "Regulars",
    type: "DYNAMIC",
    condition: whose({ field: "event.bought", operator: "triggeredAtLeast", count: 2 }),
    trackMembership: true,
  });
  expect(await computeMembership(service, projectId, id)).toMatchObject({ added: CONTACTS / 2 });

  plans = [];
  await computeMembership(watched, projectId, id);

  const loops = plans.flatMap((plan) =>
    [...plan.matchAll(/Aggregate.*loops=(\d+)/g)].map(([, n]) => Number(n)),
  );
  expect(loops).not.toBeEmpty();
  expect(Math.max(...loops)).toBeLessThanOrEqual(2);
});
