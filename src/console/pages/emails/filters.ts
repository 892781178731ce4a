// Which mails the list shows: as the address has it, and as the service takes it.
import type { Input } from "../../api.ts";

/** What the address of the list holds, with what it is where the address says nothing. */
export const FILTERS = {
  search: "",
  status: "",
  source: "",
  contact: "",
  campaign: "",
  template: "",
  workflow: "",
  /** `name:value`. */
  tag: "",
  /** Days, both included. */
  from: "",
  until: "",
};

/** The filters of the address. */
export type Filters = typeof FILTERS;
export type FilterName = keyof Filters;
/** Changes some of them. */
export type SetFilters = (patch: Partial<Filters>, options?: { replace?: boolean }) => void;

type ListQuery = NonNullable<Input<"GET /emails">["query"]>;

/** Shorter ones are not searched for. */
export const MIN_SEARCH = 3;

/** The states of a mail, in the order in which it passes through them. */
export const STATUSES = [
  "PENDING",
  "SENDING",
  "CAPTURED",
  "SENT",
  "DELIVERED",
  "OPENED",
  "CLICKED",
  "BOUNCED",
  "COMPLAINED",
  "FAILED",
  "SUPPRESSED",
  "IN_DOUBT",
] as const;

/** What made a mail, in words. */
export const SOURCES = {
  TRANSACTIONAL: "Single mails",
  CAMPAIGN: "Campaigns",
  WORKFLOW: "Workflows",
} as const;

/** Whether something of a tag is typed, and not all of it. */
export const isPartOfTag = ({ tag }: Filters) => tag !== "" && !/^[\w-]+:[\w-]+$/.test(tag);

const isStatus = (text: string): text is (typeof STATUSES)[number] =>
  (STATUSES as readonly string[]).includes(text);
const isSource = (text: string): text is keyof typeof SOURCES => text in SOURCES;

/** Whether not all mails are shown. */
export const isFiltered = (filters: Filters) => Object.values(filters).some((value) => value !== "");

/** Whether there is something to search for, and not enough of it. */
export const isTooShort = ({ search }: Filters) => search !== "" && [...search].length < MIN_SEARCH;

/** The query of the list. */
export function listQueryOf(filters: Filters): ListQuery {
  const { search, status, source, contact, campaign, template, workflow, tag, from, until } = filters;
  return {
    limit: 100,
    ...(search && !isTooShort(filters) && { search }),
    ...(isStatus(status) && { status }),
    ...(isSource(source) && { sourceType: source }),
    ...(contact && { contactId: contact }),
    ...(campaign && { campaignId: campaign }),
    ...(template && { templateId: template }),
    ...(workflow && { workflowId: workflow }),
    ...(tag && !isPartOfTag(filters) && { tag }),
    ...(from && { from }),
    ...(until && { until }),
  };
}

/** By an index of their own: of these only a status may be next to a campaign, unless a contact is chosen. */
const LEADING: FilterName[] = ["status", "source", "campaign", "template", "workflow", "tag"];
const NAMES: Record<FilterName, string> = {
  search: "the search",
  status: "the status",
  source: "“Sent by”",
  contact: "the contact",
  campaign: "the campaign",
  template: "the template",
  workflow: "the workflow",
  tag: "the tag",
  from: "",
  until: "",
};

/** A change of the filters, with what cannot be next to it left out, and the names of that. */
export function changeOf(
  filters: Filters,
  patch: Partial<Filters>,
): { patch: Partial<Filters>; dropped: string[] } {
  const name = (Object.keys(patch) as FilterName[]).find((each) => patch[each] !== "");
  const after = { ...filters, ...patch };
  const others = name === undefined ? strayIn(after) : othersThan(name, after);
  const dropped = others.filter((other) => filters[other] !== "");
  const cleared = Object.fromEntries(dropped.map((other) => [other, ""]));
  return { patch: { ...patch, ...cleared }, dropped: dropped.map((other) => NAMES[other]) };
}

/** The filters that the service does not take beside this one. */
function othersThan(name: FilterName, after: Filters): FilterName[] {
  if (name === "from" || name === "until") return [];
  if (name === "search") return ["contact", ...LEADING];
  if (name === "contact" || after.contact !== "") return ["search"];
  const pair = name === "campaign" ? "status" : name === "status" ? "campaign" : name;
  return ["search", ...LEADING.filter((other) => other !== name && other !== pair)];
}

/** What may not stay once the contact is gone that allowed it: all but the first. */
function strayIn(after: Filters): FilterName[] {
  const [first] = LEADING.filter((name) => after[name] !== "");
  return first === undefined || after.contact !== "" ? [] : othersThan(first, after);
}

const DAY_MS = 86_400_000;

/** The day (UTC) so many days ago, as the service takes it. */
export const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Periods that end today, by the days before it. */
export const PERIODS = [
  { days: 0, label: "Today" },
  { days: 6, label: "Last 7 days" },
  { days: 29, label: "Last 30 days" },
  { days: 89, label: "Last 90 days" },
];
