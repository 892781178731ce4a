// Refusals because of what already exists, or of its state.
import { Problem } from "./answer.ts";

/** Something that a refusal refers to. */
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
  unschedule: "Only a campaign that is SCHEDULED can be unscheduled",
  cancel: "Only a campaign that is SCHEDULED or SENDING can be cancelled",
  change: "Only a DRAFT or a SCHEDULED campaign can be changed: duplicate it, and change the copy",
  delete: "Cancel it first",
};

/** Who has edited something, and when. */
type EditDetails = { etag: string; editedBy: string | null; editedAt: Date };

export const stateProblems = {
  // 412
  editedMeanwhile: (kind: string, details: EditDetails, isRequired: boolean) =>
    new Problem(
      412,
      "PRECONDITION_FAILED",
      `Cannot save this ${kind}: ${details.editedBy ?? "somebody"} has changed it since you read it`,
      {
        details,
        suggestion: `Read it again, and repeat your change${isRequired ? "" : "; without If-Match it overwrites the current version"}`,
      },
    ),
  editedBefore: (purpose: "delete" | "send", kind: string, details: EditDetails) =>
    new Problem(
      412,
      "PRECONDITION_FAILED",
      `Cannot ${purpose} this ${kind}: ${details.editedBy ?? "somebody"} has changed it since you read it`,
      { details, suggestion: `Read it again, and ${purpose} it if you still want to` },
    ),

  // 409
  /** Which process it is, is not for everybody to know: the operator's command names it. */
  capturedAgain: () =>
    new Problem(409, "CONFLICT", "Cannot release captured mails while a process would capture them again", {
      suggestion: "Ask the operator to set SMTP_URL in every process of the service, and to restart them",
    }),

  mailUnderWay: (status: string) =>
    new Problem(409, "CONFLICT", "Cannot send this mail again: it is still on its way", {
      details: { status },
      suggestion: "Wait until it has been sent or has failed",
    }),

  mailNotRepeated: (reason: string) =>
    new Problem(409, "CONFLICT", `Cannot send this mail again: ${reason}`, {
      suggestion: "Write a new one with POST /v1/send",
    }),

  mailNotScheduled: (state: string) =>
    new Problem(409, "CONFLICT", `Cannot give this mail another time: it is ${state}`, {
      details: { state },
      suggestion: "Only a mail that was sent with sendAt, and still waits for its time, can get another one",
    }),

  mailNotCancelled: (state: string) =>
    new Problem(409, "CONFLICT", `Cannot cancel this mail: it is ${state}`, {
      details: { state },
      suggestion:
        "Only a mail of POST /v1/send that is PENDING can be cancelled; for others, cancel the campaign or the execution",
    }),

  uploadCancelled: () =>
    new Problem(409, "CONFLICT", "Cannot import a file whose import was cancelled during the upload", {
      suggestion: "Upload the file again",
    }),
  importNotCancelled: () =>
    new Problem(409, "CONFLICT", "Cannot cancel this import: it has already ended", {
      suggestion: "To take back what it changed, use POST /contacts/imports/{jobId}/undo",
    }),
  importNotUndone: (days: number) =>
    new Problem(409, "CONFLICT", "Cannot undo this import", {
      suggestion: `An import can be undone once, within ${days} days after it has completed or failed. A dry run cannot be undone`,
    }),
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
    new Problem(409, "CONFLICT", "Cannot sign up: an account with this address already exists", {
      details: { email },
      suggestion: "Log in, or request a password reset",
    }),

  addressTaken: (email: string) =>
    new Problem(409, "CONFLICT", "Cannot use this address: it now has an account", {
      details: { email },
    }),

  twoFactorOff: () =>
    new Problem(409, "CONFLICT", "Cannot create recovery codes: two-factor log-in is off", {
      suggestion: "Add an authenticator app or a passkey first: recovery codes come with it",
    }),

  noFactorPending: () =>
    new Problem(409, "CONFLICT", "Cannot confirm an authenticator app: none is waiting for its first code", {
      suggestion: "Start again with POST /users/@me/two-factor/totp",
    }),

  passkeyNotAdded: (most: number) =>
    new Problem(
      409,
      "CONFLICT",
      `Cannot add this passkey: it is already registered, or the account has ${most}`,
      {
        suggestion: "Use another device, or remove a passkey first",
      },
    ),

  ownsProjects: (projects: Named[]) =>
    new Problem(
      409,
      "CONFLICT",
      "Cannot delete this account: it is the only owner of projects with other members",
      {
        details: { projects },
        suggestion:
          "Make somebody else an OWNER of each with PATCH /projects/:id/members/:userId, or delete them",
      },
    ),

  projectsGoToo: (projects: Named[]) =>
    new Problem(409, "CONFLICT", "Cannot delete this account: it has projects without other members", {
      details: { projects },
      suggestion: "Repeat the request with ?deleteProjects=true: this deletes them with everything in them",
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

  tooManyWebhooks: (limit: number) =>
    new Problem(409, "CONFLICT", `Cannot have more than ${limit} webhooks in a project`, {
      suggestion: "Delete one that is no longer used, or let one endpoint handle several types",
    }),

  webhookSecretLost: () =>
    new Problem(409, "CONFLICT", "Cannot read this secret: it was encrypted with another SECRET_KEY", {
      suggestion: "Create a new one: POST /webhooks/{id}/rotate-secret",
    }),

  webhookPaused: () =>
    new Problem(409, "CONFLICT", "Cannot replay deliveries of a webhook that is paused", {
      suggestion: "Enable it first: PATCH /webhooks/{id} with enabled: true",
    }),

  tooManyKeys: (limit: number) =>
    new Problem(409, "CONFLICT", `Cannot have more than ${limit} keys in a project`, {
      suggestion: "Revoke one that is no longer used",
    }),

  imageInUse: (uses: { noun: string; id: string; name: string }[]) =>
    new Problem(409, "CONFLICT", "Cannot delete this image: templates or campaigns show it", {
      details: { uses },
      suggestion: "Remove it from them first, or delete it anyway with `force=true`",
    }),

  alreadyInWorkflow: (allowsReentry: boolean) =>
    new Problem(
      409,
      "CONFLICT",
      allowsReentry
        ? "Cannot start this workflow: the contact is currently in it"
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

  tooManyTransports: (limit: number) =>
    new Problem(409, "CONFLICT", `Cannot add more than ${limit} transports to a project`, {
      suggestion: "Remove one that is no longer needed",
    }),

  transportInUse: (rules: { projectId: string; rule: number }[]) =>
    new Problem(409, "CONFLICT", "Cannot remove this transport: rules of routes name it", {
      details: { rules },
      suggestion: "Take it out of these rules first with PUT /routes: they are counted from 1",
    }),

  tooManyWarmupPlans: (limit: number) =>
    new Problem(409, "CONFLICT", `Cannot add more than ${limit} warm-up plans to a project`, {
      suggestion: "Remove one that is no longer needed",
    }),

  warmupPlanInUse: (transports: Named[]) =>
    new Problem(409, "CONFLICT", "Cannot remove this warm-up plan: transports are warmed up by it", {
      details: { transports },
      suggestion: "Set another plan, or null, as `warmup` of these transports first",
    }),

  noSenderForTest: () =>
    new Problem(409, "CONFLICT", "Cannot send a test mail: the project has no verified domain to send from", {
      suggestion: "Add a domain and publish its DNS records first",
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

  campaignStatus: (verb: "send" | "unschedule" | "cancel" | "change" | "delete", status: string) =>
    new Problem(409, "CONFLICT", `Cannot ${verb} a campaign that is ${status}`, {
      details: { status },
      suggestion: CAMPAIGN_ADVICE[verb],
    }),

  changedMeanwhile: (resource: string) =>
    new Problem(409, "CONFLICT", `Cannot change this ${resource}: others are changing it at the same time`, {
      suggestion: "Try again",
    }),

  /** What a request refers to, or its project, was deleted while it was in progress. */
  goneMeanwhile: (resource: string) =>
    new Problem(409, "CONFLICT", `Cannot do this: the ${resource} has been deleted in the meantime`, {
      details: { resource },
      suggestion: "Check the current state before you try again",
    }),
};
