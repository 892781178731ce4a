// Captured mails that the operator gives up.
import { beforeEach, expect, test } from "bun:test";
import { discardCaptured } from "../../src/sending/captured/discard.ts";
import { releaseCaptured } from "../../src/sending/captured/release.ts";
import { useLedger } from "../support/ledger.ts";
import { useService } from "../support/service.ts";

const service = useService({ SMTP_URL: "" });
const ledger = useLedger(service);
const { accept, row, fresh } = ledger;
const { project } = ledger;

beforeEach(async () => {
  await service.pool`update emails set status = 'SUPPRESSED', captured_at = null where captured_at is not null`;
});

const usage = async () => {
  const [used] = await service.pool`
    select usage_of(${project.id}, usage_month(${service.now()}), 'transactional')::int as used`;
  return used!.used as number;
};
const captured = async (count: number) => {
  const ids = await accept(Array.from({ length: count }, () => fresh()));
  await service.runJobs();
  return ids;
};
const release = () =>
  releaseCaptured({ ...service, config: { ...service.config, SMTP_URL: service.smtp.url } }, {});

test("discarding closes captured mails for good, and charges nothing; a dry run only says what it would do", async () => {
  const used = await usage();
  const [first, second] = await captured(2);
  const counted = await discardCaptured(service, { projectId: project.id }, { dryRun: true });
  const untouched = (await row(first!)).status;
  const done = await discardCaptured(service, { ids: [first!] });
  const kept = (await row(second!)).status;
  await discardCaptured(service, {});
  const released = await release();

  expect(counted).toEqual({ captured: 2, discarded: 2, skipped: 0 });
  expect(done).toEqual({ captured: 1, discarded: 1, skipped: 0 });
  expect([untouched, kept]).toEqual(["CAPTURED", "CAPTURED"]);
  for (const id of [first!, second!]) {
    expect(await row(id)).toMatchObject({
      status: "SUPPRESSED",
      capturedAt: null,
      error: "Discarded by the operator",
    });
  }
  expect(released).toMatchObject({ captured: 0, released: 0 });
  expect(await usage()).toBe(used);
});

test("a mail that a release is about to send is left to it", async () => {
  const [id] = await captured(1);
  const done = await service.pool.begin(async (sql) => {
    await sql`select from emails where id = ${id!} for update`;
    return await discardCaptured(service, {});
  });

  expect(done).toEqual({ captured: 1, discarded: 0, skipped: 1 });
  expect((await row(id!)).status).toBe("CAPTURED");
});

test("more than a page of them are discarded, and two at once discard each mail once", async () => {
  const [{ id: contentId }] = (await service.pool`
    insert into contents ${service.pool({ project_id: project.id, subject: "Hi", html: "<p>Hi</p>", from_email: "hello@shop.example", shared: true })}
    returning id`) as [{ id: string }];
  await service.pool`
    insert into emails (project_id, address, content_id, source_type, status, due_at, queued_at, captured_at)
    select ${project.id}, n || '@many.example', ${contentId}, 'TRANSACTIONAL', 'CAPTURED', now(), now(),
      date_trunc('milliseconds', now()) - interval '1 minute'
    from generate_series(1, 2500) as n`;
  const both = await Promise.all([discardCaptured(service, {}), discardCaptured(service, {})]);
  const left = await service.pool`select from emails where captured_at is not null`;

  expect(both.reduce((sum, { discarded }) => sum + discarded, 0)).toBe(2_500);
  expect(left).toHaveLength(0);
});
