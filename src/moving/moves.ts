// Moving in from another service by the API: first a dry run that reports what would come, then the real one. Both are jobs that
// go on where they stopped (move_run.ts).
import { type Actor, nameOf, recordAudit } from "../accounts/audit.ts";
import { seal, unseal } from "../accounts/secrets.ts";
import { type Context, inTransaction, newId } from "../context.ts";
import { violatedConstraint } from "../database_errors.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
import { addJob } from "../jobs.ts";
import { problems } from "../problem/mod.ts";
import { type ContactState, EXPORTERS, type Exporter } from "./export_presets.ts";
import { assertOpen } from "./incoming.ts";
import { type IncomingCounts, type Omission, noCounts, SourceFault, sumOf } from "./incoming_types.ts";
import { baseOf } from "./json_api.ts";

/** The services that are read by their API. */
export const API_SOURCES = ["plunk", "postrider", "listmonk"] as const;

/** Every service that a move may come from. */
export const MOVE_SOURCES = [...API_SOURCES, ...EXPORTERS] as const;

export type MoveSource = (typeof MOVE_SOURCES)[number];

/** Where a move stands. */
export const MOVE_STATES = [
  "UPLOADING",
  "CHECKING",
  "READY",
  "RUNNING",
  "DONE",
  "FAILED",
  "CANCELLED",
] as const;

export type MoveState = (typeof MOVE_STATES)[number];

/** How another service is read by its API. */
export type MoveAccess = { key: string } | { user: string; password: string };

/** What a move begins with. */
export interface MoveInput {
  from: MoveSource;
  url?: string | undefined;
  key?: string | undefined;
  user?: string | undefined;
  password?: string | undefined;
  sender?: string | undefined;
}

/** A move as the API shows it. */
export interface Move {
  id: string;
  from: MoveSource;
  state: MoveState;
  url: string | null;
  sender: string | null;
  as: ContactState | null;
  files: { id: string; name: string; bytes: number }[];
  /** What is read now; null while nothing is. */
  step: string | null;
  /** The other service could not be read, and is asked again. */
  isWaiting: boolean;
  /** What the dry run came to; as far as it has come while it is under way. */
  found: IncomingCounts | null;
  /** What has come in. */
  moved: IncomingCounts | null;
  leftOutTotal: number;
  failedReason: string | null;
  createdBy: string;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

const PURPOSE = "moves";
const DAY_MS = 86_400_000;
/** How long a move waits for somebody: its key is kept that long. */
export const MOVE_WAITS_DAYS = 7;

/** Whether the contacts of a service come as files. */
export function isExporter(source: MoveSource): source is Exporter {
  return (EXPORTERS as readonly string[]).includes(source);
}

/**
 * Begins a move: from a service with an API the dry run begins at once, others wait for their files. Throws CONFLICT while
 * another one of the project has not ended, and where nothing may come in.
 */
export async function createMove(
  ctx: Context,
  projectId: string,
  input: MoveInput,
  actor: Actor,
): Promise<Move> {
  const { from, url: given, sender = null } = input;
  const id = newId(ctx);
  const access = accessOf(input);
  const url = given === undefined || access === null ? null : addressOf(given);
  const state: MoveState = access === null ? "UPLOADING" : "CHECKING";
  await assertOpen(ctx, projectId);
  try {
    await inTransaction(ctx, async (tx) => {
      await q.moves.insert(tx, {
        projectId,
        moveId: id,
        source: from,
        state,
        url,
        access: access && seal(tx, PURPOSE, JSON.stringify(access), [projectId, id]),
        sender,
        createdBy: nameOf(actor),
        now: tx.now(),
      });
      await recordAudit(tx, { projectId, actor, action: "move.created", subject: from });
      if (state === "CHECKING") await enqueueMove(tx, projectId, id);
    });
  } catch (error) {
    if (violatedConstraint(error) !== "moves_open") throw error;
    const open = await q.moves.open(ctx, { projectId });
    throw problems.moveInProgress(open?.id ?? id);
  }
  return await getMove(ctx, projectId, id);
}

function accessOf({ from, key, user, password }: MoveInput): MoveAccess | null {
  if (isExporter(from)) return null;
  return from === "listmonk" ? { user: user!, password: password! } : { key: key! };
}

/** The address as it is kept: without a slash at its end, query and fragment. Throws 422 for what is none. */
function addressOf(url: string): string {
  try {
    return baseOf(url);
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    throw problems.invalid([{ field: "url", code: "invalid_string", message: error.message, received: url }]);
  }
}

/** What the other service was to be read with; null when it has ended, or `SECRET_KEY` is another one by now. */
export function openAccess(
  ctx: Context,
  projectId: string,
  moveId: string,
  access: Uint8Array | null,
): MoveAccess | null {
  const opened = access && unseal(ctx, PURPOSE, access, [projectId, moveId]);
  return opened === null ? null : (JSON.parse(opened) as MoveAccess);
}

/** Has a job go on with a move, in the transaction of `tx`. */
export async function enqueueMove(
  tx: Context,
  projectId: string,
  moveId: string,
  runAt: Date | null = null,
): Promise<void> {
  await addJob(tx, "run_move", { projectId, moveId }, { runAt, key: `move:${moveId}` });
}

/** Begins the dry run, or begins it again. `as`: what the contacts are of files that do not say it. */
export async function checkMove(
  ctx: Context,
  projectId: string,
  moveId: string,
  as: ContactState | null,
): Promise<Move> {
  const { from, files, state } = await getMove(ctx, projectId, moveId);
  await assertOpen(ctx, projectId);
  return await inTransaction(ctx, async (tx) => {
    if (isExporter(from) && files.length === 0) throw problems.moveNeedsFiles();
    const begun = await q.moves.check(tx, { projectId, moveId, asState: as, now: tx.now() });
    if (begun === 0) throw problems.moveNotAtThat(state, "UPLOADING or READY");
    await enqueueMove(tx, projectId, moveId);
    return await getMove(tx, projectId, moveId);
  });
}

/** Begins the real one, after the dry run. Throws not-found, and CONFLICT before that, afterwards, and where nothing may come in. */
export async function startMove(
  ctx: Context,
  projectId: string,
  moveId: string,
  actor: Actor,
): Promise<Move> {
  await getMove(ctx, projectId, moveId);
  await assertOpen(ctx, projectId);
  return await inTransaction(ctx, async (tx) => {
    const started = await q.moves.start(tx, { projectId, moveId, actor: { ...actor }, now: tx.now() });
    const move = await getMove(tx, projectId, moveId);
    if (!started) throw problems.moveNotAtThat(move.state, "READY");
    await recordAudit(tx, { projectId, actor, action: "move.started", subject: started.source });
    await enqueueMove(tx, projectId, moveId);
    return move;
  });
}

/** Ends a move: what has come in stays. Once it is cancelled, nothing happens. Throws CONFLICT if it has ended otherwise. */
export async function cancelMove(
  ctx: Context,
  projectId: string,
  moveId: string,
  actor: Actor,
): Promise<Move> {
  return await inTransaction(ctx, async (tx) => {
    const ended = await endMove(tx, projectId, moveId, "CANCELLED", null);
    const move = await getMove(tx, projectId, moveId);
    if (ended) await recordAudit(tx, { projectId, actor, action: "move.cancelled", subject: move.from });
    else if (move.state !== "CANCELLED") throw problems.moveNotAtThat(move.state, "in progress");
    return move;
  });
}

/** Ends a move, whose key and files are forgotten. False if it had ended. */
export async function endMove(
  tx: Context,
  projectId: string,
  moveId: string,
  state: "DONE" | "FAILED" | "CANCELLED",
  reason: string | null,
): Promise<boolean> {
  return (await q.moves.endWith(tx, { projectId, moveId, state, reason, now: tx.now() })) > 0;
}

/** Cancels moves that nobody has gone on with for a week. */
export async function purgeMoves(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - MOVE_WAITS_DAYS * DAY_MS);
  const reason = `Nobody went on with it for ${MOVE_WAITS_DAYS} days`;
  for (const { projectId, id } of await q.moves.expired(ctx, { before, limit: 100 })) {
    await endMove(ctx, projectId, id, "CANCELLED", reason);
  }
}

/** One move. Throws not-found. */
export async function getMove(ctx: Context, projectId: string, moveId: string): Promise<Move> {
  const [row] = await q.moves.list(ctx, { projectId, moveId, beforeId: null, limit: 1 });
  if (!row) throw problems.notFound("move", moveId);
  return toMove(row);
}

/** The moves of a project, newest first, and one more than `limit` if there are more. */
export async function listMoves(
  ctx: Context,
  projectId: string,
  { beforeId, limit }: { beforeId: string | null; limit: number },
): Promise<Move[]> {
  return (await q.moves.list(ctx, { projectId, moveId: null, beforeId, limit: limit + 1 })).map(toMove);
}

/** How many there are. */
export async function countMoves(ctx: Context, projectId: string): Promise<number> {
  return (await q.moves.count(ctx, { projectId })).total;
}

/** What did not come, or would not, after a position, and one more than `limit` if there are more. Throws not-found. */
export async function listLeftOut(
  ctx: Context,
  projectId: string,
  moveId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ rows: (Omission & { position: number })[]; total: number }> {
  const { leftOutTotal: total } = await getMove(ctx, projectId, moveId);
  return { rows: await q.moves.leftOut(ctx, { projectId, moveId, after, limit: limit + 1 }), total };
}

type Row = Awaited<ReturnType<Queries["moves"]["list"]>>[number];

function toMove(row: Row): Move {
  const { source, asState, failures, counts, found, files, step, ...move } = row;
  const isWorking = move.state === "CHECKING" || move.state === "RUNNING";
  const soFar = sumOf(counts as Partial<IncomingCounts>, noCounts());
  return {
    ...move,
    from: source as MoveSource,
    as: asState as ContactState | null,
    files: files as unknown as Move["files"],
    step: isWorking && step !== "end" ? step : null,
    isWaiting: isWorking && failures > 0,
    found: move.state === "CHECKING" ? soFar : (found as IncomingCounts | null),
    moved: move.startedAt === null ? null : soFar,
  };
}
