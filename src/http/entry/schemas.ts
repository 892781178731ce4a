// Shapes that several routes share, and the kinds of values that JSON Schema alone cannot check.
import { FormatRegistry, Kind, type TOptional, type TSchema, Type, TypeRegistry } from "@sinclair/typebox";
import { t } from "elysia";
import {
  GIVEN_NAMES,
  type GivenValues,
  STANDARD_FIELDS,
  STANDARD_NAMES,
  type StandardFieldName,
} from "../../audience/standard_fields.ts";
import { MAX_PREHEADER } from "../../content/preheader.ts";
import { parseAddress } from "../../mail/address.ts";
import { toMailbox } from "../../sending/send/recipients.ts";
import { bounded } from "./body_bounds.ts";
import { Text } from "./text.ts";

export { Text } from "./text.ts";

const WHOLE_NUMBER = /^-?\d{1,100}$/;

FormatRegistry.Set("email", (text) => parseAddress(text) !== null);
FormatRegistry.Set("email-or-empty", (text) => text === "" || parseAddress(text) !== null);
FormatRegistry.Set("mailbox", (text) => toMailbox(text) !== null);
FormatRegistry.Set("header-text", (text) => !/[\r\n\0]/.test(text));
// Rows carry dates as Date; JSON writes them as ISO 8601.
TypeRegistry.Set("Timestamp", (_schema, value) => value instanceof Date && !Number.isNaN(value.getTime()));
// A query holds only text; the handler clamps the number.
TypeRegistry.Set("QueryInteger", (_schema, value) => WHOLE_NUMBER.test(String(value)));
TypeRegistry.Set("QueryCount", (_schema, value) => WHOLE_NUMBER.test(String(value)) && Number(value) >= 1);

/** A point in time: a Date here, ISO 8601 in JSON. */
export const Timestamp = t.Unsafe<Date>({ [Kind]: "Timestamp", type: "string", format: "date-time" });

/** A whole number in an answer. Elysia's own would also promise text, for the sake of queries. */
export const Int = Type.Integer();

/** How names of time zones are written: whether there is such a one is looked up. */
export const ZONE_PATTERN = "^[A-Za-z][A-Za-z0-9_+/-]{0,63}$";

/** A UUID in a path or query. */
export const Uuid = t.String({ format: "uuid" });

/** The project of a session, for what a browser opens by itself (`projectInQuery`). */
export const ProjectInQuery = t.Optional(
  t.String({
    format: "uuid",
    description: "With a session: instead of `X-Project-Id`, which a link or an `EventSource` cannot send.",
  }),
);

/** A UUID that names something in the project, such as `a template`: a refusal says what is expected. */
export const IdOf = (noun: string) => t.String({ format: "uuid", description: `The id of ${noun}, a UUID.` });

/** The id in a path: anything that is not a UUID is simply not found (guides/errors.md). */
export const PathId = t.Unsafe<string>({ [Kind]: "PathId", type: "string", format: "uuid" });
TypeRegistry.Set("PathId", (_schema, value) => typeof value === "string");

/** An address, trimmed and lower-cased before use. */
export const EmailAddress = t.String({ format: "email", examples: ["ada@example.com"] });

/** Text that ends up in a header line: no CR, LF or NUL. */
export const HeaderText = (options: { minLength?: number; maxLength: number }) =>
  Text({ format: "header-text", ...options });

/** What inboxes show beside the subject. */
export const Preheader = Text({
  format: "header-text",
  maxLength: MAX_PREHEADER,
  description: "The text that inboxes show next to the subject, with `{{variables}}`.",
});

/** A whole number in a query, given as text. */
export const QueryInteger = (options: {
  minimum: number;
  maximum?: number;
  fallback: number;
  description?: string;
}) => {
  const { fallback, description, ...bounds } = options;
  // Not as `default`: Elysia would fill it in, and nothing could tell what was left out.
  const text = [description, `Default: ${fallback}.`].filter(Boolean).join(" ");
  return t.Optional(
    t.Unsafe<string>({ [Kind]: "QueryInteger", type: "integer", ...bounds, description: text }),
  );
};

/** The same, but refused if it is less than 1. */
export const QueryCount = (options: { maximum?: number; fallback: number; description?: string }) => {
  const integer = QueryInteger({ minimum: 1, ...options });
  return { ...integer, [Kind]: "QueryCount" } as typeof integer;
};

/** Yes or no in a query. */
export const QueryFlag = (description: string) =>
  t.Optional(t.Unsafe<"true" | "false">({ ...Words(["true", "false"]), description }));

/** What a query says of it; undefined if it says nothing. */
export const readFlag = (flag: "true" | "false" | undefined): boolean | undefined =>
  flag === undefined ? undefined : flag === "true";

/** Null, or a value of `schema`. */
export const Nullable = <T extends TSchema>(schema: T) => t.Union([schema, t.Null()]);

/** One of these words. */
export const Words = <const T extends readonly string[]>(words: T, options: { description?: string } = {}) =>
  t.Unsafe<T[number]>({ ...options, [Kind]: "Words", type: "string", enum: [...words] });
TypeRegistry.Set<{ enum: string[] }>("Words", (schema, value) => schema.enum.includes(value as string));

/** One of these words, which are upper case, in any case. */
export const CaselessWords = (words: readonly string[], options: { description?: string } = {}) =>
  t.Unsafe<string>({ ...options, [Kind]: "CaselessWords", type: "string", enum: [...words] });
TypeRegistry.Set<{ enum: string[] }>(
  "CaselessWords",
  (schema, value) => typeof value === "string" && schema.enum.includes(value.toUpperCase()),
);

/** The data of a contact: 64 KB, and each value 64 levels deep; one of them may be wrapped, as `{value, persistent}`. */
const DATA_SIZE = { bytes: 65_536, levels: 66 };

/**
 * A JSON object with any keys. Not a Record: its copy would lose a key named `__proto__` and take text for an object.
 * The OpenAPI document shows it as an object.
 */
export const Data = bounded(
  t.Unsafe<Record<string, unknown>>({ [Kind]: "Data", "x-any-object": true }),
  DATA_SIZE,
);
TypeRegistry.Set(
  "Data",
  (_schema, value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** A JSON object whose values are text. The code that takes it checks that, and names the value; see {@linkcode Data}. */
export const TextMap = bounded(
  t.Unsafe<Record<string, string>>({ [Kind]: "TextMap", "x-any-object": "string" }),
  { bytes: 131_072, values: 5_000 },
);
TypeRegistry.Set(
  "TextMap",
  (_schema, value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** The envelope of a refusal (guides/errors.md). */
export const ProblemEnvelope = t.Object(
  {
    success: t.Literal(false),
    error: t.Object({
      code: t.String({ examples: ["VALIDATION_ERROR"] }),
      message: t.String(),
      statusCode: Int,
      requestId: Uuid,
      errors: t.Optional(
        t.Array(
          t.Object({
            field: t.String({ examples: ["attachments.0.filename"] }),
            message: t.String(),
            code: t.String({ examples: ["invalid_string"] }),
            received: t.Optional(t.Unknown()),
            line: t.Optional(Type.Integer({ description: "Of an error in a template, counted from 1." })),
            column: t.Optional(Int),
          }),
        ),
      ),
      details: t.Optional(Data),
      suggestion: t.Optional(t.String()),
    }),
    timestamp: t.String({ format: "date-time" }),
  },
  { title: "Problem", description: "Why a request was refused, and what to do" },
);

/** The standard fields of contacts in an answer, by their kinds. */
const KINDS = { text: t.String(), boolean: t.Boolean(), time: Timestamp };
type KindOf<Name extends StandardFieldName> = (typeof STANDARD_FIELDS)[Name]["kind"];
const StandardProperties = Object.fromEntries(
  STANDARD_NAMES.map((name) => [name, KINDS[STANDARD_FIELDS[name].kind]]),
) as { [Name in StandardFieldName]: (typeof KINDS)[KindOf<Name>] };

/** A contact. */
export const Contact = t.Object(
  { id: Uuid, data: Data, projectId: Uuid, ...StandardProperties },
  { title: "Contact" },
);

const GIVEN_KINDS = { ...KINDS, text: Text({ maxLength: 255 }) };

/** The standard fields that a request may set, besides the address. */
export const GivenProperties = Object.fromEntries(
  GIVEN_NAMES.map((name) => [name, t.Optional(GIVEN_KINDS[STANDARD_FIELDS[name].kind])]),
) as { [Name in keyof GivenValues]-?: TOptional<(typeof KINDS)[KindOf<Name>]> };

/** Beside the result: what was done, but perhaps not as it was meant. */
export const Warnings = {
  warnings: t.Optional(t.Array(t.String(), { description: "What was accepted, but is probably a mistake." })),
};

/** The bare refusal of a few dashboard endpoints (guides/errors.md). */
export const BareError = t.Object({ error: t.String() }, { title: "BareError" });

/** What every endpoint behind a key may refuse with, besides its own. */
const COMMON_REFUSALS = [401, 403, 429, 500, 503];

/** Where the schema of a response holds the statuses of the refusals beside it. */
export const REFUSALS_BESIDE = "x-refusals";

/**
 * The responses of a route: `schema` with 200 (or `status`), and the refusals it may give, with those of every endpoint
 * behind a key unless it is open. These are for the document
 * alone: as schemas, Elysia would compile a validator for each of them, 700 in all, and use none.
 */
export function answers<T extends TSchema, Status extends number = 200>(
  schema: T,
  options: { refusals?: number[]; status?: Status; isOpen?: boolean } = {},
): Record<Status, T> {
  const refusals = [...(options.refusals ?? []), ...(options.isOpen ? [] : COMMON_REFUSALS)];
  return { [options.status ?? 200]: { ...schema, [REFUSALS_BESIDE]: refusals } } as unknown as Record<
    Status,
    T
  >;
}

// A path id that is none is simply not found (guides/errors.md).
export { isUuid } from "../../audience/faults.ts";
