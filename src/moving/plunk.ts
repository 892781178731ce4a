// Plunk, and whatever else has its API, such as another Postrider: read with its secret key.
import { type Static, Type } from "@sinclair/typebox";
import { Items, type JsonApi, jsonApi, MaybeText, type Reading, soundItems } from "./json_api.ts";
import {
  type IncomingCampaign,
  type IncomingSegment,
  type IncomingSource,
  type IncomingTemplate,
  type IncomingWorkflow,
  type Omission,
  type Page,
  type Pages,
  TryLater,
} from "./incoming_types.ts";

const PAGE = 100;
/** Templates and campaigns have bodies of up to a megabyte. */
const PAGE_OF_BODIES = 10;
/** A page of workflows is a request for each: as long as that takes, others wait for their turn. */
const WORKFLOWS_MS = 120_000;

const CursorPage = Type.Object({
  data: Items,
  cursor: MaybeText,
  hasMore: Type.Optional(Type.Boolean()),
});
const NumberedPage = Type.Object({ data: Items, totalPages: Type.Optional(Type.Number()) });

const ContactThere = Type.Object({
  email: Type.String(),
  subscribed: Type.Boolean(),
  data: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  createdAt: MaybeText,
});
const SuppressionThere = Type.Object({ email: Type.String(), reason: Type.String() });
const MemberThere = Type.Object({ email: Type.String() });
const SegmentThere = Type.Object({
  id: Type.String({ maxLength: 100 }),
  name: Type.String(),
  description: MaybeText,
  type: MaybeText,
  condition: Type.Optional(Type.Unknown()),
  trackMembership: Type.Optional(Type.Boolean()),
});
const mail = {
  id: Type.String({ maxLength: 100 }),
  name: Type.String(),
  subject: Type.String(),
  body: Type.String(),
  from: Type.String(),
  fromName: MaybeText,
  replyTo: MaybeText,
  type: Type.Optional(
    Type.Union([Type.Literal("TRANSACTIONAL"), Type.Literal("MARKETING"), Type.Literal("HEADLESS")]),
  ),
};
const TemplateThere = Type.Object({ ...mail, alias: MaybeText });
const CampaignThere = Type.Object({
  ...mail,
  audienceType: Type.Union([Type.Literal("ALL"), Type.Literal("SEGMENT"), Type.Literal("FILTERED")]),
  segmentId: MaybeText,
  audienceCondition: Type.Optional(Type.Unknown()),
});
const Named = Type.Object({ id: Type.String({ maxLength: 100 }) });
const StepThere = Type.Object({
  id: Type.String(),
  type: Type.String(),
  name: Type.String(),
  position: Type.Optional(Type.Unknown()),
  config: Type.Optional(Type.Unknown()),
  templateId: MaybeText,
  outgoingTransitions: Type.Optional(
    Type.Array(
      Type.Object({
        toStepId: Type.String(),
        branch: MaybeText,
        priority: Type.Optional(Type.Number()),
      }),
      { maxItems: 1_000 },
    ),
  ),
});
const WorkflowThere = Type.Object({
  name: Type.String(),
  description: MaybeText,
  triggerConfig: Type.Optional(
    Type.Union([Type.Object({ eventName: Type.Optional(Type.String()) }), Type.Null()]),
  ),
  allowReentry: Type.Optional(Type.Boolean()),
  steps: Type.Optional(Type.Array(StepThere, { maxItems: 1_000 })),
});

/** Everything that the API of a project shows. `key` is its secret key. */
export function plunkSource(
  { url, key, name = "plunk" }: { url: string; key: string; name?: string },
  reading: Reading,
): IncomingSource {
  const read = jsonApi(url, { authorization: `Bearer ${key}` }, reading);
  const leftOut: Omission[] = [];
  return {
    name,
    remarks: [{ what: "events and mails", why: "the history of an account stays where it is" }],
    leftOut,
    lists: () => segmentsOf(read, true, leftOut),
    segments: () => segmentsOf(read, false, []),
    contacts: (from) =>
      cursorPages(read, "/contacts", from, (items) =>
        soundItems(ContactThere, items, "contact", leftOut).map(
          ({ email, subscribed, data, createdAt = null }) => {
            return { email, subscribed, data: data ?? {}, createdAt };
          },
        ),
      ),
    // Plunk has none to be read: who has bounced or complained is unsubscribed there.
    suppressions: (from) =>
      cursorPages(read, "/suppressions", from, (items) =>
        soundItems(SuppressionThere, items, "suppression of", leftOut).map(({ email, reason }) => {
          return { email, reason: reason === "BOUNCE" || reason === "COMPLAINT" ? reason : "MANUAL" };
        }),
      ),
    members: (id, from) => membersOf(read, id, from, leftOut),
    templates: numberedPages(read, "/templates", PAGE_OF_BODIES, async (items) =>
      soundItems(TemplateThere, items, "template", leftOut).map((template) => {
        return { ...toMail(template), alias: template.alias ?? null };
      }),
    ),
    campaigns: numberedPages(read, "/campaigns", PAGE_OF_BODIES, async (items) =>
      soundItems(CampaignThere, items, "campaign", leftOut).map(toCampaign),
    ),
    workflows: numberedPages(read, "/workflows", PAGE_OF_BODIES, (items) =>
      workflowsFrom(read, soundItems(Named, items, "workflow", leftOut), leftOut),
    ),
  };
}

/** All of them come in one response; they are read once for each kind. */
async function* segmentsOf(
  read: JsonApi,
  isStatic: boolean,
  leftOut: Omission[],
): AsyncGenerator<Page<IncomingSegment>> {
  const segments = soundItems(SegmentThere, (await read("/segments", Items)) ?? [], "segment", leftOut);
  const items = segments
    .filter(({ type }) => (type === "STATIC") === isStatic)
    .map(({ id, name, description = null, condition = null, trackMembership: isTracked = false }) => {
      return { id, name, description, condition, isStatic, isTracked };
    });
  yield { items, next: null };
}

/** In the order of their beginning, so that none is missed that comes meanwhile. */
async function* cursorPages<T>(
  read: JsonApi,
  path: string,
  from: string | null,
  itemsOf: (items: unknown[]) => T[],
): AsyncGenerator<Page<T>> {
  for (let cursor = from; ;) {
    const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Static<typeof CursorPage> | null = await read(`${path}?limit=${PAGE}${after}`, CursorPage);
    if (page === null) return;
    cursor = page.hasMore === true ? (page.cursor ?? null) : null;
    yield { items: itemsOf(page.data), next: cursor };
    if (cursor === null) return;
  }
}

async function* membersOf(
  read: JsonApi,
  id: string,
  from: string | null,
  leftOut: Omission[],
): AsyncGenerator<Page<string>> {
  for (let page = Number(from ?? 1); ; page++) {
    const path = `/segments/${encodeURIComponent(id)}/contacts?page=${page}&pageSize=${PAGE}`;
    const items = (await read(path, NumberedPage))?.data ?? [];
    const isLast = items.length < PAGE;
    const emails = soundItems(MemberThere, items, "member", leftOut).map(({ email }) => email);
    yield { items: emails, next: isLast ? null : String(page + 1) };
    if (isLast) return;
  }
}

function numberedPages<T>(
  read: JsonApi,
  path: string,
  size: number,
  itemsOf: (items: unknown[]) => Promise<T[]>,
): Pages<T> {
  return async function* (from) {
    for (let page = Number(from ?? 1); ; page++) {
      const answer = await read(`${path}?page=${page}&pageSize=${size}`, NumberedPage);
      if (answer === null) return;
      const { data, totalPages = 1 } = answer;
      const isLast = page >= totalPages || data.length === 0;
      yield { items: await itemsOf(data), next: isLast ? null : String(page + 1) };
      if (isLast) return;
    }
  };
}

function toMail(given: Omit<Static<typeof TemplateThere>, "alias">): IncomingTemplate {
  const { id, name, subject, body, from, fromName = null, replyTo = null, type } = given;
  return { id, name, subject, body, from, fromName, replyTo, ...(type && { type }) };
}

function toCampaign(campaign: Static<typeof CampaignThere>): IncomingCampaign {
  const { audienceType, segmentId = null, audienceCondition = null } = campaign;
  return { ...toMail(campaign), audienceType, segmentId, audienceCondition };
}

async function workflowsFrom(
  read: JsonApi,
  named: Static<typeof Named>[],
  leftOut: Omission[],
): Promise<IncomingWorkflow[]> {
  const workflows: IncomingWorkflow[] = [];
  const endsAt = performance.now() + WORKFLOWS_MS;
  for (const { id } of named) {
    if (performance.now() > endsAt)
      throw new TryLater("Cannot read the workflows: it responds too slowly", null);
    const answer = await read(`/workflows/${encodeURIComponent(id)}`, Type.Unknown());
    const [workflow] = answer === null ? [] : soundItems(WorkflowThere, [answer], "workflow", leftOut);
    if (workflow === undefined) continue;
    const { name, description = null, triggerConfig, allowReentry = false, steps = [] } = workflow;
    const eventName = triggerConfig?.eventName;
    if (eventName === undefined) {
      leftOut.push({ what: `workflow ${name}`, why: "it does not start at an event" });
      continue;
    }
    workflows.push({ name, description, eventName, allowReentry, ...graphOf(steps) });
  }
  return workflows;
}

function graphOf(steps: Static<typeof StepThere>[]): Pick<IncomingWorkflow, "steps" | "transitions"> {
  return {
    steps: steps.map(({ id, type, name, position, config, templateId = null }) => {
      return { id, type, name, position, config, templateId };
    }),
    transitions: steps.flatMap(({ id: from, outgoingTransitions = [] }) =>
      outgoingTransitions.map(({ toStepId: to, branch = null, priority = 0 }) => ({
        from,
        to,
        branch,
        priority,
      })),
    ),
  };
}
