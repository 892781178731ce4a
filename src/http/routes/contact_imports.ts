// /contacts/import and /contacts/imports: contacts from CSV files, in a form or as a stream, with their cancelling and undoing.
import { Elysia, t } from "elysia";
import {
  type ColumnMapping,
  cancelImport,
  createImport,
  getImport,
  countImports,
  listImports,
  MAX_FILE_BYTES,
  MAX_UPLOAD_BYTES,
  undoImport,
  uploadImport,
} from "../../audience/contacts/imports.ts";
import { nameOf } from "../../accounts/audit.ts";
import type { Context } from "../../context.ts";
import { importPresets } from "../../moving/export_presets.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { FileForm, FORM_OVERHEAD_BYTES, type UploadedFile } from "../entry/form.ts";
import { StreamBody } from "../entry/stream_body.ts";
import { answers, isUuid, QueryFlag, readFlag, Text, Uuid } from "../entry/schemas.ts";
import { csvStream } from "./_csv_body.ts";
import { Queued, queued } from "./_contact_job_schemas.ts";
import { ImportPresets, ImportReport, ListedImport, NamedImport } from "./_import_schemas.ts";
import { clampLimit, CursorList, CursorQuery, readIdCursor, toIdPage } from "./_lists.ts";

const DryRun = QueryFlag("`true`: reports what would happen and changes nothing.");

const UploadQuery = withRules(
  t.Object({
    dryRun: DryRun,
    subscribed: QueryFlag("Whether new contacts are subscribed where no column says it. Left out: true."),
    fileName: t.Optional(Text({ maxLength: 255, description: "For the list of imports." })),
    mapping: t.Optional(
      Text({
        maxLength: 8_000,
        description:
          "Maps columns, as JSON, to `email`, `subscribed`, a key of `data`, or null to skip them. Other columns are mapped by their names.",
        examples: ['{"E-Mail": "email", "Vorname": "firstName", "Notiz": null}'],
      }),
    ),
  }),
  mappingErrors,
);

/** Imports, to be used inside of `/contacts`. */
export function contactImportRoutes(ctx: Context) {
  return new Elysia({ prefix: "/contacts", detail: { tags: ["Contacts"] } })
    .use(formRoutes(ctx))
    .use(uploadRoutes(ctx));
}

function formRoutes(ctx: Context) {
  const bodyLimit = MAX_FILE_BYTES + FORM_OVERHEAD_BYTES;
  return new Elysia()
    .use(
      new Elysia().use(authenticateKey(ctx, "secret", { reads: "form", bodyLimit })).post(
        "/import",
        async ({ project, body, query, status }) => {
          const file = csvOf(body.file);
          const jobId = await createImport(ctx, project.id, {
            file,
            dryRun: readFlag(query.dryRun) ?? false,
          });
          return status(202, queued(jobId, "import"));
        },
        {
          query: t.Object({ dryRun: DryRun }),
          body: FileForm(
            "file",
            "A CSV file in UTF-8 of at most 5 MB, whose first row names a column `email`.",
          ),
          response: answers(Queued, { status: 202, refusals: [400, 413, 415] }),
          detail: {
            operationId: "importContacts",
            summary: "Import contacts from a CSV file",
            description:
              "Takes a CSV file of up to 5 MB, whose first row names its columns; commas, semicolons and tabs are recognised. The response has the id of a job: `GET /contacts/import/{jobId}` shows its progress and the rows that failed. Existing contacts are updated, and new ones are subscribed unless a column says otherwise.",
          },
        },
      ),
    )
    .use(
      new Elysia().use(authenticateKey(ctx, "secret")).get(
        "/import/:jobId",
        async ({ project, params: { jobId } }) => {
          if (!isUuid(jobId)) throw problems.notFound("import", jobId);
          return await getImport(ctx, project.id, jobId);
        },
        {
          params: t.Object({ jobId: Uuid }),
          response: answers(ImportReport, { refusals: [404] }),
          detail: {
            operationId: "getContactImport",
            summary: "Get the status of an import",
            description:
              "The progress of the import. `result` is present once it is completed, with the first 1,000 rows that failed and the reasons.",
          },
        },
      ),
    );
}

function uploadRoutes(ctx: Context) {
  return new Elysia()
    .use(
      new Elysia().use(authenticateKey(ctx, "secret", { reads: "stream", bodyLimit: MAX_UPLOAD_BYTES })).post(
        "/imports",
        async ({ project, actor, body, query, status }) => {
          const { dryRun, subscribed, fileName = null, mapping } = query;
          const jobId = await uploadImport(ctx, project.id, csvStream(body), {
            dryRun: readFlag(dryRun) ?? false,
            subscribes: readFlag(subscribed) ?? true,
            fileName,
            mapping: JSON.parse(mapping ?? "{}") as ColumnMapping,
            createdBy: nameOf(actor),
          });
          return status(202, { jobId, message: `Queued: see GET /contacts/imports/${jobId}` });
        },
        {
          query: UploadQuery,
          body: StreamBody("text/csv", "A CSV file in UTF-8 of at most 200 MB."),
          response: answers(Queued, { status: 202, refusals: [400, 413, 415, 429] }),
          detail: {
            operationId: "uploadContacts",
            summary: "Import contacts from a CSV file of up to 200 MB",
            description:
              "The body is the file itself, and is read while it is uploaded: commas, semicolons and tabs are recognised. Existing contacts are updated. The response has the id of a job: `GET /contacts/imports/{jobId}` shows its progress and the rows that failed. A project may have five imports in progress.",
          },
        },
      ),
    )
    .use(
      new Elysia()
        .use(authenticateKey(ctx, "secret"))
        .get(
          "/imports",
          async ({ project, query }) => {
            const limit = clampLimit(query.limit);
            const rows = await listImports(ctx, project.id, { beforeId: readIdCursor(query.cursor), limit });
            const total = query.cursor ? 0 : await countImports(ctx, project.id);
            return toIdPage(rows, limit, total);
          },
          {
            query: t.Object(CursorQuery),
            response: answers(CursorList(ListedImport), { refusals: [400] }),
            detail: {
              operationId: "listContactImports",
              summary: "List imports, newest first",
              description:
                "With counts; for the rows that failed and examples, see `GET /contacts/imports/{jobId}`. Reports are kept for 30 days.",
            },
          },
        )
        .get("/imports/presets", () => ({ presets: importPresets() }), {
          response: answers(ImportPresets),
          detail: {
            operationId: "listImportPresets",
            summary: "List how files of other services are mapped",
            description:
              "A file is of a service if its first row has all columns of one of the `signs`, in any case. `columns` says what each column becomes, for the `mapping` of an import; null leaves it out. To bring who has unsubscribed and the tags as well, use `POST /moves`.",
          },
        })
        .get(
          "/imports/:jobId",
          async ({ project, params: { jobId } }) => await getImport(ctx, project.id, importId(jobId)),
          {
            params: t.Object({ jobId: Uuid }),
            response: answers(NamedImport, { refusals: [404] }),
            detail: {
              operationId: "getImport",
              summary: "Get an import with its errors",
              description:
                "The progress of the import, the first 1,000 rows that failed with the reasons, and for a dry run 20 examples.",
            },
          },
        )
        .post(
          "/imports/:jobId/cancel",
          async ({ project, params: { jobId } }) => await cancelImport(ctx, project.id, importId(jobId)),
          {
            params: t.Object({ jobId: Uuid }),
            response: answers(NamedImport, { refusals: [404, 409] }),
            detail: {
              operationId: "cancelImport",
              summary: "Cancel an import that has not ended",
              description:
                "Its `state` becomes `failed`, with the `failedReason` `Cancelled`. Contacts that it has written by then stay, and `POST /contacts/imports/{jobId}/undo` takes them back. To cancel it again changes nothing; an import that has ended otherwise is refused with 409.",
            },
          },
        )
        .post(
          "/imports/:jobId/undo",
          async ({ project, params: { jobId }, status }) =>
            status(202, await undoImport(ctx, project.id, importId(jobId))),
          {
            params: t.Object({ jobId: Uuid }),
            response: answers(NamedImport, { status: 202, refusals: [404, 409] }),
            detail: {
              operationId: "undoImport",
              summary: "Undo an import within 7 days",
              description:
                "Contacts that it created are deleted unless they were changed or used since; a field that still has the import's value gets its old value back, and so does the subscription. Mails and events stay. An import that failed half-way is undone as far as it got. It is done by a job, and only once.",
            },
          },
        ),
    );
}

function importId(jobId: string): string {
  if (!isUuid(jobId)) throw problems.notFound("import", jobId);
  return jobId.toLowerCase();
}

/** The bytes of the uploaded file. Throws 400 when there is none, 415 for another type, 413 when it is too large. */
function csvOf(file: string | UploadedFile | undefined): Uint8Array {
  if (typeof file !== "object") {
    throw problems.badRequest("Cannot import without a file", "Send the CSV file as the part named file");
  }
  const { name, type, bytes } = file;
  const isCsv = /^text\/csv\s*(;|$)/i.test(type) || /\.csv$/i.test(name);
  if (!isCsv)
    throw problems.unsupportedMediaType(type || name, "a CSV file: text/csv, or a name that ends in .csv");
  if (bytes.length > MAX_FILE_BYTES) throw problems.bodyTooLarge(MAX_FILE_BYTES);
  return bytes;
}

/** What is wrong with the mapping of columns. */
function mappingErrors({ mapping: text }: { mapping?: string }): FieldError[] {
  const wrong = (message: string): FieldError[] => [{ field: "mapping", code: "invalid_string", message }];
  let mapping: unknown;
  try {
    mapping = JSON.parse(text ?? "{}");
  } catch {
    return wrong('Expected JSON, such as {"E-Mail": "email"}');
  }
  if (typeof mapping !== "object" || mapping === null || Array.isArray(mapping)) {
    return wrong("Expected an object");
  }
  const [column] =
    Object.entries(mapping).find(
      ([, target]) => target !== null && (typeof target !== "string" || target === ""),
    ) ?? [];
  return column === undefined ? [] : wrong(`Expected text or null for the column ${column.slice(0, 100)}`);
}
