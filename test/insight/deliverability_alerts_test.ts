// Rates that get worse: when an alert is opened and closed, and who is told.
import { beforeEach, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { createSandbox } from "../../src/accounts/projects/sandbox.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { judgeDeliverability } from "../../src/insight/deliverability/alerts.ts";
import { readMail } from "../support/received_mail.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService({
  PLATFORM_FROM: "Postrider <postrider@mail.example>",
  METRICS_TOKEN: "a-token-for-metrics",
});
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const START = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);

let project: NewProject;

beforeEach(async () => {
  service.setNow(START);
  await service.pool`delete from deliverability_alerts`;
  await service.pool`delete from delivery_hours`;
  project = await service.createProject();
  const [user] = await service.pool`
    insert into users (email) values (${`owner-${project.id}@people.example`}) returning id`;
  await service.pool`
    insert into memberships (project_id, user_id, role) values (${project.id}, ${user!.id}, 'OWNER')`;
  service.smtp.received.length = 0;
});

interface Hour {
  accepted: number;
  bounced?: number;
  returned?: number;
  deferred?: number;
  complained?: number;
  provider?: string;
  /** Hours after the start. */
  hour?: number;
}

/** What delivery has counted in an hour. */
async function count(
  { accepted, provider = "google", hour = 0, ...counts }: Hour,
  projectId = project.id,
): Promise<void> {
  const { bounced = 0, returned = 0, deferred = 0, complained = 0 } = counts;
  const at = new Date(START.getTime() + hour * HOUR_MS);
  await service.pool`
    insert into delivery_hours
    values (
      ${projectId}, ${at}, ${DOMAIN}, ${provider}, ${"00000000-0000-0000-0000-000000000000"},
      array[${accepted}::int, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], ${deferred}, ${bounced}, 0, ${returned}, ${complained}, 0, 0
    )`;
}

/** Five minutes later, the job looks again. */
async function judge(minutes = 5): Promise<void> {
  service.setNow(new Date(service.now().getTime() + minutes * MINUTE_MS));
  await judgeDeliverability(service);
  await service.runJobs();
}

const alerts = async (query = "") => {
  const { body } = await service.request("GET", `/deliverability/alerts${query}`, { key: project.secret });
  return body as Record<string, unknown>[];
};
const told = () => service.smtp.received.map(({ source }) => readMail(source));

test.each<[string, Hour, string | null]>([
  ["2 % bounces", { accepted: 98, bounced: 2 }, null],
  [
    "more than 2 %, counting later bounces once",
    { accepted: 98, bounced: 2, returned: 1 },
    "BOUNCES 3 of 100",
  ],
  ["more than 2 % of fewer than 100 mails", { accepted: 89, bounced: 10 }, null],
  ["10 % deferrals", { accepted: 180, deferred: 20 }, null],
  ["more than 10 %", { accepted: 178, deferred: 22 }, "DEFERRALS 22 of 200"],
  ["two complaints of 100", { accepted: 100, complained: 2 }, null],
  ["three of 3,000", { accepted: 3_000, complained: 3 }, null],
  ["three of 2,900", { accepted: 2_900, complained: 3 }, "COMPLAINTS 3 of 2900"],
])("%s: %j opens %s", async (_what, hour, expected) => {
  await count(hour);
  await judge();

  const found = await alerts();
  expect(found.map(({ kind, count: n, total }) => `${kind} ${n} of ${total}`)).toEqual(
    expected === null ? [] : [expected],
  );
});

test("complaints about a newsletter, days later, are none about the few mails since then", async () => {
  await count({ accepted: 50_000, hour: -48 });
  await count({ accepted: 150, complained: 10 });
  await judge();
  const few = await alerts();
  await service.pool`update delivery_hours set complained = 51 where complained > 0`;
  await judge();

  expect(few).toEqual([]);
  expect(await alerts()).toMatchObject([{ kind: "COMPLAINTS", provider: null, count: 51, total: 50_000 }]);
});

test("an alert is told once, by one mail for all, and is closed an hour after the rate was good again", async () => {
  await count({ accepted: 200, bounced: 10, deferred: 100 });
  await judge();
  await judge();
  const open = await alerts("?open=true");
  const mails = await Promise.all(told());
  service.smtp.received.length = 0;
  await judge(105);
  // Two hours after it began, that hour is no longer looked at.
  await judge(30);
  const stillOpen = await alerts("?open=true");
  await judge(35);

  expect(open.map(({ kind }) => kind).toSorted()).toEqual(["BOUNCES", "DEFERRALS"]);
  expect(open[0]).toMatchObject({ domain: DOMAIN, provider: null, closedAt: null });
  expect(open.find(({ kind }) => kind === "BOUNCES")).toMatchObject({
    count: 10,
    total: 210,
    rate: 4.76,
    level: 2,
  });
  expect(mails).toHaveLength(1);
  expect(mails[0]!.text).toContain("4.76 % bounced (10 of 210 mails); the level is 2 %.");
  expect(mails[0]!.text).toContain("32.26 % were put off (100 of 310 attempts)");
  expect(stillOpen).toHaveLength(2);
  expect(await alerts("?open=true")).toEqual([]);
  expect(await alerts("?open=false")).toHaveLength(2);
  expect(service.smtp.received).toHaveLength(0);
});

test("a rate that stays between four fifths of the level and the level keeps the alert open, without another mail", async () => {
  await count({ accepted: 200, bounced: 10 });
  await judge();
  for (const hour of [1, 2, 3, 4]) {
    await count({ accepted: 491, bounced: 9, hour });
    await judge(60);
  }

  const [alert, ...others] = await alerts();
  expect(alert).toMatchObject({ closedAt: null });
  expect([others.length, service.smtp.received.length]).toEqual([0, 1]);
});

test("a provider has an alert of its own where the domain as a whole has none, and a second mail waits for an hour", async () => {
  await count({ accepted: 5_000, provider: "microsoft" });
  await count({ accepted: 150, bounced: 20 });
  await judge();
  await service.pool`
    update delivery_hours set deferred = 2000 where project_id = ${project.id} and provider = 'microsoft'`;
  await judge();
  const within = service.smtp.received.length;
  await judge(60);

  const found = await alerts();
  expect(found.map(({ kind, provider }) => [kind, provider])).toEqual([
    ["DEFERRALS", null],
    ["BOUNCES", "google"],
  ]);
  expect([within, service.smtp.received.length]).toEqual([1, 2]);
});

test("another project sees nothing of it, and the operator sees how many there are in live mail", async () => {
  await count({ accepted: 200, bounced: 10 });
  const sandbox = await createSandbox(service, project.id, OPERATOR);
  await count({ accepted: 200, bounced: 20 }, sandbox.id);
  await judge();
  const other = await service.createProject();
  const { body } = await service.request("GET", "/deliverability/alerts", { key: other.secret });
  const metrics = await service.app.handle(
    new Request("http://localhost/metrics", { headers: { authorization: "Bearer a-token-for-metrics" } }),
  );

  expect(body).toEqual([]);
  expect(await metrics.text()).toMatch(/^postrider_deliverability_alerts\{kind="BOUNCES"\} 1$/m);
});
