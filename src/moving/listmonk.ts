// listmonk: lists, subscribers, templates and campaigns, read with the credentials of an API user.
import { type JsonApi, jsonApi, type JsonApiOptions } from "./_json_api.ts";
import type {
  IncomingCampaign,
  IncomingContact,
  IncomingSegment,
  IncomingSource,
  IncomingTemplate,
} from "./incoming_types.ts";
import { fromGoTemplate, unknownExpression } from "./_go_templates.ts";

const PAGE = 500;

interface ListThere {
  id: number;
  name: string;
  description?: string | null;
  optin?: string;
}

interface SubscriberThere {
  email: string;
  name: string;
  attribs: Record<string, unknown> | null;
  status: string;
  created_at?: string;
  lists: { id: number; optin?: string; subscription_status: string }[] | null;
}

interface TemplateThere {
  id: number;
  name: string;
  type?: string;
  subject?: string;
  body: string;
}

interface CampaignThere {
  id: number;
  name: string;
  subject: string;
  from_email: string;
  body: string;
  content_type: string;
  template_id: number | null;
  lists: { id: number; name: string }[] | null;
}

/** Everything of a listmonk. `from` is the sender of its transactional templates, which have none there. */
export function listmonkSource(
  { url, user, password, from }: { url: string; user: string; password: string; from: string | null },
  options: Pick<JsonApiOptions, "secondMs"> = {},
): IncomingSource {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const read = jsonApi({ url, headers: { authorization }, ...options });
  const leftOut: IncomingSource["leftOut"] = [
    { what: "statistics, bounces and media", why: "the history of an installation stays where it is" },
  ];
  return {
    name: "listmonk",
    leftOut,
    segments: async () => (await allPages<ListThere>(read, "/api/lists")).map(toSegment),
    async *contacts() {
      for await (const page of pagesOf<SubscriberThere>(read, "/api/subscribers", "&order_by=id&order=asc")) {
        yield page.map(toContact);
      }
    },
    // Subscribers name their lists.
    async *members() {},
    async *suppressions() {},
    templates: async () => await templatesOf(read, from, leftOut),
    campaigns: async () => await campaignsOf(read, leftOut),
    workflows: async () => [],
  };
}

const idOfList = (id: number) => `list ${id}`;

function toSegment({ id, name, description = null }: ListThere): IncomingSegment {
  return {
    id: idOfList(id),
    name: name.slice(0, 100),
    description: description || null,
    condition: null,
    isStatic: true,
  };
}

/**
 * Subscribed is who may be written to on some list: confirmed, or unconfirmed where a list needs no confirmation. Who has
 * unsubscribed from all lists, is on none or is disabled, is unsubscribed; who is blocklisted is suppressed, too.
 */
function toContact({
  email,
  name,
  attribs,
  status,
  created_at: createdAt = "",
  lists,
}: SubscriberThere): IncomingContact {
  const active = (lists ?? []).filter(
    ({ subscription_status: state, optin }) =>
      state === "confirmed" || (state === "unconfirmed" && optin !== "double"),
  );
  const [firstName = "", ...others] = name.trim().split(/\s+/);
  const lastName = others.join(" ");
  return {
    email,
    subscribed: status === "enabled" && active.length > 0,
    data: {
      ...(name && { name }),
      ...(firstName && { firstName }),
      ...(lastName && { lastName }),
      ...attribs,
    },
    createdAt,
    lists: active.map(({ id }) => idOfList(id)),
    suppressed: status === "blocklisted" ? "MANUAL" : null,
  };
}

async function readTemplates(read: JsonApi): Promise<TemplateThere[]> {
  return ((await read("/api/templates")) as { data: TemplateThere[] } | null)?.data ?? [];
}

async function templatesOf(
  read: JsonApi,
  from: string | null,
  leftOut: IncomingSource["leftOut"],
): Promise<IncomingTemplate[]> {
  const templates: IncomingTemplate[] = [];
  for (const { id, name, type, subject = "", body } of await readTemplates(read)) {
    const what = `template ${name}`;
    if (type !== "tx") leftOut.push({ what, why: "it is a frame: campaigns that use it contain it" });
    else if (from === null) leftOut.push({ what, why: "it has no sender: give one with --from" });
    else {
      const text = convertedOf(what, subject, body, leftOut);
      if (text === null) continue;
      templates.push({ id: `template ${id}`, name, ...text, from, type: "TRANSACTIONAL" });
    }
  }
  return templates;
}

async function campaignsOf(read: JsonApi, leftOut: IncomingSource["leftOut"]): Promise<IncomingCampaign[]> {
  const frames = new Map((await readTemplates(read)).map(({ id, body }) => [id, body]));
  const campaigns: IncomingCampaign[] = [];
  for (const campaign of await allPages<CampaignThere>(read, "/api/campaigns")) {
    const { id, name, subject, body, content_type: kind, template_id: frame, lists } = campaign;
    if (kind === "markdown" || kind === "plain") {
      leftOut.push({ what: `campaign ${name}`, why: `its body is ${kind}, not HTML` });
      continue;
    }
    if ((lists ?? []).length > 1) {
      leftOut.push({
        what: `lists of the campaign ${name}`,
        why: "a campaign goes to one segment: the first was kept",
      });
    }
    const framed = (frames.get(frame ?? -1) ?? "").replace(CONTENT, () => body);
    const sender = senderOf(campaign.from_email);
    const text = convertedOf(`campaign ${name}`, subject, framed === "" ? body : framed, leftOut);
    if (text === null) continue;
    const list = lists?.[0];
    campaigns.push({
      id: `campaign ${id}`,
      name,
      ...text,
      ...sender,
      type: "MARKETING",
      ...(list
        ? { audienceType: "SEGMENT" as const, segmentId: idOfList(list.id) }
        : { audienceType: "ALL" as const }),
    });
  }
  return campaigns;
}

/** The words in our template language; null, and left out, where they say what ours cannot. */
function convertedOf(
  what: string,
  subject: string,
  body: string,
  leftOut: IncomingSource["leftOut"],
): { subject: string; body: string } | null {
  const text = { subject: fromGoTemplate(subject), body: fromGoTemplate(body) };
  const unknown = unknownExpression(text.subject) ?? unknownExpression(text.body);
  if (unknown === null) return text;
  leftOut.push({ what, why: `it uses ${unknown.slice(0, 100)}, which has no counterpart here` });
  return null;
}

/** Where a frame has the body of a campaign. */
const CONTENT = /\{\{-?\s*template\s+"content"\s+\.\s*-?\}\}/;

/** `Shop <hello@shop.example>`. */
function senderOf(text: string): { from: string; fromName: string | null } {
  const [, name = "", address] = /^\s*"?(.*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? [];
  return { from: address ?? text.trim(), fromName: name || null };
}

async function* pagesOf<T>(read: JsonApi, path: string, more = ""): AsyncGenerator<T[]> {
  for (let page = 1; ; page++) {
    const answer = (await read(`${path}?page=${page}&per_page=${PAGE}${more}`)) as {
      data: { results: T[] };
    } | null;
    const results = answer?.data.results ?? [];
    if (results.length > 0) yield results;
    if (results.length < PAGE) return;
  }
}

async function allPages<T>(read: JsonApi, path: string): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pagesOf<T>(read, path)) all.push(...page);
  return all;
}
