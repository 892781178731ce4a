// Which parameters a route takes: one that it does not know is refused, because a filter with a typing error in it would
// answer everything. One answer names all that is wrong, also by rules that a schema cannot say.
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Context } from "../../context.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { fieldErrors, ruleErrors } from "./field_errors.ts";

/** A route, as Elysia lists it. */
interface Route {
  method: string;
  path: string;
  hooks: { query?: TSchema; detail?: { hide?: boolean; security?: unknown[] } };
}

const MAX_UNKNOWN = 20;
const MAX_NAME_LENGTH = 100;

const NO_QUERY: TSchema = Type.Object({});

const queries = new WeakMap<Context, Map<string, TSchema>>();
const openRoutes = new WeakMap<Context, Set<string>>();

/** Notes what each route takes, once. Pages are left out: links in mails and sign-ins collect parameters on their way. */
export function planQueries(ctx: Context, routes: Route[]): void {
  const documented = routes.filter(({ hooks, path }) => !hooks.detail?.hide && !path.startsWith("/oauth/"));
  const nameOf = ({ method, path }: Route) => `${method} ${path}`;
  queries.set(ctx, new Map(documented.map((route) => [nameOf(route), route.hooks.query ?? NO_QUERY])));
  const open = documented.filter(({ hooks }) => hooks.detail?.security?.length === 0);
  openRoutes.set(ctx, new Set(open.map(nameOf)));
}

/** Whether nobody authenticates the caller of this route. */
export function isOpenRoute(ctx: Context, method: string, route: string): boolean {
  return openRoutes.get(ctx)?.has(`${method} ${route}`) ?? false;
}

/** Takes parameters without a value out of a query: `cursor=` counts as left out. */
export function dropEmpty(
  ctx: Context,
  { method }: Request,
  route: string,
  query: Record<string, string | undefined>,
): void {
  if (!schemaOf(ctx, method, route)) return;
  for (const name in query) if (query[name] === "") delete query[name];
}

/**
 * Throws BAD_REQUEST for parameters that the route does not know and for those that break its rules, with all that is
 * wrong with the others too. What its schema alone refuses, Elysia finds.
 */
export async function assertKnownQuery(ctx: Context, { method, url }: Request, route: string): Promise<void> {
  const start = url.indexOf("?");
  if (start === -1) return;
  const schema = schemaOf(ctx, method, route);
  if (!schema) return;
  const given = new URLSearchParams(url.slice(start));
  const known = Object.keys(schema.properties as object);
  const unknown = [...new Set(given.keys())].filter((name) => name !== "" && !known.includes(name));
  const rest = Object.fromEntries([...given].filter(([name, text]) => text !== "" && known.includes(name)));
  if (unknown.length === 0 && (await ruleErrors(schema, rest)).length === 0) return;
  const errors = unknown.slice(0, MAX_UNKNOWN).map((name) => asUnknown(name, known));
  if (schema === NO_QUERY) throw problems.badParameters(errors);
  throw problems.badParameters(await fieldErrors(schema, Value.Errors(schema, rest), rest, errors));
}

function schemaOf(ctx: Context, method: string, route: string): TSchema | undefined {
  return queries.get(ctx)?.get(`${method === "HEAD" ? "GET" : method} ${route}`);
}

function asUnknown(name: string, known: string[]): FieldError {
  const takes = known.length > 0 ? `takes ${known.join(", ")}` : "takes no parameters";
  const field = name.slice(0, MAX_NAME_LENGTH).toWellFormed();
  return { field, code: "custom", message: `Unknown parameter: this endpoint ${takes}` };
}
