// The stage of the bench of insight: one project that is two years old, and one of a tenth of its age.
import type postgres from "postgres";
import { createProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { recountProject } from "../../src/insight/counts/audit.ts";
import { recountExecutions } from "../../src/insight/counts/executions.ts";
import { upkeepTasks } from "../../tasks/upkeep.ts";
import {
  beginHistory,
  countCampaigns,
  type History,
  makeIds,
  type Sizes,
  statementsOf,
} from "./insight_history.ts";
import { openLoader } from "./support/loader.ts";
import { exactly, type Report } from "./support/report.ts";
import type { Stage } from "./support/stage.ts";

/** A project, and what was written for it. */
export interface Aged {
  project: NewProject;
  history: History;
}

const LANES = 3;
const MONTHS = 24;
/** Deleted again at once: what the triggers take away must be what was counted. */
const SAMPLE_PART = 0.001;

/** Writes everything, and says how long each part took. */
export async function setUp(
  report: Report,
  stage: Stage,
  sizes: Sizes,
): Promise<{ aged: Aged; young: Aged }> {
  const { ctx } = stage;
  const loader = openLoader(stage.databaseUrl, { max: LANES });
  const step = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const done = await work();
    report.line(`set-up, ${what}`, (performance.now() - startedAt) / 1000, "s");
    return done;
  };
  const until = new Date();
  const since = new Date(until);
  since.setUTCMonth(since.getUTCMonth() - MONTHS);
  const begin = async (project: NewProject, part: number): Promise<Aged> => ({
    project,
    history: await beginHistory(stage, project, { since, until }, sizes, part),
  });
  try {
    await setAutovacuum(loader, "off");
    const rebuild = await prepare(loader, since);
    const [aged, young, sample] = await step("contacts", async () => [
      await begin(stage.project, 1),
      await begin(await createProject(ctx, "Young"), 0.1),
      await begin(await createProject(ctx, "Sample"), SAMPLE_PART),
    ]);
    const histories = [aged!, young!, sample!].map(({ history }) => history);
    await step("events and mails", () => inLanes(loader, statementsOf(histories)));
    await step("indexes", () => inLanes(loader, rebuild));
    await step("counters", () => countAll(ctx, loader, histories));
    await checkCounters(report, stage, sample!.history);
    await step("vacuum and analyze", () => tidyUp(loader));
    await setAutovacuum(loader, "on");
    await reportSizes(report, ctx);
    return { aged: aged!, young: young! };
  } finally {
    await loader.end({ timeout: 5 });
  }
}

/** It would take a part of the processor while tables are filled, for what is done at the end anyway. */
async function setAutovacuum(loader: postgres.Sql, state: "on" | "off"): Promise<void> {
  await loader.unsafe(`alter system set autovacuum = ${state}`);
  await loader`select pg_reload_conf()`;
}

async function inLanes(loader: postgres.Sql, statements: string[]): Promise<void> {
  const next = statements.values();
  const lane = async () => {
    for (const statement of next) await loader.unsafe(statement);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Partitions for all of the time, without their indexes; answers the statements that make these. */
async function prepare(loader: postgres.Sql, since: Date): Promise<string[]> {
  await makeIds(loader);
  await loader`
    select make_events_partition((date_trunc('month', ${since}::timestamptz) + n * interval '1 month')::date)
    from generate_series(0, ${MONTHS}::int) as n`;
  const indexes = await loader<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid in ('emails'::regclass, 'events'::regclass) and not indisunique`;
  for (const { name } of indexes) await loader.unsafe(`drop index ${name}`);
  return indexes.map(({ definition }) => definition.replace(" ON ONLY ", " ON "));
}

/** As after a fault: the very facts are counted, and that by what the service has for it. */
async function countAll(ctx: Context, loader: postgres.Sql, histories: History[]): Promise<void> {
  const count = async (history: History) => {
    await recountProject(ctx, history.projectId);
    await recountExecutions(ctx, history.projectId);
    await countCampaigns(loader, history);
  };
  await loader`analyze emails`;
  await Promise.all(histories.map(count));
  await upkeepTasks.roll_up_counts(ctx);
}

/** When all that a project has is taken away again, each counter must be nothing by what the triggers count. */
async function checkCounters(report: Report, { ctx }: Stage, { projectId }: History): Promise<void> {
  const { pool } = ctx;
  const countersOf = async () => {
    const [row] = await pool`
      select
        (select sum(count)::int from event_counts_of(${projectId}, '-infinity', 'infinity')) as events,
        (select sum(sent)::int from mail_counts_of(${projectId}, '-infinity', 'infinity')) as sent,
        (select sum(started)::int from execution_counts_of(${projectId}, '-infinity', 'infinity')) as executions`;
    return row;
  };
  const note = { counted: await countersOf() };
  await pool`
    update emails
    set
      sent_at = null, delivered_at = null, opened_at = null, clicked_at = null, bounced_at = null, complained_at = null,
      unsubscribed_at = null, bot_opened_at = null
    where project_id = ${projectId}`;
  await pool`delete from events where project_id = ${projectId}`;
  await pool`delete from executions where project_id = ${projectId}`;
  const { events, mails } = await recountProject(ctx, projectId);
  const executions = await recountExecutions(ctx, projectId);
  report.line("counters other than the triggers'", events + mails + executions, "counters", {
    goal: exactly(0),
    note,
  });
}

async function tidyUp(loader: postgres.Sql): Promise<void> {
  const tables = await loader<{ name: string }[]>`
    select oid::regclass::text as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
    order by relpages desc`;
  await inLanes(
    loader,
    tables.map(({ name }) => `vacuum (analyze) ${name}`),
  );
  // What belongs to the partitions together.
  await loader`analyze events`;
  await loader`checkpoint`;
}

async function reportSizes(report: Report, { pool }: Context): Promise<void> {
  const [row] = await pool<{ megabytes: number; partitions: number; quarters: number }[]>`
    select
      pg_database_size(current_database())::float8 / 1e6 as megabytes,
      (select count(*)::int from pg_inherits where inhparent = 'events'::regclass) as partitions,
      (select count(*)::int from mail_counts) as quarters`;
  const { megabytes, ...note } = row!;
  report.line("set-up, database", megabytes, "MB", { note });
}
