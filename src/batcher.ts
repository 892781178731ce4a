import { isRefusal } from "./database_errors.ts";
import { isSilence, silence } from "./db/patience.ts";

/** How a batcher gathers. */
export interface BatcherOptions<In> {
  /** Items in one flush. */
  maxItems: number;
  /** Concurrent flushes. During them calls wait and gather; so a single call never waits. */
  maxFlights: number;
  /** Calls that may wait or be in progress; left out: any number. More are rejected at once. */
  maxWaiting?: number;
  /** Two items of the same key never share a flush, nor overlap: one row cannot be written twice by one statement. */
  keyOf?: (item: In) => string;
}

/**
 * Turns calls into batches: whatever arrives during earlier batches leaves with the next one. No timer is involved, so
 * an idle service responds at once and a busy one does the work of many calls in one statement. `flush` returns one
 * result per item, in order; a result that is an Error rejects its call alone, and an exception rejects all calls of
 * that flush.
 */
export function createBatcher<In, Out>(
  flush: (items: In[]) => Promise<(Out | Error)[]>,
  { maxItems, maxFlights, maxWaiting = Infinity, keyOf }: BatcherOptions<In>,
): (item: In) => Promise<Out> {
  type Call = { item: In; resolve: (out: Out) => void; reject: (error: unknown) => void };
  let waiting: Call[] = [];
  let flights = 0;
  let underway = 0;
  const busyKeys = new Set<string>();

  const takeBatch = (): Call[] => {
    if (!keyOf) return waiting.splice(0, maxItems);
    const batch: Call[] = [];
    const left: Call[] = [];
    for (const call of waiting) {
      const key = keyOf(call.item);
      if (batch.length < maxItems && !busyKeys.has(key)) {
        busyKeys.add(key);
        batch.push(call);
      } else left.push(call);
    }
    waiting = left;
    return batch;
  };

  const depart = async (batch: Call[]): Promise<void> => {
    flights++;
    underway += batch.length;
    try {
      const results = await flush(batch.map((call) => call.item));
      batch.forEach((call, i) => {
        const result = results[i]!;
        if (result instanceof Error) call.reject(result);
        else call.resolve(result);
      });
    } catch (error) {
      for (const call of batch) call.reject(error);
      // An item that has waited beside them that long would wait as long again.
      if (isSilence(error)) for (const call of waiting.splice(0)) call.reject(silence());
    } finally {
      flights--;
      underway -= batch.length;
      if (keyOf) for (const call of batch) busyKeys.delete(keyOf(call.item));
      pump();
    }
  };

  const pump = (): void => {
    while (flights < maxFlights && waiting.length > 0) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      void depart(batch);
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length + underway >= maxWaiting) return reject(new Error("Too many calls are waiting"));
      waiting.push({ item, resolve, reject });
      pump();
    });
}

/**
 * Does all items in one go, which should be one commit; if the database rejects one of them, each by itself, so that
 * only the faulty one fails. For the `flush` of a batcher.
 */
export async function togetherOrEach<In, Out>(
  items: In[],
  work: (items: In[]) => Promise<Out[]>,
): Promise<(Out | Error)[]> {
  try {
    return await work(items);
  } catch (error) {
    if (items.length === 1 || !isRefusal(error)) throw error;
    const alone = async (item: In): Promise<Out | Error> => (await work([item]))[0]!;
    return await Promise.all(items.map((item) => alone(item).catch((refused: Error) => refused)));
  }
}
