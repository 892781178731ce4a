// Every refusal of the service on one page. Messages say "Cannot …", suggestions say what to do.
import { type FieldError, Problem, shortened } from "./_problem.ts";

export { type FieldError, type FieldErrorCode, Problem } from "./_problem.ts";

/** Something that a refusal points at. */
interface Named {
  id: string;
  name: string;
}

/** The response to a used idempotency key. */
export interface OriginalRequest extends Record<string, unknown> {
  key: string;
  originalRequest: string;
  originalRequestAt: Date;
  originalStatusCode: number | null;
  originalResponse: unknown;
}

const CAMPAIGN_ADVICE = {
  send: "Duplicate it, and send the copy",
  cancel: "Only a campaign that is SCHEDULED or SENDING can be cancelled",
  change: "Only a DRAFT or a SCHEDULED campaign can be changed: duplicate it, and change the copy",
  delete: "Cancel it first",
};

const LATER = {
  headers: { "retry-after": "5" },
  suggestion: "Nothing was changed. Try again in a few seconds",
};

export const problems = {
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

  optedOut: (recipients: string[]) =>
    new Problem(400, "BAD_REQUEST", "Cannot send a MARKETING template to contacts who have opted out", {
      details: { recipients },
      suggestion: "Leave these recipients out, or use a TRANSACTIONAL template",
    }),

  // 401
  missingAuth: () =>
    new Problem(
      401,
      "MISSING_AUTH",
      "Cannot authenticate: the Authorization header is missing or malformed",
      {
        suggestion: "Send the header Authorization: Bearer <API key>",
      },
    ),

  invalidApiKey: (expected: "public" | "secret") =>
    new Problem(401, "INVALID_API_KEY", `Cannot authenticate: a valid ${expected} API key is required`, {
      suggestion: `Use the key of your project that starts with ${expected === "public" ? "pk_" : "sk_"}`,
    }),

  /** The session of the cookie has ended, or the cookie is not ours. */
  unauthorized: () =>
    new Problem(401, "UNAUTHORIZED", "Cannot authenticate: the session has ended", {
      suggestion: "Log in again with POST /auth/login",
    }),

  sessionRequired: () =>
    new Problem(401, "INVALID_API_KEY", "Cannot do this with an API key: a session is required", {
      suggestion: "Log in with POST /auth/login, and send its cookie",
    }),

  invalidCredentials: () =>
    new Problem(401, "INVALID_CREDENTIALS", "Cannot log in: the address or the password is wrong"),

  metricsClosed: () =>
    new Problem(401, "MISSING_AUTH", "Cannot show the metrics: in production a METRICS_TOKEN is required", {
      headers: { "www-authenticate": "Bearer" },
      suggestion:
        "Set METRICS_TOKEN (16 characters or more) in every process, and send the header Authorization: Bearer <METRICS_TOKEN>",
    }),

  inboxPasswordRequired: () =>
    new Problem(401, "MISSING_AUTH", "Cannot show the inbox without its password", {
      suggestion: "Sign in with any user name and the SECRET_KEY as the password",
      headers: { "www-authenticate": 'Basic realm="Postrider inbox", charset="UTF-8"' },
    }),

  // 402
  billingLimitExceeded: (details: { category: string; limit: number; usage: number; resetsAt: Date }) =>
    new Problem(402, "BILLING_LIMIT_EXCEEDED", `Cannot exceed this month's limit: ${details.category}`, {
      details,
      suggestion: `Raise it with PUT /users/@me/projects/:id/billing-limits, or wait until ${details.resetsAt.toISOString()}`,
    }),

  metricsTokenRequired: () =>
    new Problem(401, "MISSING_AUTH", "Cannot show the metrics without their token", {
      headers: { "www-authenticate": "Bearer" },
      suggestion: "Send the header Authorization: Bearer <METRICS_TOKEN>",
    }),

  // 403
  otherHost: () =>
    new Problem(403, "FORBIDDEN", "Cannot show the inbox under this host name", {
      suggestion: "Open it at localhost, or set BASE_URL to the address in use",
    }),
  otherOrigin: () => new Problem(403, "FORBIDDEN", "Cannot accept changes from a page of another origin"),

  forgedNotification: (reason: string) =>
    new Problem(403, "FORBIDDEN", `Cannot accept this notification: ${reason}`),

  projectDisabled: (reason: string | null) =>
    new Problem(
      403,
      "PROJECT_DISABLED",
      "Cannot do this: the project is disabled",
      reason ? { details: { reason } } : {},
    ),

  senderDomainNotVerified: (domain: string) =>
    new Problem(
      403,
      "INTERNAL_SERVER_ERROR",
      `Cannot send from ${domain}: the domain is not verified for this project`,
      {
        details: { reason: "SENDER_DOMAIN_NOT_VERIFIED", domain },
        suggestion: `Add ${domain} to the project's domains and publish its DNS records, or send from a verified domain`,
      },
    ),

  projectAccessDenied: (projectId: string) =>
    new Problem(403, "PROJECT_ACCESS_DENIED", "Cannot access this project: you are not a member of it", {
      details: { projectId },
    }),

  roleTooLow: (has: string, needed: string) =>
    new Problem(403, "FORBIDDEN", `Cannot do this with the role ${has}`, {
      details: { role: has, needed },
      suggestion: `Ask ${needed === "OWNER" ? "an owner" : "an owner or admin"} of the project`,
    }),

  emailVerificationRequired: () =>
    new Problem(
      403,
      "EMAIL_VERIFICATION_REQUIRED",
      "Cannot continue: the address of the account is not verified",
      {
        suggestion:
          "Follow the link in the verification mail, or request a new one with POST /auth/request-verification",
      },
    ),

  mustProveAddress: () =>
    new Problem(
      403,
      "EMAIL_VERIFICATION_REQUIRED",
      "Cannot send invitations: the address of the account has not been verified in the browser that is logged in",
      {
        suggestion:
          "Log in and follow the link in the verification mail in the same browser (request a new one with POST /auth/request-verification), then invite people",
      },
    ),

  signupsClosed: () =>
    new Problem(403, "FORBIDDEN", "Cannot sign up: this installation is by invitation only"),

  signInDeclined: (provider: string) =>
    new Problem(403, "FORBIDDEN", `Cannot sign you in: the request was declined at ${provider}`),

  addressNotVerifiedThere: (provider: string) =>
    new Problem(
      403,
      "FORBIDDEN",
      `Cannot sign you in: ${provider} does not confirm that your address is verified`,
      { suggestion: "Verify your main address there, and try again" },
    ),

  otherProject: (projectId: string) =>
    new Problem(403, "PROJECT_ACCESS_DENIED", "Cannot use another project than the one of the API key", {
      details: { projectId },
      suggestion: "Leave projectId out, or use the key of that project",
    }),

  // 404 and 405
  routeNotFound: (method: string, path: string, suggestion = "See /docs for every endpoint") =>
    new Problem(404, "RESOURCE_NOT_FOUND", `Cannot find ${method} ${path}`, {
      details: { resource: "route", id: path },
      suggestion,
    }),

  methodNotAllowed: (method: string, path: string, allowed: string[]) =>
    new Problem(405, "RESOURCE_NOT_FOUND", `Cannot ${method} ${path}`, {
      details: { allowed },
      headers: { allow: allowed.join(", ") },
    }),

  notFound: (
    resource:
      | "email"
      | "project"
      | "captured mail"
      | "image"
      | "import"
      | "bulk job"
      | "suppression"
      | "domain"
      | "member"
      | "sign-in provider"
      | "execution"
      | "workflow step"
      | "workflow transition",
    id: string,
  ) => new Problem(404, "RESOURCE_NOT_FOUND", `Cannot find this ${resource}`, { details: { resource, id } }),

  contactNotFound: (id: string) =>
    new Problem(404, "CONTACT_NOT_FOUND", "Cannot find this contact", {
      details: { resource: "contact", id },
    }),

  segmentNotFound: (id: string) =>
    new Problem(404, "SEGMENT_NOT_FOUND", "Cannot find this segment", {
      details: { resource: "segment", id },
    }),

  templateNotFound: (id: string) =>
    new Problem(404, "TEMPLATE_NOT_FOUND", "Cannot find this template", {
      details: { resource: "template", id },
    }),

  campaignNotFound: (id: string) =>
    new Problem(404, "CAMPAIGN_NOT_FOUND", "Cannot find this campaign", {
      details: { resource: "campaign", id },
    }),

  workflowNotFound: (id: string) =>
    new Problem(404, "WORKFLOW_NOT_FOUND", "Cannot find this workflow", {
      details: { resource: "workflow", id },
    }),

  // 409
  idempotencyKeyReused: (original: OriginalRequest) =>
    new Problem(409, "IDEMPOTENCY_KEY_REUSED", "Cannot use this Idempotency-Key again", {
      details: original,
      suggestion: "The first request succeeded: its response is in details.originalResponse",
    }),

  emailTaken: (email: string) =>
    new Problem(409, "CONFLICT", "Cannot use this address: another contact in the project has it", {
      details: { email },
    }),

  accountExists: (email: string) =>
    new Problem(409, "CONFLICT", "Cannot sign up: an account with this address exists already", {
      details: { email },
      suggestion: "Log in, or request a password reset",
    }),

  accountNotProven: (email: string) =>
    new Problem(409, "CONFLICT", "Cannot use the existing account with this address: the password is wrong", {
      details: { email },
      suggestion:
        "Enter the password of that account. If you have lost it, or somebody else created the account, request a password reset: it makes the account yours",
    }),

  accountVerified: () =>
    new Problem(409, "CONFLICT", "Cannot remove this account: its owner has confirmed it by mail", {
      suggestion: "Reset the password instead: that ends every session and deletes nothing",
    }),

  segmentInUse: (uses: { segments: Named[]; campaigns: Named[]; workflows: Named[] }) =>
    new Problem(409, "CONFLICT", "Cannot delete this segment: it is in use", { details: uses }),

  fieldInUse: (field: string, uses: { segments: Named[]; campaigns: Named[]; workflows: Named[] }) =>
    new Problem(409, "CONFLICT", `Cannot delete ${field}: it is in use`, { details: uses }),

  eventInUse: (name: string, uses: { segments: Named[]; campaigns: Named[]; workflows: Named[] }) =>
    new Problem(409, "CONFLICT", `Cannot delete the events named ${name}: the name is in use`, {
      details: uses,
    }),

  templateInUse: (uses: {
    campaigns: (Named & { status: string })[];
    workflowSteps: (Named & { workflowId: string; workflowName: string })[];
  }) => new Problem(409, "CONFLICT", "Cannot delete this template: it is in use", { details: uses }),

  alreadyInWorkflow: (allowsReentry: boolean) =>
    new Problem(
      409,
      "CONFLICT",
      allowsReentry
        ? "Cannot start this workflow: the contact is in it at the moment"
        : "Cannot start this workflow: the contact has already been through it",
      {
        suggestion: allowsReentry
          ? "Cancel the active execution, or wait until it has ended"
          : "Set allowReentry to true to allow contacts to enter it again",
      },
    ),

  executionEnded: (status: string) =>
    new Problem(409, "CONFLICT", `Cannot cancel an execution that is ${status}`, { details: { status } }),

  workflowActive: (activeExecutions: number) =>
    new Problem(409, "CONFLICT", "Cannot delete a workflow with active executions", {
      details: { activeExecutions },
      suggestion: "Cancel them with POST /workflows/:id/executions/cancel-all, or wait until they have ended",
    }),

  domainTaken: (domain: string) =>
    new Problem(409, "CONFLICT", `Cannot add ${domain}: the project already has it`, { details: { domain } }),

  tooManyDomains: (limit: number) =>
    new Problem(409, "CONFLICT", `Cannot add more than ${limit} domains to a project`),

  domainInUse: (uses: { templates: Named[]; campaigns: (Named & { status: string })[] }) =>
    new Problem(409, "CONFLICT", "Cannot remove this domain: mail is still to be sent from it", {
      details: uses,
      suggestion: "Change the sender of these templates and campaigns first, or delete them",
    }),

  tooManyProjects: (limit: number) =>
    new Problem(409, "CONFLICT", `Cannot own more than ${limit} projects`, {
      suggestion: "Delete one that is no longer needed, or transfer its ownership",
    }),

  alreadyMember: (email: string) =>
    new Problem(409, "CONFLICT", "Cannot add this person: they are already a member", {
      details: { email },
      suggestion: "Change the role with PATCH /projects/:id/members/:userId",
    }),

  tooManyMembers: (limit: number) =>
    new Problem(409, "CONFLICT", `Cannot have more than ${limit} members and invitations in a project`),

  lastOwner: () =>
    new Problem(409, "CONFLICT", "Cannot leave the project without an owner", {
      suggestion: "Make somebody else an OWNER first",
    }),

  alreadySubscribed: (status: string) =>
    new Problem(409, "CONFLICT", "Cannot subscribe again: the project has a subscription", {
      details: { status },
      suggestion: "Change it with POST /users/@me/projects/:id/billing-portal",
    }),

  neverSubscribed: () =>
    new Problem(409, "CONFLICT", "Cannot open the billing portal: the project has never had a subscription", {
      suggestion: "Subscribe with POST /users/@me/projects/:id/checkout",
    }),

  campaignStatus: (verb: "send" | "cancel" | "change" | "delete", status: string) =>
    new Problem(409, "CONFLICT", `Cannot ${verb} a campaign that is ${status}`, {
      details: { status },
      suggestion: CAMPAIGN_ADVICE[verb],
    }),

  /** What a request refers to, or its project, was deleted while it was under way. */
  goneMeanwhile: (resource: string) =>
    new Problem(409, "CONFLICT", `Cannot do this: the ${resource} has been deleted in the meantime`, {
      details: { resource },
      suggestion: "Check the current state before you try again",
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

  // 429
  tooManyFailures: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot log in now: too many failed attempts", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
      suggestion: `Try again in ${retryAfter} s`,
    }),

  tooManySignUps: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot sign up now: too many sign-ups from this network", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
      suggestion: `Try again in ${retryAfter} s, or ask for an invitation`,
    }),

  rateLimitExceeded: (limit: number, retryAfter: number, whose: "project" | "user" = "project") =>
    new Problem(
      429,
      "RATE_LIMIT_EXCEEDED",
      `Cannot accept more than ${limit} requests per minute for one ${whose}`,
      {
        details: { retryAfter },
        headers: {
          "retry-after": String(retryAfter),
          "ratelimit-limit": String(limit),
          "ratelimit-remaining": "0",
          "ratelimit-reset": String(retryAfter),
        },
        suggestion: `Try again in ${retryAfter} s`,
      },
    ),

  tooManyNewProjects: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot create more projects today", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
      suggestion: "Try again tomorrow",
    }),

  tooManyInvitations: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot invite more people now", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
      suggestion: "Try again tomorrow",
    }),

  publicLimitExceeded: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot accept more requests from this IP address now", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
    }),

  // 500, 501 and 503
  unexpected: () => new Problem(500, "INTERNAL_SERVER_ERROR", "Something unexpected went wrong"),

  /** `status` is 404 where nobody is to know that there could be something. */
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

  /** Whose work is in the way: of others it is our fault, of one's own it is a limit. */
  busy: (task: string, whose: "others" | "of yours" = "others") =>
    new Problem(
      whose === "others" ? 503 : 429,
      whose === "others" ? "INTERNAL_SERVER_ERROR" : "RATE_LIMIT_EXCEEDED",
      `Cannot ${task} now: too many ${whose} are waiting`,
      { ...LATER, details: { retryAfter: 5 }, isLoad: true },
    ),

  /** Something outside cannot be reached; `isOurs` where that is an error here. */
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

  /** The answer of the database was lost, and not the question. */
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
