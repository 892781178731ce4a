// The connections of one runner of graphile-worker: known, so that the runner can be given up with all that it does.
import type pg from "pg";
import { isFetching, isSettling } from "./_runner_queries.ts";
import { pidOf, type WorkerPool } from "./worker_pool.ts";

// With thousands of dead rows, or a starved disk, jobs are fetched slowly: restarting would mean never. Whether such a
// request is answered at all is watched by the lane.
const FETCH_MS = 10 * 60_000;

type Connected = Parameters<pg.Pool["connect"]>[0];

/** The pool as one runner has it. */
export interface RunnerPool {
  pgPool: pg.Pool;
  /** The processes at the server which this runner waits for, but to be told that jobs are over. */
  pids(): number[];
  /**
   * Ends what the runner has in progress, here and at the server, and lets it fetch no more jobs. It may still report
   * on those that it has.
   */
  giveUp(): Promise<void>;
}

/** Gives a runner its part of the pool. */
export function openRunnerPool(pool: WorkerPool): RunnerPool {
  const held = new Set<pg.PoolClient>();
  const asking = new Set<pg.PoolClient>();
  let isGivenUp = false;

  const ask = async (client: pg.PoolClient, given: unknown, answer: (asked: unknown) => Promise<unknown>) => {
    const fetches = isFetching(given);
    if (isGivenUp && fetches) throw new Error("Cannot fetch jobs: the runner was given up");
    if (!isSettling(given)) asking.add(client);
    try {
      return await answer(fetches ? { ...given, query_timeout: FETCH_MS } : given);
    } catch (error) {
      // The server may still be executing it, and would take jobs for nobody.
      if (fetches && isLost(error)) void pool.cutOff([client]);
      // Without its code it is not asked again.
      throw isGivenUp && isLost(error) ? error.cause : error;
    } finally {
      asking.delete(client);
    }
  };
  const connect = async () => {
    const client = await pool.connect();
    const { query, release } = client;
    const plain = query.bind(client) as (...args: unknown[]) => unknown;
    const watched = (...[asked, ...rest]: unknown[]) => {
      // With a callback, as the pool itself asks for the crontab: nothing is fetched in this way.
      if (rest.some((value) => typeof value === "function")) return plain(asked, ...rest);
      return ask(client, asked, async (question) => await plain(question, ...rest));
    };
    client.query = watched as typeof query;
    let isReleased = false;
    client.release = (error) => {
      // The runner does it once more where a connection is lost just as it stops.
      if (isReleased) return;
      isReleased = true;
      client.query = query;
      held.delete(client);
      release(error);
    };
    held.add(client);
    return client;
  };
  const connectEitherWay = (callback?: Connected) => {
    const connecting = connect();
    if (callback === undefined) return connecting;
    connecting.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => {}),
    );
  };
  return {
    // All else is the pool's own.
    pgPool: Object.create(pool, { connect: { value: connectEitherWay } }) as pg.Pool,
    pids: () => [...asking].map(pidOf),
    async giveUp() {
      isGivenUp = true;
      await pool.cutOff([...held]);
    },
  };
}

/** The pool reported that this must be asked again, because its connection was lost. */
function isLost(error: unknown): error is Error {
  return error instanceof Error && error.cause instanceof Error;
}
