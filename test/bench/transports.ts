// A campaign over several transports against one with as many connections, and what limits cost that nothing reaches.
import { insertTransport } from "../support/transports.ts";
import { type CampaignDelivery, deliverCampaign, recipientsOf } from "./campaign_delivery.ts";
import { addContacts } from "./support/campaigns.ts";
import { atLeast, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { type SinkProcess, startSinkProcess } from "./support/smtp_sink.ts";
import { onStage, type Stage } from "./support/stage.ts";

const CONNECTIONS = 40;
const TRANSPORTS = 4;
/** Limits that no campaign reaches here. */
const HIGH = { rate: 1_000_000, perDay: 2_000_000_000 };

interface Setup {
  transports: number;
  limited: boolean;
}

/** In turns: the mail server of the settings, four transports, one transport, and that with limits. */
export async function run(report: Report, options: BenchOptions): Promise<void> {
  const recipients = recipientsOf({ contacts: options.mails ?? options.contacts });
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
      for (let round = 0; round < options.rounds; round++) {
        for (const [name, setup] of Object.entries(setups)) {
          await setUp(stage, sink, setup);
          found[name]!.push(await deliverCampaign(stage, sink, recipients));
        }
      }
    });
  } finally {
    sink.stop();
  }
  const rounds = (name: string) => found[name]!.map((one) => Math.round(one.rate));
  // Both sides of a round are measured one after the other: what else the machine has to do changes from round to round.
  const compared = (name: string, against: string) => {
    const rate = median(found[name]!.map((one) => one.rate));
    return [rate, rate / median(found[name]!.map((one, i) => one.rate / found[against]![i]!.rate))] as const;
  };
  const processorMs = (name: string) => median(found[name]!.map((one) => one.processorMs));
  const [four, standard] = compared("four", "standard");
  report.line("campaign over 4 transports", four, "mails/s", {
    ceiling: standard,
    goal: atLeast(0.95),
    note: { rounds: rounds("four"), alone: rounds("standard") },
  });
  report.line("processor time a mail over 4 transports", processorMs("four"), "ms", {
    ceiling: processorMs("standard"),
  });
  const [limited, unlimited] = compared("limited", "one");
  report.line("campaign by a transport with limits that nothing reaches", limited, "mails/s", {
    ceiling: unlimited,
    goal: atLeast(0.97),
    note: { rounds: rounds("limited"), without: rounds("one") },
  });
  report.line("processor time a mail with such limits", processorMs("limited"), "ms", {
    ceiling: processorMs("one"),
  });
  const uncounted = Object.values(found).flatMap((all) => all.map((one) => one.uncounted));
  report.line("not in the counters", Math.max(...uncounted), "mails", { goal: exactly(0) });
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
