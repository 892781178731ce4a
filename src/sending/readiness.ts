import { type Context, perService } from "../context.ts";
import { isMigrated } from "../db/migrate.ts";
import { q } from "../db/queries.ts";
import { LANE_NAMES } from "../job_kinds.ts";
import { keysOpen } from "./dkim_keys.ts";
import { LOST_KEYS, notesOn } from "./operator_notes.ts";

/** What must hold before requests should come this way. */
export interface Readiness {
  ready: boolean;
  /** The database responds. */
  database: boolean;
  /** Nothing is left to migrate. */
  migrations: boolean;
  /** Some process takes jobs. */
  workers: boolean;
  /** The lanes of jobs that are stalled, although something is due: those of this process, or of all. */
  standing: string[];
  /** What the operator should know: why nothing works, or what keeps nothing from working. */
  note?: string;
}

const PATIENCE_MS = 2_000;

/**
 * Checks whether the service can do its work. Returns within 2 s, whatever the database does. Concurrent callers share
 * one check, so that they delay nobody, however many they are.
 */
export async function readiness(ctx: Context): Promise<Readiness> {
  const { opensKeys, ...state } = await sharedLook(ctx)(ctx.workerId);
  const { database, migrations, workers, standing } = state;
  const ready = database && migrations && workers && standing.length === 0;
  const notes = [
    ...(database ? [] : ["The database does not answer"]),
    ...notesOn(ctx.config),
    ...(opensKeys ? [] : [LOST_KEYS]),
  ];
  return { ready, ...state, ...(notes.length > 0 && { note: notes.join(". ") }) };
}

type State = Omit<Readiness, "ready" | "note"> & { opensKeys: boolean };

const sharedLook = perService((ctx) => {
  const sql = ctx.probe ?? ctx.pool;
  let underway: Promise<State> | undefined;
  const look = async (self: string): Promise<State> => {
    const state: State = {
      database: false,
      migrations: false,
      workers: false,
      standing: [],
      opensKeys: true,
    };
    const asking = async () => {
      const { total } = await q.workers.alive({ sql });
      state.database = true;
      state.workers = total > 0;
      const stands = await q.workers.standing({ sql }, { self, lanes: [...LANE_NAMES] });
      state.standing = stands.map(({ lane }) => lane);
      state.migrations = await isMigrated(sql);
      state.opensKeys = await keysOpen({ config: ctx.config, sql });
    };
    await Promise.race([asking().catch(() => {}), Bun.sleep(PATIENCE_MS)]);
    return state;
  };
  return (self: string) => (underway ??= look(self).finally(() => (underway = undefined)));
});
