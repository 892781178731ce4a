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

/** Processor time of this process so far, in milliseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
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
    "/measured/speed": () => Response.json(parsingTime()),
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
