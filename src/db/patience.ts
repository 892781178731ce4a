// How long a response of the database is awaited, and whether the statement may have been executed without one.
import type postgres from "postgres";

/** A statement that had no answer in time. */
class SilentDatabase extends Error {
  override name = "SilentDatabase";
  readonly code = "CONNECTION_SILENT";

  constructor() {
    super("The database did not answer in time");
  }
}

/** The response was lost, not the request: the statement may have been executed. */
const unsure = new WeakSet<object>();

/** Whether the failed statement may have been executed anyway. */
export function mayHaveHappened(error: unknown): boolean {
  return typeof error === "object" && error !== null && unsure.has(error);
}

/** Marks a failure as without effect, whatever was asked: for reads, for example. */
export function withoutEffect(error: unknown): unknown {
  if (typeof error === "object" && error !== null) unsure.delete(error);
  return error;
}

/** Whether an error says that the database did not respond in time. */
export function isSilence(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "CONNECTION_SILENT";
}

/** An error for a statement that was not even sent, because the database does not respond. */
export function silence(): Error {
  return new SilentDatabase();
}

/**
 * The connection is lost, and the response with it: the outcome of the statement is unknown. A connection that was
 * never established (CONNECT_TIMEOUT, ECONNREFUSED, 57P03) carried none.
 */
const LOST = /^(CONNECTION_|ECONNRESET|EPIPE|ETIMEDOUT|08|57P0[124])/;

/** Waits up to `patienceMs` for a statement that is its own transaction, or part of one. */
export async function answerOf<T extends readonly object[]>(
  query: postgres.PendingQuery<T[number][]>,
  patienceMs: number | undefined,
  { isAlone }: { isAlone: boolean },
): Promise<postgres.RowList<T[number][]>> {
  try {
    return await inTime(query, patienceMs, () => {
      // What still waits for a connection is taken back.
      if (!wasSent(query)) query.cancel();
    });
  } catch (error) {
    if (isAlone && wasSent(query)) noteLost(error);
    throw error;
  }
}

/** A transaction: how far it has come decides what an error means. */
export async function transactionIn<T>(
  pool: postgres.Sql,
  work: (sql: postgres.TransactionSql) => Promise<T>,
  patienceMs: number | undefined,
): Promise<T> {
  const { promise: silent, reject } = Promise.withResolvers<never>();
  let isGivenUp = false;
  let isCommitting = false;
  const giveUp = (error: Error) => {
    isGivenUp = true;
    reject(error);
  };
  const timed = patienceMs !== undefined && Number.isFinite(patienceMs);
  let timer = timed ? setTimeout(() => giveUp(silence()), patienceMs) : undefined;
  const done = pool.begin(async (sql) => {
    clearTimeout(timer);
    if (isGivenUp) throw silence();
    const result = await work(sql).catch((error: Error) => {
      // The end of a transaction is not awaited on a silent connection: it will be rolled back.
      if (isSilence(error)) giveUp(error);
      throw error;
    });
    isCommitting = true;
    if (timed) timer = setTimeout(() => giveUp(silence()), patienceMs);
    return result;
  });
  try {
    return (await Promise.race([done, silent])) as T;
  } catch (error) {
    if (isCommitting) noteLost(error);
    throw error;
  } finally {
    clearTimeout(timer);
    done.catch(() => {});
  }
}

async function inTime<T>(
  work: PromiseLike<T>,
  patienceMs: number | undefined,
  onLate: () => void,
): Promise<T> {
  if (patienceMs === undefined || !Number.isFinite(patienceMs)) return await work;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(silence());
    onLate();
  }, patienceMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The driver gives a statement a state when it writes it to a connection. */
function wasSent(query: object): boolean {
  return (query as { state: unknown }).state !== null;
}

function noteLost(error: unknown): void {
  if (typeof error !== "object" || error === null) return;
  if (LOST.test(String((error as { code?: unknown }).code ?? ""))) unsure.add(error);
}
