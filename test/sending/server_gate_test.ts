// A mail server that accepts no connections: that says nothing about the mails.
import { afterEach, expect, test } from "bun:test";
import { campaignsOf } from "../support/campaign.ts";
import { useLedger } from "../support/ledger.ts";
import { type ServiceProcess, startProcess, until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { startScriptedServer } from "../mail/scripted_server.ts";

const service = useService();
const mails = useLedger(service);
const { project, accept } = mails;
const { addContacts, create, send } = campaignsOf(service, () => project);
const SINGLE = 60;
const RECIPIENTS = 300;
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await service.pool`delete from workers`;
  await service.pool`delete from emails`;
  await service.pool`delete from contacts`;
  await service.dropJobs();
});

async function startWorker(smtpUrl: string): Promise<ServiceProcess> {
  const worker = await startProcess({
    DATABASE_URL: service.databaseUrl,
    SECRET_KEY: service.config.SECRET_KEY,
    MODE: "worker",
    LOG_LEVEL: "info",
    SMTP_URL: smtpUrl,
  });
  ends.push(() => worker.end("SIGKILL"));
  return worker;
}

/** A port where nobody listens. */
async function deadPort(): Promise<number> {
  const { port, stop } = await startSmtpServer();
  await stop();
  return port;
}

const rowsOf = async () =>
  await service.pool`
  select status, attempts, tried_at, count(*)::int as mails from emails group by 1, 2, 3`;
/** Jobs that send, and wait for a time of their own. */
const lateJobs = async () => {
  const jobs = (await service.jobs()).filter(({ name }) => /^send_(emails|batch)$/.test(name));
  return jobs.filter(({ runAt }) => runAt.getTime() > Date.now() + 5_000);
};
const arrived = async (count: number) =>
  await until(`${count} mails that are sent`, async () => {
    const [row] = await service.pool`select count(*)::int as mails from emails where status = 'SENT'`;
    return row!.mails === count;
  });
/** How often a worker has run jobs that send. */
const runsOf = (worker: ServiceProcess) => worker.output().match(/"job":"send_(emails|batch)"/g)?.length ?? 0;

test("a server that is not there costs no attempt and no day, and when it is back everything goes at once", async () => {
  const port = await deadPort();
  await addContacts(RECIPIENTS);
  await accept(Array.from({ length: SINGLE }, () => mails.fresh()));
  await send(await create());
  const worker = await startWorker(`smtp://127.0.0.1:${port}`);
  await until("that the server is missed", () => worker.output().includes("accepts no connections"));
  await until("that all single mails wait", async () => {
    const [row] = await service.pool`
      select count(*)::int as held from emails where status = 'SENDING'`;
    return row!.held === 0;
  });
  await Bun.sleep(2_000);
  const [rows, late, runs] = [await rowsOf(), await lateJobs(), runsOf(worker)];
  await Bun.sleep(2_000);
  const more = runsOf(worker) - runs;
  const smtp = await startSmtpServer(port);
  ends.push(() => smtp.stop());
  await arrived(SINGLE + RECIPIENTS);

  expect(rows.map(({ status, attempts, triedAt }) => [status, attempts, triedAt])).toEqual([
    ["PENDING", 0, null],
  ]);
  expect(late).toEqual([]);
  // A few batches look after two seconds each; single mails do not look at all.
  expect(more).toBeLessThan(20);
  expect((await rowsOf()).map(({ attempts }) => attempts)).toEqual(Array((await rowsOf()).length).fill(1));
  expect(smtp.received).toHaveLength(SINGLE + RECIPIENTS);
});

test("a server that takes no log-in is asked seldom, over one connection, and gets all when it does", async () => {
  const smtp = await startScriptedServer({
    EHLO: "250-scripted\r\n250 AUTH PLAIN",
    AUTH: "535 5.7.8 Wrong password",
  });
  ends.push(() => smtp.stop());
  await accept(Array.from({ length: SINGLE }, () => mails.fresh()));
  const worker = await startWorker(smtp.url.replace("//", "//ada:secret@"));
  await until("that nobody is let in", () => worker.output().includes("535 5.7.8 Wrong password"));
  await until("that nothing is under way", () => smtp.open.size === 0);
  const before = smtp.connections;
  smtp.mostOpen = 0;
  await until("that it is asked again", () => smtp.connections > before);
  await Bun.sleep(1_000);
  const { connections, mostOpen } = smtp;
  const rows = await rowsOf();
  smtp.script = { EHLO: "250-scripted\r\n250 AUTH PLAIN" };
  await arrived(SINGLE);

  expect(connections - before).toBeWithin(1, 8);
  expect(mostOpen).toBe(1);
  expect(rows.map(({ status, attempts, triedAt }) => [status, attempts, triedAt])).toEqual([
    ["PENDING", 0, null],
  ]);
  expect(smtp.messages).toHaveLength(SINGLE);
});

test("a process that does not reach the server leaves the mails to one that does", async () => {
  const smtp = await startSmtpServer();
  ends.push(() => smtp.stop());
  const lost = await startWorker(`smtp://127.0.0.1:${await deadPort()}`);
  await accept(mails.fresh());
  await until("that it misses the server", () => lost.output().includes("accepts no connections"));
  await startWorker(smtp.url);
  await addContacts(RECIPIENTS);
  await accept(Array.from({ length: SINGLE }, () => mails.fresh()));
  await send(await create());
  await arrived(SINGLE + 1 + RECIPIENTS);

  expect(smtp.received).toHaveLength(SINGLE + 1 + RECIPIENTS);
  expect(new Set((await rowsOf()).map(({ attempts }) => attempts))).toEqual(new Set([1]));
});
