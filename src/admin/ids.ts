// The ids that an operator types.

/** An id as the ledger writes it. Throws for what can be none. */
export function asId(given: string | undefined, noun: string, hint = ""): string {
  const id = (given ?? "").toLowerCase();
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  if (given === undefined) throw new Error(`Cannot find a ${noun} without its id${hint}`);
  throw new Error(`Cannot find a ${noun}: ${JSON.stringify(given)} is not an id of one${hint}`);
}
