// What a field of a condition may be asked, read from the catalogue of the service.
import type { OperatorCatalogue } from "../../api.gen.ts";

/** A kind of field with its operators. */
export type Entry = OperatorCatalogue["fields"][number];
/** What is next to an operator. */
export type Operand = Entry["operators"][number]["operand"];
/** As what a value is meant: the number 12 is not the text “12”. */
export type ValueKind = "text" | "number" | "boolean" | "date" | "nothing" | "empty" | "json";

const KINDS: Record<Operand, ValueKind[]> = {
  none: [],
  amount: [],
  count: [],
  boolean: ["boolean"],
  time: ["date"],
  text: ["text", "number", "boolean"],
  ordered: ["number", "date", "text"],
  json: ["text", "number", "boolean", "date", "nothing", "empty", "json"],
};

/** The entry that a field belongs to; null if there is no such field. */
export function entryOf({ fields }: OperatorCatalogue, field: string): Entry | null {
  const named = (name: string) => fields.find((entry) => entry.field === name) ?? null;
  const standard = named(field);
  if (standard || field === "") return standard;
  const [prefix, rest] = [field.slice(0, field.indexOf(".")), field.slice(field.indexOf(".") + 1)];
  if (field.startsWith("data.")) return named("data.<key>");
  if (prefix === "email") {
    const mail = named("email.<activity>");
    return mail?.activities?.includes(rest) ? mail : null;
  }
  if (prefix === "segment" && !/\.(entry|exit)$/.test(rest)) return named("segment.<id>");
  return named("event.<name>");
}

/** What is next to this operator of this field; null if the field does not take it. */
export function operandOf(catalogue: OperatorCatalogue, field: string, operator: string): Operand | null {
  return entryOf(catalogue, field)?.operators.find((known) => known.operator === operator)?.operand ?? null;
}

/** What a filter on mails may name, so that only some of them count. */
export type MailSource = "campaignId" | "templateId";

/** What a filter on this field may name; none of a field that is not about mails that were sent. */
export function sourcesOf(catalogue: OperatorCatalogue, field: string): MailSource[] {
  const sources = field === "email.received" ? [] : (entryOf(catalogue, field)?.sources ?? []);
  return sources.filter((source) => source === "campaignId" || source === "templateId");
}

/** The kinds of value that an operator takes, the usual one first. An address is a text and nothing else. */
export function kindsOf(catalogue: OperatorCatalogue, field: string, operator: string): ValueKind[] {
  const operand = operandOf(catalogue, field, operator);
  if (!operand) return [];
  return entryOf(catalogue, field)?.kind === "text" ? ["text"] : KINDS[operand];
}

/** What one begins with: of times how long ago, of anything else the first. */
export function firstOperator(entry: Entry, isDate: boolean): string {
  const names = entry.operators.map(({ operator }) => operator);
  return isDate && names.includes("within") ? "within" : (names[0] ?? "");
}

/** The name of an event, of a key of the data or of a segment, as people know it: without what the API puts before it. */
export const nameIn = (field: string) => field.replace(/^(data|event|email|segment)\./, "");
