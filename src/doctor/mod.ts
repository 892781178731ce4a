// `bun run admin doctor`: checks everything that an installation depends on, and says what to do. Unless the database
// is the embedded one, it changes nothing.
import type postgres from "postgres";
import { type Config, dnsServers } from "../config/mod.ts";
import { q } from "../db/queries.ts";
import { openPool } from "../db/pool.ts";
import { isPoolerTalk, POOLERS } from "../db/pooler.ts";
import { createDns } from "../mail/dns.ts";
import { openService } from "../service/mod.ts";
import { clock, database, migrations, workers } from "./_database.ts";
import { domains } from "./_domains.ts";
import { type Check, examineOne, failure, type Finding, type Patient } from "./_findings.ts";
import { dkimKeys } from "./_keys.ts";
import { oldCapturedMails, platformFrom, smtp, spamFilter } from "./_mail.ts";
import { pooler } from "./_pooler.ts";
import { waitingCampaigns } from "./_projects.ts";
import { submission } from "./_submission.ts";
import { transports } from "./_transports.ts";
import { baseUrl, namedProxies, secretKey, snsTopicArns } from "./_web.ts";

export type { Finding } from "./_findings.ts";

/** The checks, in the order of the report. */
const CHECKS: readonly Check[] = [
  database,
  migrations,
  pooler,
  workers,
  clock,
  smtp,
  transports,
  oldCapturedMails,
  submission,
  domains,
  dkimKeys,
  waitingCampaigns,
  baseUrl,
  secretKey,
  namedProxies,
  platformFrom,
  spamFilter,
  snsTopicArns,
];

const CONNECT_MS = 8_000;
/** An embedded Postgres may have to be made first. */
const START_MS = 90_000;

/** Runs all checks at once, each within its time limit. Never throws; unreadable settings are a finding too. */
export async function examine(loadConfig: () => Config, { now = () => new Date() } = {}): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    const advice =
      "Correct the environment variables named here first: nothing else can be checked before that.";
    return [failure("settings", (error as Error).message, advice)];
  }
  const opening = openDatabase(config);
  const patient: Patient = { config, dns: createDns({ servers: dnsServers(config) }), sql: null, now };
  const found = await Promise.all(
    CHECKS.map(async (check) => {
      const opened = check.needsDatabase ? await opening : null;
      if (opened === null || opened instanceof Error) return await examineOne(check, patient);
      return await examineOne(check, { ...patient, sql: opened.sql, config: opened.config });
    }),
  );
  const opened = await opening;
  if (opened instanceof Error) found[CHECKS.indexOf(database)] = [unreachable(config, opened)];
  else await opened.close().catch(() => {});
  return found.flat();
}

/** The findings for people: one after another, each with what to do. */
export function toText(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = " ".repeat(9 + width + 2);
  const lines = findings.map(({ check, status, message, advice }) => {
    const head = status.padEnd(9) + check.padEnd(width + 2);
    const rest = [...message.split("\n"), ...(advice ? advice.split("\n").map((line) => `  ${line}`) : [])];
    return head + rest.join(`\n${indent}`);
  });
  const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const sum =
    errors + warnings === 0
      ? "All is well."
      : `${errors} ${errors === 1 ? "error" : "errors"}, ${warnings} ${warnings === 1 ? "warning" : "warnings"}.`;
  return `${lines.join("\n")}\n\n${sum}\n`;
}

interface Opened {
  sql: postgres.Sql;
  /** With the secret that a development machine has made for itself. */
  config: Config;
  close(): Promise<void>;
}

async function openDatabase(config: Config): Promise<Opened | Error> {
  const opening =
    config.DATABASE_URL === undefined ? openEmbedded(config) : connect(config, config.DATABASE_URL);
  const limitMs = config.DATABASE_URL === undefined ? START_MS : CONNECT_MS;
  let timer: Timer | undefined;
  const late = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`no response within ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([opening, late]);
  } catch (error) {
    return error as Error;
  } finally {
    clearTimeout(timer);
  }
}

/** Unchanged: whatever the schema is, it is left alone. */
async function connect(config: Config, url: string): Promise<Opened> {
  const sql = openPool(url, {
    max: 4,
    name: "postrider doctor",
    isPooled: config.DATABASE_DIRECT_URL !== undefined,
  });
  const close = () => sql.end({ timeout: 1 });
  try {
    await q.doctor.clock({ sql });
    return { sql, config, close };
  } catch (error) {
    void close().catch(() => {});
    throw error;
  }
}

/** It belongs to us: it is started where it does not run, as by every other command. */
async function openEmbedded(config: Config): Promise<Opened> {
  const service = await openService({ ...config, LOG_LEVEL: "warn" }, { guest: true });
  return { sql: service.ctx.pool, config: service.ctx.config, close: () => service.close() };
}

function unreachable({ DATABASE_URL, DATA_DIR }: Config, error: Error): Finding {
  const code = (error as { code?: string }).code ?? "";
  const said = error.message || code;
  if (DATABASE_URL === undefined) {
    const advice = `Check the folder ${DATA_DIR} and the message, or set DATABASE_URL to your own Postgres.`;
    return failure("database", `The embedded Postgres does not start: ${said}`, advice);
  }
  if (isPoolerTalk(error)) {
    return failure("database", POOLERS.DATABASE_URL, "Migrations, locks and the queue go to that address.");
  }
  const advice = /^(28P01|28000)$/.test(code)
    ? "Check the user and password in DATABASE_URL; special characters in them are percent-encoded."
    : code === "3D000"
      ? "Create that database (`createdb`), or use another one in DATABASE_URL."
      : "Check the host and port in DATABASE_URL, that Postgres runs, and that no firewall blocks this machine.";
  return failure("database", `The database cannot be reached: ${said}`, advice);
}
