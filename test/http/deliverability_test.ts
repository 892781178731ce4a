// GET /deliverability: what mail servers have said about the mails of a project, and what came back.
import { beforeAll, expect, test } from "bun:test";
import { inTransaction } from "../../src/context.ts";
import { applyNotices } from "../../src/sending/feedback/mod.ts";
import { upkeepTasks } from "../../tasks/upkeep.ts";
import { useLedger } from "../support/ledger.ts";
import { until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
const mails = useLedger(service);
const DAY_MS = 86_400_000;

const REFUSALS: Record<string, string> = {
  "gone@gmail.com": "550 5.1.1 No such user",
  "blocked@company.test": "554 5.7.1 Blocked by a list",
};
/** Put off once. */
const LATE = "late@outlook.com";

const dayAt = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 10);
// The clock is moved on, and a day may end meanwhile.
const DAYS = `startDate=${dayAt(-DAY_MS)}&endDate=${dayAt(DAY_MS)}`;
const get = async (query: string) =>
  await service.request("GET", `/deliverability?${query}`, { key: mails.project.secret });

beforeAll(async () => {
  let isFirst = true;
  service.smtp.behave({
    rcpt(address) {
      if (address !== LATE || !isFirst) return REFUSALS[address];
      isFirst = false;
      return "451 4.7.1 Come back later";
    },
  });
  const [first, second] = await mails.accept(["a@gmail.com", "b@googlemail.com"]);
  await mails.accept([...Object.keys(REFUSALS), LATE, "c@hotmail.com"]);
  // On a busy machine some wait apart.
  await until("the answers to all mails", async () => {
    await service.runJobs();
    const [open] = await service.pool`select from emails where status in ('PENDING', 'SENDING') limit 1`;
    if (open) mails.later(20_000);
    return !open;
  });
  await report(first!, "bounce");
  await report(second!, "complaint");
  await report(second!, "complaint");
});

/** What the provider behind the mail server says of a mail. */
async function report(emailId: string, kind: "bounce" | "complaint"): Promise<void> {
  const common = { sentAt: null, at: new Date(), recipient: null };
  const mail = { projectId: mails.project.id, emailId, providerId: null };
  const notice =
    kind === "bounce" ? ({ kind, bounceType: "Permanent", diagnostic: null } as const) : ({ kind } as const);
  await inTransaction(service, (tx) => applyNotices(tx, [{ ...common, mail, ...notice }]));
}

const NOTHING = { accepted: 0, deferred: 0, bounced: 0, refused: 0, complained: 0 };
const BY_PROVIDER = [
  {
    key: "google",
    mails: 3,
    accepted: 2,
    deferred: 0,
    bounced: 2,
    refused: 0,
    complained: 1,
    bounceRate: 66.67,
  },
  { key: "microsoft", ...NOTHING, mails: 2, accepted: 2, deferred: 1, bounceRate: 0, deferralRate: 33.33 },
  { key: "other", ...NOTHING, mails: 1, refused: 1, bounceRate: 0, timeToAcceptance: null },
];

test("tells how each mailbox provider took the mails, before they are rolled up and afterwards", async () => {
  const before = await get(DAYS);
  await upkeepTasks.roll_up_counts(service);
  const after = await get(DAYS);

  expect(before.status).toBe(200);
  expect(before.body.groups).toMatchObject(BY_PROVIDER);
  expect(before.body.total).toMatchObject({
    mails: 6,
    accepted: 4,
    bounced: 2,
    refused: 1,
    complaintRate: 25,
  });
  // Through a relay nobody knows whether it was encrypted.
  expect(before.body.total.tlsRate).toBeNull();
  expect(after.body).toEqual(before.body);
  const [left] = await service.pool`select count(*)::int as count from delivery_hour_deltas`;
  expect(left!.count).toBe(0);
});

test("measures the time to acceptance from the first attempt on, deferrals included", async () => {
  const { body } = await get(DAYS);

  const [google, microsoft] = body.groups;
  expect(google.timeToAcceptance.p50).toBeGreaterThan(0);
  // A pause of 7.5 seconds at least comes before the second attempt.
  expect(microsoft.timeToAcceptance.p95).toBeGreaterThan(5);
});

test("can be grouped and narrowed by sender domain, transport and provider", async () => {
  const [byDomain, byTransport, google, nobody] = await Promise.all(
    [
      "groupBy=domain",
      "groupBy=transport",
      `provider=google&transport=default&domain=${DOMAIN}`,
      "domain=others.example",
    ].map((query) => get(`${DAYS}&${query}`)),
  );

  expect(byDomain!.body.groups).toMatchObject([{ key: DOMAIN, name: DOMAIN, mails: 6 }]);
  expect(byTransport!.body.groups).toMatchObject([
    { key: "default", name: "Mail server of the installation", mails: 6 },
  ]);
  expect(google!.body.groups).toMatchObject([BY_PROVIDER[0]!]);
  expect([nobody!.body.groups, nobody!.body.total.mails]).toEqual([[], 0]);
});

test("has a point for every day, or every hour, and they add up", async () => {
  const [days, hours] = await Promise.all([get(DAYS), get(`${DAYS}&interval=hour`)]);

  for (const [answer, length] of [
    [days, 3],
    [hours, 72],
  ] as const) {
    const { series, from, until: end } = answer.body;
    expect(series).toHaveLength(length);
    expect(series[0].at).toBe(from);
    expect(Date.parse(end) - Date.parse(from)).toBe(3 * DAY_MS);
    const sum = (name: string) =>
      series.reduce((all: number, point: Record<string, number>) => all + point[name]!, 0);
    expect(["mails", "deferred", "bounced", "complained"].map(sum)).toEqual([6, 1, 2, 1]);
  }
});

test("counts nothing where nobody was asked: a mail in doubt", async () => {
  const project = await service.createProject();
  service.smtp.behave({ cut: "after data" });
  const [id] = await mails.accept(mails.fresh("doubt"), project);
  await until("a mail in doubt", async () => {
    await service.runJobs();
    return (await mails.row(id!)).status === "IN_DOUBT";
  });

  const { body } = await service.request("GET", `/deliverability?${DAYS}`, { key: project.secret });
  expect(body.total).toMatchObject({ ...NOTHING, mails: 0 });
});

test.each([
  ["startDate=zz", "startDate"],
  ["startDate=2026-03-01&endDate=2026-02-01", "endDate"],
  [`startDate=${dayAt(-91 * DAY_MS)}`, "endDate"],
  [`interval=hour&startDate=${dayAt(-8 * DAY_MS)}`, "endDate"],
  ["groupBy=color", "groupBy"],
  ["provider=nobody", "provider"],
  ["transport=7", "transport"],
])("refuses %s, and names the field", async (query, field) => {
  const { status, body } = await get(query);

  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain(field.replace("endDate", "Date"));
});
