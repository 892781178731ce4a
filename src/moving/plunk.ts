// Plunk, and whatever else has its API, such as another Postrider: read with its secret key.
import { type JsonApi, jsonApi, type JsonApiOptions } from "./_json_api.ts";
import type {
  IncomingCampaign,
  IncomingContact,
  IncomingSegment,
  IncomingSource,
  IncomingTemplate,
  IncomingWorkflow,
} from "./incoming_types.ts";

const PAGE = 100;

interface Pages<T> {
  data: T[];
  totalPages?: number;
}

interface ContactThere {
  email: string;
  subscribed: boolean;
  data: Record<string, unknown> | null;
  createdAt?: string;
}

interface SegmentThere {
  id: string;
  name: string;
  description?: string | null;
  type?: string;
  condition?: unknown;
  trackMembership?: boolean;
}

type TemplateThere = Omit<IncomingTemplate, "id"> & { id: string };

type CampaignThere = IncomingCampaign & { status: string };

interface WorkflowThere {
  id: string;
  name: string;
  description?: string | null;
  enabled?: boolean;
  triggerType?: string;
  triggerConfig?: { eventName?: string } | null;
  allowReentry?: boolean;
  steps?: (IncomingWorkflow["steps"][number] & {
    outgoingTransitions?: { toStepId: string; branch?: string | null; priority?: number }[];
  })[];
}

/** Everything that the API of a project shows. `key` is its secret key. */
export function plunkSource(
  url: string,
  key: string,
  options: Pick<JsonApiOptions, "secondMs"> = {},
): IncomingSource {
  const read = jsonApi({ url, headers: { authorization: `Bearer ${key}` }, ...options });
  const leftOut: IncomingSource["leftOut"] = [
    { what: "events and mails", why: "the history of an account stays where it is" },
  ];
  return {
    name: "plunk",
    leftOut,
    async segments() {
      const segments = ((await read("/segments")) ?? []) as SegmentThere[];
      return segments.map((segment) => toSegment(segment, leftOut));
    },
    contacts: () => contactsOf(read),
    members: (id) => membersOf(read, id),
    suppressions: () => suppressionsOf(read),
    templates: async () => (await allPages<TemplateThere>(read, "/templates")).map(toTemplate),
    campaigns: async () => (await allPages<CampaignThere>(read, "/campaigns")).map(toCampaign),
    workflows: () => workflowsFrom(read, leftOut),
  };
}

async function* contactsOf(read: JsonApi): AsyncGenerator<IncomingContact[]> {
  for await (const page of cursorPages<ContactThere>(read, "/contacts")) {
    yield page.map(({ email, subscribed, data, createdAt = null }) => {
      return { email, subscribed, data: data ?? {}, createdAt };
    });
  }
}

async function* suppressionsOf(read: JsonApi): ReturnType<IncomingSource["suppressions"]> {
  // Plunk has none to be read: who has bounced or complained is unsubscribed there.
  for await (const page of cursorPages<{ email: string; reason: string }>(read, "/suppressions")) {
    yield page.map(({ email, reason }) => {
      return { email, reason: reason === "BOUNCE" || reason === "COMPLAINT" ? reason : "MANUAL" };
    });
  }
}

async function* membersOf(read: JsonApi, id: string): AsyncGenerator<string[]> {
  for (let page = 1; ; page++) {
    const path = `/segments/${encodeURIComponent(id)}/contacts?page=${page}&pageSize=${PAGE}`;
    const { data = [] } = ((await read(path)) ?? {}) as { data?: { email: string }[] };
    if (data.length > 0) yield data.map(({ email }) => email);
    if (data.length < PAGE) return;
  }
}

async function* cursorPages<T>(read: JsonApi, path: string): AsyncGenerator<T[]> {
  for (let cursor: string | null = null; ;) {
    // In the order of their beginning, so that none is missed that comes meanwhile.
    const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await read(`${path}?limit=${PAGE}${after}`)) as {
      data: T[];
      cursor: string | null;
      hasMore: boolean;
    } | null;
    if (page === null) return;
    yield page.data;
    if (!page.hasMore || page.cursor === null) return;
    cursor = page.cursor;
  }
}

/** Of templates, campaigns and workflows there are few: they are held together. */
async function allPages<T>(read: JsonApi, path: string): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; ; page++) {
    const { data, totalPages = 1 } = ((await read(`${path}?page=${page}&pageSize=${PAGE}`)) ?? {
      data: [],
    }) as Pages<T>;
    all.push(...data);
    if (page >= totalPages || data.length === 0) return all;
  }
}

function toSegment(
  { id, name, description = null, type, condition = null, trackMembership }: SegmentThere,
  leftOut: IncomingSource["leftOut"],
): IncomingSegment {
  if (trackMembership) {
    const why = "its entry events would start workflows: switch it on when they are ready";
    leftOut.push({ what: `tracking of the segment ${name}`, why });
  }
  return { id, name, description, condition, isStatic: type === "STATIC" };
}

function toTemplate({ id, name, subject, body, from, fromName = null, replyTo = null, type }: TemplateThere) {
  return { id, name, subject, body, from, fromName, replyTo, ...(type && { type }) };
}

function toCampaign(campaign: CampaignThere): IncomingCampaign {
  const { audienceType, segmentId = null, audienceCondition = null } = campaign;
  return { ...toTemplate(campaign), audienceType, segmentId, audienceCondition };
}

async function workflowsFrom(read: JsonApi, leftOut: IncomingSource["leftOut"]): Promise<IncomingWorkflow[]> {
  const workflows: IncomingWorkflow[] = [];
  for (const { id } of await allPages<{ id: string }>(read, "/workflows")) {
    const workflow = (await read(`/workflows/${encodeURIComponent(id)}`)) as WorkflowThere | null;
    if (workflow === null) continue;
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

function graphOf(
  steps: NonNullable<WorkflowThere["steps"]>,
): Pick<IncomingWorkflow, "steps" | "transitions"> {
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
