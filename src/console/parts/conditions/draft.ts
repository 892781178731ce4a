// A condition as somebody writes it: with filters that are not finished, and with all that was typed, also where the present
// operator does not ask for it. `draftOf` and `conditionOf` lead from and to what the API takes.
import type { Condition, Filter, OperatorCatalogue } from "../../api.gen.ts";
import type { FieldFault } from "../../api.ts";
import { kindsOf, type MailSource, operandOf, sourcesOf, type ValueKind } from "./catalogue.ts";

/** One line: everything in it is text, as it is in the fields. */
export interface DraftFilter {
  id: string;
  /** As the API writes it, such as `data.plan`; empty if none is chosen. */
  field: string;
  operator: string;
  kind: ValueKind;
  text: string;
  amount: string;
  unit: string;
  times: string;
  /** Whether an operator that counts does so in a period. */
  isRecent: boolean;
  /** Of filters on mails: the campaign whose mails count. Null: of any; empty: not chosen yet. */
  campaignId: string | null;
  /** In the same way, the template. */
  templateId: string | null;
}

/** Filters that hold together, with a condition within. */
export interface DraftGroup {
  id: string;
  filters: DraftFilter[];
  nested: DraftCondition | null;
}

/** Groups, joined by one word. */
export interface DraftCondition {
  id: string;
  logic: Condition["logic"];
  groups: DraftGroup[];
}

/** Parts of a filter, as the service names them. */
export type FilterPart = "field" | "operator" | "value" | "unit" | "count" | MailSource;
/** What is wrong with a line, by its part. */
export type LineFaults = Partial<Record<FilterPart, string>>;

/** The finished part of a draft. */
export interface Written {
  /** Null if nothing is finished. */
  condition: Condition | null;
  /** The line or group that is at a path of the condition, such as `groups.0.filters.1`. */
  places: Map<string, string>;
  /** What is missing, by the id of the line. */
  missing: Map<string, LineFaults>;
}

const newId = () => crypto.randomUUID();

export const newFilter = (): DraftFilter => ({
  id: newId(),
  field: "",
  operator: "",
  kind: "text",
  text: "",
  amount: "30",
  unit: "days",
  times: "1",
  isRecent: false,
  campaignId: null,
  templateId: null,
});

export const newGroup = (): DraftGroup => ({ id: newId(), filters: [newFilter()], nested: null });

export const newCondition = (logic: Condition["logic"] = "AND"): DraftCondition => ({
  id: newId(),
  logic,
  groups: [newGroup()],
});

/** What can be edited of a condition. */
export function draftOf({ logic, groups }: Condition): DraftCondition {
  return {
    id: newId(),
    logic,
    groups: groups.map(({ filters, conditions }) => ({
      id: newId(),
      filters: (filters ?? []).map(draftFilterOf),
      nested: conditions ? draftOf(conditions) : null,
    })),
  };
}

/** What can be edited of a filter. */
export function draftFilterOf(filter: Filter): DraftFilter {
  const { field, operator, value, unit, count, campaignId, templateId } = filter as Filter & {
    value?: unknown;
    unit?: string;
    count?: number;
    campaignId?: string | null;
    templateId?: string | null;
  };
  const sources = { campaignId: campaignId ?? null, templateId: templateId ?? null };
  const draft = { ...newFilter(), field, operator, ...sources };
  if (count !== undefined) draft.times = String(count);
  if (unit) return { ...draft, amount: String(value), unit, isRecent: count !== undefined };
  return value === undefined ? draft : { ...draft, ...draftValueOf(value) };
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/;

/** A value of the API as it is in a field. */
export function draftValueOf(value: unknown): Pick<DraftFilter, "kind" | "text"> {
  if (value === null) return { kind: "nothing", text: "" };
  if (value === "") return { kind: "empty", text: "" };
  if (typeof value === "number") return { kind: "number", text: String(value) };
  if (typeof value === "boolean") return { kind: "boolean", text: String(value) };
  if (typeof value === "string") return { kind: ISO_DATE.test(value) ? "date" : "text", text: value };
  return { kind: "json", text: JSON.stringify(value) };
}

/** What of a draft is finished, as a condition; and what is missing in the rest. */
export function conditionOf(catalogue: OperatorCatalogue, draft: DraftCondition): Written {
  const places = new Map<string, string>();
  const missing = new Map<string, LineFaults>();
  const write = ({ id, logic, groups }: DraftCondition, at: string): Condition | null => {
    const written: Condition["groups"] = [];
    for (const group of groups) {
      const here = `${at}groups.${written.length}`;
      const filters: Filter[] = [];
      for (const line of group.filters) {
        const { filter, faults } = filterOf(catalogue, line);
        if (!filter) {
          missing.set(line.id, faults);
          continue;
        }
        places.set(`${here}.filters.${filters.length}`, line.id);
        filters.push(filter);
      }
      const conditions = group.nested && write(group.nested, `${here}.conditions.`);
      if (filters.length === 0 && !conditions) continue;
      places.set(here, group.id);
      // One of the two is there, as was just asked.
      const parts = { ...(filters.length > 0 && { filters }), ...(conditions && { conditions }) };
      written.push(parts as (typeof written)[number]);
    }
    places.set(at.replace(/\.$/, ""), id);
    return written.length > 0 ? { logic, groups: written } : null;
  };
  return { condition: write(draft, ""), places, missing };
}

/** A line as a filter, or what is missing in it. */
export function filterOf(
  catalogue: OperatorCatalogue,
  line: DraftFilter,
): { filter: Filter | null; faults: LineFaults } {
  const { field, operator, unit } = line;
  const refuse = (faults: LineFaults) => ({ filter: null, faults });
  if (!field) return refuse({ field: "Choose a field" });
  const operand = operandOf(catalogue, field, operator);
  if (!operand) return refuse({ operator: "Choose what to ask" });
  const sources = sourcesOf(catalogue, field).filter((source) => line[source] !== null);
  const unchosen = sources.find((source) => line[source] === "");
  if (unchosen)
    return refuse({ [unchosen]: unchosen === "campaignId" ? "Choose a campaign" : "Choose a template" });
  const ofMails = Object.fromEntries(sources.map((source) => [source, line[source]]));
  const done = (beside: object) => ({
    filter: { field, operator, ...beside, ...ofMails } as Filter,
    faults: {},
  });
  const amount = wholeOf(line.amount);
  const times = wholeOf(line.times);
  switch (operand) {
    case "none":
      return done({});
    case "amount":
      return amount === null ? refuse({ value: "How long?" }) : done({ value: amount, unit });
    case "count":
      if (times === null) return refuse({ count: "How often?" });
      if (!line.isRecent) return done({ count: times });
      return amount === null ? refuse({ value: "How long?" }) : done({ count: times, value: amount, unit });
    default: {
      const value = valueOf(usedKind(catalogue, line), line.text);
      return value === undefined ? refuse({ value: expected(catalogue, line) }) : done({ value });
    }
  }
}

/** The kind of value that counts for a line: the one chosen, where its operator takes that. */
export function usedKind(catalogue: OperatorCatalogue, { field, operator, kind }: DraftFilter): ValueKind {
  const kinds = kindsOf(catalogue, field, operator);
  return kinds.includes(kind) ? kind : (kinds[0] ?? "text");
}

/** Undefined if it is not finished. */
function valueOf(kind: ValueKind, text: string): unknown {
  switch (kind) {
    case "nothing":
      return null;
    case "empty":
      return "";
    case "boolean":
      return text !== "false";
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "date":
      return ISO_DATE.test(text) ? text : undefined;
    case "json":
      return parsed(text);
    case "text":
      return text === "" ? undefined : text;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function expected(catalogue: OperatorCatalogue, line: DraftFilter): string {
  const kind = usedKind(catalogue, line);
  if (kind === "number") return line.text ? "Write a number" : "Which number?";
  if (kind === "date") return "Which day?";
  if (kind === "json") return 'Write JSON, such as ["a", 1]';
  return "Which value?";
}

/** The service says what is too small or too large. */
function wholeOf(text: string): number | null {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
}

/**
 * The faults of the service by the line or group they are about, and those that are about neither. `root` is what the
 * condition is called in the request.
 */
export function placedFaults(
  faults: FieldFault[],
  places: Map<string, string>,
  root: string,
): { lines: Map<string, LineFaults>; others: FieldFault[] } {
  const lines = new Map<string, LineFaults>();
  const others: FieldFault[] = [];
  for (const fault of faults) {
    const [, at, part] = /^(.*?)(?:\.(field|operator|value|unit|count|campaignId|templateId))?$/.exec(
      fault.field,
    )!;
    const inside = at === root ? "" : at!.startsWith(`${root}.`) ? at!.slice(root.length + 1) : null;
    const id = inside === null ? undefined : places.get(inside);
    if (!id) others.push(fault);
    else lines.set(id, { ...lines.get(id), [part ?? "field"]: fault.message });
  }
  return { lines, others };
}
