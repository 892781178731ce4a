// The files of a move: uploaded piece by piece into the database, read where they lie, and deleted when it ends.
import { Readable } from "node:stream";
import { fromRandomAccessReaderPromise, RandomAccessReader } from "yauzl";
import { inPieces, PIECE_BYTES } from "../audience/contacts/imports.ts";
import { type Context, inTransaction, newId } from "../context.ts";
import { q } from "../db/queries.ts";
import { type Problem, problems } from "../problem/mod.ts";
import type { GivenFile } from "./export_files.ts";
import { getMove, isExporter } from "./moves.ts";

/** Limit of a file, in bytes. */
export const MAX_MOVE_FILE_BYTES = 200 * 1_048_576;
/** Of one move. */
export const MAX_MOVE_FILES = 20;
const MAX_MOVE_BYTES = 400 * 1_048_576;
/** The last piece of a file may be a small one. */
const MAX_PIECES = MAX_MOVE_BYTES / PIECE_BYTES + MAX_MOVE_FILES;
/** Read in one statement. */
const PIECES_AT_ONCE = 8;
/** How a zip begins; an Excel workbook is one, too. */
const ZIP = [0x50, 0x4b, 0x03, 0x04];

/**
 * Takes a file in as it comes, each piece a commit of its own: a slow sender holds nothing. One that breaks off leaves nothing.
 * Throws 415 for what is neither CSV nor a zip, and CONFLICT where the move takes no files, or no more.
 */
export async function uploadMoveFile(
  ctx: Context,
  projectId: string,
  moveId: string,
  { name: given, pieces }: { name: string; pieces: AsyncIterable<Uint8Array> },
): Promise<{ id: string; name: string; bytes: number }> {
  const fileId = newId(ctx);
  const place = { projectId, moveId, fileId };
  const room = await inTransaction(ctx, async (tx) => {
    const left = await roomIn(tx, projectId, moveId);
    await q.moves.beginFile(tx, { ...place, name: given });
    return left;
  });
  try {
    let [position, bytes, name] = [0, 0, given];
    for await (const piece of inPieces(pieces)) {
      if (position === 0) name = nameOf(given, piece);
      bytes += piece.length;
      if (bytes > room) throw tooMuch();
      const deflated = Bun.deflateSync(piece as Uint8Array<ArrayBuffer>, { level: 1 });
      if ((await q.moves.addPiece(ctx, { ...place, position, deflated, maxPieces: MAX_PIECES })) === 0)
        throw await notTaken(ctx, projectId, moveId);
      position += 1;
    }
    if (bytes === 0) throw problems.badRequest("Cannot take an empty file", "Send the file as the body");
    const ended = await q.moves.endFile(ctx, { ...place, name, bytes: String(bytes), now: ctx.now() });
    if (ended === 0) throw problems.uploadCancelled();
    return { id: fileId, name, bytes };
  } catch (error) {
    await q.moves.dropFile(ctx, place);
    throw error;
  }
}

function tooMuch(): Problem {
  return problems.moveFull(`${MAX_MOVE_BYTES / 1_048_576} MB in all`);
}

/** Why a piece was not taken. */
async function notTaken(ctx: Context, projectId: string, moveId: string): Promise<Problem> {
  const { state } = await getMove(ctx, projectId, moveId);
  return state === "UPLOADING" ? tooMuch() : problems.uploadCancelled();
}

/** How many bytes a move may still get. Throws not-found, and CONFLICT where it takes no more. */
async function roomIn(tx: Context, projectId: string, moveId: string): Promise<number> {
  const held = await q.moves.holdUploading(tx, { projectId, moveId });
  if (!held) {
    const { from, state } = await getMove(tx, projectId, moveId);
    throw isExporter(from) ? problems.moveNotAtThat(state, "UPLOADING") : problems.moveTakesNoFiles(from);
  }
  if (held.files >= MAX_MOVE_FILES) throw problems.moveFull(`${MAX_MOVE_FILES} files`);
  return MAX_MOVE_BYTES - held.bytes;
}

/** The name of a file, by which it is read: ending in .csv or .zip. Throws 415 for a workbook, and what only claims to be a zip. */
function nameOf(given: string, start: Uint8Array): string {
  const isZip = ZIP.every((byte, n) => start[n] === byte);
  const claimsZip = /\.zip$/i.test(given);
  if (isZip && /\.(xlsx|xlsm|ods|numbers)$/i.test(given)) {
    throw problems.wrongMoveFile(
      given,
      "it is a workbook",
      "Save each sheet as CSV UTF-8, and send these files",
    );
  }
  if (claimsZip && !isZip)
    throw problems.wrongMoveFile(
      given,
      "it is no zip, or not a whole one",
      "Send CSV files, or a zip of them",
    );
  return isZip && !claimsZip ? `${given}.zip`.slice(-255) : given;
}

/** Removes a file of a move that still takes some. Throws not-found, and CONFLICT once it is being checked. */
export async function removeMoveFile(
  ctx: Context,
  projectId: string,
  moveId: string,
  fileId: string,
): Promise<void> {
  if ((await q.moves.dropFile(ctx, { projectId, moveId, fileId })) > 0) return;
  const { state, files } = await getMove(ctx, projectId, moveId);
  if (state !== "UPLOADING" && files.some(({ id }) => id === fileId))
    throw problems.moveNotAtThat(state, "UPLOADING");
  throw problems.notFound("file", fileId);
}

/** The files of a move, to be read. */
export async function filesOfMove(ctx: Context, projectId: string, moveId: string): Promise<GivenFile[]> {
  return (await q.moves.files(ctx, { projectId, moveId })).map(({ id: fileId, name, bytes }) => {
    const place = { projectId, moveId, fileId };
    return {
      name,
      bytes: () => bytesOf(ctx, place, 0, bytes),
      zip: () => fromRandomAccessReaderPromise(new PiecesReader(ctx, place), bytes, { autoClose: false }),
    };
  });
}

interface FilePlace {
  projectId: string;
  moveId: string;
  fileId: string;
}

/** The bytes of a file from one of them up to another. */
async function* bytesOf(
  ctx: Context,
  place: FilePlace,
  from: number,
  upTo: number,
): AsyncGenerator<Uint8Array> {
  for (let at = from; at < upTo;) {
    const first = Math.floor(at / PIECE_BYTES);
    const wanted = Math.ceil(upTo / PIECE_BYTES) - first;
    const limit = Math.min(PIECES_AT_ONCE, wanted);
    const rows = await q.moves.pieces(ctx, { ...place, from: first, limit });
    if (rows.length === 0) return;
    for (const [n, { deflated }] of rows.entries()) {
      const start = (first + n) * PIECE_BYTES;
      const piece = Bun.inflateSync(deflated as Uint8Array<ArrayBuffer>);
      yield piece.subarray(at - start, Math.min(piece.length, upTo - start));
      at = start + piece.length;
    }
  }
}

/** A file in the database, as the reader of zips wants it. */
class PiecesReader extends RandomAccessReader {
  readonly #ctx: Context;
  readonly #place: FilePlace;

  constructor(ctx: Context, place: FilePlace) {
    super();
    this.#ctx = ctx;
    this.#place = place;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(bytesOf(this.#ctx, this.#place, start, end), { objectMode: false });
  }
}
