// What the counters cost those who write, and the deletion of all events of a name.
import type { Context } from "../../src/context.ts";
import { SOME, TO_DELETE } from "./insight_facts.ts";
import type { Subject } from "./insight_reads.ts";
import { type LoadResult, runLoad } from "./support/http_load.ts";
import { atLeast, below, exactly, median, type Report } from "./support/report.ts";

const CONNECTIONS = 64;
const PAIRS_A_ROUND = 2;
const PATIENCE_MS = 20_000;
const BODY = '{"email":"user{n}@example.com","event":"page viewed","data":{"plan":"pro","visits":{n}}}';

/** Requests a second with the counters of events and without, in slices that take turns. */
export async function measureTracking(
  report: Report,
  ctx: Context,
  { port, project, history }: Subject,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<void> {
  const load = { port, path: "/v1/track", key: project.public, body: BODY, connections: CONNECTIONS };
  const slice = async (isCounted: boolean): Promise<LoadResult> => {
    await untilFolded(ctx);
    await count(ctx, isCounted);
    return await runLoad({ ...load, population: history.contacts, seconds: seconds / PAIRS_A_ROUND });
  };
  const counted: LoadResult[] = [];
  const uncounted: LoadResult[] = [];
  for (let pair = 0; pair < rounds * PAIRS_A_ROUND; pair++) {
    // Neither is always the first: what comes later finds a larger table.
    for (const isCounted of pair % 2 === 0 ? [true, false] : [false, true]) {
      (isCounted ? counted : uncounted).push(await slice(isCounted));
    }
  }
  await count(ctx, true);
  const ratios = counted.map(({ rate }, pair) => rate / uncounted[pair]!.rate);
  const all = [...counted, ...uncounted];
  const firstError = all.find((result) => result.firstError)?.firstError;
  report.line(
    "/v1/track with counters, against without",
    median(counted.map(({ rate }) => rate)),
    "requests/s",
    {
      ceiling: uncounted.map(({ rate }) => rate),
      goal: atLeast(0.9),
      note: {
        ratios: ratios.map((ratio) => Number(ratio.toFixed(3))),
        p99: Number(median(counted.map(({ p99 }) => p99)).toFixed(1)),
      },
    },
  );
  report.line(
    "/v1/track, errors",
    all.reduce((sum, { errors }) => sum + errors, 0),
    "requests",
    {
      goal: exactly(0),
      ...(firstError && { note: { firstError } }),
    },
  );
}

/** The answers to deletions of a name: of as many events as are deleted at once, and of many, in a job that follows. */
export async function measureDeletion(report: Report, subject: Subject): Promise<void> {
  for (const name of [SOME, TO_DELETE]) {
    const url = `http://127.0.0.1:${subject.port}/events/${name}`;
    const startedAt = performance.now();
    const response = await fetch(url, {
      method: "DELETE",
      headers: { authorization: `Bearer ${subject.project.secret}` },
    });
    const text = await response.text();
    const ms = performance.now() - startedAt;
    if (!response.ok) throw new Error(`Cannot delete ${name}: ${text.slice(0, 500)}`);
    const { deletedCount } = JSON.parse(text) as { deletedCount: number };
    report.line(`DELETE /events/${name}, the answer`, ms, "ms", { goal: below(50), note: { deletedCount } });
  }
}

/** Switches the counters of events on or off, for everybody. */
async function count({ pool }: Context, isCounted: boolean): Promise<void> {
  await pool.unsafe(`alter table events ${isCounted ? "enable" : "disable"} trigger events_count_added`);
}

/** No slice pays for the one before. */
async function untilFolded({ pool }: Context): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const [row] = await pool`select exists (select from event_count_deltas) as is_left`;
    if (!row!.isLeft) return;
    await Bun.sleep(100);
  }
}
