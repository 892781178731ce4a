// What other mail notices of recipient domains that take 20 s for each mail.
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { createProject } from "../../src/accounts/projects/mod.ts";
import { draftCampaign, sendCampaign } from "./support/campaigns.ts";
import { addRecipients, measureOthers, type OtherMail, post } from "./support/other_mail.ts";
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
/** So long the tarpits have the service for themselves. */
const HEAD_START_MS = 2_000;

/** How mail comes to the tarpits. */
type Kind = (typeof KINDS)[number];
const KINDS = ["single mails", "a campaign", "campaigns of ten projects"] as const;

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
  const withThem: OtherMail[] = [];
  const without: OtherMail[] = [];
  // Each round has a database of its own: what was not sent to the tarpits would be there in the next one.
  for (let round = 0; round < rounds; round++) {
    without.push(await measure(sink, contacts, null));
    withThem.push(await measure(sink, contacts, { kind, tarpits }));
  }
  const name = `${tarpits} tarpits, ${kind} to them`;
  const rateOf = (all: OtherMail[]) => median(all.map(({ rate }) => rate));
  const p99Of = (all: OtherMail[]) =>
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
): Promise<OtherMail> {
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
