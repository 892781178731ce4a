// listmonk: lists, subscribers, templates and campaigns, read with the credentials of an API user.
import { type Static, Type } from "@sinclair/typebox";
import { Items, type JsonApi, jsonApi, MaybeText, type Reading, soundItems } from "./json_api.ts";
import type {
  IncomingCampaign,
  IncomingContact,
  IncomingSegment,
  IncomingSource,
  IncomingTemplate,
  Omission,
  Page,
} from "./incoming_types.ts";
import { fromGoTemplate, unknownExpression } from "./_go_templates.ts";

const PAGE = 500;
/** Campaigns have bodies of up to a megabyte. */
const PAGE_OF_BODIES = 10;

const ResultsPage = Type.Object({ data: Type.Object({ results: Type.Union([Items, Type.Null()]) }) });
const TemplatesPage = Type.Object({ data: Type.Union([Items, Type.Null()]) });

const ListThere = Type.Object({ id: Type.Integer(), name: Type.String(), description: MaybeText });
const SubscriberThere = Type.Object({
  email: Type.String(),
  name: MaybeText,
  attribs: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  status: Type.String(),
  created_at: MaybeText,
  lists: Type.Union([
    Type.Array(Type.Object({ id: Type.Integer(), optin: MaybeText, subscription_status: Type.String() }), {
      maxItems: 1_000,
    }),
    Type.Null(),
  ]),
});
const TemplateThere = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  type: MaybeText,
  subject: MaybeText,
  body: Type.String(),
});
const CampaignThere = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  subject: Type.String(),
  from_email: Type.String(),
  body: Type.String(),
  content_type: Type.String(),
  template_id: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  lists: Type.Optional(
    Type.Union([Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })), Type.Null()]),
  ),
});

/** How a listmonk is read. `from` is the sender of its transactional templates, which have none there. */
export interface ListmonkAccess {
  url: string;
  user: string;
  password: string;
  from: string | null;
}

/** Everything of a listmonk. */
export function listmonkSource(
  { url, user, password, from: sender }: ListmonkAccess,
  reading: Reading,
): IncomingSource {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const read = jsonApi(url, { authorization }, reading);
  const leftOut: Omission[] = [];
  return {
    name: "listmonk",
    remarks: [
      { what: "statistics, bounces and media", why: "the history of an installation stays where it is" },
    ],
    leftOut,
    lists: (from) =>
      pagesOf(read, "/api/lists", { from, size: PAGE }, async (items) =>
        soundItems(ListThere, items, "list", leftOut).map(toSegment),
      ),
    // Subscribers name their lists.
    contacts: (from) =>
      pagesOf(read, "/api/subscribers", { from, size: PAGE, more: "&order_by=id&order=asc" }, async (items) =>
        soundItems(SubscriberThere, items, "subscriber", leftOut).map(toContact),
      ),
    async *templates() {
      yield { items: await templatesOf(read, sender, leftOut), next: null };
    },
    campaigns: (from) => campaignsOf(read, from, leftOut),
  };
}

const idOfList = (id: number) => `list ${id}`;

function toSegment({ id, name, description = null }: Static<typeof ListThere>): IncomingSegment {
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
}: Static<typeof SubscriberThere>): IncomingContact {
  const active = (lists ?? []).filter(
    ({ subscription_status: state, optin }) =>
      state === "confirmed" || (state === "unconfirmed" && optin !== "double"),
  );
  const [firstName = "", ...others] = (name ?? "").trim().split(/\s+/);
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

async function readTemplates(read: JsonApi, leftOut: Omission[]): Promise<Static<typeof TemplateThere>[]> {
  const items = (await read("/api/templates", TemplatesPage))?.data ?? [];
  return soundItems(TemplateThere, items, "template", leftOut);
}

async function templatesOf(
  read: JsonApi,
  from: string | null,
  leftOut: Omission[],
): Promise<IncomingTemplate[]> {
  const templates: IncomingTemplate[] = [];
  for (const { id, name, type, subject, body } of await readTemplates(read, leftOut)) {
    const what = `template ${name}`;
    if (type !== "tx") leftOut.push({ what, why: "it is a frame: campaigns that use it contain it" });
    else if (from === null) leftOut.push({ what, why: "it has no sender: give one for all of them" });
    else {
      const text = convertedOf(what, subject ?? "", body, leftOut);
      if (text === null) continue;
      const alias = String(id);
      templates.push({ id: `template ${id}`, alias, name, ...text, from, type: "TRANSACTIONAL" });
    }
  }
  return templates;
}

async function* campaignsOf(
  read: JsonApi,
  from: string | null,
  leftOut: Omission[],
): AsyncGenerator<Page<IncomingCampaign>> {
  // What is wrong with them has been said by then.
  const frames = new Map((await readTemplates(read, [])).map(({ id, body }) => [id, body]));
  yield* pagesOf(read, "/api/campaigns", { from, size: PAGE_OF_BODIES }, async (items) =>
    soundItems(CampaignThere, items, "campaign", leftOut).flatMap(
      (campaign) => campaignOf(campaign, frames, leftOut) ?? [],
    ),
  );
}

function campaignOf(
  campaign: Static<typeof CampaignThere>,
  frames: ReadonlyMap<number, string>,
  leftOut: Omission[],
): IncomingCampaign | null {
  const { id, name, subject, body, content_type: kind, template_id: frame, lists } = campaign;
  const what = `campaign ${name}`;
  if (kind === "markdown" || kind === "plain") {
    leftOut.push({ what, why: `its body is ${kind}, not HTML` });
    return null;
  }
  if ((lists ?? []).length > 1) {
    const why = "a campaign goes to one segment: the first was kept";
    leftOut.push({ what: `lists of the campaign ${name}`, why });
  }
  const framed = (frames.get(frame ?? -1) ?? "").replace(CONTENT, () => body);
  const text = convertedOf(what, subject, framed === "" ? body : framed, leftOut);
  if (text === null) return null;
  const list = lists?.[0];
  return {
    id: `campaign ${id}`,
    name,
    ...text,
    ...senderOf(campaign.from_email),
    type: "MARKETING",
    ...(list
      ? { audienceType: "SEGMENT" as const, segmentId: idOfList(list.id) }
      : { audienceType: "ALL" as const }),
  };
}

/** The words in our template language; null, and left out, where they say what ours cannot. */
function convertedOf(
  what: string,
  subject: string,
  body: string,
  leftOut: Omission[],
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

/** Numbered pages; one that is not full is the last. */
async function* pagesOf<T>(
  read: JsonApi,
  path: string,
  { from, size, more = "" }: { from: string | null; size: number; more?: string },
  itemsOf: (items: unknown[]) => Promise<T[]>,
): AsyncGenerator<Page<T>> {
  for (let page = Number(from ?? 1); ; page++) {
    const answer = await read(`${path}?page=${page}&per_page=${size}${more}`, ResultsPage);
    const results = answer?.data.results ?? [];
    const isLast = results.length < size;
    yield { items: await itemsOf(results), next: isLast ? null : String(page + 1) };
    if (isLast) return;
  }
}
