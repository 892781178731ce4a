// rspamd and SpamAssassin as Debian packages them (`apt-get install rspamd spamassassin`), in a folder of their own. Neither
// asks anybody on the network: rspamd's resolver is a name server of the test, SpamAssassin runs its local rules.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until, unusedPort } from "./process.ts";

const RSPAMD = "/usr/bin/rspamd";
const SPAMASSASSIN = "/usr/bin/spamassassin";

/** Why there is none to test with; empty where there is. */
export const NO_RSPAMD = existsSync(RSPAMD) ? "" : `skipped: there is no ${RSPAMD}`;
export const NO_SPAMASSASSIN = existsSync(SPAMASSASSIN) ? "" : `skipped: there is no ${SPAMASSASSIN}`;

/** What a filter found in a mail: its names for it, with points that count against the mail, or for it below 0. */
export type Symbols = Record<string, number>;

/** How the mail came to the server that asks. */
export interface Arrival {
  ip: string;
  helo: string;
  from: string;
  to: string;
}

/** Modules that ask services on the internet, or keep something in Redis. */
const OF_THE_NETWORK =
  `antivirus asn bimi clickhouse dcc elastic fuzzy_check greylist mx_check neural phishing ratelimit rbl
  reputation surbl url_redirector`.split(/\s+/);

/** Starts an rspamd that asks the name server at `dns`. */
export async function startRspamd(dns: string): Promise<{
  url: string;
  check(source: string, arrival: Arrival): Promise<Symbols>;
  stop(): Promise<void>;
}> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-rspamd-"));
  const port = await unusedPort();
  mkdirSync(join(dir, "local.d"));
  for (const name of OF_THE_NETWORK) writeFileSync(join(dir, `local.d/${name}.conf`), "enabled = false;\n");
  // Its list of all public suffixes takes half a minute to compile.
  writeFileSync(join(dir, "suffixes"), "com\nde\nexample\norg\ntest\n");
  writeFileSync(
    join(dir, "local.d/options.inc"),
    `filters = "chartable,dkim,regexp"; disable_hyperscan = true; url_tld = "${dir}/suffixes";
control_socket = "${dir}/control"; cache_file = "${dir}/cache"; history_file = "${dir}/history"; dynamic_conf = "${dir}/dynamic";
dns { nameserver = ["${dns}"]; timeout = 1s; retransmits = 2; }
`,
  );
  writeFileSync(
    join(dir, "rspamd.conf"),
    `.include "$CONFDIR/common.conf"
options {
  pidfile = "${dir}/pid";
  .include "$CONFDIR/options.inc"
  .include(try=false; priority=1,duplicate=merge) "${dir}/local.d/options.inc"
}
logging { type = "console"; level = "error"; }
worker "normal" { bind_socket = "127.0.0.1:${port}"; count = 1; }
`,
  );
  const folders = ["DBDIR", "RUNDIR", "LOGDIR", "LOCAL_CONFDIR"].map((name) => `--var=${name}=${dir}`);
  const child = Bun.spawn([RSPAMD, "-f", "-i", "-c", join(dir, "rspamd.conf"), ...folders], {
    stdout: "ignore",
    stderr: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  await until("rspamd answers", async () => {
    if (child.exitCode !== null) throw new Error(`Cannot start rspamd: it ended with ${child.exitCode}`);
    return await fetch(`${url}/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    url,
    async check(source, { ip, helo, from, to }) {
      const headers = { ip, helo, hostname: helo, from, rcpt: to };
      const answer = await fetch(`${url}/checkv2`, { method: "POST", body: source, headers });
      const { symbols } = (await answer.json()) as { symbols: Record<string, { score: number }> };
      return Object.fromEntries(Object.entries(symbols).map(([name, { score }]) => [name, score]));
    },
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** What the local rules of SpamAssassin find in each mail. One process for all of them: its start takes a second. */
export async function askSpamAssassin(sources: readonly string[]): Promise<Symbols[]> {
  const dir = mkdtempSync(join(tmpdir(), "postrider-spamassassin-"));
  try {
    const files = sources.map((source, n) => {
      const file = join(dir, String(n));
      writeFileSync(file, source.replaceAll("\r\n", "\n"));
      return file;
    });
    const settings = ["use_bayes 0", "use_auto_welcomelist 0", "add_header all Points _TESTSSCORES(,)_"];
    const options = settings.map((line) => `--cf=${line}`);
    const child = Bun.spawn([SPAMASSASSIN, "-L", "-x", ...options, ...files], {
      env: { PATH: "/usr/bin:/bin", HOME: dir, LANG: "C.UTF-8" },
      stderr: "ignore",
    });
    const output = await new Response(child.stdout).text();
    const points = [...output.matchAll(/^X-Spam-Points: (.*(?:\n[ \t].*)*)/gm)];
    return points.map(([, list]) =>
      Object.fromEntries(
        list!
          .replace(/\s+/g, "")
          .split(",")
          .filter((entry) => entry.includes("="))
          .map((entry) => [entry.split("=")[0]!, Number(entry.split("=")[1])]),
      ),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
