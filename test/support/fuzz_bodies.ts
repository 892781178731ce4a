// Bodies that the service accepts where a schema alone does not say how: what they are made from is spoilt afterwards.
import type { Dice } from "./fuzz_values.ts";
import { PASSWORD } from "./accounts.ts";
import { DOMAIN } from "./service.ts";

/** What exists, for bodies that refer to it. */
interface Known {
  dice: Dice;
  ids: Record<string, string[]>;
  emails: readonly string[];
}

type MadeBody = (known: Known) => unknown;

const FROM = `hello@${DOMAIN}`;

const FILTERS = [
  { field: "data.plan", operator: "equals", value: "pro" },
  { field: "data.plan", operator: "contains", value: "%" },
  { field: "data.age", operator: "greaterThan", value: 3 },
  { field: "subscribed", operator: "equals", value: true },
  { field: "createdAt", operator: "within", value: 30, unit: "days" },
  { field: "data.since", operator: "olderThan", value: 30, unit: "days" },
  { field: "data.plan", operator: "exists" },
  { field: "email", operator: "notContains", value: "x" },
  { field: "event.bought", operator: "triggered" },
  { field: "event.bought", operator: "triggeredWithin", value: 3, unit: "days" },
  { field: "event.bought", operator: "triggeredAtLeast", count: 2, value: 30, unit: "days" },
  { field: "email.clicked", operator: "triggeredAtMost", count: 1 },
  { field: "email.opened", operator: "notTriggered" },
];

const condition = ({ dice }: Known) => ({
  logic: dice.pick(["AND", "OR"]),
  groups: Array.from({ length: 1 + dice.roll(3) }, () => ({
    filters: [dice.pick(FILTERS), dice.pick(FILTERS)],
  })),
});

const template = ({ dice }: Known) => ({
  name: "Welcome",
  subject: "Hello {{firstName ?? there}}",
  // MJML is compiled by a process each time, which is dear.
  body: dice.chance(3)
    ? "<mjml><mj-body><mj-section><mj-column><mj-text>{{email}}</mj-text></mj-column></mj-section></mj-body></mjml>"
    : '<p>Hello {{email}}, <a href="https://example.com/?a={{id}}">look</a>{{#if plan}} {{plan}}{{/if}}</p>',
  from: FROM,
  type: dice.pick(["MARKETING", "TRANSACTIONAL"]),
});

const campaign = (known: Known) => ({
  ...template(known),
  type: "MARKETING",
  ...known.dice.pick([
    { audienceType: "ALL" },
    { audienceType: "SEGMENT", segmentId: known.dice.pick(known.ids.segments ?? []) },
    { audienceType: "FILTERED", audienceCondition: condition(known) },
  ]),
});

const STEP_CONFIGS = [
  { type: "DELAY", config: { amount: 3, unit: "days" } },
  { type: "WAIT_FOR_EVENT", config: { eventName: "bought", timeout: 3_600 } },
  { type: "CONDITION", config: { field: "data.plan", operator: "equals", value: "pro" } },
  { type: "WEBHOOK", config: { url: "https://hooks.example/x", method: "POST", body: { a: "{{email}}" } } },
  { type: "UPDATE_CONTACT", config: { updates: { plan: "pro" } } },
  { type: "EXIT", config: { reason: "done" } },
];

const step = ({ dice, ids }: Known) =>
  dice.chance(20)
    ? { type: "SEND_EMAIL", name: "Mail", config: {}, templateId: dice.pick(ids.templates ?? []) }
    : { name: "Step", position: { x: 1, y: 2 }, ...dice.pick(STEP_CONFIGS) };

const sample = ({ dice, ids }: Known) => ({
  contactIds: [dice.pick(ids.contacts ?? [])],
  dryRun: dice.chance(50),
});

/** By operation. */
const BODIES: Record<string, MadeBody> = {
  "POST /v1/send": ({ dice, emails }) => ({
    to: dice.pick([dice.pick(emails), [dice.pick(emails), { email: "new@example.com", name: "New" }]]),
    from: FROM,
    subject: "Hello {{firstName}}",
    body: "<p>Hello {{firstName ?? there}}</p>",
    data: { firstName: "Ada", once: { value: 1, persistent: false } },
    ...(dice.chance(20) && {
      attachments: [{ filename: "a.txt", content: "aGVsbG8=", contentType: "text/plain" }],
    }),
    ...(dice.chance(20) && { headers: { "X-Order": "1" }, reply: FROM }),
  }),
  "POST /segments": (known) => ({ name: `Segment ${known.dice.roll(1e9)}`, condition: condition(known) }),
  "PATCH /segments/{id}": (known) => ({
    condition: condition(known),
    trackMembership: known.dice.chance(50),
  }),
  "POST /templates": template,
  "PATCH /templates/{id}": template,
  "POST /campaigns": campaign,
  "PUT /campaigns/{id}": campaign,
  "POST /workflows/{id}/steps": step,
  "PATCH /workflows/{id}/steps/{stepId}": ({ dice }) => ({
    name: "Step",
    config: dice.pick(STEP_CONFIGS).config,
  }),
  "POST /workflows/{id}/transitions": ({ dice, ids }) => ({
    fromStepId: dice.pick(ids.workflow_steps ?? []),
    toStepId: dice.pick(ids.workflow_steps ?? []),
  }),
  "POST /workflows/{id}/transitions/{transitionId}/insert-step": step,
  "POST /workflows/{id}/executions": ({ dice, ids }) => ({
    contactId: dice.pick(ids.contacts ?? []),
    context: { a: 1 },
  }),
  // The last one is that of the owner.
  "POST /auth/login": ({ emails }) => ({ email: emails.at(-1), password: PASSWORD }),
  "POST /auth/change-password": () => ({ password: PASSWORD, newPassword: `${PASSWORD} again` }),
  "POST /contacts/lookup": ({ emails }) => ({ emails: [...emails, "nobody@example.com"] }),
  "POST /contacts/bulk-subscribe": sample,
  "POST /contacts/bulk-unsubscribe": sample,
  "POST /domains": ({ dice, ids }) => ({
    projectId: dice.pick(ids.projects ?? []),
    domain: `d${dice.roll(1e9)}.example`,
  }),
  "POST /users/@me/projects": ({ dice }) => ({ name: `Shop ${dice.roll(1e6)}` }),
  "PATCH /users/@me/projects/{id}": ({ dice }) => ({
    name: "Shop",
    trackingMode: dice.pick(["ENABLED", "DISABLED", "MARKETING_ONLY"]),
    language: dice.pick(["de", "en"]),
  }),
  "PUT /users/@me/projects/{id}/billing-limits": ({ dice }) => ({ workflows: dice.pick([null, 1_000_000]) }),
  "POST /projects/{id}/members": ({ dice }) => ({
    email: `m${dice.roll(1e9)}@people.example`,
    role: "MEMBER",
  }),
  "PATCH /projects/{id}/members/{userId}": ({ dice }) => ({ role: dice.pick(["MEMBER", "ADMIN", "OWNER"]) }),
};

/** A body for an operation as an honest client sends it; null where the schema says enough. */
export function meantBody(operation: string, known: Known): unknown {
  return BODIES[operation]?.(known) ?? null;
}
