// Starts what MODE asks for, and stops it in order.
import { CRONTAB, tasks } from "../tasks/mod.ts";
import { startWarnings } from "./service/start_warnings.ts";
import { loadConfig } from "./config/mod.ts";
import type { Context } from "./context.ts";
import { isConflict, isDatabaseAway } from "./database_errors.ts";
import { welcome } from "./service/first_start.ts";
import { traced } from "./http/entry/traces.ts";
import { createHealthApp, createWaitingApp } from "./http/routes/health.ts";
import { endWatching } from "./insight/activity/live.ts";
import { makePartitions } from "./insight/partitions.ts";
import { flushRequests } from "./insight/requests/log.ts";
import { describeError } from "./log.ts";
import type { InboundServer } from "./mail/inbound_smtp.ts";
import { closeHandOff, openHandOff } from "./sending/delivery/hand_off.ts";
import { fetchApart, releaseLostClaims, stopDelivery } from "./sending/delivery/mod.ts";
import { reapDeadWorkers } from "./sending/delivery/recovery.ts";
import { routable } from "./request_url.ts";
import type { Submission } from "./sending/submission/mod.ts";
import { createService } from "./service/mod.ts";
import { startTelemetry, type Telemetry } from "./telemetry/mod.ts";
import { counted } from "./traffic.ts";
import { startWorker, type Worker } from "./worker/mod.ts";

// The routes refuse with 413, and say so, anything larger than their own limits; this is only the outermost limit.
const MAX_REQUEST_BYTES = 256 * 1_048_576;

// Work in progress has 25 s; after an unknown error it may not end at all.
const STRAY_MS = 30_000;

const FLUSH_MS = 2_000;

/** Why it cannot listen there, and what helps. `PORT` stands for the setting. */
const LISTEN_ERRORS: Record<string, string> = {
  EADDRINUSE: "address already in use. Set PORT to another one",
  EACCES: "permission denied. Set PORT to one above 1023",
  EADDRNOTAVAIL: "not an address of this machine. Set HOST to another one",
  EINVAL: "not an address of this machine. Set HOST to another one",
};

const service = await open();
const { ctx } = service;
const { MODE, HOST, PORT, INBOUND_SMTP_PORT } = ctx.config;

let server: Bun.Server<undefined> | undefined;
let inbound: InboundServer | undefined;
let submission: Submission | undefined;
let worker: Worker | undefined;
let telemetry: Telemetry | null = null;
let stopping = false;
const ending = new AbortController();
const started = start();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));
for (const event of ["unhandledRejection", "uncaughtException"] as const) {
  process.on(event, (error: unknown) => onStray(event, error));
}
await started.catch(async (error: Error) => {
  if (!stopping) await end(error);
});

async function start(): Promise<void> {
  // Before the database is used: a health check sees that the process is alive.
  server = await listen();
  telemetry = await startTelemetry(ctx);
  await service.prepare({ waitS: ctx.config.DATABASE_WAIT_SECONDS, signal: ending.signal });
  // After months out of service: before there is anything to write.
  await makePartitions(ctx).catch((error) => ctx.log.warn("partitions not made", describeError(error)));
  await serve(server);
  // A process that cannot listen must not have taken a job.
  inbound = await listenForMail();
  submission = await listenForApplications();
  if (MODE !== "http") {
    worker = await startWorker(ctx, service, {
      tasks,
      crontab: CRONTAB,
      reap,
      onBeat: recover,
      onStop: endDelivery,
    });
  }
  if (MODE === "all") openHandOff(ctx);
  const ports = {
    port: server.port,
    ...(inbound && { inboundSmtpPort: inbound.port }),
    ...submission?.ports,
  };
  ctx.log.info("started", { mode: MODE, host: HOST, ...ports });
  for (const { level, message } of await startWarnings(ctx)) ctx.log[level](message);
  // Last, so that nothing is between it and the reader.
  if (MODE !== "worker") await welcome(service, server.port!);
}

/** Until the database is there, nothing is answered but how we are. */
async function listen(): Promise<Bun.Server<undefined>> {
  try {
    return Bun.serve({
      hostname: HOST,
      port: PORT,
      maxRequestBodySize: MAX_REQUEST_BYTES,
      idleTimeout: 60,
      fetch: routable(createWaitingApp(ctx).fetch),
    });
  } catch (error) {
    throw cannotListen("PORT", PORT, error);
  }
}

/** A worker responds too, so that its container can be monitored, but only about its health. */
async function serve(listening: Bun.Server<undefined>): Promise<void> {
  // A worker does without the routes, and the memory that they take.
  const app = MODE === "worker" ? createHealthApp(ctx) : (await import("./http/mod.ts")).createApp(ctx);
  listening.reload({ fetch: routable(counted(ctx, traced(app.fetch))) });
  // Only a server knows the address that a request came from, and the limits of the public pages ask for it.
  app.server = listening as never;
}

/** What comes back as mail is taken where requests are. */
async function listenForMail(): Promise<InboundServer | undefined> {
  if (MODE === "worker" || INBOUND_SMTP_PORT === undefined) return undefined;
  // Most do without the SMTP server, and the memory that it takes.
  const { listenForBounces } = await import("./sending/feedback/bounce_mails.ts");
  try {
    return await listenForBounces(ctx);
  } catch (error) {
    throw cannotListen("INBOUND_SMTP_PORT", INBOUND_SMTP_PORT, error);
  }
}

/** Applications submit mail where requests are answered. */
async function listenForApplications(): Promise<Submission | undefined> {
  const { SUBMISSION_PORT, SUBMISSION_TLS_PORT } = ctx.config;
  if (MODE === "worker" || (SUBMISSION_PORT ?? SUBMISSION_TLS_PORT) === undefined) return undefined;
  const { listenForSubmissions } = await import("./sending/submission/mod.ts");
  try {
    return await listenForSubmissions(ctx);
  } catch (error) {
    const { setting } = error as { setting?: "SUBMISSION_PORT" | "SUBMISSION_TLS_PORT" };
    throw setting ? cannotListen(setting, ctx.config[setting]!, error) : error;
  }
}

function cannotListen(setting: string, port: number, error: unknown): Error {
  const { code = "", message } = error as Error & { code?: string };
  const reason = LISTEN_ERRORS[code]?.replace("PORT", setting) ?? message;
  return new Error(`Cannot listen on ${HOST}:${port}: ${reason}`, { cause: error });
}

/**
 * Uncaught errors. A lost connection is nobody's fault, and the caller that needed it has been told. After anything else our
 * state is unknown: work in progress is finished, and the supervisor restarts the process.
 */
function onStray(event: string, error: unknown): void {
  if (isDatabaseAway(error) || isConflict(error)) {
    return ctx.log.warn("connection lost", { event, ...describeError(error) });
  }
  ctx.log.error("ending because of an uncaught error", { event, ...describeError(error) });
  setTimeout(() => process.exit(1), STRAY_MS).unref();
  void stop(event, 1);
}

async function stop(signal: string, code = 0): Promise<void> {
  if (stopping) return;
  stopping = true;
  ctx.log.info("stopping", { signal });
  ending.abort(new Error("Stopped while it waited for the database"));
  await started.catch(() => {});
  endWatching(ctx);
  await Promise.all([server?.stop(), inbound?.stop(), submission?.stop(), worker?.stop()]);
  // What was answered last. Of a database that is away nothing is expected, nor of a collector.
  await Promise.race([Promise.all([flushRequests(ctx), telemetry?.stop()]), Bun.sleep(FLUSH_MS)]);
  await service.close();
  process.exit(code);
}

/** Ends a start that has failed. */
async function end(error: Error): Promise<never> {
  console.error(error.message);
  await Promise.all([server?.stop(true), inbound?.stop(), submission?.stop(), worker?.stop()]);
  await service.close();
  process.exit(1);
}

async function reap(on: Context): Promise<void> {
  const reaped = await reapDeadWorkers(on);
  if (reaped.workers > 0) on.log.warn("recovered from dead workers", reaped);
}

async function endDelivery(on: Context): Promise<void> {
  await Promise.all([closeHandOff(on), stopDelivery(on)]);
}

async function recover(on: Context): Promise<void> {
  const released = await releaseLostClaims(on);
  if (released > 0) on.log.warn("gave back lost claims", { mails: released });
  await fetchApart(on);
}

async function open() {
  try {
    return await createService(loadConfig());
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
