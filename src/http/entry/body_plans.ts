// What is known of each body before it is read. Elysia would check it too, and does so afterwards, but when it refuses
// it prints the whole value several times: so it is never given anything to refuse.
import { Kind, OptionalKind, type TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { Context } from "../../context.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { BODY_LIMIT, type JsonBody, readJson } from "./body.ts";
import { type Bounds, bodyBounds, IGNORED_BODY } from "./body_bounds.ts";
import { fieldErrors, itemsMessage, ruleErrors } from "./field_errors.ts";
import { isForm } from "./form.ts";
import { streamedType } from "./stream_body.ts";
import { nearMisses, nearMissErrors, nearMissWarnings, powerlessWarnings } from "../../near_misses.ts";

/** How the body of a route is read. */
interface BodyPlan {
  bounds: Bounds;
  /** It is a list. */
  isList: boolean;
  /** The fields that the route knows; null if it does not say. */
  fields: string[] | null;
  /** All that is wrong with a body by its schema and its rules. */
  errorsOf(body: JsonBody): Promise<FieldError[]>;
  /** What its rules alone say of a body that its schema lets through. */
  ruleErrorsOf(body: JsonBody): Promise<FieldError[]>;
}

/** A route, as Elysia lists it. */
interface Route {
  method: string;
  path: string;
  hooks: { body?: TSchema };
}

const NO_ERRORS = () => Promise.resolve([]);
const NO_SCHEMA: BodyPlan = {
  bounds: IGNORED_BODY,
  isList: false,
  fields: null,
  errorsOf: NO_ERRORS,
  ruleErrorsOf: NO_ERRORS,
};

const plans = new WeakMap<Context, Map<string, BodyPlan>>();
const warnings = new WeakMap<Request, string[]>();

/** Unknown fields of these are ignored, as clients of the existing service rely on: their answers can warn. */
const ANSWERS_WITH_WARNINGS = ["/v1/send", "/v1/track", "/events/track"];

/** Of these, fields that would do something elsewhere are told, too. */
const TELLS_OF_POWERLESS = [...ANSWERS_WITH_WARNINGS, "/campaigns/"];

/** What the answer to a request should warn of: `{warnings}`, or nothing to spread. */
export function bodyWarnings(request: Request): { warnings?: string[] } {
  const found = warnings.get(request);
  return found ? { warnings: found } : {};
}

/** Looks at the schemas of all routes, once. Throws for one that lets bodies of any size through. */
export function planBodies(ctx: Context, routes: Route[]): void {
  const ofRoutes = new Map<string, BodyPlan>();
  for (const { method, path, hooks } of routes) {
    if (hooks.body && !isForm(hooks.body) && !streamedType(hooks.body))
      ofRoutes.set(`${method} ${path}`, planOf(hooks.body));
  }
  plans.set(ctx, ofRoutes);
}

/**
 * The JSON of a request to this route, once the caller is authenticated, without unknown fields: a body that cannot fit
 * its schema is not even parsed, and one that does not match is refused with 422, as is one with a field that was meant
 * to be another. If there is no schema, any small body is accepted. `limit` is the general maximum, in bytes.
 */
export async function readBody(
  ctx: Context,
  request: Request,
  route: string,
  limit = BODY_LIMIT,
): Promise<JsonBody> {
  const { bounds, isList, fields, errorsOf, ruleErrorsOf } =
    plans.get(ctx)?.get(`${request.method} ${route}`) ?? NO_SCHEMA;
  const given = await readJson(request, { ...bounds, bytes: Math.min(bounds.bytes, limit) }, isList);
  const body = given && fields ? pick(given, fields) : given;
  const errors = await errorsOf(body);
  const misses = given && fields ? nearMisses(given, fields) : NO_MISSES;
  const canWarn = ANSWERS_WITH_WARNINGS.includes(route);
  if (misses.size > 0) {
    if (errors.length === 0) errors.push(...(await ruleErrorsOf(body)));
    if (errors.length > 0 || !canWarn) errors.push(...nearMissErrors(misses));
  }
  if (errors.length === 0 && given && fields && TELLS_OF_POWERLESS.includes(route)) {
    const rest = powerlessWarnings(given, [...fields, ...misses.keys()]);
    const found = [...nearMissWarnings(misses), ...rest];
    if (found.length > 0) warnings.set(request, found);
  }
  if (errors.length > 0) throw problems.invalid(errors);
  return body;
}

/**
 * What is wrong with a value that is a body by itself, as a message in a list of them, and the value without unknown fields.
 * A field that was meant to be another is an error.
 */
export async function checkBody(
  schema: TSchema,
  given: unknown,
): Promise<{ body: Record<string, unknown>; errors: FieldError[] }> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return { body: {}, errors: [{ field: "", code: "invalid_type", message: "Expected an object" }] };
  }
  const { fields, errorsOf } = planOf(schema);
  const body = fields ? pick(given as Record<string, unknown>, fields) : (given as Record<string, unknown>);
  const errors = await errorsOf(body);
  const misses = fields ? nearMisses(given as Record<string, unknown>, fields) : NO_MISSES;
  return { body, errors: [...errors, ...nearMissErrors(misses)] };
}

const NO_MISSES = new Map<string, string>();

/** One for each schema, however many services a process has, as in tests. */
const known = new WeakMap<TSchema, BodyPlan>();

function planOf(schema: TSchema): BodyPlan {
  let plan = known.get(schema);
  if (plan === undefined) known.set(schema, (plan = makePlan(schema)));
  return plan;
}

function makePlan(schema: TSchema): BodyPlan {
  let compiled: TypeCheck<TSchema> | undefined;
  return {
    bounds: bodyBounds(schema),
    isList: schema[Kind] === "Array",
    fields: fieldsOf(schema),
    async errorsOf(body) {
      // Compiled at the first use: a start needs few of them, and compiling all takes a fifth of it.
      const validator = (compiled ??= TypeCompiler.Compile(schema));
      const isLeftOut = OptionalKind in schema && (body === null || Object.keys(body).length === 0);
      const tooLong = lengthErrors(schema, body);
      if (tooLong.length === 0 && (isLeftOut || validator.Check(body))) return [];
      // The items of a list that is too long are not checked.
      const rest = without(body, tooLong);
      return await fieldErrors(schema, validator.Errors(rest), rest, tooLong);
    },
    ruleErrorsOf: (body) => ruleErrors(schema, body),
  };
}

/** The lists that hold more than they may. */
function lengthErrors(schema: TSchema, body: JsonBody): FieldError[] {
  if (body === null || schema[Kind] !== "Object") return [];
  return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([field, property]) => {
    const value = body[field];
    const most = Array.isArray(value) ? maxItemsOf(property) : undefined;
    if (most === undefined || (value as unknown[]).length <= most) return [];
    return [{ field, code: "too_big", message: itemsMessage("at most", most) }];
  });
}

function maxItemsOf(schema: TSchema): number | undefined {
  if (schema[Kind] !== "Union") return schema.maxItems as number | undefined;
  return (schema.anyOf as TSchema[]).map(maxItemsOf).find((most) => most !== undefined);
}

function without(body: JsonBody, errors: FieldError[]): JsonBody {
  if (body === null || errors.length === 0) return body;
  const refused = new Set(errors.map(({ field }) => field));
  return Object.fromEntries(Object.entries(body).filter(([field]) => !refused.has(field)));
}

/** Of an object, and of one that may be left out. */
function fieldsOf(schema: TSchema): string[] | null {
  if (schema[Kind] === "Object") return Object.keys(schema.properties as object);
  if (schema[Kind] !== "Union") return null;
  return (schema.anyOf as TSchema[]).flatMap((branch) => fieldsOf(branch) ?? []);
}

function pick(body: Record<string, unknown>, fields: string[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => (Object.hasOwn(body, field) ? [[field, body[field]]] : [])),
  );
}
