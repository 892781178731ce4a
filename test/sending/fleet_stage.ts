// A campaign to the mailboxes of many providers, by two workers, of which one may be killed now and then.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { createProject } from "../../src/accounts/projects/mod.ts";
import { loadConfig } from "../../src/config/mod.ts";
import type { Context } from "../../src/context.ts";
import { createCampaign } from "../../src/sending/campaigns/mod.ts";
import { sendCampaign } from "../../src/sending/campaigns/status.ts";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { openService } from "../../src/service/mod.ts";
import { startNameServer } from "../support/name_server.ts";
import { databaseUrl, dropDatabase, newDatabase } from "../support/postgres.ts";
import { IMPATIENT, killUnseen, startProcess, unusedPort } from "../support/process.ts";
import { untilEnded } from "../support/siege.ts";
import { startSmtpServer } from "../support/smtp_server.ts";
import { insertTransport } from "../support/transports.ts";
import { type FleetLimits, type Provider, providers } from "./fleet_providers.ts";
import { type FleetReport, fatesOf } from "./fleet_report.ts";
import { type FleetServer, startFleet } from "./fleet_servers.ts";

const DOMAIN = "shop.example";
const SECRET_KEY = "a secret that only the tests know, 32+";

/** How large it is. */
export interface FleetOptions extends FleetLimits {
  recipients: number;
  /** Of each provider. */
  domains: number;
  /** How many workers are killed, spread over the campaign; or one after so many milliseconds each, until it ends. */
  kills: number | { everyMs: number };
  /** Retries wait as long as in production. Else their time comes at once. */
  keepsPauses: boolean;
  /** So many mails to `fast` alone, before and after, show what the machine can do. 0: nobody asks. */
  capacityMails: number;
  patienceMs: number;
}

/** Sends the campaign, and waits until it has ended by itself. */
export async function sendToFleet(options: FleetOptions): Promise<FleetReport> {
  const ends: (() => unknown)[] = [];
  try {
    return await run(options, (end) => void ends.push(end));
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

async function run(options: FleetOptions, atEnd: (end: () => unknown) => void): Promise<FleetReport> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-fleet-"));
  atEnd(() => rmSync(dir, { recursive: true, force: true }));
  const name = await newDatabase();
  atEnd(() => dropDatabase(name));
  const names = await startNameServer();
  atEnd(() => names.stop());
  names.isValidating = true;
  const port = await unusedPort();
  const fleet = providers(options);
  const servers = await startFleet(fleet, { names, port, domains: options.domains });
  atEnd(() => Promise.all([...servers.values()].map((server) => server.stop())));
  const relays = { paced: await startRelay(), daily: await startRelay() };
  atEnd(() => Promise.all(Object.values(relays).map(({ stop }) => stop())));

  const settings = { DATABASE_URL: databaseUrl(name), SECRET_KEY, DATA_DIR: dir };
  const { ctx, close } = await openService(loadConfig({ ...settings, LOG_LEVEL: "error" }));
  atEnd(close);
  await limit(ctx, options, { paced: relays.paced.url, daily: relays.daily.url });
  const startWorker = async () => {
    const worker = await startProcess(
      {
        ...settings,
        MODE: "worker",
        SMTP_URL: `direct://sender.example:${port}?ipv6=false&dane=true`,
        DNS_SERVERS: names.address,
        ALLOW_PRIVATE_TRANSPORTS: "true",
      },
      { preload: IMPATIENT },
    );
    atEnd(() => worker.end("SIGKILL"));
    return worker;
  };
  const workers = await Promise.all([startWorker(), startWorker()]);
  const capacity = [await measureCapacity(ctx, servers.get("fast")!, options)];

  const campaign = await prepare(ctx, "Fleet", addressesOf(fleet, options));
  const startedAt = Date.now();
  await campaign.send();
  let isOver = false;
  const arrived = () =>
    [...servers.values(), ...Object.values(relays)].reduce((sum, { times }) => sum + times.length, 0);
  const before = arrived();
  const ending = untilEnded(ctx, campaign.id, {
    patienceMs: options.patienceMs,
    keepsPauses: options.keepsPauses,
    also: () => giveUpOnHopeless(ctx, campaign.id),
  }).finally(() => (isOver = true));
  let kills = 0;
  const { kills: wanted, recipients } = options;
  const isTime = (lastAt: number) =>
    typeof wanted === "number"
      ? arrived() - before >= (recipients * (kills + 1) * 0.7) / (wanted + 1)
      : Date.now() - lastAt >= wanted.everyMs;
  const killing = (async () => {
    for (let lastAt = Date.now(); kills !== wanted; lastAt = Date.now()) {
      while (!isOver && !isTime(lastAt)) await Bun.sleep(20);
      if (isOver) return;
      await killUnseen(ctx.pool, workers[kills % 2]!);
      workers[kills % 2] = await startWorker();
      kills += 1;
    }
  })();
  await Promise.all([ending, killing]);
  const seconds = (Date.now() - startedAt) / 1_000;
  const { fates, pacedSince } = await fatesOf(ctx, campaign.id, { fleet, servers, relays });
  capacity.push(await measureCapacity(ctx, servers.get("fast")!, options));
  return { startedAt, seconds, capacity, kills, fates, servers, relays, pacedSince };
}

/** Mails a second to servers that are fast, from the first to the last. */
async function measureCapacity(
  ctx: Context,
  { times }: FleetServer,
  { capacityMails: mails, domains, patienceMs }: FleetOptions,
): Promise<number> {
  if (mails === 0) return 0;
  const before = times.length;
  const addresses = Array.from({ length: mails }, (_, n) => `capacity${n}@d${n % domains}.fast.test`);
  const campaign = await prepare(ctx, `Capacity ${before}`, addresses);
  await campaign.send();
  await untilEnded(ctx, campaign.id, { patienceMs, keepsPauses: true });
  const [first, last] = [times[before]!, times.at(-1)!];
  return ((mails - 1) * 1_000) / (last - first);
}

/** A relay that notes when which mail has come. */
async function startRelay() {
  const server = await startSmtpServer();
  const arrivals = new Map<string, number>();
  const times: number[] = [];
  server.behave({
    async holdData(to) {
      times.push(Date.now());
      arrivals.set(to, (arrivals.get(to) ?? 0) + 1);
    },
  });
  return { url: server.url, arrivals, times, stop: () => server.stop() };
}

/** Two providers get their mails by a transport that is limited; what the second takes no more goes directly. */
async function limit(ctx: Context, options: FleetOptions, urls: { paced: string; daily: string }) {
  const paced = await insertTransport(ctx, { url: urls.paced, ratePerSecond: options.ratePerSecond });
  const daily = await insertTransport(ctx, { url: urls.daily, perDay: options.perDay });
  const domainsOf = (provider: string) =>
    Array.from({ length: options.domains }, (_, n) => `d${n}.${provider}.test`);
  const rules = [
    { providers: domainsOf("paced"), whenFull: "NEXT", transports: [{ id: paced }] },
    {
      providers: domainsOf("daily"),
      whenFull: "NEXT",
      transports: [
        { id: daily, priority: 1 },
        { id: "default", priority: 2 },
      ],
    },
    { whenFull: "NEXT", transports: [{ id: "default" }] },
  ];
  await ctx.pool`
    insert into routes (project_id, document) values (${INSTALLATION}, ${ctx.pool.json({ rules } as never)})`;
}

function addressesOf(fleet: Provider[], { recipients, domains }: FleetOptions): string[] {
  const shares = fleet.reduce((sum, { share }) => sum + share, 0);
  return fleet.flatMap(({ name, share }) =>
    Array.from(
      { length: Math.round((recipients * share) / shares) },
      (_, n) => `r${n}@d${n % domains}.${name}.test`,
    ),
  );
}

/** A project with a campaign to these addresses, in an order that has nothing to do with providers. */
async function prepare(ctx: Context, name: string, addresses: string[]) {
  const { id: projectId } = await createProject(ctx, name);
  await addVerifiedDomain(ctx, projectId, DOMAIN);
  await ctx.pool`update projects set resend_in_doubt = '{TRANSACTIONAL,CAMPAIGN}' where id = ${projectId}`;
  await ctx.pool`
    insert into contacts (project_id, email, subscribed)
    select ${projectId}, email, true from unnest(${addresses}::text[]) as email order by md5(email)`;
  const { id } = await createCampaign(ctx, projectId, {
    name,
    subject: "Hello {{email}}",
    body: "<p>Hello {{email}}</p>",
    from: `news@${DOMAIN}`,
    audienceType: "ALL",
  });
  return { id, send: () => sendCampaign(ctx, projectId, id, null, OPERATOR) };
}

/** What is never taken is given up after five days: for mails of which that has become clear they are over. */
async function giveUpOnHopeless(ctx: Context, campaignId: string): Promise<void> {
  await ctx.pool`
    update emails set tried_at = now() - interval '6 days'
    where campaign_id = ${campaignId} and status = 'PENDING' and tried_at > now() - interval '5 days'
      and (error like '%4.2.2%' or error like '%DANE%' or due_at = 'infinity' and address like '%.dane.test')`;
}
