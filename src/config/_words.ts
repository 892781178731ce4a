// What each setting has to be, in words: the schema knows it as patterns and bounds.
import { Settings } from "./_settings.ts";

interface Bounds {
  type?: string;
  /** Of a `Union`: its literals. */
  anyOf?: { const: string }[];
  /** In words, where the type and its bounds do not say enough. */
  expected?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
}

/** The message for a setting whose value does not fit its schema. */
export function expectationOf(name: string): string {
  const schema = (Settings.properties as Record<string, Bounds>)[name] ?? {};
  return `expected ${schema.expected ?? kindOf(schema)}`;
}

function kindOf({ type, anyOf, ...bounds }: Bounds): string {
  if (anyOf) return `one of ${anyOf.map((literal) => literal.const).join(", ")}`;
  if (type === "boolean") return "true or false";
  if (type === "integer") return `a whole number${rangeOf(bounds)}`;
  if (type === "number") return `a number${rangeOf(bounds)}`;
  return (bounds.minLength ?? 1) > 1 ? `at least ${bounds.minLength} characters` : "a text";
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: Bounds): string {
  const from = minimum === undefined ? "" : ` from ${minimum}`;
  const above = exclusiveMinimum === undefined ? "" : ` above ${exclusiveMinimum}`;
  return from + above + (maximum === undefined ? "" : ` up to ${maximum}`);
}
