// The long work on contacts, below /contacts: imports and bulk jobs. Queued, and then asked for.
import { Elysia, t } from "elysia";
import {
  type BulkOperation,
  type BulkSelection,
  createBulkJob,
  getBulkJob,
} from "../../audience/bulk_jobs.ts";
import type { Selection } from "../../audience/selection.ts";
import { createImport, getImport, MAX_FILE_BYTES } from "../../audience/contacts/imports.ts";
import type { Context } from "../../context.ts";
import { type FieldError, problems } from "../../problem.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { FileForm, FORM_OVERHEAD_BYTES, type UploadedFile } from "../entry/form.ts";
import { ConditionTree } from "./_segment_schemas.ts";
import { answers, IdOf, Int, isUuid, Nullable, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";

const MAX_IDS = 1_000;
const MAX_EXCLUDED = 10_000;

const Queued = t.Object({ jobId: Uuid, message: t.String() }, { title: "QueuedJob" });

const JOB = {
  id: Uuid,
  state: Words(["waiting", "active", "completed", "failed"]),
  progress: Int,
};
const END = {
  failedReason: t.Optional(t.String()),
  createdAt: Timestamp,
  finishedAt: Nullable(Timestamp),
};

const ImportReport = t.Object(
  {
    ...JOB,
    result: t.Optional(
      t.Object({
        totalRows: Int,
        successCount: Int,
        createdCount: Int,
        updatedCount: Int,
        failureCount: Int,
        errors: t.Array(t.Object({ row: Int, email: t.String(), error: t.String() }), {
          description: "The first 1,000. Row 1 is the header.",
        }),
      }),
    ),
    ...END,
  },
  { title: "ImportReport" },
);

const BulkReport = t.Object(
  {
    ...JOB,
    result: t.Optional(
      t.Object({
        operation: Words(["subscribe", "unsubscribe", "delete", "add", "remove"]),
        totalRequested: Int,
        successCount: Int,
        unchangedCount: Int,
        failureCount: Int,
        errors: t.Array(t.Object({ contactId: Uuid, error: t.String() }), {
          description: "The first 1,000.",
        }),
      }),
    ),
    ...END,
  },
  { title: "BulkReport" },
);

const Filter = t.Object(
  {
    search: t.Optional(Text({ maxLength: 254, description: "A part of the address, in any case." })),
    subscribed: t.Optional(t.Boolean()),
    segmentId: t.Optional(IdOf("a segment")),
    condition: t.Optional(ConditionTree),
  },
  {
    title: "ContactFilter",
    description: "With the mode `query`: what all the contacts have in common. `{}` is every contact.",
  },
);
const SELECTION = {
  mode: t.Optional(Words(["ids", "query"])),
  contactIds: t.Optional(t.Array(Uuid, { minItems: 1, maxItems: MAX_IDS })),
  filter: t.Optional(Filter),
  excludeIds: t.Optional(
    t.Array(Uuid, { maxItems: MAX_EXCLUDED, description: "With the mode `query`: contacts left out." }),
  ),
};
const ABOUT = "`contactIds`, or the mode `query` and a `filter`.";
const BulkBody = withRules(t.Object(SELECTION, { title: "BulkBody", description: ABOUT }), bulkErrors);
const BulkSegmentBody = withRules(
  t.Object(
    { segmentId: IdOf("a static segment"), ...SELECTION },
    { title: "BulkSegmentBody", description: ABOUT },
  ),
  bulkErrors,
);

interface BulkInput {
  mode?: "ids" | "query";
  contactIds?: string[];
  filter?: Selection;
  excludeIds?: string[];
}

/** `/contacts/import` and `/contacts/bulk-*`, to be used inside of `/contacts`. */
export function contactJobRoutes(ctx: Context) {
  return new Elysia({ prefix: "/contacts", detail: { tags: ["Contacts"] } })
    .use(importRoutes(ctx))
    .use(bulkRoutes(ctx));
}

function importRoutes(ctx: Context) {
  const bodyLimit = MAX_FILE_BYTES + FORM_OVERHEAD_BYTES;
  return new Elysia()
    .use(
      new Elysia().use(authenticateKey(ctx, "secret", { reads: "form", bodyLimit })).post(
        "/import",
        async ({ project, body, query, status }) => {
          const file = csvOf(body.file);
          const jobId = await createImport(ctx, project.id, { file, dryRun: isTrue(query.dryRun) });
          return status(202, queued(jobId, "import"));
        },
        {
          query: t.Object({
            dryRun: t.Optional(
              t.String({ description: "`true`: reports what would happen and changes nothing." }),
            ),
          }),
          body: FileForm(
            "file",
            "A CSV file in UTF-8 of at most 5 MB, whose first row names a column `email`.",
          ),
          response: answers(Queued, { status: 202, refusals: [400, 413, 415] }),
          detail: {
            operationId: "importContacts",
            summary: "Import contacts from a CSV file",
            description:
              "Takes a CSV file of up to 5 MB, whose first row names its columns; commas, semicolons and tabs are recognised. The answer holds the id of a job: `GET /contacts/import/{jobId}` shows its progress and the rows that failed. Existing contacts are updated, and new ones are subscribed unless a column says otherwise.",
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
            summary: "Get the state of an import",
            description:
              "Where the import stands. `result` is there once it is completed, with the first 1,000 rows that failed and why.",
          },
        },
      ),
    );
}

function bulkRoutes(ctx: Context) {
  const enqueue = async (projectId: string, operation: BulkOperation, body: BulkInput, segmentId?: string) =>
    queued(await createBulkJob(ctx, projectId, operation, selectionOf(body), segmentId), "bulk");
  const about = (operationId: string, summary: string, description: string) => ({
    body: BulkBody,
    response: answers(Queued, { status: 202, refusals: [400, 404, 413, 415, 422] }),
    detail: { operationId, summary, description },
  });
  return new Elysia()
    .use(authenticateKey(ctx, "secret"))
    .onTransform(({ body }) => assertKnownFilters(body))
    .post(
      "/bulk-subscribe",
      async ({ project, body, status }) => status(202, await enqueue(project.id, "subscribe", body)),
      about(
        "bulkSubscribeContacts",
        "Subscribe many contacts",
        "Subscribes up to 1,000 contacts by their ids, or all that match a filter. The answer holds the id of a job for `GET /contacts/bulk/{jobId}`. Every real change records `contact.subscribed`.",
      ),
    )
    .post(
      "/bulk-unsubscribe",
      async ({ project, body, status }) => status(202, await enqueue(project.id, "unsubscribe", body)),
      about(
        "bulkUnsubscribeContacts",
        "Unsubscribe many contacts",
        "Unsubscribes up to 1,000 contacts by their ids, or all that match a filter. The answer holds the id of a job for `GET /contacts/bulk/{jobId}`. Every real change records `contact.unsubscribed`.",
      ),
    )
    .post(
      "/bulk-delete",
      async ({ project, body, status }) => status(202, await enqueue(project.id, "delete", body)),
      about(
        "bulkDeleteContacts",
        "Delete many contacts for good",
        "Deletes up to 1,000 contacts by their ids, or all that match a filter. The answer holds the id of a job for `GET /contacts/bulk/{jobId}`. It cannot be undone.",
      ),
    )
    .post(
      "/bulk-add-to-segment",
      async ({ project, body, status }) =>
        status(202, await enqueue(project.id, "add", body, body.segmentId.toLowerCase())),
      {
        ...about(
          "bulkAddToSegment",
          "Add many contacts to a static segment",
          "Adds up to 1,000 contacts by their ids, or all that match a filter. The answer holds the id of a job for `GET /contacts/bulk/{jobId}`. Where the membership is tracked, each that is new gets its event.",
        ),
        body: BulkSegmentBody,
      },
    )
    .post(
      "/bulk-remove-from-segment",
      async ({ project, body, status }) =>
        status(202, await enqueue(project.id, "remove", body, body.segmentId.toLowerCase())),
      {
        ...about(
          "bulkRemoveFromSegment",
          "Remove many contacts from a static segment",
          "Removes up to 1,000 contacts by their ids, or all that match a filter. The answer holds the id of a job for `GET /contacts/bulk/{jobId}`. The contacts stay.",
        ),
        body: BulkSegmentBody,
      },
    )
    .get(
      "/bulk/:jobId",
      async ({ project, params: { jobId } }) => {
        if (!isUuid(jobId)) throw problems.notFound("bulk job", jobId);
        return await getBulkJob(ctx, project.id, jobId);
      },
      {
        params: t.Object({ jobId: Uuid }),
        response: answers(BulkReport, { refusals: [404] }),
        detail: {
          operationId: "getBulkJob",
          summary: "Get the state of a bulk job",
          description: "Where the job stands. `result` is there once it is completed.",
        },
      },
    );
}

function queued(jobId: string, kind: "import" | "bulk") {
  return { jobId, message: `Queued: see GET /contacts/${kind}/${jobId}` };
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

function isTrue(text: string | undefined): boolean {
  if (text === undefined || text === "" || text === "false") return false;
  if (text !== "true") throw problems.badRequest("Cannot use this dryRun: expected true or false");
  return true;
}

/** Elsewhere an unknown field is ignored. Here it would widen the audience, and some of this cannot be undone. */
function assertKnownFilters(body: unknown): void {
  const { filter } = (body ?? {}) as { filter?: unknown };
  if (filter === undefined) return;
  // Elysia would make `{}` of null and of a list, and that means everyone.
  if (typeof filter !== "object" || filter === null || Array.isArray(filter)) {
    throw problems.invalid([{ field: "filter", code: "invalid_type", message: "Expected an object" }]);
  }
  const { search } = filter as { search?: unknown };
  if (typeof search === "string" && search.trim() === "") {
    const message = "A blank search would match everyone: leave it out if that is intended";
    throw problems.invalid([{ field: "filter.search", code: "too_small", message }]);
  }
  const unknown = Object.keys(filter).filter((name) => !Object.hasOwn(Filter.properties, name));
  if (unknown.length === 0) return;
  const message = `Unknown filter: expected ${Object.keys(Filter.properties).join(", ")}`;
  throw problems.invalid(unknown.map((name) => ({ field: `filter.${name}`, code: "custom", message })));
}

function bulkErrors({ mode, contactIds, filter }: BulkInput, refused?: ReadonlySet<string>): FieldError[] {
  const missing = (field: string): FieldError[] =>
    refused?.has(field) ? [] : [{ field, code: "required", message: "This field is required" }];
  if (mode === "query") return filter ? [] : missing("filter");
  return contactIds ? [] : missing("contactIds");
}

function selectionOf(body: BulkInput): BulkSelection {
  const errors = bulkErrors(body);
  if (errors.length > 0) throw problems.invalid(errors);
  if (body.mode !== "query") return { contactIds: body.contactIds! };
  return { filter: body.filter!, excludeIds: body.excludeIds ?? [] };
}
