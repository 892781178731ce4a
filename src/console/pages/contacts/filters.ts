// Which contacts the list shows, in what order, and from where on: as the address has it, and as the service takes it.
import type { Condition, ContactFilter } from "../../api.gen.ts";
import type { Input } from "../../api.ts";

/** What the address of the list holds, with what it is where the address says nothing. */
export const FILTERS = {
  search: "",
  subscribed: "",
  segment: "",
  /** A key of the data, beside `value`: contacts that have it, or have this in it. */
  field: "",
  value: "",
  /** A condition, as JSON. */
  condition: "",
  sort: "createdAt",
  dir: "desc",
  /** Where the list begins: the start of an address, or a day. */
  from: "",
};

/** The filters of the address. */
export type Filters = typeof FILTERS;
/** The filters, of all that the address of the page holds. */
export const filtersOf = (place: Filters): Filters =>
  Object.fromEntries(Object.keys(FILTERS).map((name) => [name, place[name as keyof Filters]])) as Filters;

/** Changes some of them. */
export type SetFilters = (patch: Partial<Filters>, options?: { replace?: boolean }) => void;

type ListQuery = NonNullable<Input<"GET /contacts">["query"]>;
type ExportQuery = NonNullable<Input<"GET /contacts/export">["query"]>;

/** Orders by their name in the address, with the words of the menu. */
export const ORDERS = [
  { sort: "createdAt", dir: "desc", label: "Newest first" },
  { sort: "createdAt", dir: "asc", label: "Oldest first" },
  { sort: "email", dir: "asc", label: "Address, A to Z" },
  { sort: "email", dir: "desc", label: "Address, Z to A" },
  { sort: "lastActivity", dir: "desc", label: "Last active first" },
  { sort: "updatedAt", dir: "desc", label: "Last changed first" },
] as const;

/** The order in the address; the newest first where it is none of these. */
export const orderOf = ({ sort, dir }: Filters) =>
  ORDERS.find((order) => order.sort === sort && order.dir === dir) ?? ORDERS[0];

/** Whether not everybody is shown. */
export const isFiltered = ({ search, subscribed, segment, field, condition }: Filters) =>
  [search, subscribed, segment, field, condition].some((value) => value !== "");

/** No filter at all. The order stays. */
export const CLEARED: Partial<Filters> = {
  search: "",
  subscribed: "",
  segment: "",
  field: "",
  value: "",
  condition: "",
  from: "",
};

/** The query of the list. */
export function listQueryOf(filters: Filters): ListQuery {
  const { sort, dir } = orderOf(filters);
  return { ...exportQueryOf(filters), sort, dir, ...anchorOf(filters), limit: 100 };
}

/** What selects the contacts, as a query: of an export. */
export function exportQueryOf(filters: Filters): ExportQuery {
  const condition = conditionOf(filters);
  return {
    ...(filters.search && { search: filters.search }),
    ...(isYesOrNo(filters.subscribed) && { subscribed: filters.subscribed }),
    ...(filters.segment && { segmentId: filters.segment }),
    ...(condition && { condition: JSON.stringify(condition) }),
  };
}

/** What selects the contacts, as a body: of work on all that match. */
export function contactFilterOf(filters: Filters): ContactFilter {
  const condition = conditionOf(filters);
  return {
    ...(filters.search && { search: filters.search }),
    ...(isYesOrNo(filters.subscribed) && { subscribed: filters.subscribed === "true" }),
    ...(filters.segment && { segmentId: filters.segment }),
    ...(condition && { condition }),
  };
}

/** The condition of the address; null if there is none, or none that can be read. */
export function readCondition(text: string): Condition | null {
  try {
    return text ? (JSON.parse(text) as Condition) : null;
  } catch {
    return null;
  }
}

const isYesOrNo = (text: string): text is "true" | "false" => text === "true" || text === "false";

/** The field with its value, and the condition: what the service calls one condition. */
function conditionOf({ field, value, condition }: Filters): Condition | null {
  const trees = [readCondition(condition), field ? fieldCondition(field, value) : null].filter(
    (tree) => tree !== null,
  );
  if (trees.length < 2) return trees[0] ?? null;
  return { logic: "AND", groups: trees.map((conditions) => ({ filters: [], conditions })) };
}

/** A number, or yes, may have been stored as text. */
function fieldCondition(key: string, text: string): Condition {
  const field = `data.${key}`;
  if (text === "") return { logic: "AND", groups: [{ filters: [{ field, operator: "exists" }] }] };
  const values = [...new Set([text, typedOf(text)])];
  return {
    logic: "OR",
    groups: values.map((value) => ({ filters: [{ field, operator: "equals", value }] })),
  };
}

function typedOf(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Sorts behind every address that begins with what is before it. */
const LAST = "\uffff";

function anchorOf(filters: Filters): { anchor?: string } {
  const { sort, dir } = orderOf(filters);
  if (!filters.from || sort === "lastActivity") return {};
  return { anchor: sort === "email" && dir === "desc" ? filters.from + LAST : filters.from };
}
