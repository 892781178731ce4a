// /moves: what another service has comes into the project, with a dry run first. Bare resources.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import {
  MAX_MOVE_FILE_BYTES,
  MAX_MOVE_FILES,
  removeMoveFile,
  uploadMoveFile,
} from "../../moving/move_files.ts";
import {
  cancelMove,
  checkMove,
  countMoves,
  createMove,
  getMove,
  listLeftOut,
  listMoves,
  MOVE_WAITS_DAYS,
  startMove,
} from "../../moving/moves.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { answers, isUuid, PathId, QueryInteger, Text } from "../entry/schemas.ts";
import { StreamBody } from "../entry/stream_body.ts";
import {
  clampLimit,
  CursorList,
  CursorQuery,
  readCursor,
  readIdCursor,
  toCursor,
  toIdPage,
} from "./_lists.ts";
import { CheckBody, Move, MoveBody, moveErrors, MoveFile, MoveLeftOut } from "./_move_schemas.ts";

const one = { params: t.Object({ id: PathId }) };
const MAX_LINES = 1_000;
const MAX_POSITION = 2_000_000_000;

/** The moves of a project. */
export function movesRoutes(ctx: Context) {
  return new Elysia({ prefix: "/moves", detail: { tags: ["Moves"] } })
    .use(beginning(ctx))
    .use(fileRoutes(ctx))
    .use(going(ctx));
}

function beginning(ctx: Context) {
  return new Elysia()
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, query }) => {
        const limit = clampLimit(query.limit);
        const rows = await listMoves(ctx, project.id, { beforeId: readIdCursor(query.cursor), limit });
        return toIdPage(rows, limit, query.cursor ? 0 : await countMoves(ctx, project.id));
      },
      {
        query: t.Object(CursorQuery),
        response: answers(CursorList(Move), { refusals: [400] }),
        detail: {
          operationId: "listMoves",
          summary: "List the moves from other services, newest first",
          description: "For ADMIN. Reports are kept as long as the logs (setting `RETENTION_LOGS_DAYS`).",
        },
      },
    )
    .post(
      "/",
      async ({ project, actor, body, set }) => {
        const errors = moveErrors(body);
        if (errors.length > 0) throw problems.invalid(errors);
        set.status = 201;
        return await createMove(ctx, project.id, body, actor);
      },
      {
        body: MoveBody,
        response: answers(Move, { status: 201, refusals: [400, 409, 413, 415, 422] }),
        detail: {
          operationId: "createMove",
          summary: "Begin to move in from another service",
          description: `For ADMIN. From a service with an API the dry run begins at once (\`CHECKING\`); mailchimp, brevo and sendgrid wait for their files (\`UPLOADING\`). Nothing is changed before \`POST /moves/{id}/start\`. A project has one move at a time (409); one that nobody goes on with is cancelled after ${MOVE_WAITS_DAYS} days.`,
        },
      },
    )
    .get("/:id", async ({ project, params: { id } }) => await getMove(ctx, project.id, idOf(id)), {
      ...one,
      response: answers(Move, { refusals: [404] }),
      detail: {
        operationId: "getMove",
        summary: "Get a move with its progress",
        description:
          "For ADMIN. `found` is what the dry run came to, `moved` what has come in; what was left out is at `GET /moves/{id}/left-out`.",
      },
    })
    .get(
      "/:id/left-out",
      async ({ project, params: { id }, query }) => {
        const limit = clampLimit(query.limit, { fallback: 100, max: MAX_LINES });
        const after = query.cursor === undefined ? 0 : positionIn(query.cursor);
        const { rows, total } = await listLeftOut(ctx, project.id, idOf(id), { after, limit });
        const data = rows.slice(0, limit);
        const hasMore = rows.length > limit;
        const cursor = hasMore ? toCursor([String(data.at(-1)!.position)]) : null;
        return { data, cursor, hasMore, total: after === 0 ? total : 0 };
      },
      {
        ...one,
        query: t.Object({
          ...CursorQuery,
          limit: QueryInteger({
            minimum: 1,
            maximum: MAX_LINES,
            fallback: 100,
            description: "Clamped to 1..1000.",
          }),
        }),
        response: answers(CursorList(MoveLeftOut), { refusals: [400, 404] }),
        detail: {
          operationId: "listMoveLeftOut",
          summary: "List what was left out of a move, and why",
          description:
            "For ADMIN. In the order in which it was found, the first 10,000; `total` counts all. After the dry run: what would be.",
        },
      },
    );
}

function fileRoutes(ctx: Context) {
  return new Elysia().use(
    new Elysia()
      .use(authenticateKey(ctx, "secret", { reads: "stream", bodyLimit: MAX_MOVE_FILE_BYTES }))
      .post(
        "/:id/files",
        async ({ project, params: { id }, query: { fileName }, body, set }) => {
          set.status = 201;
          const file = { name: fileName, pieces: body.pieces };
          return await uploadMoveFile(ctx, project.id, idOf(id), file);
        },
        {
          ...one,
          query: t.Object({
            fileName: Text({
              minLength: 1,
              maxLength: 255,
              description: "As the other service has called it: it says what is in the file.",
              examples: ["subscribed_email_audience_export_1.csv"],
            }),
          }),
          body: StreamBody(
            "application/octet-stream",
            "A CSV file in UTF-8, or a zip of such files, of at most 200 MB.",
          ),
          response: answers(MoveFile, { status: 201, refusals: [400, 404, 409, 413, 415] }),
          detail: {
            operationId: "uploadMoveFile",
            summary: "Upload a file that another service has exported",
            description: `For ADMIN. The body is the file itself, and is read while it is uploaded. A move takes ${MAX_MOVE_FILES} files, 400 MB in all, until \`POST /moves/{id}/check\`. They are deleted when it ends.`,
          },
        },
      ),
  );
}

function going(ctx: Context) {
  return new Elysia()
    .use(authenticateKey(ctx, "secret"))
    .delete(
      "/:id/files/:fileId",
      async ({ project, params: { id, fileId }, set }) => {
        if (!isUuid(fileId)) throw problems.notFound("file", fileId);
        await removeMoveFile(ctx, project.id, idOf(id), fileId.toLowerCase());
        set.status = 204;
      },
      {
        params: t.Object({ id: PathId, fileId: PathId }),
        response: answers(t.Void(), { status: 204, refusals: [404, 409] }),
        detail: {
          operationId: "deleteMoveFile",
          summary: "Remove a file from a move",
          description: "For ADMIN. Only before the files are checked.",
        },
      },
    )
    .post(
      "/:id/check",
      async ({ project, params: { id }, body, set }) => {
        set.status = 202;
        return await checkMove(ctx, project.id, idOf(id), body.as ?? null);
      },
      {
        ...one,
        body: CheckBody,
        response: answers(Move, { status: 202, refusals: [400, 404, 409, 413, 415, 422] }),
        detail: {
          operationId: "checkMove",
          summary: "Begin the dry run of a move, or begin it again",
          description:
            "For ADMIN. Reads everything and changes nothing. Where files do not say whether their contacts are subscribed, the move is `UPLOADING` again with a `failedReason`: add the file that says it, or give `as`.",
        },
      },
    )
    .post(
      "/:id/start",
      async ({ project, actor, params: { id }, set }) => {
        set.status = 202;
        return await startMove(ctx, project.id, idOf(id), actor);
      },
      {
        ...one,
        response: answers(Move, { status: 202, refusals: [404, 409] }),
        detail: {
          operationId: "startMove",
          summary: "Bring in what the dry run has found",
          description:
            "For ADMIN. Nobody is subscribed again, nothing is sent, and no workflow starts: campaigns come as drafts, workflows disabled. What is here already is not brought twice.",
        },
      },
    )
    .post(
      "/:id/cancel",
      async ({ project, actor, params: { id } }) => await cancelMove(ctx, project.id, idOf(id), actor),
      {
        ...one,
        response: answers(Move, { refusals: [404, 409] }),
        detail: {
          operationId: "cancelMove",
          summary: "Cancel a move that has not ended",
          description:
            "For ADMIN. What has come in by then stays; another move goes on with the rest. The key and the files are deleted.",
        },
      },
    );
}

function positionIn(cursor: string): number {
  const position = Number(readCursor(cursor, 1)[0]);
  if (!Number.isInteger(position) || position < 0 || position > MAX_POSITION) throw problems.badCursor();
  return position;
}

function idOf(id: string): string {
  if (!isUuid(id)) throw problems.notFound("move", id);
  return id.toLowerCase();
}
