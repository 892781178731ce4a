// Millions of mails that wait for 200 domains which take none: what it costs to pick some of them, and what other mail notices.
import { q } from "../../src/db/queries.ts";
import { type Context, inTransaction } from "../../src/context.ts";
import { openLoader } from "./support/loader.ts";
import { addRecipients, measureOthers, type OtherMail } from "./support/other_mail.ts";
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
import { onStage, type Stage } from "./support/stage.ts";

const WAITING = 1_000_000;
/** A twentieth of them, to compare with. */
const YOUNG_PART = 0.05;
const LINES = 200;
const BATCH = 250_000;
const RECIPIENTS = 10_000;
/** Domains that one look picks from, and mails of each. */
const DOMAINS_A_PICK = 4;
const MAILS_A_DOMAIN = 32;
const PICKS = LINES / DOMAINS_A_PICK;
/** Of Postgres, for each mail that is picked. */
const LIMIT_US = 50;
const FLAT = 1.3;
/** So long the service has to learn of the lines that wait. */
const HEAD_START_MS = 5_000;

/** Runs the bench. */
export async function run(
  report: Report,
  { rounds, mails = WAITING, contacts = RECIPIENTS }: BenchOptions,
): Promise<void> {
  const { aged, young } = await measurePicks(mails);
  const about = `of ${mails.toLocaleString("en")} that wait in ${LINES} lines`;
  report.line(`picking a mail ${about}, p50`, median(aged.picks), "µs", {
    goal: below(LIMIT_US),
    note: { p95: Math.round(percentile(aged.picks, 95)), atOnce: DOMAINS_A_PICK * MAILS_A_DOMAIN },
  });
  report.line("the same, against a twentieth as many", median(aged.picks), "µs", {
    ceiling: median(young.picks),
    goal: { text: `<= ${FLAT}`, isMet: (ratio) => ratio <= FLAT },
  });
  report.line("finding all lines that wait", median(aged.looks), "ms", {
    ceiling: median(young.looks),
    goal: { text: `<= ${FLAT}`, isMet: (ratio) => ratio <= FLAT },
  });
  await measureBeside(report, { rounds, mails, contacts });
}

/** Microseconds for each mail, and milliseconds for each look. */
interface Picked {
  picks: number[];
  looks: number[];
}

/** Both in turn, so that what else the machine does slows both. */
async function measurePicks(mails: number): Promise<{ aged: Picked; young: Picked }> {
  const [aged, young]: Picked[] = [
    { picks: [], looks: [] },
    { picks: [], looks: [] },
  ];
  await onStage(async (large) => {
    await addWaiting(large, mails);
    await onStage(async (small) => {
      await addWaiting(small, mails * YOUNG_PART);
      for (let turn = 0; turn < PICKS; turn++) {
        await pickOnce(large.ctx, turn, aged!);
        await pickOnce(small.ctx, turn, young!);
      }
    });
  });
  return { aged: aged!, young: young! };
}

/** In a transaction that is already open: the work of Postgres, and not that of the disk. */
async function pickOnce(ctx: Context, turn: number, picked: Picked): Promise<void> {
  const domains = Array.from({ length: DOMAINS_A_PICK }, (_, i) => lineOf(turn * DOMAINS_A_PICK + i));
  const counts = domains.map(() => MAILS_A_DOMAIN);
  const lasts = domains.map(() => 0);
  await inTransaction(ctx, async (tx) => {
    const looksAt = performance.now();
    await q.apart.apartDomains(tx, { after: "", limit: 500 });
    const picksAt = performance.now();
    const { workerId } = ctx;
    const { length } = await q.apart.comeBack(tx, { domains, counts, lasts, workerId, now: ctx.now() });
    if (length !== DOMAINS_A_PICK * MAILS_A_DOMAIN) throw new Error(`Picked ${length} mails`);
    picked.looks.push(picksAt - looksAt);
    picked.picks.push(((performance.now() - picksAt) * 1000) / length);
  });
}

async function measureBeside(
  report: Report,
  { rounds, mails, contacts }: { rounds: number; mails: number; contacts: number },
): Promise<void> {
  const sink = await startSinkProcess();
  const beside: OtherMail[] = [];
  const alone: OtherMail[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      alone.push(await measure(sink, contacts, 0));
      beside.push(await measure(sink, contacts, mails));
    }
  } finally {
    sink.stop();
  }
  const p99Of = (all: OtherMail[]) =>
    percentile(
      all.flatMap(({ singles }) => singles),
      99,
    );
  report.line("a campaign to others beside them", median(beside.map(({ rate }) => rate)), "mails/s", {
    ceiling: alone.map(({ rate }) => rate),
    goal: atLeast(0.85),
  });
  report.line("single mails to others beside them, p99", p99Of(beside), "ms", {
    goal: below(500),
    note: { without: Math.round(p99Of(alone)) },
  });
  report.line(
    "mails to others that did not come",
    Math.max(...beside.map(({ missing }) => missing)),
    "mails",
    {
      goal: exactly(0),
    },
  );
}

async function measure(sink: SinkProcess, contacts: number, waiting: number): Promise<OtherMail> {
  return await onStage(async (stage) => {
    await addRecipients(stage, contacts);
    await addWaiting(stage, waiting);
    const service = await stage.startService({ MODE: "all", SMTP_URL: `smtp://127.0.0.1:${sink.port}` });
    await Bun.sleep(HEAD_START_MS);
    const measured = await measureOthers(stage, service, sink, contacts);
    // What hangs in a tarpit need not be waited for.
    await service.kill();
    return measured;
  });
}

/** The sink takes 20 s for each mail to one of these. */
function lineOf(n: number): string {
  return `tarpit${n % LINES}.test`;
}

/** As `set_apart` leaves them. */
async function addWaiting({ databaseUrl, project }: Stage, mails: number): Promise<void> {
  const loader = openLoader(databaseUrl);
  const [content] = await loader`
    insert into contents (project_id, subject, html, from_email)
    values (${project.id}, 'Letter', 'Hi', 'a@shop.example') returning id`;
  for (let from = 0; from < mails; from += BATCH) {
    await loader`
      insert into emails (project_id, address, content_id, source_type, status, due_at, queued_at)
      select ${project.id}, 'user' || n || '@tarpit' || n % ${LINES}::int || '.test', ${content!.id}, 'TRANSACTIONAL', 'PENDING',
        'infinity', now()
      from generate_series(${from}::int, ${Math.min(mails, from + BATCH) - 1}::int) as n`;
  }
  await loader.unsafe("vacuum analyze emails");
  await loader.end();
}
