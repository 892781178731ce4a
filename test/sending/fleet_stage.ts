// A campaign to the mailboxes of many providers, by two workers, of which one is killed now and then.
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
import { type FleetServer, type Provider, providers, startFleet } from "./fleet_servers.ts";

const DOMAIN = "shop.example";
const SECRET_KEY = "a secret that only the tests know, 32+";

/** How large it is. */
export interface FleetOptions {
  recipients: number;
  /** Of each provider. */
  domains: number;
  kills: number;
  /** What the transport of `paced` allows. */
  ratePerSecond: number;
  /** What the transport of `daily` allows. */
  perDay: number;
  patienceMs: number;
}

/** What became of one mail. */
export interface FleetFate {
  address: string;
  provider: Provider;
  status: string;
  error: string | null;
  wasInDoubt: boolean;
  /** At any server. */
  arrivals: number;
}

/** What became of all. */
export interface FleetReport {
  fates: FleetFate[];
  servers: Map<string, FleetServer>;
  kills: number;
  /** Mails that each limited transport has got, and when, in milliseconds since the first of them was claimed. */
  paced: number[];
  daily: number[];
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
  const fleet = providers(Math.max(10, options.recipients / 100));
  const servers = await startFleet(fleet, { names, port, domains: options.domains });
  atEnd(() => Promise.all([...servers.values()].map((server) => server.stop())));
  const relays = { paced: await startRelay(), daily: await startRelay() };
  atEnd(() => Promise.all(Object.values(relays).map(({ stop }) => stop())));

  const settings = { DATABASE_URL: databaseUrl(name), SECRET_KEY, DATA_DIR: dir };
  const { ctx, close } = await openService(loadConfig({ ...settings, LOG_LEVEL: "error" }));
  atEnd(close);
  await limit(ctx, options, { paced: relays.paced.url, daily: relays.daily.url });
  const campaign = await begin(ctx, addressesOf(fleet, options));
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
  let isOver = false;
  const arrived = () =>
    [...servers.values(), ...Object.values(relays)].reduce((sum, { arrivals }) => sum + arrivals.size, 0);
  const workers = [await startWorker(), await startWorker()];
  const ending = untilEnded(ctx, campaign, {
    patienceMs: options.patienceMs,
    also: () => giveUpOnHopeless(ctx, campaign),
  }).finally(() => (isOver = true));
  let kills = 0;
  const killing = (async () => {
    while (kills < options.kills) {
      const wanted = (options.recipients * (kills + 1) * 0.7) / (options.kills + 1);
      while (!isOver && arrived() < wanted) await Bun.sleep(20);
      if (isOver) return;
      await killUnseen(ctx.pool, workers[kills % 2]!);
      workers[kills % 2] = await startWorker();
      kills += 1;
    }
  })();
  await Promise.all([ending, killing]);
  return { ...(await report(ctx, campaign, { fleet, servers, relays })), servers, kills };
}

type Relay = Awaited<ReturnType<typeof startRelay>>;

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

async function begin(ctx: Context, addresses: string[]): Promise<string> {
  const { id: projectId } = await createProject(ctx, "Fleet");
  await addVerifiedDomain(ctx, projectId, DOMAIN);
  await ctx.pool`update projects set resend_in_doubt = '{TRANSACTIONAL,CAMPAIGN}' where id = ${projectId}`;
  // In an order that has nothing to do with providers.
  await ctx.pool`
    insert into contacts (project_id, email, subscribed)
    select ${projectId}, email, true from unnest(${addresses}::text[]) as email order by md5(email)`;
  const { id } = await createCampaign(ctx, projectId, {
    name: "Fleet",
    subject: "Hello {{email}}",
    body: "<p>Hello {{email}}</p>",
    from: `news@${DOMAIN}`,
    audienceType: "ALL",
  });
  await sendCampaign(ctx, projectId, id, null, OPERATOR);
  return id;
}

/** What is never taken is given up after five days: for mails of which that has become clear they are over. */
async function giveUpOnHopeless(ctx: Context, campaignId: string): Promise<void> {
  await ctx.pool`
    update emails set tried_at = now() - interval '6 days'
    where campaign_id = ${campaignId} and status = 'PENDING' and tried_at > now() - interval '5 days'
      and (error like '%4.2.2%' or error like '%DANE%')`;
}

async function report(
  ctx: Context,
  campaignId: string,
  {
    fleet,
    servers,
    relays,
  }: { fleet: Provider[]; servers: Map<string, FleetServer>; relays: { paced: Relay; daily: Relay } },
) {
  const rows = await ctx.pool`
    select address, status, error, doubted_at, tried_at from emails where campaign_id = ${campaignId}`;
  const all = [...servers.values(), ...Object.values(relays)];
  const fates = rows.map(({ address, status, error, doubtedAt }): FleetFate => {
    const [, name] = /\.(\w+)\.test$/.exec(address as string)!;
    return {
      address,
      status,
      error,
      provider: fleet.find((one) => one.name === name)!,
      wasInDoubt: doubtedAt !== null,
      arrivals: all.reduce((sum, { arrivals }) => sum + (arrivals.get(address) ?? 0), 0),
    };
  });
  const since = Math.min(
    ...rows.filter(({ address }) => address.endsWith(".paced.test")).map(({ triedAt }) => triedAt.getTime()),
  );
  return {
    fates,
    paced: relays.paced.times.map((at) => at - since),
    daily: relays.daily.times.map((at) => at - since),
  };
}
