// `bun run bench`: measures the service against what its parts can do alone, in the same run.
import { parseArgs } from "node:util";
import { compareWith } from "./support/compare.ts";
import { type BenchOptions, type Line, startReport } from "./support/report.ts";
import { overviewOf } from "./support/table.ts";

/** A bench runs for a minute to some minutes, and reports each figure as soon as it has it. */
type Bench = { run(report: ReturnType<typeof startReport>, options: BenchOptions): Promise<void> };

/** Every bench, and what it is about. Loaded when asked for. */
const BENCHES: Record<string, { about: string; load: () => Promise<Bench> }> = {
  track: { about: "POST /v1/track, against its statement on the driver", load: () => import("./track.ts") },
  requests: {
    about: "what the log of requests costs POST /v1/track, in pairs with and without it",
    load: () => import("./requests.ts"),
  },
  tracing: {
    about: "what traces cost POST /v1/track and POST /v1/send, in pairs with 1 in 100 traced and none",
    load: () => import("./tracing.ts"),
  },
  send: {
    about: "POST /v1/send, its way to SMTP, and the delivery of a queue",
    load: () => import("./send.ts"),
  },
  submission: {
    about: "messages submitted over SMTP, against POST /v1/send in the same run",
    load: () => import("./submission.ts"),
  },
  batch: {
    about: "POST /v1/send/batch with 400 messages, against POST /v1/send one by one",
    load: () => import("./batch.ts"),
  },
  tracking: {
    about: "opens and clicks of the mails of a campaign, against their statement on the driver",
    load: () => import("./tracking.ts"),
  },
  webhooks: {
    about: "notifications of SES with signatures that are checked, into the ledger",
    load: () => import("./webhooks.ts"),
  },
  "webhooks-out": {
    about:
      "deliveries to a quick endpoint, beside a dead one for which 200,000 wait, and what endpoints cost track",
    load: () => import("./webhooks_out.ts"),
  },
  campaign: {
    about:
      "campaigns: 20,000 mails against the mail library, the snapshot of 1,000,000 recipients, mails sent during it",
    load: () => import("./campaign.ts"),
  },
  transports: {
    about: "a campaign over 4 transports, against one with as many connections; limits that nothing reaches",
    load: () => import("./transports.ts"),
  },
  domains: {
    about:
      "mail to others while 1, 3 and 50 domains of recipients take 20 s for each mail, against the same without",
    load: () => import("./domains.ts"),
  },
  waiting: {
    about:
      "1,000,000 mails that wait for 200 domains: what picking some costs, and a campaign to others beside them",
    load: () => import("./waiting.ts"),
  },
  import: {
    about:
      "imports of 100,000 contacts and of 200 MB, from upload to end, against a bulk upsert on the driver",
    load: () => import("./import.ts"),
  },
  export: {
    about: "an export of 1,000,000 contacts, against reading them with the driver",
    load: () => import("./export.ts"),
  },
  contacts: {
    about: "pages, totals and fields of a project with 2,000,000 contacts",
    load: () => import("./contacts.ts"),
  },
  emails: {
    about: "first pages of GET /emails by each filter in 5,000,000 mails, against 1,000,000",
    load: () => import("./emails.ts"),
  },
  search: { about: "GET /search among 2,000,000 contacts", load: () => import("./search.ts") },
  preview: {
    about: "POST /segments/preview among 1,000,000 contacts",
    load: () => import("./preview.ts"),
  },
  segments: {
    about: "counts of conditions over contacts and events, against SQL written by hand",
    load: () => import("./segments.ts"),
  },
  workflows: {
    about: "100,000 events that start a workflow each, and 1,000,000 executions of which an event wakes one",
    load: () => import("./workflows.ts"),
  },
  insight: {
    about: "events, activity and analytics of 10,000,000 events and 5,000,000 mails, against a tenth of them",
    load: () => import("./insight.ts"),
  },
  auth: {
    about: "authentication by key and session against a route without any, and /v1/send while people log in",
    load: () => import("./auth.ts"),
  },
  console: {
    about:
      "the console in Chromium: bytes, first paint, steps from page to page, a list of 2,000,000 contacts",
    load: () => import("./console.ts"),
  },
  report: {
    about:
      "the report of a campaign of 1,000,000 mails, by its calls and in Chromium; and counts of audiences",
    load: () => import("./report.ts"),
  },
  render: {
    about: "one mail of a campaign from template to source, against composing with the mail library",
    load: () => import("./render.ts"),
  },
};

/** What the overview runs, and how much smaller than alone: `seconds` at most. */
const OVERVIEW: [name: keyof typeof BENCHES, smaller: Partial<BenchOptions>][] = [
  ["track", { seconds: 3 }],
  ["send", { mails: 1_500, seconds: 2 }],
  ["campaign", { mails: 5_000, contacts: 100_000 }],
  ["campaign", { mails: 4_000, dkim: true }],
  ["import", { contacts: 40_000 }],
  ["insight", { events: 600_000, mails: 300_000, seconds: 1 }],
  ["segments", { contacts: 200_000, events: 500_000 }],
];

const HELP = `bun run bench [name] [flags]
bun run bench compare <commit> <name> [flags]

Without a name: the most important ones at smaller sizes, and a table of them. With compare: the bench in the tree of the
commit and in this one, in turn, and a table of both.

${Object.entries(BENCHES)
  .map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`)
  .join("\n")}

  --seconds <n>  length of one measurement (default 4; the overview takes less of some, without --full)
  --rounds <n>   how often the service and its ceiling take turns (default 3); with compare: both trees
  --mails <n>    mails of one delivery, or of the project (default: that of the bench)
  --contacts <n> contacts of the project (default: that of the bench)
  --events <n>   events of the project (default: that of the bench)
  --dkim         of campaign: what signatures cost a delivery, and nothing else
  --full         of the overview: at the sizes that each has alone
  --strict       end with 1 when a goal is missed

Prints JSON lines. These machines are noisy: the ratios count, and not the figures.`;

process.exit(await main(process.argv.slice(2)));

async function main(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  const [name = "", ...more] = positionals;
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const [commit = "", compared = ""] = name === "compare" ? more : [];
  const wanted = name === "compare" ? compared : name;
  const bench = Object.hasOwn(BENCHES, wanted) ? BENCHES[wanted] : undefined;
  if ((!bench && positionals.length > 0) || more.length !== (name === "compare" ? 2 : 0))
    return refuse(`Cannot run "${positionals.join(" ")}": there is no such bench`);
  const options = {
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    ...(values.mails !== undefined && { mails: Number(values.mails) }),
    ...(values.contacts !== undefined && { contacts: Number(values.contacts) }),
    ...(values.events !== undefined && { events: Number(values.events) }),
  };
  const wrong = Object.entries(options).find(([, value]) => !(value > 0 && value <= 100_000_000));
  if (wrong) return refuse(`Cannot take --${wrong[0]}: a number above 0 is expected`);
  if (!bench) return (await runOverview(options, values.full)) || !values.strict ? 0 : 1;
  if (name === "compare") {
    const { rounds } = options;
    const flags = Object.entries(values).flatMap(([flag, value]) => {
      if (flag === "rounds" || value === false) return [];
      return value === true ? [`--${flag}`] : [`--${flag}`, value];
    });
    console.log(await compareWith(commit, wanted, { rounds, flags }));
    return 0;
  }
  const report = startReport(name);
  await (await bench.load()).run(report, { ...options, dkim: values.dkim });
  return report.end() || !values.strict ? 0 : 1;
}

/** The lines of each bench as they come, and at the end the table. Whether all goals were met. */
async function runOverview(options: BenchOptions, isFull: boolean): Promise<boolean> {
  const lines: Line[] = [];
  let areMet = true;
  for (const [name, { dkim, ...smaller }] of OVERVIEW) {
    const report = startReport(dkim ? `${name} --dkim` : name);
    const sizes: Partial<BenchOptions> = isFull ? {} : smaller;
    const seconds = Math.min(options.seconds, sizes.seconds ?? Infinity);
    await (await BENCHES[name]!.load()).run(report, { ...sizes, ...options, seconds, ...(dkim && { dkim }) });
    areMet = report.end() && areMet;
    lines.push(...report.lines);
  }
  console.log(`\n${overviewOf(lines)}`);
  return areMet;
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        seconds: { type: "string", default: "4" },
        rounds: { type: "string", default: "3" },
        mails: { type: "string" },
        contacts: { type: "string" },
        events: { type: "string" },
        dkim: { type: "boolean", default: false },
        full: { type: "boolean", default: false },
        strict: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    process.exit(refuse((error as Error).message));
  }
}

function refuse(reason: string): number {
  console.error(`${reason}\n\n${HELP}`);
  return 2;
}
