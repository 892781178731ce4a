// Fields of ours by the names that they have in a provider's request: nobody looks for a field that they have not written.
import { type FieldError, Problem } from "../../problem/mod.ts";

/**
 * The names that fields of ours have at a provider, by their paths; `*` is a place in a list. What is not named has our name, and so
 * has what is below a name. One that ends with `:` is followed by the rest as it is.
 */
export type Names = Readonly<Record<string, string>>;

/** The errors of files, with these names of their parts. */
export function namesOfFiles(
  list: string,
  parts: { filename: string; content: string; contentType: string; contentId: string; disposition: string },
): Names {
  return Object.fromEntries([
    ["attachments", list],
    ...Object.entries(parts).map(([ours, theirs]) => [`attachments.*.${ours}`, `${list}.*.${theirs}`]),
  ]) as Names;
}

/** An error in the names of a provider. */
export function renamed(error: FieldError, names: Names): FieldError {
  const given = error.field.split(".");
  const pattern = given.map((part) => (isPlace(part) ? "*" : part));
  for (let length = given.length; length > 0; length--) {
    const key = pattern.slice(0, length).join(".");
    if (!Object.hasOwn(names, key)) continue;
    const places = given.slice(0, length).filter(isPlace);
    const theirs = names[key]!.replaceAll("*", () => places.shift() ?? "*");
    const rest = given.slice(length).join(".");
    const between = rest === "" || theirs === "" || theirs.endsWith(":") ? "" : ".";
    return { ...error, field: `${theirs}${between}${rest}` };
  }
  return error;
}

/** What `work` throws, with the fields that it names as the provider calls them; `namesAt` for a message of several. */
export async function inNames<T>(
  names: Names | ((index: number) => Names),
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw problemIn(error, names);
  }
}

/** The same for what was thrown already. */
export function problemIn<E>(error: E, names: Names | ((index: number) => Names)): E | Problem {
  if (!(error instanceof Problem) || error.extras.errors === undefined) return error;
  const { status, problemCode, message, extras } = error;
  const namesAt = typeof names === "function" ? names : () => names;
  const index = typeof extras.details?.index === "number" ? extras.details.index : 0;
  const errors = extras.errors!.map((one) => {
    const [, at, field] = /^messages\.(\d+)\.(.*)$/s.exec(one.field) ?? [];
    return field === undefined
      ? renamed(one, namesAt(index))
      : renamed({ ...one, field }, namesAt(Number(at)));
  });
  return new Problem(status, problemCode, message, { ...extras, errors });
}

const isPlace = (part: string) => /^\d{1,4}$/.test(part);
