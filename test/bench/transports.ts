// A campaign over several transports against one with as many connections, and what limits cost that nothing reaches.
import { insertTransport } from "../support/transports.ts";
import { type CampaignDelivery, deliverCampaign, recipientsOf } from "./campaign_delivery.ts";
import { addContacts } from "./support/campaigns.ts";
import { atLeast, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { type SinkProcess, startSinkProcess } from "./support/smtp_sink.ts";
import { onStage, type Stage } from "./support/stage.ts";

const CONNECTIONS = 40;
const RECIPIENTS = 10_000;
const TRANSPORTS = 4;
/** Limits that no campaign reaches here. */
const HIGH = { rate: 1_000_000, perDay: 2_000_000_000 };

interface Setup {
  transports: number;
  limited: boolean;
}

/** In turns, and back again in the next round: the ledger grows, so who comes later finds a slower machine. */
export async function run(report: Report, options: BenchOptions): Promise<void> {
  const recipients = Math.min(recipientsOf(options), RECIPIENTS);
  const sink = await startSinkProcess();
  const setups: Record<string, Setup> = {
    standard: { transports: 0, limited: false },
    four: { transports: TRANSPORTS, limited: false },
    one: { transports: 1, limited: false },
    limited: { transports: 1, limited: true },
  };
  const found: Record<string, CampaignDelivery[]> = { standard: [], four: [], one: [], limited: [] };
  try {
    await onStage(async (stage) => {
      await addContacts(stage, recipients);
      const there = Object.keys(setups);
      for (let round = 0; round < evenly(options.rounds); round++) {
        for (const name of round % 2 === 0 ? there : there.toReversed()) {
          await setUp(stage, sink, setups[name]!);
          found[name]!.push(await deliverCampaign(stage, sink, recipients));
        }
      }
    });
  } finally {
    sink.stop();
  }
  const compare = (name: string, against: string, of: (one: CampaignDelivery) => number) =>
    compared(found[name]!.map(of), found[against]!.map(of));
  const rounds = (name: string) => found[name]!.map((one) => Math.round(one.rate));
  const [four, standard] = compare("four", "standard", ({ rate }) => rate);
  report.line("campaign over 4 transports", four, "mails/s", {
    ceiling: standard,
    goal: atLeast(0.95),
    note: { rounds: rounds("four"), alone: rounds("standard") },
  });
  const [fourMs, standardMs] = compare("four", "standard", ({ processorMs }) => processorMs);
  report.line("processor time a mail over 4 transports", fourMs, "ms", { ceiling: standardMs });
  const [limited, unlimited] = compare("limited", "one", ({ rate }) => rate);
  report.line("campaign by a transport with limits that nothing reaches", limited, "mails/s", {
    ceiling: unlimited,
    goal: atLeast(0.97),
    note: { rounds: rounds("limited"), without: rounds("one") },
  });
  const [limitedMs, unlimitedMs] = compare("limited", "one", ({ processorMs }) => processorMs);
  report.line("processor time a mail with such limits", limitedMs, "ms", { ceiling: unlimitedMs });
  const uncounted = Object.values(found).flatMap((all) => all.map((one) => one.uncounted));
  report.line("not in the counters", Math.max(...uncounted), "mails", { goal: exactly(0) });
}

/** As often there as back. */
function evenly(rounds: number): number {
  return rounds <= 1 ? rounds : rounds + (rounds % 2);
}

/** The middle one, and the others, drawn together so that the ratio of their middles is the mean of the ratios of all rounds. */
function compared(values: number[], others: number[]): [value: number, ceilings: number[]] {
  const logs = values.map((value, i) => Math.log(value / others[i]!));
  const ratio = Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
  const shift = median(values) / ratio / median(others);
  return [median(values), others.map((other) => other * shift)];
}

/** So many transports that share the connections. They come before the mail server of the settings. */
async function setUp({ ctx }: Stage, sink: SinkProcess, { transports, limited }: Setup): Promise<void> {
  await ctx.pool`delete from transports`;
  const limits = limited ? { ratePerSecond: HIGH.rate, perDay: HIGH.perDay } : {};
  for (let i = 0; i < transports; i++) {
    const url = `smtp://127.0.0.1:${sink.port}`;
    await insertTransport(ctx, { url, priority: 10, connections: CONNECTIONS / transports, ...limits });
  }
}
