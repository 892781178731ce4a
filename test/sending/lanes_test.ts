// A campaign of any size leaves transactional mail alone.
import { afterEach, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { campaignsOf } from "../support/campaign.ts";
import { type ServiceProcess, startProcess, until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let worker: ServiceProcess | undefined;
const { call, addContacts, create, send, get, cancel, ledger } = campaignsOf(service, () => project);

const CONNECTIONS = 5;

const startWorker = async () => {
  worker = await startProcess({
    DATABASE_URL: service.databaseUrl,
    SECRET_KEY: service.config.SECRET_KEY,
    MODE: "worker",
    SMTP_URL: `${service.smtp.url}?maxConnections=${CONNECTIONS}`,
  });
};

afterEach(async () => {
  service.smtp.behave({});
  await worker?.end("SIGKILL");
});

test("a mail that is accepted while a campaign is being sent overtakes it", async () => {
  project = await service.createProject();
  await addContacts(2_000, "bulk");
  service.smtp.behave({ holdData: () => Bun.sleep(60) });
  await startWorker();
  const id = await create();
  await send(id);
  await service.smtp.waitFor(40);
  const overtaken: number[] = [];
  for (let i = 0; i < 10; i++) {
    const to = `urgent${i}@example.com`;
    await call("POST", "/v1/send", { to, from: `a@${DOMAIN}`, subject: "s", body: "b" });
    const before = service.smtp.received.length;
    const place = () => service.smtp.received.findIndex((mail) => mail.to[0] === to);
    while (place() === -1) await Bun.sleep(5);
    overtaken.push(Math.max(0, place() - before));
  }

  expect((await get(id)).status).toBe("SENDING");
  // Those that were under way already, and those that began before the job was heard of: more where the machine is busy for a
  // moment, but never as many as wait.
  overtaken.sort((a, b) => a - b);
  expect(overtaken[5]).toBeLessThan(CONNECTIONS * 6);
  expect(overtaken[9]).toBeLessThan(400);
  await cancel(id);
});

test("a campaign that keeps to a rate does not hold up those that have none", async () => {
  const slow = (project = await service.createProject());
  await service.pool`update projects set send_rate = 3 where id = ${slow.id}`;
  await addContacts(1_500, "slow");
  const slowId = await create();
  await send(slowId);
  await startWorker();
  await until("the first mails of the slow one", async () => ((await ledger(slowId)).SENT ?? 0) >= 3);
  project = await service.createProject();
  await addContacts(900, "quick");
  const quickId = await create();
  await send(quickId);
  await until("the end of the quick one", async () => (await get(quickId)).status === "SENT");
  const before = (await ledger(slowId)).SENT!;
  await until("more mails of the slow one", async () => (await ledger(slowId)).SENT! >= before + 6);

  expect(before).toBeLessThan(900);
  project = slow;
  await cancel(slowId);
});

test("thousands of single mails of one project do not hold up a single mail of another", async () => {
  project = await service.createProject();
  const recipients = Array.from({ length: 1_000 }, (_, n) => `many${n}@example.com`);
  const from = `a@${DOMAIN}`;
  for (let i = 0; i < 4; i++)
    await call("POST", "/v1/send", { to: recipients, from, subject: "s", body: "b" });
  project = await service.createProject();
  await call("POST", "/v1/send", { to: "other@example.com", from, subject: "s", body: "b" });
  const before = service.smtp.received.length;
  await startWorker();
  const place = () => service.smtp.received.findIndex((mail) => mail.to[0] === "other@example.com");
  await until("the mail of the other project", () => place() !== -1);

  expect(place() - before).toBeLessThan(1_000);
  await service.dropJobs();
});
