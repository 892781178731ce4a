import { isSilence, silence } from "./db/patience.ts";

/** How a batcher gathers. */
export interface BatcherOptions<In> {
  /** Items in one flush. */
  maxItems: number;
  /** Flushes under way at once. While they are, calls wait and gather; so a lone call never waits. */
  maxFlights: number;
  /** Two items of the same key never share a flush, nor overlap: one row cannot be written twice by one statement. */
  keyOf?: (item: In) => string;
}

/**
 * Turns calls into batches: whatever arrives while earlier batches are under way leaves with the next one. No timer
 * is involved, so an idle service answers at once and a busy one does the work of many calls in one statement.
 * `flush` answers one result per item, in order; a result that is an Error rejects its call alone, and an exception
 * rejects all calls of that flush.
 */
export function createBatcher<In, Out>(
  flush: (items: In[]) => Promise<(Out | Error)[]>,
  { maxItems, maxFlights, keyOf }: BatcherOptions<In>,
): (item: In) => Promise<Out> {
  type Call = { item: In; resolve: (out: Out) => void; reject: (error: unknown) => void };
  let waiting: Call[] = [];
  let flights = 0;
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
    try {
      const results = await flush(batch.map((call) => call.item));
      batch.forEach((call, i) => {
        const result = results[i]!;
        if (result instanceof Error) call.reject(result);
        else call.resolve(result);
      });
    } catch (error) {
      for (const call of batch) call.reject(error);
      // Who has waited beside them for as long would wait as long again.
      if (isSilence(error)) for (const call of waiting.splice(0)) call.reject(silence());
    } finally {
      flights--;
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
      waiting.push({ item, resolve, reject });
      pump();
    });
}
