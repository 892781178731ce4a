// `bun run admin release`, `partitions` and `recount`, against a database of its own.
import { describe, expect, test } from "bun:test";
import { settingsOf, useAdmin } from "./support/admin.ts";
import { useService } from "./support/service.ts";

const service = useService();
const { admin, adminWith } = useAdmin(service);
const UNKNOWN = "01920000-0000-7000-8000-000000000000";

describe("bun run admin", () => {
  test("release counts what was captured, and sends it when it is told which", async () => {
    const project = await service.createProject();
    const settings = { ...settingsOf(service), SMTP_URL: service.smtp.url };
    const [content] = await service.pool`
      insert into contents ${service.pool({ project_id: project.id, subject: "Hi", html: "<p>Hi</p>", from_email: "hello@shop.example" })}
      returning id`;
    await service.pool`
      insert into emails (project_id, address, content_id, source_type, status, due_at, queued_at, captured_at)
      values (${project.id}, 'ada@example.com', ${content!.id}, 'TRANSACTIONAL', 'CAPTURED', now(), now(), now() - interval '1 hour')`;
    const counted = await adminWith(settings, "release", "--project", project.id);
    const later = await adminWith(settings, "release", "--since", new Date().toISOString(), "--yes");
    const done = await adminWith(settings, "release", "--all", "--yes");
    service.smtp.received.length = 0;
    await service.runJobs();

    const one = { captured: 1, released: 1, refused: {}, skipped: {}, overLimit: 0 };
    expect(JSON.parse(counted.out)).toEqual({ wouldBe: one, toRelease: expect.stringContaining("--yes") });
    expect(JSON.parse(later.out)).toMatchObject({ captured: 0 });
    expect(JSON.parse(done.out)).toEqual(one);
    expect(service.smtp.received.map(({ to }) => to)).toEqual([["ada@example.com"]]);
  }, 240_000);

  test("release --discard says what it would do, and gives mails up also without an SMTP server", async () => {
    const project = await service.createProject();
    const settings = settingsOf(service);
    const [mail] = await service.pool`
      insert into emails (project_id, address, source_type, status, due_at, queued_at, captured_at)
      values (${project.id}, 'ada@example.com', 'TRANSACTIONAL', 'CAPTURED', now(), now(), now() - interval '1 hour')
      returning id`;
    const scope = ["release", "--discard", "--project", project.id];
    const counted = await adminWith(settings, ...scope);
    const done = await adminWith(settings, ...scope, "--yes");
    const [row] = await service.pool`select status, error from emails where id = ${mail!.id}`;

    const one = { captured: 1, discarded: 1, skipped: 0 };
    expect(JSON.parse(counted.out)).toEqual({ wouldBe: one, toDiscard: expect.stringContaining("--yes") });
    expect(JSON.parse(done.out)).toEqual(one);
    expect(row).toEqual({ status: "SUPPRESSED", error: "Discarded by the operator" });
  }, 240_000);
});

describe("partitions", () => {
  test("shows the months of events and what else grows, each with rows and bytes; --move makes what is missing", async () => {
    const { id } = await service.createProject();
    const thisMonth = new Date().toISOString().slice(0, 7);
    const partition = `events_${thisMonth.replace("-", "_")}`;
    await service.pool.unsafe(`drop table ${partition}`);
    await service.pool`
      insert into events (project_id, name) select ${id}, 'bought' from generate_series(1, 1000)`;
    const before = JSON.parse((await admin("partitions")).out).tables as Record<string, unknown>[];
    const moved = JSON.parse((await admin("partitions", "--move")).out);
    await service.pool.unsafe(`analyze ${partition}`);
    const { tables } = JSON.parse((await admin("partitions")).out);

    expect(before.some(({ month }) => month === thisMonth)).toBe(false);
    // At the turn of a month there is one more to make.
    expect(moved).toMatchObject({ made: expect.arrayContaining([thisMonth]), notMade: [] });
    expect(tables).toContainEqual({
      table: partition,
      month: thisMonth,
      rows: 1000,
      bytes: expect.any(Number),
    });
    expect(tables.map(({ table }: { table: string }) => table)).toEqual(
      expect.arrayContaining(["events_default", "emails", "contents", "event_counts", "mail_counts"]),
    );
    expect(tables.every(({ bytes }: { bytes: number }) => bytes > 0)).toBe(true);
  });
});

describe("recount", () => {
  test("mends the counters of a project, or of all, and says how many were wrong", async () => {
    const [one, other] = [await service.createProject(), await service.createProject()];
    await service.pool`
      insert into event_counts (project_id, day, name, count)
      select id, '2026-01-01', 'never', 3 from projects where id in (${one.id}, ${other.id})`;
    const never = async ({ id }: { id: string }) => {
      const [row] = await service.pool`
        select sum(count)::int as n from event_counts_of(${id}, '2026-01-01', '2026-01-01')`;
      return row!.n as number;
    };
    const { out } = await admin("recount", one.id);
    const afterOne = [await never(one), await never(other)];
    const all = await admin("recount");

    expect(JSON.parse(out)).toMatchObject({ projectId: one.id, mails: 0 });
    expect(JSON.parse(out).events).toBeGreaterThan(0);
    expect(afterOne).toEqual([0, 3]);
    expect(all.exitCode).toBe(0);
    expect(JSON.parse(all.out).map(({ projectId }: { projectId: string }) => projectId)).toContain(other.id);
    expect([await never(one), await never(other)]).toEqual([0, 0]);
    expect((await admin("recount", UNKNOWN)).exitCode).toBe(1);
  });
});
