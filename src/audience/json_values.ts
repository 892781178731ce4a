// Walks through any JSON of a request, without building lists of its contents: there may be tens of thousands of small
// objects.

/** True if objects and lists are nested deeper than that. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || someInner(value, (inner) => isDeeper(inner, levels - 1));
}

/**
 * True if JSON held a number that a double does not keep, such as 1e400, or a whole one beyond 2^53, whose last digits
 * would change. Looks that many levels deep.
 */
export function hasOverflow(value: unknown, levels = Infinity): boolean {
  if (typeof value === "number") return !Number.isFinite(value) || isInexact(value);
  return levels > 0 && someInner(value, (inner) => hasOverflow(inner, levels - 1));
}

function isInexact(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** Whether this holds for one of the values that stand directly in a list or an object; an object gives its keys too. */
export function someInner(value: unknown, holds: (inner: unknown, key: string) => boolean): boolean {
  if (Array.isArray(value)) return value.some((inner) => holds(inner, ""));
  if (typeof value !== "object" || value === null) return false;
  for (const key in value) if (holds((value as Record<string, unknown>)[key], key)) return true;
  return false;
}
