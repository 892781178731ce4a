// What is known of each body before it is read. Elysia would check it too, and does so afterwards, but where it refuses
// it writes out the whole of what it refuses, several times: so it is never given anything to refuse.
import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/errors";
import { getSchemaValidator } from "elysia";
import type { Context } from "../context.ts";
import { type FieldError, problems } from "../problem.ts";
import { BODY_LIMIT, readJson } from "./_body.ts";
import { type Bounds, bodyBounds, IGNORED_BODY } from "./_body_bounds.ts";
import { fieldErrors } from "./_field_errors.ts";
import { isForm } from "./_form.ts";

/** How the body of a route is read. */
interface BodyPlan {
  bounds: Bounds;
  /** All that is wrong with a body by its schema and its rules. Leaves it as it is. */
  errorsOf(body: unknown): Promise<FieldError[]>;
}

/** What Elysia makes of a schema. */
interface Validator {
  isOptional: boolean;
  Clean(body: unknown): unknown;
  Check(body: unknown): boolean;
  Errors(body: unknown): Iterable<ValueError>;
}

/** A route, as Elysia lists it. */
interface Route {
  method: string;
  path: string;
  hooks: { body?: TSchema };
}

const NO_SCHEMA: BodyPlan = { bounds: IGNORED_BODY, errorsOf: () => Promise.resolve([]) };

const plans = new WeakMap<Context, Map<string, BodyPlan>>();

/** Looks at the schemas of all routes, once. Throws for one that lets bodies of any size through. */
export function planBodies(ctx: Context, routes: Route[]): void {
  const ofRoutes = new Map<string, BodyPlan>();
  for (const { method, path, hooks } of routes) {
    if (hooks.body && !isForm(hooks.body)) ofRoutes.set(`${method} ${path}`, planOf(hooks.body));
  }
  plans.set(ctx, ofRoutes);
}

/**
 * The JSON of a request to this route, once it is known who is asking: what cannot fit its schema is not even parsed, and
 * what does not is refused with 422. Where there is no schema, any small body will do. `limit` is the most that any may
 * have, in bytes.
 */
export async function readBody(
  ctx: Context,
  request: Request,
  route: string,
  limit = BODY_LIMIT,
): Promise<unknown> {
  const { bounds, errorsOf } = plans.get(ctx)?.get(`${request.method} ${route}`) ?? NO_SCHEMA;
  const body = await readJson(request, { ...bounds, bytes: Math.min(bounds.bytes, limit) });
  const errors = await errorsOf(body);
  if (errors.length > 0) throw problems.invalid(errors);
  return body;
}

function planOf(schema: TSchema): BodyPlan {
  let validator: Validator | undefined;
  return {
    bounds: bodyBounds(schema),
    async errorsOf(body) {
      validator ??= getSchemaValidator(schema, { normalize: true }) as Validator;
      const clean = cleaned(validator, body);
      if (validator.isOptional && isNothing(clean)) return [];
      return validator.Check(clean) ? [] : await fieldErrors(schema, validator.Errors(clean), clean);
    },
  };
}

/** Without the fields that no schema knows, as Elysia has it. */
function cleaned(validator: Validator, body: unknown): unknown {
  try {
    return validator.Clean(body);
  } catch {
    return body;
  }
}

function isNothing(body: unknown): boolean {
  return typeof body !== "object" || body === null || Object.keys(body).length === 0;
}
