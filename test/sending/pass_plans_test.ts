// A pass of delivery looks up the mails that it is about, by their keys, however many wait, and with whatever plan.
import { expect, test } from "bun:test";
import type { Context } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { DOMAIN, useService } from "../support/service.ts";

const WAITING = 5_000;
const OF_ONE_PASS = 20;

const service = useService();

type Outcome = Parameters<typeof q.delivery.settleAndClaim>[1]["outcomes"][number];

const pass = (tx: Context, projectId: string, ids: string[], outcomes: Outcome[] = []) =>
  q.delivery.settleAndClaim(tx, {
    workerId: service.workerId,
    now: new Date(),
    outcomes,
    projectIds: ids.map(() => projectId),
    ids,
    campaignProjectIds: [],
    campaignIds: [],
    knownContents: [],
    figures: [],
  });

const sent = (project_id: string, id: string): Outcome => ({
  project_id,
  id,
  status: "SENT",
  transport_id: null,
  subject: null,
  message_id: `${id}@${DOMAIN}`,
  provider_id: null,
  mailbox_provider: null,
  error: null,
  at: new Date(),
  retry_at: null,
  was_tried: true,
  event_id: null,
  event: null,
  event_data: null,
  delivery_event_id: null,
});

test(`a pass for ${OF_ONE_PASS} of ${WAITING} mails that wait reads no others, with a plan from when there were none`, async () => {
  const { id: projectId } = await service.createProject();
  await service.pool.begin(async (sql) => {
    const tx = { ...service, sql };
    await sql`set local plan_cache_mode = force_generic_plan`;
    await pass(tx, projectId, []);
    await sql`
      insert into contacts (project_id, email, subscribed)
      select ${projectId}, n || '@many.example', true from generate_series(1, ${WAITING}::int) as n`;
    await sql`
      insert into contents (project_id, subject, html, from_email)
      select ${projectId}, 'Hi', n::text, 'a@shop.example' from generate_series(1, ${WAITING}::int) as n`;
    const mails = await sql`
      insert into emails (project_id, contact_id, address, content_id, source_type, due_at, queued_at)
      select ${projectId}, c.id, c.email, o.id, 'TRANSACTIONAL', now(), now()
      from contacts c join contents o on o.project_id = c.project_id and o.html || '@many.example' = c.email
      where c.project_id = ${projectId}
      returning id`;
    const ids = mails.slice(0, OF_ONE_PASS).map((mail) => mail.id as string);
    const read = async () => {
      const [tables] = await sql`
        select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
        from pg_stat_xact_user_tables where relname in ('emails', 'contents', 'contacts') and schemaname = 'public'`;
      return tables!.rows as number;
    };

    const before = await read();
    const claimed = await pass(tx, projectId, ids);
    const next = mails.slice(OF_ONE_PASS, 2 * OF_ONE_PASS).map((mail) => mail.id as string);
    const settled = await pass(
      tx,
      projectId,
      next,
      ids.map((id) => sent(projectId, id)),
    );

    expect([claimed.length, settled.length]).toEqual([OF_ONE_PASS, OF_ONE_PASS]);
    // A mail is read to be locked and to be written, its content and its contact once each.
    expect((await read()) - before).toBeLessThan(10 * 2 * OF_ONE_PASS);
  });
});
