// What other mail notices of recipient domains that take 20 s for each mail.
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { createProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import { draftCampaign, sendCampaign } from "./support/campaigns.ts";
import {
  atLeast,
  below,
  type BenchOptions,
  exactly,
  median,
  percentile,
  type Report,
} from "./support/report.ts";
import { type SinkProcess, startSinkProcess } from "./support/smtp_sink.ts";
import { DOMAIN, onStage, type ServiceProcess, type Stage } from "./support/stage.ts";

const TARPITS = [1, 3, 50];
const MAILS_TO_TARPITS = 2_000;
const RECIPIENTS = 10_000;
/** Domains that the other mail goes to. */
const OTHER_DOMAINS = 8;
const SINGLES_PAUSE_MS = 25;
const PATIENCE_MS = 120_000;
/** So long the tarpits have the service for themselves. */
const HEAD_START_MS = 2_000;

/** How mail comes to the tarpits. */
type Kind = (typeof KINDS)[number];
const KINDS = ["single mails", "a campaign", "campaigns of ten projects"] as const;

interface Measured {
  /** Mails a second of the campaign to other domains. */
  rate: number;
  /** Milliseconds from the request for a single mail to its RCPT TO. */
  singles: number[];
  missing: number;
}

/** Runs the bench: in each round the same load with tarpits and without. */
export async function run(report: Report, { rounds, contacts = RECIPIENTS }: BenchOptions): Promise<void> {
  const sink = await startSinkProcess();
  try {
    for (const kind of KINDS) {
      for (const tarpits of TARPITS) await compare(report, sink, { kind, tarpits, rounds, contacts });
    }
  } finally {
    sink.stop();
  }
}

async function compare(
  report: Report,
  sink: SinkProcess,
  { kind, tarpits, rounds, contacts }: { kind: Kind; tarpits: number; rounds: number; contacts: number },
): Promise<void> {
  const withThem: Measured[] = [];
  const without: Measured[] = [];
  // Each round has a database of its own: what was not sent to the tarpits would be there in the next one.
  for (let round = 0; round < rounds; round++) {
    without.push(await measure(sink, contacts, null));
    withThem.push(await measure(sink, contacts, { kind, tarpits }));
  }
  const name = `${tarpits} tarpits, ${kind} to them`;
  const rateOf = (all: Measured[]) => median(all.map(({ rate }) => rate));
  const p99Of = (all: Measured[]) =>
    percentile(
      all.flatMap(({ singles }) => singles),
      99,
    );
  report.line(`${name}: a campaign to others`, rateOf(withThem), "mails/s", {
    ceiling: rateOf(without),
    goal: atLeast(0.85),
  });
  report.line(`${name}: single mails to others, p99`, p99Of(withThem), "ms", {
    goal: below(500),
    note: { without: Math.round(p99Of(without)) },
  });
  report.line(
    `${name}: mails to others that did not come`,
    Math.max(...withThem.map((m) => m.missing)),
    "mails",
    {
      goal: exactly(0),
    },
  );
}

async function measure(
  sink: SinkProcess,
  contacts: number,
  trouble: { kind: Kind; tarpits: number } | null,
): Promise<Measured> {
  return await onStage(async (stage) => {
    await addRecipients(stage, contacts);
    const service = await stage.startService({ MODE: "all", SMTP_URL: `smtp://127.0.0.1:${sink.port}` });
    if (trouble) {
      await mailToTarpits(stage, service, trouble);
      await Bun.sleep(HEAD_START_MS);
    }
    const measured = await measureOthers(stage, service, sink, contacts);
    // What hangs in a tarpit need not be waited for.
    await service.kill();
    return measured;
  });
}

async function measureOthers(
  stage: Stage,
  service: ServiceProcess,
  sink: SinkProcess,
  contacts: number,
): Promise<Measured> {
  const id = await draftCampaign(stage);
  const arrived = new Map<string, number>();
  sink.onUrgent = (address, at) => arrived.set(address, at);
  const asked = new Map<string, number>();
  let isOver = false;
  const singles = (async () => {
    for (let i = 0; !isOver; i++) {
      const address = `urgent${i}@single${i % OTHER_DOMAINS}.test`;
      asked.set(address, Date.now());
      await post(stage.project, service.port, { to: address });
      await Bun.sleep(SINGLES_PAUSE_MS);
    }
  })();
  const before = arrived.size;
  const tally = sink.expect(contacts, PATIENCE_MS);
  const askedAt = await sendCampaign(stage, service.port, id);
  await Promise.race([tally, service.died]);
  const seconds = (Date.now() - askedAt) / 1000;
  isOver = true;
  await singles;
  for (let waited = 0; arrived.size < asked.size && waited < 30_000; waited += 50) await Bun.sleep(50);
  return {
    // Single mails are among those that came.
    rate: (contacts - before) / seconds,
    singles: [...asked].flatMap(([address, at]) => arrived.get(address)! - at || []),
    missing: asked.size - arrived.size,
  };
}

async function addRecipients({ ctx, project }: Stage, count: number): Promise<void> {
  await ctx.pool`
    insert into contacts (project_id, email, subscribed, data)
    select
      ${project.id}, 'user' || n || '@other' || n % ${OTHER_DOMAINS}::int || '.test', true,
      jsonb_build_object('firstName', 'Ada' || n, 'plan', 'pro')
    from generate_series(1, ${count}::int) as n`;
  await ctx.pool`vacuum analyze contacts`;
}

/** 2,000 mails of another project, or of ten. */
async function mailToTarpits(
  stage: Stage,
  service: ServiceProcess,
  { kind, tarpits }: { kind: Kind; tarpits: number },
): Promise<void> {
  const senders = kind === "campaigns of ten projects" ? 10 : 1;
  const addresses = Array.from({ length: MAILS_TO_TARPITS }, (_, n) => `user${n}@tarpit${n % tarpits}.test`);
  const share = addresses.length / senders;
  for (let i = 0; i < senders; i++) {
    const project = await createProject(stage.ctx, `Trouble ${i}`);
    const domain = `trouble${i}.${DOMAIN}`;
    await addVerifiedDomain(stage.ctx, project.id, domain);
    const theirs = addresses.slice(i * share, (i + 1) * share);
    if (kind === "single mails") {
      for (const to of theirs) await post(project, service.port, { to, from: `orders@${domain}` });
    } else {
      await sendToAll({ ...stage, project }, service, { addresses: theirs, from: `news@${domain}` });
    }
  }
}

async function sendToAll(
  stage: Stage,
  service: ServiceProcess,
  { addresses, from }: { addresses: string[]; from: string },
): Promise<void> {
  await stage.ctx.pool`
    insert into contacts (project_id, email, subscribed)
    select ${stage.project.id}, address, true from unnest(${addresses}::text[]) as address`;
  await sendCampaign(stage, service.port, await draftCampaign(stage, from));
}

async function post(
  project: NewProject,
  port: number,
  { to, from = `orders@${DOMAIN}` }: { to: string; from?: string },
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ to, from, subject: "Your order", body: "<p>It is on its way.</p>" }),
  });
  if (!response.ok) throw new Error(`Cannot send: ${await response.text()}`);
  await response.json();
}
