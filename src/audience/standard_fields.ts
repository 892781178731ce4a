// The fields that every contact has, each a column. Conditions, files, requests, answers and workflows read these rows;
// `test/audience/standard_fields_test.ts` holds SQL, the API and the guides against them.
import { searchedAddress } from "../mail/address.ts";

/** The values of a field, by its kind: that decides its operators, how a cell of a file is read, and its schema. */
interface Values {
  text: string;
  boolean: boolean;
  time: Date;
}

interface StandardField {
  kind: keyof Values;
  column: string;
  /** Clients set it: by POST and PATCH /contacts, and by the column of its name in a file. */
  isGiven: boolean;
  /** Of text: the form in which a text is compared, where the column holds a normalised one. */
  searched?(text: string): string;
}

/** Every standard field, by its name in the API. */
export const STANDARD_FIELDS = {
  email: { kind: "text", column: "email", isGiven: true, searched: searchedAddress },
  subscribed: { kind: "boolean", column: "subscribed", isGiven: true },
  createdAt: { kind: "time", column: "created_at", isGiven: false },
  updatedAt: { kind: "time", column: "updated_at", isGiven: false },
} as const satisfies Record<string, StandardField>;

type Fields = typeof STANDARD_FIELDS;

/** The name of a standard field. */
export type StandardFieldName = keyof Fields;

/** The standard fields of a contact. */
export type StandardValues = { [Name in StandardFieldName]: Values[Fields[Name]["kind"]] };

type GivenName = {
  [Name in StandardFieldName]: Fields[Name]["isGiven"] extends true ? Name : never;
}[StandardFieldName];

/**
 * The standard fields of a contact in a request, besides its address; undefined if the request does not give them.
 */
export type GivenValues = { [Name in Exclude<GivenName, "email">]?: StandardValues[Name] | undefined };

/** The same by their columns. */
export type StandardColumns = { [Name in StandardFieldName as Fields[Name]["column"]]: StandardValues[Name] };

/** The names of the standard fields. */
export const STANDARD_NAMES = Object.keys(STANDARD_FIELDS) as StandardFieldName[];

/** The names of those that clients set, besides the address. */
export const GIVEN_NAMES = STANDARD_NAMES.filter(
  (name): name is keyof GivenValues => STANDARD_FIELDS[name].isGiven && name !== "email",
);

/** Whether a name is that of a standard field. */
export function isStandard(name: string): name is StandardFieldName {
  return Object.hasOwn(STANDARD_FIELDS, name);
}

/** The row of a standard field. */
export function standardField(name: StandardFieldName): StandardField {
  return STANDARD_FIELDS[name];
}

/** What a request gives, by the columns. */
export function givenColumns(given: GivenValues): Record<string, unknown> {
  const said = GIVEN_NAMES.filter((name) => given[name] !== undefined);
  return Object.fromEntries(said.map((name) => [STANDARD_FIELDS[name].column, given[name]]));
}

/** The same by the names in the API, of a row or some columns of it: what clients set, besides the address. */
export function givenOf(columns: Record<string, unknown>): GivenValues {
  const known = GIVEN_NAMES.filter((name) => Object.hasOwn(columns, STANDARD_FIELDS[name].column));
  return Object.fromEntries(known.map((name) => [name, columns[STANDARD_FIELDS[name].column]]));
}

/** What a contact has of whom only the address is known. */
export function newValues(email: string, now: Date): StandardValues {
  const blank: Values = { text: "", boolean: true, time: now };
  const values = STANDARD_NAMES.map((name) => [name, blank[STANDARD_FIELDS[name].kind]]);
  return { ...(Object.fromEntries(values) as StandardValues), email };
}

/** The standard fields of a contact, and nothing else of it. */
export function standardValues(contact: StandardValues): StandardValues {
  return Object.fromEntries(STANDARD_NAMES.map((name) => [name, contact[name]])) as StandardValues;
}
