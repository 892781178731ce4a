// A project that has something in every table, and all that a database holds of it.
import type postgres from "postgres";

/** The tables that hold rows of projects, by the catalogue. */
export async function projectTables(pool: postgres.Sql): Promise<string[]> {
  const rows = await pool`
    select c.relname as name
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    order by 1`;
  return rows.map((row) => row.name as string);
}

/** Every row of a project, by table, each as Postgres writes it: to the last byte. */
export async function rowsOf(pool: postgres.Sql, projectId: string): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const table of await projectTables(pool)) {
    const rows = await pool`
      select t::text as row from ${pool(table)} t where t.project_id = ${projectId} order by 1`;
    all[table] = rows.map((row) => row.row as string);
  }
  const [project] = await pool`select p::text as row from projects p where p.id = ${projectId}`;
  const rates = await pool`select r::text as row from send_rates r where r.scope = ${projectId}`;
  return {
    ...all,
    projects: project ? [project.row as string] : [],
    send_rates: rates.map((row) => row.row as string),
  };
}

/** How many rows a project has, by table; those with none are left out. */
export async function countsOf(pool: postgres.Sql, projectId: string): Promise<Record<string, number>> {
  const rows = await rowsOf(pool, projectId);
  return Object.fromEntries(
    Object.entries(rows).flatMap(([table, { length }]) => (length > 0 ? [[table, length]] : [])),
  );
}

/** Fills every table of a project: so many contacts, and of the other tables what belongs to them. */
export async function fillProject(
  pool: postgres.Sql | postgres.TransactionSql,
  projectId: string,
  contacts = 20,
  prefix: string = crypto.randomUUID().slice(0, 8),
): Promise<void> {
  // One after the other, of which none waits here for what became of the one before.
  const fill = async (sql: postgres.TransactionSql) =>
    await Promise.all([
      ...fillAudience(sql, projectId, contacts, prefix),
      ...fillContent(sql, projectId),
      ...fillLedger(sql, projectId),
      ...fillWorkflows(sql, projectId),
      ...fillCounts(sql, projectId),
      ...fillMoves(sql, projectId),
      ...fillAccount(sql, projectId, prefix),
    ]);
  // Inside of a transaction, in that one.
  await ("begin" in pool ? pool.begin(fill) : fill(pool));
}

/** What is asked, in this order. */
type Statements = postgres.PendingQuery<postgres.Row[]>[];

function fillAudience(
  sql: postgres.TransactionSql,
  projectId: string,
  contacts: number,
  prefix: string,
): Statements {
  return [
    sql`
    insert into contacts (project_id, email, subscribed, data)
    select ${projectId}, ${prefix} || n || '@example.com', n % 5 > 0, jsonb_build_object('plan', 'p' || n % 3, 'age', n)
    from generate_series(1, ${contacts}::int) as n`,
    sql`
    insert into segments (project_id, name, slug, type)
    values (${projectId}, 'List', 'list-' || uuid_v7(), 'STATIC')`,
    sql`
    insert into segments (project_id, name, slug, condition, track_membership)
    values (
      ${projectId}, 'Pro', 'pro-' || uuid_v7(),
      '{"logic":"AND","groups":[{"filters":[{"field":"data.plan","operator":"equals","value":"p1"}]}]}', true
    )`,
    sql`
    insert into segment_members (project_id, segment_id, contact_id)
    select c.project_id, s.id, c.id
    from contacts c
    join segments s on s.project_id = c.project_id
    where c.project_id = ${projectId}
    on conflict do nothing`,
    sql`
    update segments s set member_count = (
      select count(*) from segment_members m where m.project_id = s.project_id and m.segment_id = s.id
    )
    where s.project_id = ${projectId}`,
    sql`
    insert into events (project_id, contact_id, name, data)
    select project_id, id, 'e' || n, '{"n": 1}'
    from contacts, generate_series(1, 2) as n
    where project_id = ${projectId}`,
    sql`
    insert into contact_counts (project_id, field, type, contacts)
    values (${projectId}, 'folded', 'string', 0)
    on conflict do nothing`,
    sql`
    with made as (
      insert into contact_imports (project_id, state, dry_run, row_count)
      values (${projectId}, 'waiting', false, 3)
      returning project_id, id
    )
    insert into contact_import_pieces (project_id, import_id, position, deflated)
    select project_id, id, n, 'x' from made, generate_series(0, 2) as n`,
    sql`
    insert into contact_import_changes (
      project_id, import_id, contact_id, is_new, before, after, given_before, given_after, changed_at
    )
    select project_id, id, uuid_v7(), true, '{}', '{}', '{}', '{}', now()
    from contact_imports where project_id = ${projectId}`,
    sql`insert into bulk_jobs (project_id, operation, filter) values (${projectId}, 'delete', '{}')`,
    sql`
    insert into suppressions (project_id, email, reason)
    select project_id, email, 'BOUNCE' from contacts where project_id = ${projectId} and not subscribed
    on conflict do nothing`,
  ];
}

function fillContent(sql: postgres.TransactionSql, projectId: string): Statements {
  return [
    sql`
    insert into templates (project_id, name, subject, body, html, from_email)
    select ${projectId}, 'T' || n, 'Hi', '<p>Hi</p>', '<p>Hi</p>', 'news@shop.example' from generate_series(1, 3) as n`,
    sql`
    with made as (
      insert into contents (project_id, subject, html, from_email)
      select ${projectId}, 'S' || n, '<p>Hi</p>', 'news@shop.example' from generate_series(1, 4) as n
      returning project_id, id
    )
    insert into attachments (project_id, content_id, position, filename, content_type, disposition, content)
    select project_id, id, 0, 'a.txt', 'text/plain', 'attachment', 'abc' from made`,
    sql`
    insert into uploads (project_id, key, content_type, size, bytes, stored_at, created_at)
    select ${projectId}, substr(md5(${projectId} || n), 1, 32) || '.png', 'image/png', 3, 'abc', now(), now() - interval '1 hour'
    from generate_series(1, 3) as n
    on conflict do nothing`,
  ];
}

function fillLedger(sql: postgres.TransactionSql, projectId: string): Statements {
  return [
    sql`
    insert into campaigns (
      project_id, name, subject, body, html, from_email, status, audience_type, segment_id, template_id, content_id, sent_at,
      snapshot_at, finished_at, scheduled_for
    )
    select
      ${projectId}, status::text, 'Hi', '<p>Hi</p>', '<p>Hi</p>', 'news@shop.example', status, 'SEGMENT',
      (select id from segments where project_id = ${projectId} limit 1),
      (select id from templates where project_id = ${projectId} limit 1),
      (select id from contents where project_id = ${projectId} limit 1),
      case when status in ('SENDING', 'SENT') then now() end,
      case when status in ('SENDING', 'SENT') then now() end,
      case when status = 'SENT' then now() end,
      case when status = 'SCHEDULED' then now() + interval '1 day' end
    from unnest(enum_range(null::campaign_status)) as status`,
    // One of each state and kind, and more where there are more contacts.
    sql`
    insert into emails (
      project_id, contact_id, address, content_id, source_type, campaign_id, status, due_at, queued_at, claimed_by
    )
    select
      c.project_id, c.id, c.email, o.id, case when n = 1 then 'CAMPAIGN' else 'TRANSACTIONAL' end::email_source,
      case when n = 1 then k.id end,
      (enum_range(null::email_status))[1 + row_number() over () % 11], now() + interval '1 year', now(), gen_random_uuid()
    from contacts c
    cross join generate_series(1, 2) as n
    cross join (select id from contents where project_id = ${projectId} limit 1) as o
    cross join (select id from campaigns where project_id = ${projectId} and status = 'SENDING' limit 1) as k
    where c.project_id = ${projectId}`,
    sql`update emails set due_at = 'infinity' where project_id = ${projectId} and status = 'IN_DOUBT'`,
    sql`update emails set sent_at = now() where project_id = ${projectId} and status >= 'SENT'`,
    sql`
    insert into email_tags (project_id, email_id, tag)
    select project_id, id, 'shop:one' from emails where project_id = ${projectId}
    on conflict do nothing`,
    sql`
    insert into scheduled_emails (project_id, email_id, send_at)
    select project_id, id, due_at from emails where project_id = ${projectId} and status = 'PENDING'
    on conflict do nothing`,
    sql`
    insert into events (project_id, contact_id, email_id, name)
    select project_id, contact_id, id, 'email.sent' from emails where project_id = ${projectId} and sent_at is not null`,
  ];
}

function fillWorkflows(sql: postgres.TransactionSql, projectId: string): Statements {
  return [
    sql`
    insert into workflows (project_id, name, enabled, trigger_config)
    values (${projectId}, 'W', true, '{"eventName": "nobody"}')`,
    sql`
    insert into workflow_steps (project_id, workflow_id, type, name, template_id)
    select project_id, id, t.type, t.type, case when t.type = 'SEND_EMAIL' then (
      select id from templates where project_id = ${projectId} limit 1
    ) end
    from workflows, unnest(array['TRIGGER', 'SEND_EMAIL']) as t (type)
    where project_id = ${projectId} and name = 'W'
      and not exists (select from workflow_steps s where s.workflow_id = workflows.id)`,
    sql`
    insert into workflow_references (project_id, kind, name, step_id, workflow_id)
    select project_id, 'EVENT', 'nobody', id, workflow_id
    from workflow_steps
    where project_id = ${projectId} and type = 'TRIGGER'
    on conflict do nothing`,
    sql`
    insert into workflow_transitions (project_id, workflow_id, from_step_id, to_step_id)
    select f.project_id, f.workflow_id, f.id, t.id
    from workflow_steps f
    join workflow_steps t on t.project_id = f.project_id and t.workflow_id = f.workflow_id and t.type = 'SEND_EMAIL'
    where f.project_id = ${projectId} and f.type = 'TRIGGER'
    on conflict do nothing`,
    sql`
    insert into workflow_versions (project_id, workflow_id, graph)
    select project_id, id, '{"steps": [], "transitions": []}' from workflows where project_id = ${projectId}`,
    sql`
    insert into workflow_graphs (project_id, workflow_id, version, graph, steps, created_at)
    select project_id, id, 0, '{"steps": [], "transitions": []}', 0, now() from workflows where project_id = ${projectId}
    on conflict do nothing`,
    sql`
    insert into executions (project_id, workflow_id, version_id, contact_id, is_only, status, wake_at)
    select c.project_id, w.id, v.id, c.id, false, 'WAITING', now() + interval '1 year'
    from contacts c
    join workflows w on w.project_id = c.project_id
    join lateral (
      select id from workflow_versions where project_id = w.project_id and workflow_id = w.id limit 1
    ) as v on true
    where c.project_id = ${projectId}
    on conflict do nothing`,
    sql`
    insert into step_executions (project_id, execution_id, step_id)
    select project_id, id, uuid_v7() from executions where project_id = ${projectId}`,
    sql`
    insert into step_counts (project_id, step_id, entered, passed, failed)
    select project_id, id, 1, 1, 0 from workflow_steps where project_id = ${projectId}
    on conflict do nothing`,
    sql`
    insert into branch_counts (project_id, step_id, branch, passed)
    select project_id, id, 'yes', 1 from workflow_steps where project_id = ${projectId}
    on conflict do nothing`,
    sql`
    insert into waits (project_id, contact_id, event_name, execution_id, step_execution_id, started_at)
    select project_id, contact_id, 'paid', id, uuid_v7(), now() from executions where project_id = ${projectId}
    on conflict do nothing`,
    sql`
    insert into workflow_contents (project_id, template_id, content_id, template_updated_at, tracking)
    select t.project_id, t.id, (select id from contents where project_id = ${projectId} limit 1), now(), 'ENABLED'
    from templates t where t.project_id = ${projectId}
    on conflict do nothing`,
    sql`
    insert into scheduled_runs (project_id, workflow_id, due_at, created_at)
    select project_id, id, now(), now() from workflows where project_id = ${projectId}
    on conflict do nothing`,
  ];
}

function fillCounts(sql: postgres.TransactionSql, projectId: string): Statements {
  return [
    sql`
    insert into contact_days (project_id, day, created, deleted) values (${projectId}, '2026-01-31', 3, 1)
    on conflict do nothing`,
    sql`
    insert into campaign_links (project_id, campaign_id, link_key, link, clicks, first_clicks)
    select project_id, id, uuid_v7(), 'https://example.com/', 1, 1 from campaigns where project_id = ${projectId} limit 1`,
    sql`
    insert into campaign_link_deltas (project_id, campaign_id, link, clicks, first_clicks)
    select project_id, campaign_id, link, 1, 0 from campaign_links where project_id = ${projectId}`,
    sql`
    insert into mail_counts (
      project_id, at, source_type, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed,
      bot_opened
    )
    values (
      ${projectId}, '2026-01-01', 'CAMPAIGN', '00000000-0000-0000-0000-000000000000', 1, 1, 1, 1, 1, 1, 1, 1
    )
    on conflict do nothing`,
    ...fillDeliverability(sql, projectId),
    sql`
    insert into event_counts (project_id, day, name, count) values (${projectId}, '2026-01-01', 'bought', 1)
    on conflict do nothing`,
    sql`
    insert into execution_counts (project_id, day, started) values (${projectId}, '2026-01-01', 1)
    on conflict do nothing`,
    sql`
    insert into event_totals (project_id, name, count) values (${projectId}, 'bought', 1) on conflict do nothing`,
  ];
}

function fillDeliverability(sql: postgres.TransactionSql, projectId: string): Statements {
  return [
    ...["delivery_hours", "delivery_hour_deltas"].map(
      (table) => sql`
      insert into ${sql(table)}
      values (
        ${projectId}, '2026-01-01', 'shop.example', 'google', '00000000-0000-0000-0000-000000000000',
        '{9,0,0,0,0,0,0,0,0,0,0,0}', 1, 1, 0, 0, 0, 0, 0
      )
      on conflict do nothing`,
    ),
    sql`
    insert into deliverability_alerts (
      project_id, kind, sender_domain, provider, count, total, opened_at, bad_at, told_at, closed_at
    )
    values (${projectId}, 'BOUNCES', 'shop.example', 'google', 3, 100, now(), now(), now(), now())`,
  ];
}

/** A project has one that is open. */
function fillMoves(sql: postgres.TransactionSql, projectId: string): Statements {
  return [
    sql`
    with made as (
      insert into moves (project_id, id, source, state, created_by, left_out_total, created_at, changed_at)
      values (${projectId}, uuid_v7(), 'brevo', 'UPLOADING', 'ada@example.com', 1, now(), now())
      on conflict do nothing
      returning project_id, id
    ),
    files as (
      insert into move_files (project_id, move_id, id, name, bytes, uploaded_at)
      select project_id, id, uuid_v7(), 'contacts.csv', 3, now() from made
      returning project_id, move_id, id
    ),
    pieces as (
      insert into move_file_pieces (project_id, move_id, file_id, position, deflated)
      select project_id, move_id, id, n, 'x' from files, generate_series(0, 2) as n
    ),
    known as (
      insert into move_ids (project_id, move_id, theirs, ours, is_list)
      select project_id, id, 'list 1', uuid_v7(), true from made
    )
    insert into move_left_out (project_id, move_id, position, what, why)
    select project_id, id, 1, 'a', 'b' from made`,
  ];
}

function fillAccount(sql: postgres.TransactionSql, projectId: string, prefix: string): Statements {
  return [
    sql`
    with made as (insert into users (email) values (${`${prefix}@people.example`}) returning id)
    insert into memberships (project_id, user_id, role) select ${projectId}, id, 'OWNER' from made`,
    sql`
    insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
    values (${projectId}, ${`${prefix}@guests.example`}, 'MEMBER', sha256(uuid_send(uuid_v7())), now(), now() + interval '1 day')`,
    sql`
    insert into audit (project_id, at, actor_kind, action) values (${projectId}, now(), 'OPERATOR', 'project.updated')`,
    sql`insert into domains (project_id, domain) values (${projectId}, ${`${prefix}.example`})`,
    sql`
    insert into captured_mails (project_id, from_address, to_address, subject, source, captured_at)
    values (${projectId}, ${`a@${prefix}.example`}, ${`${prefix}@people.example`}, 's', '', now())`,
    sql`
    insert into idempotency_keys (project_id, key, request, created_at, expires_at)
    select ${projectId}, ${prefix} || n, 'POST /v1/send', now() - interval '1 minute', now() + interval '1 day'
    from generate_series(1, 3) as n`,
    sql`
    insert into project_keys (project_id, name, scopes, hash, hint, created_by, is_public)
    values (${projectId}, 'Shop', '{send}', sha256(uuid_send(uuid_v7())), 'abcd', 'OPERATOR', false)`,
    sql`
    insert into requests (project_id, id, method, route, path, status, ms)
    select ${projectId}, uuid_v7(), 'POST', '/v1/send', '/v1/send', 200, 1 from generate_series(1, 3)`,
    sql`
    insert into webhooks (project_id, url, events, secret, created_by)
    values (${projectId}, 'https://example.com/webhooks', '{campaign.sent}', 'abc', 'OPERATOR')`,
    sql`
    insert into webhook_days (project_id, webhook_id, day, delivered, failed)
    select project_id, id, '2026-01-31', 1, 1 from webhooks where project_id = ${projectId}
    on conflict do nothing`,
    sql`insert into webhook_notes (project_id, kind, ids) values (${projectId}, 'event', '{}')`,
    sql`
    with made as (
      insert into webhook_messages (project_id, id, type, contact_id, body, created_at)
      select project_id, uuid_v7(), 'contact.created', id, '{}', now() from contacts where project_id = ${projectId}
      returning project_id, id, type
    )
    insert into webhook_deliveries (project_id, webhook_id, message_id, type, due_at, created_at)
    select m.project_id, w.id, m.id, m.type, now() + interval '1 year', now()
    from made m
    join webhooks w on w.project_id = m.project_id`,
    sql`
    insert into rate_limits (project_id, minute, used) values (${projectId}, 1, 1) on conflict do nothing`,
    sql`
    insert into reputations (project_id, level, level_since) values (${projectId}, 'WARNING', now()) on conflict do nothing`,
    sql`
    insert into reputation_days (project_id, day, total, bounces, complaints) values (${projectId}, '2026-01-01', 9, 1, 0)
    on conflict do nothing`,
    sql`
    insert into suspensions (project_id, at, reason, lifted_at) values (${projectId}, now(), 'EMAIL_REPUTATION', now())`,
    sql`
    insert into usage_limits (project_id, category, monthly_limit) values (${projectId}, 'inbound', 1000000)
    on conflict do nothing`,
    sql`
    insert into usage_months (project_id, month, category, used) values (${projectId}, '2026-01-01', 'inbound', 5)
    on conflict do nothing`,
    sql`
    insert into usage_deltas (project_id, month, category, used) values (${projectId}, '2026-01-01', 'campaigns', 5)`,
    sql`
    insert into usage_warnings (project_id, month, category, percent) values (${projectId}, '2026-01-01', 'inbound', 80)
    on conflict do nothing`,
    sql`insert into billing_accounts (project_id) values (${projectId}) on conflict do nothing`,
    sql`
    insert into usage_reports (project_id, month, category, number, quantity, up_to, at)
    values (${projectId}, '2026-01-01', 'inbound', 1, 5, 5, now())
    on conflict do nothing`,
    sql`
    with plan as (
      insert into warmup_plans (project_id, name, daily_limits) values (${projectId}, 'Slow', '{50,100}') returning id
    )
    insert into transports (project_id, name, kind, warmup_plan_id, warmup_since)
    select ${projectId}, 'Relay', 'CAPTURE', id, now() from plan`,
    sql`
    insert into routes (project_id, document)
    values (${projectId}, '{"rules": [{"transports": [{"id": "default"}], "whenFull": "NEXT"}]}')
    on conflict do nothing`,
    sql`
    insert into project_moves (project_id, export_id, lines_done, started_at, finished_at)
    values (${projectId}, uuid_v7(), 9, now(), now())
    on conflict do nothing`,
    sql`
    insert into resets (project_id, asked_at) values (${projectId}, now()) on conflict do nothing`,
    sql`
    insert into send_rates (scope, tokens, filled_at) values (${projectId}, 1, now()) on conflict do nothing`,
  ];
}
