// Schemas as lists of fields, those of inner objects folded in.
import { type ReferenceDocument, resolve, type Schema } from "./_reference_document.ts";
import { escapeHtml } from "./html.ts";

type Schemas = ReferenceDocument["schemas"];

/** Below this depth a schema is only named: conditions contain conditions. */
const MAX_DEPTH = 4;
const MAX_VALUES = 40;
/** How many kinds of an alternative are shown with all their fields. */
const MAX_KINDS = 12;

/** Text with code and links, as descriptions are written. HTML in it is shown as text. */
export function prose(markdown: string): string {
  const html = Bun.markdown.html(markdown, { noHtmlBlocks: true, noHtmlSpans: true });
  return html.replace(/<a href="(?!\/|https:|#)[^"]*">/g, "<a>");
}

/** Text within a line. */
export function phrase(markdown: string): string {
  return prose(markdown)
    .trim()
    .replace(/^<p>|<\/p>$/g, "")
    .replaceAll("</p>\n<p>", " ");
}

/** The fields of a schema as a list, or its type if it has none. */
export function schemaView(schema: Schema, schemas: Schemas, within: readonly string[] = []): string {
  const { schema: plain, name } = resolve(schema, schemas);
  if (name !== undefined && within.includes(name)) return `<p class="type">${escapeHtml(name)}, as above</p>`;
  const inside = name === undefined ? within : [...within, name];
  const kinds = kindsOf(plain);
  if (kinds.length > 1) return kindsView(kinds, schemas, inside);
  const [only = plain] = kinds;
  if (only !== plain) return schemaView(only, schemas, inside);
  if (plain.type === "array" && plain.items) return schemaView(plain.items, schemas, inside);
  const fields = Object.entries(plain.properties ?? {});
  if (fields.length === 0) return `<p class="type">${escapeHtml(typeOf(schema, schemas))}</p>${about(plain)}`;
  const items = fields.map(([field, inner]) =>
    fieldView(field, inner, (plain.required ?? []).includes(field), schemas, inside),
  );
  return `<ul class="fields">${items.join("")}</ul>`;
}

function kindsView(kinds: Schema[], schemas: Schemas, within: readonly string[]): string {
  const shown = kinds.slice(0, MAX_KINDS).map((kind) => {
    const title = `<summary>${escapeHtml(typeOf(kind, schemas))}</summary>`;
    return `<details>${title}${schemaView(kind, schemas, within)}</details>`;
  });
  return `<p class="type">One of</p>${shown.join("")}`;
}

/** One field: its name, its type, whether it is required, and its description. */
export function fieldView(
  name: string,
  schema: Schema,
  isRequired: boolean,
  schemas: Schemas,
  within: readonly string[] = [],
): string {
  const { schema: plain } = resolve(schema, schemas);
  const inner = hasInner(schema, schemas) && depthOf(within) < MAX_DEPTH;
  return `<li><p><code class="name">${escapeHtml(name)}</code> <span class="type">${escapeHtml(typeOf(schema, schemas))}</span>${
    isRequired ? ' <span class="required">required</span>' : ""
  }</p>${about({ ...plain, ...(schema.description !== undefined && { description: schema.description }) })}${
    inner
      ? `<details><summary>Fields of ${escapeHtml(name)}</summary>${schemaView(schema, schemas, [...within, ""])}</details>`
      : ""
  }</li>`;
}

function depthOf(within: readonly string[]): number {
  return within.filter((name) => name === "").length;
}

/** The alternatives, null left out: the type says that. */
function kindsOf({ anyOf, oneOf }: Schema): Schema[] {
  return (oneOf ?? anyOf ?? []).filter(({ type }) => type !== "null");
}

function hasInner(schema: Schema, schemas: Schemas, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  const { schema: plain } = resolve(schema, schemas);
  if (Object.keys(plain.properties ?? {}).length > 0) return true;
  if (plain.type === "array" && plain.items) return hasInner(plain.items, schemas, depth + 1);
  return kindsOf(plain).some((kind) => hasInner(kind, schemas, depth + 1));
}

function about(schema: Schema): string {
  const description = schema.description ? `<p>${phrase(schema.description)}</p>` : "";
  const values = schema.enum?.filter((value) => value !== null) ?? [];
  const words = values.slice(0, MAX_VALUES).map((value) => `<code>${escapeHtml(String(value))}</code>`);
  const more = values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : "";
  const limits = limitsOf(schema);
  return [
    description,
    words.length > 0 ? `<p class="limits">${words.join(" ")}${more}</p>` : "",
    limits ? `<p class="limits">${escapeHtml(limits)}</p>` : "",
  ].join("");
}

function limitsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, ...rest }: Schema): string {
  const range = (from: unknown, to: unknown, what: string) => {
    if (from === undefined && to === undefined) return [];
    if (from === undefined) return [`at most ${to}${what}`];
    return [to === undefined ? `at least ${from}${what}` : `${from} to ${to}${what}`];
  };
  const parts = [
    ...range(minimum, maximum, ""),
    ...range(minLength, maxLength, " characters"),
    ...range(minItems, maxItems, " items"),
    ...(rest.default === undefined ? [] : [`${JSON.stringify(rest.default)} where nothing is said`]),
  ];
  return parts.join(", ");
}

/** The type in a few words. */
function typeOf(schema: Schema, schemas: Schemas): string {
  const { schema: plain, name } = resolve(schema, schemas);
  if (plain.const !== undefined) return JSON.stringify(plain.const);
  if (plain.type === "array" && plain.items) return `list of ${typeOf(plain.items, schemas)}`;
  const kinds = kindsOf(plain);
  const isNullable =
    (Array.isArray(plain.type) && plain.type.includes("null")) ||
    (plain.oneOf ?? plain.anyOf ?? []).some(({ type }) => type === "null");
  const types = [plain.type ?? []].flat().filter((type) => type !== "null");
  const own = kinds.length > 0 && kinds.length < 4 ? kinds.map((kind) => typeOf(kind, schemas)) : types;
  const words =
    name === undefined
      ? [...new Set(own)].join(" or ") || (kinds.length > 0 ? "one of several" : "any value")
      : name;
  const format = plain.format && name === undefined ? `, ${plain.format}` : "";
  return `${words}${format}${isNullable ? ", or null" : ""}`;
}
