// The ceiling: the same work straight through the database driver, without a service around it.
import type postgres from "postgres";
import { openPool } from "../../../src/db/pool.ts";
import { median } from "./report.ts";

/** One unit of work on a pool. */
export type Work = (sql: postgres.Sql) => Promise<unknown>;

const CONNECTIONS = [1, 2, 4, 8, 16, 32];
const PROBE_SECONDS = 0.6;
const WARM_UP_SECONDS = 0.3;

/** How the driver is used: callers at once, over so many connections. */
export interface DriverSetup {
  connections: number;
  callers: number;
}

/**
 * Tries several numbers of connections, each with one caller per connection and with `callers` of them, which then
 * share connections by pipelining. Answers the fastest.
 */
export async function bestSetup(url: string, callers: number, work: Work): Promise<DriverSetup> {
  const setups = CONNECTIONS.flatMap((connections) => [
    { connections, callers: connections },
    { connections, callers },
  ]);
  let best = { setup: setups[0]!, rate: 0 };
  for (const setup of setups) {
    const { rate } = await measureDriver(url, setup, PROBE_SECONDS, work);
    if (rate > best.rate) best = { setup, rate };
  }
  return best.setup;
}

/** How often the work is done in a second, and how long one takes as a rule. */
export async function measureDriver(
  url: string,
  { connections, callers }: DriverSetup,
  seconds: number,
  work: Work,
): Promise<{ rate: number; p50: number }> {
  const sql = openPool(url, { max: connections });
  try {
    const begin = performance.now() + WARM_UP_SECONDS * 1000;
    const end = begin + seconds * 1000;
    const times: number[] = [];
    const loop = async () => {
      for (let now = performance.now(); now < end;) {
        const startedAt = now;
        await work(sql);
        now = performance.now();
        if (now >= begin && now < end) times.push(now - startedAt);
      }
    };
    await Promise.all(Array.from({ length: callers }, loop));
    return { rate: times.length / seconds, p50: median(times) };
  } finally {
    await sql.end({ timeout: 5 });
  }
}
