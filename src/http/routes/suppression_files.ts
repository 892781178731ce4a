// /suppressions/export and /suppressions/import: the whole list as a file.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import {
  exportSuppressions,
  importSuppressions,
  MAX_ROW_ERRORS,
  MAX_SUPPRESSIONS_BYTES,
} from "../../sending/suppression_files.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { StreamBody } from "../entry/stream_body.ts";
import { streamText } from "../entry/streams.ts";
import { answers, Int, ProjectInQuery, Words } from "../entry/schemas.ts";
import { csvStream } from "./_csv_body.ts";

const Imported = t.Object(
  {
    added: Int,
    existing: Int,
    invalid: Int,
    errors: t.Array(t.Object({ row: Int, email: t.String(), error: t.String() }), {
      description: `The first ${MAX_ROW_ERRORS} invalid rows. Row 1 is the first of the file.`,
    }),
  },
  { title: "SuppressionImport" },
);

/** The suppression list as a file. */
export function suppressionFilesRoutes(ctx: Context) {
  const detail = { tags: ["Suppressions"] };
  return new Elysia({ prefix: "/suppressions", detail }).use(exportRoute(ctx)).use(importRoute(ctx));
}

function exportRoute(ctx: Context) {
  return new Elysia().use(authenticateKey(ctx, "secret", { projectInQuery: true })).get(
    "/export",
    ({ project, request }) => {
      const fileName = `suppressions-${ctx.now().toISOString().slice(0, 10)}.csv`;
      const file = { type: "text/csv; charset=utf-8", fileName };
      return streamText(ctx, project.id, exportSuppressions(ctx, project.id), file, request);
    },
    {
      query: t.Object({ projectId: ProjectInQuery }),
      response: answers(t.Any({ description: "The file, streamed." }), { refusals: [400, 429] }),
      detail: {
        operationId: "exportSuppressions",
        summary: "Export the suppression list as CSV",
        description:
          "Streams the whole list, oldest first: `email`, `reason` and `createdAt`. `POST /suppressions/import` accepts this file. At most two exports of a project run at a time.",
      },
    },
  );
}

function importRoute(ctx: Context) {
  return new Elysia()
    .use(authenticateKey(ctx, "secret", { reads: "stream", bodyLimit: MAX_SUPPRESSIONS_BYTES }))
    .post(
      "/import",
      async ({ project, body, query: { reason = "MANUAL" } }) =>
        await importSuppressions(ctx, project.id, csvStream(body), reason),
      {
        query: t.Object({
          reason: t.Optional(
            Words(["BOUNCE", "COMPLAINT", "MANUAL"], {
              description: "For rows without a reason. Default: `MANUAL`.",
            }),
          ),
        }),
        body: StreamBody("text/csv", "A CSV file in UTF-8 of at most 50 MB."),
        response: answers(Imported, { refusals: [400, 413, 415, 422] }),
        detail: {
          operationId: "importSuppressions",
          summary: "Import suppressed addresses from a CSV file",
          description:
            "The body is the file itself, with a column `email` and an optional column `reason`; a list of addresses without a header works, too. It is stored while it is uploaded, a thousand addresses at a time, and may be repeated. An address that is already on the list keeps the stronger reason. The response comes at the end.",
        },
      },
    );
}
