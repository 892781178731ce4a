/**
 * The value at a path of free-form data, as conditions find it: under the whole path as one key, else under its parts as
 * keys within keys. Undefined if there is none.
 */
export function dataAt(data: Record<string, unknown>, path: string): unknown {
  const flat = ownValue(data, path);
  return flat === undefined ? path.split(".").reduce<unknown>(ownValue, data) : flat;
}

function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}
