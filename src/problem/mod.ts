// Every refusal of the service. Messages say "Cannot …", suggestions say what to do.
import { type FieldError, type MissingResource, Problem, shortened } from "./answer.ts";
import { callerProblems } from "./_callers.ts";
import { limitProblems } from "./_limits.ts";
import { recipientProblems } from "./_recipients.ts";
import { moveProblems } from "./_moves.ts";
import { sandboxProblems } from "./_sandbox.ts";
import { stateProblems } from "./_state.ts";

export { type FieldError, type FieldErrorCode, MAX_ERRORS, Problem } from "./answer.ts";
export { rateLimitFields } from "./_limits.ts";
export type { OriginalRequest } from "./_state.ts";

const LATER = {
  headers: { "retry-after": "5" },
  suggestion: "Nothing was changed. Try again in a few seconds",
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What helps whoever has written something else than an id. */
function idHint(id: string, instead: string): { suggestion?: string } {
  return UUID.test(id) ? {} : { suggestion: `An id is a UUID: ${instead}` };
}

export const problems = {
  ...callerProblems,
  ...stateProblems,
  ...sandboxProblems,
  ...limitProblems,
  ...recipientProblems,
  ...moveProblems,

  // 400
  badRequest: (message: string, suggestion?: string) =>
    new Problem(400, "BAD_REQUEST", message, suggestion ? { suggestion } : {}),

  badParameters: (errors: FieldError[]) =>
    new Problem(400, "BAD_REQUEST", `Cannot use these parameters: ${errors.map((e) => e.field).join(", ")}`, {
      errors,
    }),

  notJson: (reason: string) =>
    new Problem(400, "VALIDATION_ERROR", `Cannot read the body as JSON: ${reason}`, {
      suggestion: "Send a JSON object with Content-Type: application/json",
    }),

  bodyCutShort: () => new Problem(400, "BAD_REQUEST", "Cannot read the body: it was cut short"),

  badIdempotencyKey: () =>
    new Problem(
      400,
      "BAD_REQUEST",
      "Cannot use this Idempotency-Key: 1 to 255 printable ASCII characters are allowed",
    ),

  /** No index finds such mails: all of them would have to be read. */
  filtersNotIndexed: (filters: string[]) =>
    new Problem(400, "BAD_REQUEST", `Cannot filter mails by ${filters.join(" and ")} alone`, {
      suggestion:
        "Filter by one of campaignId, templateId, workflowId, sourceType, status and tag, by campaignId and status, or by any of them together with contactId or to",
    }),

  searchAlone: () =>
    new Problem(400, "BAD_REQUEST", "Cannot combine search with filters other than from and until", {
      suggestion: "Leave out the other filters and `dir`: results are listed from the newest to the oldest",
    }),

  oneOutcome: () =>
    new Problem(400, "BAD_REQUEST", "Cannot filter recipients by more than one outcome at once", {
      suggestion: "Use one of status, opened, clicked and unsubscribed",
    }),

  unknownFields: (unknown: string[], known: readonly string[]) =>
    new Problem(
      400,
      "BAD_REQUEST",
      `Cannot return fields that do not exist: ${unknown.join(", ").slice(0, 200)}`,
      {
        suggestion: `Use some of ${known.join(", ")}`,
      },
    ),

  cursorOfCreation: () =>
    new Problem(400, "BAD_REQUEST", "Cannot use a cursor with this order or page", {
      suggestion:
        "A cursor continues in the order of createdAt: leave out `page`, and leave out `sort` or set it to createdAt",
    }),

  searchTooShort: (least: number) =>
    new Problem(400, "BAD_REQUEST", `Cannot search for fewer than ${least} characters`),

  searchTooBroad: (most: number, nouns: string, suggestion: string) =>
    new Problem(400, "BAD_REQUEST", `Cannot search for a text that matches more than ${most} ${nouns}`, {
      suggestion,
    }),

  tooMuchToCount: (noun: string) =>
    new Problem(400, "BAD_REQUEST", `Cannot count the mails of this ${noun}: there are too many`, {
      suggestion:
        "Leave the filter out: the series of all mails and those of campaigns are read from counters",
    }),

  tooManyTagged: () =>
    new Problem(400, "BAD_REQUEST", "Cannot count the mails with tags: there are too many in these days", {
      suggestion: "Ask for fewer days",
    }),

  badCursor: () =>
    new Problem(400, "BAD_REQUEST", "Cannot read the cursor", {
      suggestion:
        "Pass the cursor exactly as the previous page returned it, or leave it out to start at the first page",
    }),

  segmentNotTracked: () =>
    new Problem(400, "BAD_REQUEST", "Cannot compute a segment whose membership is not tracked", {
      suggestion: "Set trackMembership to true, or refresh the count instead",
    }),

  noRecipients: () =>
    new Problem(400, "BAD_REQUEST", "Cannot send a campaign without recipients", {
      suggestion: "Check its audience: MARKETING and HEADLESS campaigns go to subscribed contacts only",
    }),

  workflowNotEnabled: () =>
    new Problem(400, "BAD_REQUEST", "Cannot start a workflow that is not enabled", {
      suggestion: "Enable it with PATCH /workflows/:id",
    }),

  missingProjectId: () =>
    new Problem(400, "BAD_REQUEST", "Cannot tell which project this request is for", {
      suggestion: "Send the header X-Project-Id with the id of one of your projects",
    }),

  badToken: () =>
    new Problem(
      400,
      "BAD_REQUEST",
      "Cannot use this link: it is invalid, has expired or has already been used",
      {
        suggestion: "Request a new mail: its link works once, for one hour",
      },
    ),

  signInStale: () =>
    new Problem(
      400,
      "BAD_REQUEST",
      "Cannot finish this sign-in: it was started in another browser, has expired or is already complete",
    ),

  // 404 and 405
  routeNotFound: (method: string, path: string, suggestion = "See /docs/api for every endpoint") =>
    new Problem(404, "RESOURCE_NOT_FOUND", `Cannot find ${method} ${path}`, {
      details: { resource: "route", id: path },
      suggestion,
    }),

  methodNotAllowed: (method: string, path: string, allowed: string[]) =>
    new Problem(405, "RESOURCE_NOT_FOUND", `Cannot ${method} ${path}`, {
      details: { allowed },
      suggestion: `This path accepts ${allowed.join(", ")}`,
      headers: { allow: allowed.join(", ") },
    }),

  notFound: (resource: MissingResource, id: string) =>
    new Problem(404, "RESOURCE_NOT_FOUND", `Cannot find this ${resource}`, { details: { resource, id } }),

  contactNotFound: (id: string) =>
    new Problem(404, "CONTACT_NOT_FOUND", "Cannot find this contact", {
      details: { resource: "contact", id },
      ...idHint(id, "GET /contacts?search= finds one by its address"),
    }),

  segmentNotFound: (id: string) =>
    new Problem(404, "SEGMENT_NOT_FOUND", "Cannot find this segment", {
      details: { resource: "segment", id },
      ...idHint(id, "GET /segments lists them"),
    }),

  templateNotFound: (id: string) =>
    new Problem(404, "TEMPLATE_NOT_FOUND", "Cannot find this template", {
      details: { resource: "template", id },
      ...idHint(id, "GET /templates?search= finds one by its name"),
    }),

  campaignNotFound: (id: string) =>
    new Problem(404, "CAMPAIGN_NOT_FOUND", "Cannot find this campaign", {
      details: { resource: "campaign", id },
      ...idHint(id, "GET /campaigns?search= finds one by its name"),
    }),

  workflowNotFound: (id: string) =>
    new Problem(404, "WORKFLOW_NOT_FOUND", "Cannot find this workflow", {
      details: { resource: "workflow", id },
      ...idHint(id, "GET /workflows?search= finds one by its name"),
    }),

  // 413 and 415
  bodyTooLarge: (limitBytes: number) =>
    new Problem(
      413,
      "PAYLOAD_TOO_LARGE",
      `Cannot accept a body of more than ${limitBytes < 1_048_576 ? `${limitBytes / 1024} KB` : `${Math.floor(limitBytes / 1_048_576)} MB`}`,
    ),

  tooMany: (limit: number, what: "values" | "escaped characters") =>
    new Problem(
      413,
      "PAYLOAD_TOO_LARGE",
      `Cannot accept a body of more than ${limit.toLocaleString("en-US")} ${what}`,
    ),

  imageTooLarge: (reason: string) =>
    new Problem(413, "PAYLOAD_TOO_LARGE", `Cannot accept this image: ${reason}`),

  uploadsFull: (limitMb: number) =>
    new Problem(413, "PAYLOAD_TOO_LARGE", `Cannot store more than ${limitMb} MB of images for a project`),

  notAnImage: () =>
    new Problem(
      415,
      "UNSUPPORTED_MEDIA_TYPE",
      "Cannot accept this file: it is not a JPEG, PNG, GIF or WebP image",
      {
        suggestion: "The content of the file decides, not its name or type",
      },
    ),

  unsupportedMediaType: (received: string, wanted = "JSON with Content-Type: application/json") =>
    new Problem(415, "UNSUPPORTED_MEDIA_TYPE", `Cannot read a body of type ${received.slice(0, 100)}`, {
      suggestion: `Send ${wanted}`,
    }),

  // 422
  unreadableFile: (reason: string) => new Problem(422, "VALIDATION_ERROR", `Cannot read the file: ${reason}`),

  invalid: (all: FieldError[]) => {
    const errors = shortened(all);
    const fields = errors.slice(0, 5).map(({ field }) => field || "body");
    return new Problem(
      422,
      "VALIDATION_ERROR",
      `Cannot accept this request: ${fields.join(", ")} ${errors.length === 1 ? "is" : "are"} not valid`,
      { errors },
    );
  },

  badPassword: (field: string, reason: string) =>
    new Problem(422, "VALIDATION_ERROR", `Cannot use this password: ${reason}`, {
      errors: [{ field, code: "custom", message: `Not a good password: ${reason}` }],
      suggestion: "Choose another one, such as four unrelated words",
    }),

  // 500, 501 and 503
  unexpected: () => new Problem(500, "INTERNAL_SERVER_ERROR", "Something unexpected went wrong"),

  /** `status` is 404 where callers are not told that the feature exists. */
  notConfigured: (what: string, suggestion: string, status: 404 | 501 = 501) =>
    new Problem(status, "NOT_CONFIGURED", `Cannot do this: this installation has no ${what}`, {
      suggestion,
    }),

  paymentsAway: () =>
    new Problem(503, "INTERNAL_SERVER_ERROR", "Cannot reach the payment provider at the moment", {
      headers: { "retry-after": "10" },
      suggestion: "Nothing was charged. Try again in a few seconds",
    }),

  signInFailed: (provider: string) =>
    new Problem(
      502,
      "INTERNAL_SERVER_ERROR",
      `Cannot sign you in: ${provider} is not reachable, or its response is not valid`,
      { suggestion: "Try again in a minute" },
    ),

  /** `whose` work is in the way: waiting for that of others is our fault, waiting for one's own is a limit. */
  busy: (task: string, whose: "others" | "of yours" = "others") =>
    new Problem(
      whose === "others" ? 503 : 429,
      whose === "others" ? "INTERNAL_SERVER_ERROR" : "RATE_LIMIT_EXCEEDED",
      `Cannot ${task} now: too many ${whose} are waiting`,
      { ...LATER, details: { retryAfter: 5 }, isLoad: true },
    ),

  /** Something outside cannot be reached; `isOurs` if that is an error of this installation. */
  away: (what: string, isOurs = true) =>
    new Problem(503, "INTERNAL_SERVER_ERROR", `Cannot reach ${what} at the moment`, {
      ...LATER,
      ...(!isOurs && { isLoad: true as const }),
    }),

  tooSlow: () =>
    new Problem(
      503,
      "INTERNAL_SERVER_ERROR",
      "Cannot finish this in time: the database took too long",
      LATER,
    ),

  /** The database may have received the statement, but its response was lost. */
  unsure: (
    suggestion = "It may have succeeded: repeat it with the same Idempotency-Key, or check before you repeat it",
  ) =>
    new Problem(
      503,
      "INTERNAL_SERVER_ERROR",
      "Cannot tell whether this was done: the connection to the database was lost",
      { headers: { "retry-after": "5" }, suggestion },
    ),

  unavailable: () => problems.away("the database"),
};
