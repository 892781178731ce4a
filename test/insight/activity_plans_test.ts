// What a page of the feed reads, in a project that is two years old, beside another one.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type postgres from "postgres";
import type { NewProject } from "../../src/accounts/projects.ts";
import type { Context } from "../../src/context.ts";
import { countRecent, listActivity, type Place } from "../../src/insight/activity.ts";
import { type ActivityType, listActivityTypes } from "../../src/insight/activity_types.ts";
import { listUpcoming } from "../../src/insight/activity_upcoming.ts";
import { openTestPool } from "../support/postgres.ts";
import { useService } from "../support/service.ts";

const DAY_MS = 86_400_000;
const TIMEOUT = 180_000;
const LIMIT = 50;
const EVENTS = 300_000;
const CONTACTS = 2_000;
const EXECUTIONS = 40_000;
/** The first moment of the month after the last one with events. */
const END = Date.UTC(2026, 5, 1);
const MONTHS = 24;

const service = useService();
let project: NewProject;
let held: postgres.Sql;
let ctx: Context;
let quiet: string;
let busy: string;

beforeAll(async () => {
  service.setNow(new Date(END));
  project = await service.createProject();
  const other = await service.createProject();
  const { pool } = service;
  await pool`
    select make_events_partition((date '2024-06-01' + n * interval '1 month')::date) from generate_series(0, 26) as n`;
  await fill(project.id);
  await pool`
    insert into events (project_id, id, name) select ${other.id}, id, name from events where id > uuid_v7_of(${new Date(END - 9 * DAY_MS)})`.catch(
    () => {},
  );
  await pool`vacuum (analyze) events, executions, campaigns, contacts, event_totals, event_counts`;
  held = openTestPool(new URL(service.databaseUrl).pathname.slice(1), 1);
  ctx = { ...service, pool: held, sql: held };
}, TIMEOUT);

afterAll(async () => {
  await held.end({ timeout: 1 });
});
