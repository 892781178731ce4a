// Starts what MODE asks for, and stops it in order.
import { CRONTAB, tasks } from "../tasks/mod.ts";
import { loadConfig } from "./config.ts";
import type { Context } from "./context.ts";
import { welcome } from "./first_start.ts";
import { createApp } from "./http/mod.ts";
import { releaseLostClaims, stopDelivery } from "./sending/delivery.ts";
import { buryDeadWorkers } from "./sending/recovery.ts";
import { openService, type Service } from "./service.ts";
import { startWorker } from "./worker.ts";

// The routes answer what is larger than their own limits with 413 and say so; this is only the outermost wall.
const MAX_REQUEST_BYTES = 256 * 1_048_576;

const service = await open();
const { ctx } = service;
const { MODE, HOST, PORT } = ctx.config;

const worker =
  MODE === "http"
    ? null
    : await startWorker(ctx, service, { tasks, crontab: CRONTAB, onBeat: recover, onStop: stopDelivery });
const server =
  MODE === "worker"
    ? null
    : Bun.serve({
        hostname: HOST,
        port: PORT,
        maxRequestBodySize: MAX_REQUEST_BYTES,
        idleTimeout: 60,
        fetch: createApp(ctx).fetch,
      });
await welcome(service, server?.port ?? null);
ctx.log.info("started", { mode: MODE, ...(server && { host: HOST, port: server.port }) });

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));

async function stop(signal: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  ctx.log.info("stopping", { signal });
  await Promise.all([server?.stop(), worker?.stop()]);
  await service.close();
  process.exit(0);
}

async function recover(on: Context): Promise<void> {
  const buried = await buryDeadWorkers(on);
  if (buried.workers > 0) on.log.warn("recovered from dead workers", buried);
  const released = await releaseLostClaims(on);
  if (released > 0) on.log.warn("gave back lost claims", { mails: released });
}

async function open(): Promise<Service> {
  try {
    return await openService(loadConfig());
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
