// The service as a process of its own, which tells what its requests cost: run by `startMeasured`, never by itself.
import { openPool } from "../../src/db/pool.ts";
import { loadConfig } from "../../src/config/mod.ts";
import type { Context } from "../../src/context.ts";
import { createApp } from "../../src/http/mod.ts";
import { createLog } from "../../src/log.ts";
import { createDns } from "../../src/mail/dns.ts";
import { createSmtpMailer } from "../../src/mail/smtp.ts";

const config = loadConfig();
const pool = openPool(config.DATABASE_URL!, { max: 4 });
/** How many requests were logged, by level and status. */
const logged: Record<string, number> = {};
const ctx: Context = {
  config,
  pool,
  sql: pool,
  mailer: createSmtpMailer(config.SMTP_URL!),
  dns: createDns({ servers: ["127.0.0.1:9"] }),
  log: createLog("info", (line) => {
    const { level, status } = JSON.parse(line) as { level: string; status?: number };
    const kind = `${level} ${status ?? ""}`.trim();
    logged[kind] = (logged[kind] ?? 0) + 1;
    if (level === "error" && status === 500) console.error(line.slice(0, 2_000));
  }),
  now: () => new Date(),
  workerId: Bun.randomUUIDv7(),
};

/** What the first look at a page of memory costs on the machine that the limits are for, in milliseconds. */
const REFERENCE_PAGE_MS = 0.001;
const PAGE = 4_096;
const FRESH_PAGES = 2_048;

/** The same here and now, the least of several, so that no work is taken for it: twenty times as much in some machines. */
function pageMs(): number {
  return Math.min(onePageMs(), onePageMs(), onePageMs());
}

function onePageMs(): number {
  const pages = new Uint8Array(new WebAssembly.Memory({ initial: (FRESH_PAGES * PAGE) / 65_536 }).buffer);
  const before = process.cpuUsage();
  for (let at = 0; at < pages.length; at += PAGE) pages[at] = 1;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / FRESH_PAGES;
}

let excess = Math.max(0, pageMs() - REFERENCE_PAGE_MS);
let seen = process.resourceUsage();
/** What of the time so far was work. */
let worked = 0;

/** Processor time of this process so far, in milliseconds, less what the machine takes too long for fresh memory. */
function cpu(): number {
  const now = process.resourceUsage();
  const spent = (now.userCPUTime - seen.userCPUTime + now.systemCPUTime - seen.systemCPUTime) / 1000;
  worked += Math.max(0, spent - (now.minorPageFault - seen.minorPageFault) * excess);
  seen = now;
  return worked;
}

// How long one turn of the event loop took at most. Of the time that passes only what was worked counts: on a busy machine
// the process also waits for the processor.
let blocked = 0;
let last = { at: performance.now(), cpu: cpu() };
setInterval(() => {
  const now = { at: performance.now(), cpu: cpu() };
  blocked = Math.max(blocked, Math.min(now.at - last.at, now.cpu - last.cpu));
  last = now;
}, 1);

/** What the same processor needs for parsing, now: it is slower while others use it too. */
const sample = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key${i}`, i])));

function parsingTime(): number {
  const before = cpu();
  for (let i = 0; i < 5; i++) JSON.parse(sample);
  return (cpu() - before) / 5;
}

const app = createApp(ctx);
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  maxRequestBodySize: 256 * 1_048_576,
  routes: {
    "/measured": () => {
      const measured = { cpu: cpu(), blocked, logged };
      blocked = 0;
      return Response.json(measured);
    },
    "/measured/speed": () => {
      excess = Math.max(0, pageMs() - REFERENCE_PAGE_MS);
      return Response.json(parsingTime());
    },
    "/measured/memory": () => {
      for (let i = 0; i < 3; i++) Bun.gc(true);
      return Response.json(process.memoryUsage());
    },
  },
  fetch: app.fetch,
});
app.server = server as never;
console.log(server.port);
process.on("disconnect", () => process.exit(0));
