// The OpenAPI document for tests that walk through it.

const DEEPEST = 40;
/** They hold themselves. */
const RECURSIVE = ["Condition", "ConditionGroup"];

/** The document with every named schema in the places that refer to it; one that holds itself becomes any object there. */
export function withoutReferences<T>(document: T): T {
  const { schemas } = (document as { components: { schemas: Record<string, unknown> } }).components;
  const resolve = (node: unknown, depth: number): unknown => {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map((item) => resolve(item, depth));
    const { $ref } = node as { $ref?: string };
    const name = $ref?.startsWith("#/components/schemas/") ? $ref.split("/").at(-1)! : null;
    if (name === null)
      return Object.fromEntries(Object.entries(node).map(([k, v]) => [k, resolve(v, depth)]));
    if (RECURSIVE.includes(name) || depth > DEEPEST) return { type: "object", additionalProperties: true };
    return resolve(schemas[name], depth + 1);
  };
  const { paths, ...rest } = document as { paths: unknown };
  return { ...rest, paths: resolve(paths, 0) } as T;
}
