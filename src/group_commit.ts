// Requests that arrive during a commit share the next one, each project by itself. What one project does to its commits (a
// lock that somebody holds, a row that the database rejects) neither fails nor delays the requests of another one.
import { createBatcher, togetherOrHalves } from "./batcher.ts";
import { type Context, inTransaction, perService, repeated } from "./context.ts";
import { isHeld } from "./database_errors.ts";
import { q } from "./db/queries.ts";
import { newFairLine } from "./fair_line.ts";
import { problems } from "./problem/mod.ts";

/** What shares commits. */
export interface Grouped<In, Out> {
  /** What a trace calls a commit. */
  name: string;
  /**
   * Does all of them, in the transaction of `tx`: for each its result, or its refusal, for which nothing was written. What
   * it throws undoes them all; they are then tried in smaller groups.
   */
  work: (tx: Context, projectId: string, items: In[]) => Promise<(Out | Error)[]>;
  /**
   * The same as one statement, which needs no transaction and waits no longer than that for a lock. Null: of this one nothing was
   * done, as it takes more than a statement; `work` does it.
   */
  statement?: (ctx: Context, projectId: string, items: In[], lockWaitMs: number) => Promise<(Out | null)[]>;
  /** What an item writes that others may write too: two with a key in common never share a transaction. */
  keysOf: (item: In) => string[];
  /** Those that would wait for a lock of somebody else now. */
  heldAmong: (ctx: Context, projectId: string, items: In[]) => Promise<Set<In>>;
  maxItems: number;
  /** About how large an item is, and how large those of a transaction are together. One that is larger goes by itself. */
  sizes?: { of: (item: In) => number; max: number };
}

/** Does one of them: committed when it resolves. Throws what was thrown about it. */
export type GroupCommit<In, Out> = (projectId: string, item: In) => Promise<Out>;

// One works in the database while the other one gathers and is answered.
const MAX_FLIGHTS = 2;
/** A group waits no longer for a lock: who would have to goes apart, and the others on. */
const LOCK_WAIT_MS = 200;
/**
 * Of those apart: a few wait in the database, each on a connection of its own, and never those of one project alone. The
 * others wait here, some 10 MB.
 */
const APART = { maxAtOnce: 6, maxOfOne: 2, maxWaiting: 10_000, maxWaitingOfOne: 5_000 };

/** An item that has to wait for a lock. */
const HELD = Symbol("held");

/** Makes groups for one kind of work. Without load a request waits for nobody; there is no timer. */
export function groupCommit<In, Out>(grouped: Grouped<In, Out>): (ctx: Context) => GroupCommit<In, Out> {
  return perService((ctx) => {
    const apart = newApart(grouped);
    const inGroups = groupsOf(ctx, grouped, apart);
    const { sizes } = grouped;
    return async (projectId, item) => {
      if (sizes && sizes.of(item) > sizes.max) return await alone(ctx, grouped, projectId, item);
      if (apart.has(projectId, item)) apart.add(projectId, item);
      else {
        const result = await inGroups(projectId, item);
        if (result !== HELD) return result as Out;
      }
      return await apart.inTurn(projectId, item, () => alone(ctx, grouped, projectId, item));
    };
  });
}

/** A batcher for each project, as long as it has requests. */
function groupsOf<In, Out>(ctx: Context, grouped: Grouped<In, Out>, apart: Apart<In>) {
  type Result = Out | typeof HELD;
  const projects = new Map<string, { calls: number; call: (item: In) => Promise<Result> }>();
  return async (projectId: string, item: In): Promise<Result> => {
    let project = projects.get(projectId);
    if (!project) {
      const call = createBatcher<In, Result>(
        (items) => togetherOrHalves(items, (some) => together(ctx, grouped, apart, projectId, some)),
        { ...grouped, maxFlights: MAX_FLIGHTS },
      );
      projects.set(projectId, (project = { calls: 0, call }));
    }
    project.calls++;
    try {
      return await project.call(item);
    } finally {
      if (--project.calls === 0) projects.delete(projectId);
    }
  };
}

/** One commit. If somebody holds a lock for too long, a second one without those who wait for it: they go apart. */
async function together<In, Out>(
  ctx: Context,
  grouped: Grouped<In, Out>,
  apart: Apart<In>,
  projectId: string,
  items: In[],
): Promise<(Out | Error | typeof HELD)[]> {
  let free = items.filter((item) => !apart.has(projectId, item));
  let results = await commitInTime(ctx, grouped, projectId, free);
  if (results === null) {
    const held = await grouped.heldAmong(ctx, projectId, free);
    // Where it is none of the locks that can be looked for, all go apart.
    free = held.size === 0 ? [] : free.filter((item) => !held.has(item));
    results = await commitInTime(ctx, grouped, projectId, free);
  }
  const indexOf = new Map(results && free.map((item, i) => [item, i]));
  return items.map((item) => {
    const i = indexOf.get(item);
    const result = i === undefined ? HELD : results![i]!;
    if (result === HELD) apart.add(projectId, item);
    return result;
  });
}

/** Null if it waited for a lock for too long: nothing has happened. */
async function commitInTime<In, Out>(
  ctx: Context,
  grouped: Grouped<In, Out>,
  projectId: string,
  items: In[],
): Promise<(Out | Error | typeof HELD)[] | null> {
  if (items.length === 0) return [];
  const { statement } = grouped;
  try {
    if (!statement) return await transact(ctx, grouped, projectId, items);
    const done = await repeated(() => statement(ctx, projectId, items, LOCK_WAIT_MS));
    const left = items.filter((_, i) => done[i] === null);
    const rest = (await commitRest(ctx, grouped, projectId, left)).values();
    return done.map((result) => result ?? rest.next().value!);
  } catch (error) {
    if (!isHeld(error)) throw error;
    return null;
  }
}

/** What a statement has left. The others of it are committed: whatever fails here fails for these alone. */
async function commitRest<In, Out>(
  ctx: Context,
  grouped: Grouped<In, Out>,
  projectId: string,
  items: In[],
): Promise<(Out | Error | typeof HELD)[]> {
  if (items.length === 0) return [];
  const results = await togetherOrHalves(items, (some) => transact(ctx, grouped, projectId, some)).catch(
    (error: Error) => items.map(() => error),
  );
  return results.map((result) => (isHeld(result) ? HELD : result));
}

async function transact<In, Out>(
  ctx: Context,
  { work }: Grouped<In, Out>,
  projectId: string,
  items: In[],
): Promise<(Out | Error)[]> {
  return await inTransaction(ctx, async (tx) => {
    const limiting = q.lockWaits.limit(tx, { waitMs: LOCK_WAIT_MS });
    const [results] = await Promise.all([work(tx, projectId, items), limiting]);
    return results;
  });
}

/** Items that wait for a lock, or behind one that does. */
interface Apart<In> {
  /** Whether what this one writes is waited for. */
  has: (projectId: string, item: In) => boolean;
  add: (projectId: string, item: In) => void;
  /** Does the work of one that was added, when its turn has come. */
  inTurn: <Out>(projectId: string, item: In, work: () => Promise<Out>) => Promise<Out>;
}

function newApart<In, Out>(grouped: Grouped<In, Out>): Apart<In> {
  const line = newFairLine(APART, { ofAll: problems.unavailable, ofOne: problems.unavailable });
  /** How many wait, by what they write. */
  const waiting = new Map<string, number>();
  const keysOf = (projectId: string, item: In) => grouped.keysOf(item).map((key) => `${projectId} ${key}`);
  const count = (projectId: string, item: In, by: number) => {
    for (const key of keysOf(projectId, item)) {
      const left = (waiting.get(key) ?? 0) + by;
      if (left === 0) waiting.delete(key);
      else waiting.set(key, left);
    }
  };
  return {
    has: (projectId, item) => waiting.size > 0 && keysOf(projectId, item).some((key) => waiting.has(key)),
    add: (projectId, item) => count(projectId, item, 1),
    inTurn: async (projectId, item, work) => {
      try {
        return await line(projectId, work);
      } finally {
        count(projectId, item, -1);
      }
    },
  };
}

/** A transaction of its own, which waits for locks as long as any. */
async function alone<In, Out>(
  ctx: Context,
  { work }: Grouped<In, Out>,
  projectId: string,
  item: In,
): Promise<Out> {
  const [result] = await inTransaction(ctx, (tx) => work(tx, projectId, [item]));
  if (result instanceof Error) throw result;
  return result as Out;
}
