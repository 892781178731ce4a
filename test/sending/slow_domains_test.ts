// A recipient domain that is slow, or takes no mail, holds up nobody. What is compared is counted, never timed.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { campaignsOf } from "../support/campaign.ts";
import { IMPATIENT, killUnseen, type ServiceProcess, startProcess, until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let worker: ServiceProcess | undefined;
let tarpits: Tarpits;
const { call, create, send, get, cancel, ledger } = campaignsOf(service, () => project);

/** Domains that hold every mail until they are told to let go. */
interface Tarpits {
  /** Mails that they hold now, and most at any moment. */
  held: number;
  most: number;
  letGo(): void;
}

/** Many times as many as there are connections: of those that tarpits could hold, and of those that are to pass them. */
const MANY = 400;
const READERS = 200;

/** Those with an even number hold the end of a message, the others its recipient. */
const TARPIT = /@tarpit(\d+)\.test$/;

const startWorker = async (connections = 40) => {
  worker = await startProcess(
    {
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY,
      MODE: "worker",
      SMTP_URL: `${service.smtp.url}?maxConnections=${connections}`,
    },
    { preload: IMPATIENT },
  );
};

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  tarpits = { held: 0, most: 0, letGo: resolve };
  const hold = async (address: string, evenness: number) => {
    const number = TARPIT.exec(address)?.[1];
    if (number === undefined || Number(number) % 2 !== evenness) return;
    tarpits.held += 1;
    tarpits.most = Math.max(tarpits.most, tarpits.held);
    await promise;
    tarpits.held -= 1;
  };
  service.smtp.behave({ holdRcpt: (to) => hold(to, 1), holdData: (to) => hold(to, 0) });
});

afterEach(async () => {
  tarpits.letGo();
  service.smtp.behave({});
  await worker?.end("SIGKILL");
  await service.dropJobs();
  await service.pool`delete from emails`;
  await service.pool`update campaigns set finished_at = now() where finished_at is null`;
});

/** Accepts single mails to these, and answers their ids. */
const accept = async (to: string[]): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < to.length; i += 1_000) {
    const body = { to: to.slice(i, i + 1_000), from: `a@${DOMAIN}`, subject: "s", body: "b" };
    const answer = await call("POST", "/v1/send", body);
    ids.push(...answer.body.data.emails.map((email: { email: string }) => email.email));
  }
  return ids;
};
const addresses = (count: number, domains: number, name: string) =>
  Array.from({ length: count }, (_, n) => `r${n}@${name}${n % domains}.test`);
const addContacts = async (emails: string[]) => {
  await service.pool`
    insert into contacts (project_id, email, subscribed)
    select ${project.id}, email, true from unnest(${emails}::text[]) as email`;
};
/** A campaign to these, sent; answers its id. */
const campaignTo = async (emails: string[]): Promise<string> => {
  await addContacts(emails);
  const id = await create();
  await send(id);
  return id;
};
const cameTo = (name: string) => service.smtp.received.filter(({ to }) => to[0]!.includes(`@${name}`)).length;
const apart = async () => {
  const [row] = await service.pool`
    select count(*)::int as mails from emails where status = 'PENDING' and due_at = 'infinity'`;
  return row!.mails as number;
};

describe.each([1, 50])("%d tarpits", (domains) => {
  test("that hundreds of single mails wait for hold a few connections, and everybody else's mails leave", async () => {
    await startWorker();
    await accept(addresses(MANY, domains, "tarpit"));
    await until("most of them waiting apart", async () => (await apart()) > MANY - 100);
    await accept(addresses(200, 5, "other"));
    await until("the single mails to others", () => cameTo("other") === 200);
    project = await service.createProject();
    const id = await campaignTo(addresses(READERS, 5, "reader"));
    await until("the end of the campaign", async () => (await get(id)).status === "SENT");

    expect(cameTo("reader")).toBe(READERS);
    expect(cameTo("tarpit")).toBe(0);
    // A tenth, and as many again to find out which domains are slow.
    expect(tarpits.most).toBeGreaterThan(0);
    expect(tarpits.most).toBeLessThanOrEqual(8);
  });

  test("that a campaign waits for do not hold up another one, nor a single mail", async () => {
    await startWorker();
    const slowId = await campaignTo(addresses(MANY, domains, "tarpit"));
    await until("most of them waiting apart", async () => (await apart()) > MANY - 100);
    project = await service.createProject();
    await accept(addresses(20, 20, "other"));
    await until("the single mails to others", () => cameTo("other") === 20);
    const id = await campaignTo(addresses(READERS, 5, "reader"));
    await until("the end of the campaign", async () => (await get(id)).status === "SENT");

    expect(cameTo("tarpit")).toBe(0);
    expect(tarpits.most).toBeLessThanOrEqual(8);
    expect((await ledger(slowId)).SENT).toBeUndefined();
  });
});

test("of one campaign to slow and quick domains the quick ones have theirs", async () => {
  await startWorker();
  const id = await campaignTo([...addresses(300, 3, "tarpit"), ...addresses(450, 3, "reader")]);
  await until("the mails to the quick ones", () => cameTo("reader") === 450);

  expect(cameTo("tarpit")).toBe(0);
  expect((await get(id)).status).toBe("SENDING");
});

test.each([2, 5])("with %d connections a tarpit holds one of them", async (connections) => {
  await startWorker(connections);
  await accept(addresses(300, 1, "tarpit"));
  await until("most of them waiting apart", async () => (await apart()) > 290);
  await accept(addresses(100, 3, "other"));
  await until("the mails to others", () => cameTo("other") === 100);

  expect(tarpits.most).toBe(1);
});

test("mails that waited apart leave when their domain lets go, and the campaign comes to its end", async () => {
  await startWorker();
  const id = await campaignTo(addresses(300, 3, "tarpit"));
  const singles = await accept(addresses(50, 1, "tarpit"));
  await until("most of them waiting apart", async () => (await apart()) > 330);
  tarpits.letGo();
  await until("the end of the campaign", async () => (await get(id)).status === "SENT", 180_000);
  await until("all of them", () => cameTo("tarpit") === 350, 180_000);
  const rows = await service.pool`select status, attempts from emails where id = any(${singles})`;

  expect(await ledger(id)).toEqual({ SENT: 300 });
  expect(rows.map((row) => [row.status, row.attempts])).toEqual(Array(50).fill(["SENT", 1]));
}, 240_000);

test.each(["SIGKILL", "SIGTERM"] as const)(
  "mails that wait apart are found again after %s, also those that were just fetched, and by no sweep",
  async (signal) => {
    await startWorker();
    const ids = await accept(addresses(200, 2, "tarpit"));
    await until("most of them waiting apart", async () => (await apart()) > 180);
    // Now some are fetched again and again.
    tarpits.letGo();
    await until("some that waited apart", () => cameTo("tarpit") > 20);
    if (signal === "SIGKILL") await killUnseen(service.pool, worker!);
    else await worker!.end(signal);
    await startWorker();
    const open = async () =>
      await service.pool`
      select status from emails where id = any(${ids}) and status not in ('SENT', 'IN_DOUBT')`;
    // A sweep looks for what has been overdue for two minutes.
    await until("no one waiting", async () => (await open()).length === 0, 110_000);

    expect(await apart()).toBe(0);
  },
  240_000,
);

test("a campaign that is cancelled ends, though its mails wait apart", async () => {
  await startWorker();
  const id = await campaignTo(addresses(200, 1, "tarpit"));
  await until("most of them waiting apart", async () => (await apart()) > 180);
  await cancel(id);
  await until("the mails that are closed", async () => (await ledger(id)).PENDING === undefined);

  expect(await apart()).toBe(0);
  expect((await ledger(id)).SUPPRESSED).toBeGreaterThan(180);
});
