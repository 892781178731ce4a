// The long work on contacts, below /contacts: bulk jobs. Queued, and then asked for.
import type { TProperties } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import {
  type BulkOperation,
  type BulkSelection,
  createBulkJob,
  getBulkJob,
} from "../../audience/bulk_jobs.ts";
import type { Selection } from "../../audience/selection.ts";
import type { Context } from "../../context.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import { END, JOB, Queued, queued } from "./_contact_job_schemas.ts";
import { ConditionTree } from "./_segment_schemas.ts";
import { answers, IdOf, Int, isUuid, Text, Uuid, Words } from "../entry/schemas.ts";

const MAX_IDS = 1_000;
const MAX_EXCLUDED = 10_000;

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

/** A blank one is refused with a reason of its own. */
const SEARCH = {
  type: "string",
  maxLength: 254,
  pattern: "\\S",
  description: "Part of the address, ignoring case.",
};

const Filter = t.Object(
  {
    search: t.Optional(documented(Text({ maxLength: 254 }), SEARCH)),
    subscribed: t.Optional(t.Boolean()),
    segmentId: t.Optional(IdOf("a segment")),
    condition: t.Optional(ConditionTree),
  },
  {
    title: "ContactFilter",
    description: "With the mode `query`: the contacts to change. `{}` is every contact.",
  },
);
const Ids = t.Array(Uuid, { minItems: 1, maxItems: MAX_IDS });
const ExcludedIds = t.Optional(
  t.Array(Uuid, { maxItems: MAX_EXCLUDED, description: "With the mode `query`: contacts to leave out." }),
);
const SELECTION = {
  mode: t.Optional(Words(["ids", "query"])),
  contactIds: t.Optional(Ids),
  filter: t.Optional(Filter),
  excludeIds: ExcludedIds,
};

/** `contactIds`, or the mode `query` and a `filter`. */
const selectionBody = <T extends TProperties>(noun: string, beside: T) =>
  documented(withRules(t.Object({ ...beside, ...SELECTION }), bulkErrors), {
    title: `${noun}Body`,
    oneOf: [
      t.Object(
        { ...beside, mode: t.Optional(Words(["ids"])), contactIds: Ids },
        { title: `${noun}ByIds`, description: "The contacts with these ids." },
      ),
      t.Object(
        { ...beside, mode: Words(["query"]), filter: Filter, excludeIds: ExcludedIds },
        { title: `${noun}ByFilter`, description: "All contacts that match the filter." },
      ),
    ],
  });
const BulkBody = selectionBody("Bulk", {});
const BulkSegmentBody = selectionBody("BulkSegment", { segmentId: IdOf("a static segment") });

interface BulkInput {
  mode?: "ids" | "query";
  contactIds?: string[];
  filter?: Selection;
  excludeIds?: string[];
}

/** `/contacts/import` and `/contacts/bulk-*`, to be used inside of `/contacts`. */
export function contactJobRoutes(ctx: Context) {
  return new Elysia({ prefix: "/contacts", detail: { tags: ["Contacts"] } }).use(bulkRoutes(ctx));
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
          summary: "Get the status of a bulk job",
          description: "The progress of the job. `result` is present once it is completed.",
        },
      },
    );
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
