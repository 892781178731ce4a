// Requests made from the OpenAPI document, meant and not meant, and what the service answers to them.
import { textOf } from "./service.ts";
import type postgres from "postgres";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { createProject } from "../../src/accounts/projects/mod.ts";
import { signUp } from "./accounts.ts";
import { meantBody } from "./fuzz_bodies.ts";
import {
  type Dice,
  mutated,
  oddText,
  oddValue,
  type Schema,
  type Surroundings,
  valueOf,
} from "./fuzz_values.ts";
import { png } from "./images.ts";
import { DOMAIN, type TestService } from "./service.ts";
import { fillProject, projectTables } from "./whole_project.ts";

/** An operation of the document. */
export interface Operation {
  /** As `POST /contacts/{id}`. */
  name: string;
  method: string;
  path: string;
  parameters: { name: string; in: string; schema?: Schema }[];
  /** Whether it is for a person, and no key will do. */
  isPersonal: boolean;
  /** Of the body, with its media type; null where it takes none. */
  body: { type: string; schema: Schema } | null;
}

/** A request, whole. */
export interface FuzzRequest {
  operation: string;
  method: string;
  target: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | null;
}

/** What was answered. */
export interface FuzzAnswer {
  status: number;
  ms: number;
  text: string;
}

/** A project with something in every table. */
export interface Scene {
  /** Of the project: its secret key, its public key, the session of its owner, and none. */
  credentials: Record<string, string>[];
  /** Ids by table, and the project's own as `projects`. */
  ids: Record<string, string[]>;
  emails: string[];
}

/** Reads every operation of the document, and how its references are resolved. */
export function operationsOf(document: {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, Schema> };
}): { operations: Operation[]; resolve: (ref: string) => Schema } {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, described]) => {
      const {
        parameters = [],
        requestBody,
        security = [],
      } = described as {
        parameters?: Operation["parameters"];
        security?: Record<string, unknown>[];
        requestBody?: { content: Record<string, { schema: Schema }> };
      };
      const [content] = Object.entries(requestBody?.content ?? {});
      const body = content ? { type: content[0], schema: content[1].schema } : null;
      const method = verb.toUpperCase();
      const isPersonal = security.length > 0 && !security.some((way) => "secretKey" in way);
      return { name: `${method} ${path}`, method, path, parameters, isPersonal, body };
    }),
  );
  const resolve = (ref: string) => document.components.schemas[ref.split("/").at(-1)!] ?? {};
  return { operations, resolve };
}

/** Makes a project with an owner, two keys, some contacts and rows in every table. */
export async function makeScene(service: TestService, contacts = 20): Promise<Scene> {
  const { pool } = service;
  const project = await createProject(service, "Fuzz");
  await addVerifiedDomain(service, project.id, DOMAIN);
  const owner = await signUp(service);
  await pool`update users set email_verified_at = now() where id = ${owner.userId}`;
  await pool`insert into memberships (project_id, user_id, role) values (${project.id}, ${owner.userId}, 'OWNER')`;
  await fillProject(pool, project.id, contacts);
  await pool`update workflows set enabled = true, allow_reentry = true where project_id = ${project.id}`;
  const emails = await pool`select email from contacts where project_id = ${project.id} limit 10`;
  return {
    credentials: [
      { authorization: `Bearer ${project.secret}` },
      { authorization: `Bearer ${project.public}` },
      { cookie: owner.cookie, "x-project-id": project.id, origin: service.config.BASE_URL },
      {},
    ],
    ids: { ...(await idsOf(pool, project.id)), projects: [project.id], users: [owner.userId] },
    emails: [...emails.map((row) => row.email as string), owner.email],
  };
}

/** The tables of projects whose rows have an id; of a database they are asked for once. */
const tablesWithId = new WeakMap<postgres.Sql, Promise<string[]>>();

async function askTables(pool: postgres.Sql): Promise<string[]> {
  const withId = await pool`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'id' and data_type = 'uuid'`;
  const tables = new Set(withId.map((row) => row.name as string));
  return (await projectTables(pool)).filter((name) => tables.has(name));
}

/** Ten of each table at most, all asked for at once: a scene is made hundreds of times. */
async function idsOf(pool: postgres.Sql, projectId: string): Promise<Record<string, string[]>> {
  const asked = tablesWithId.get(pool) ?? askTables(pool);
  tablesWithId.set(pool, asked);
  const lists = (await asked).map(
    (table) =>
      `select '${table}' as name, array(select id from ${table} where project_id = $1 limit 10) as ids`,
  );
  const rows = await pool.unsafe<{ name: string; ids: string[] }[]>(lists.join(" union all "), [projectId]);
  return Object.fromEntries(rows.map(({ name, ids }) => [name, ids]));
}

/** What is gone afterwards would leave nothing to try the others on: of the scene these are seldom asked. */
const ENDS_THE_SCENE =
  /^(DELETE \/users\/@me\/projects\/\{id\}|POST .*\/(reset|regenerate-keys)|DELETE .*\/members\/|POST \/auth\/(change-password|reset-password)|GET \/auth\/logout)/;

/** Makes one request: half of them as the document says, the others with something odd about them. */
export function makeRequest(
  operation: Operation,
  { credentials, ids, emails }: Scene,
  dice: Dice,
  resolve: (ref: string) => Schema,
): FuzzRequest {
  const all = Object.values(ids).flat();
  const around: Surroundings = { dice, ids: all, emails, resolve };
  const isOdd = dice.chance(50);
  const spares = ENDS_THE_SCENE.test(operation.name) && !dice.chance(3);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    isOdd && dice.chance(30)
      ? dice.pick(["%", "%ff", "%00", "%2f", encodeURIComponent(oddText(around).toWellFormed())])
      : encodeURIComponent(placeOf(operation.path, name, ids, around)),
  );
  const credential = dice.chance(75)
    ? credentials[operation.path === "/v1/track" ? 1 : operation.isPersonal ? 2 : 0]!
    : dice.pick(credentials);
  const headers: Record<string, string> = {
    ...(spares ? {} : credential),
    // Limits by network are not what is tried here.
    "x-forwarded-for": `10.${dice.roll(256)}.${dice.roll(256)}.${dice.roll(256)}`,
    ...(isOdd ? oddHeaders(around) : {}),
  };
  const body = bodyOf(operation, meantOf(operation, ids, around), around, isOdd);
  if (body !== null && operation.body) headers["content-type"] ??= typeOf(operation.body.type);
  const target = path + queryOf(operation, around, isOdd);
  return { operation: operation.name, method: operation.method, target, headers, body };
}

const BOUNDARY = "fuzz-boundary";

function typeOf(type: string): string {
  return type.startsWith("multipart/") ? `multipart/form-data; boundary=${BOUNDARY}` : type;
}

/** An id of the kind that stands there, or something that can. */
export function placeOf(
  path: string,
  name: string,
  ids: Record<string, string[]>,
  around: Surroundings,
): string {
  const { dice } = around;
  const noun = new RegExp(`/(?:@me/)?([a-z-]+)/\\{${name}\\}`).exec(path)?.[1] ?? "";
  const tables: Record<string, string> = {
    steps: "workflow_steps",
    transitions: "workflow_transitions",
    members: "users",
    contact: "contacts",
    project: "projects",
    bulk: "bulk_jobs",
    import: "contact_imports",
  };
  const known = ids[tables[noun] ?? noun] ?? [];
  if (known.length > 0 && dice.chance(90)) return dice.pick(known);
  if (name === "eventName") return dice.pick(["bought", "signed up", "email.sent"]);
  if (name === "field") return dice.pick(["data.plan", "email", "data.firstName"]);
  if (name === "provider") return dice.pick(["github", "google", "oidc"]);
  return around.ids.length > 0 ? dice.pick(around.ids) : oddText(around);
}

function queryOf(operation: Operation, around: Surroundings, isOdd: boolean): string {
  const { dice } = around;
  const parts = operation.parameters
    .filter((parameter) => parameter.in === "query" && dice.chance(40))
    .map(({ name, schema = {} }) => {
      const value = isOdd && dice.chance(50) ? oddText(around) : String(valueOf(schema, around));
      return `${name}=${encodeURIComponent(value.toWellFormed())}`;
    });
  if (isOdd && dice.chance(10)) parts.push(dice.pick(["%", "%ff=%ff", "a[b]=c", "=", "&&", "cursor=%00"]));
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}

function oddHeaders({ dice }: Surroundings): Record<string, string> {
  const odd: Record<string, readonly string[]> = {
    "idempotency-key": ["", "x", "x".repeat(256), "\u00e9", "same"],
    "content-type": ["text/html", "application/json; charset=utf-16", "multipart/form-data", "x"],
    "x-request-id": ["x", crypto.randomUUID()],
    "x-project-id": ["x", crypto.randomUUID()],
    authorization: ["", "Bearer", "Bearer x", "Basic eDp5"],
    cookie: ["", "a=b; a=c", "%"],
    origin: ["null", "https://evil.example"],
    accept: ["text/html", "*/*"],
    "if-none-match": ['"x"'],
    range: ["bytes=0-"],
  };
  const names = Object.keys(odd).filter(() => dice.chance(6));
  return Object.fromEntries(names.map((name) => [name, dice.pick(odd[name]!)]));
}

/** What the schema allows, or what an honest client would send. */
function meantOf(operation: Operation, ids: Record<string, string[]>, around: Surroundings): unknown {
  const { dice, emails } = around;
  const meant = dice.chance(70) ? meantBody(operation.name, { dice, ids, emails }) : null;
  return meant ?? (operation.body ? valueOf(operation.body.schema, around) : {});
}

function bodyOf(
  operation: Operation,
  meant: unknown,
  around: Surroundings,
  isOdd: boolean,
): FuzzRequest["body"] {
  const { dice } = around;
  if (operation.method === "GET" || operation.method === "HEAD") return null;
  if (operation.body?.type.startsWith("multipart/"))
    return isOdd ? formOf(around) : meantForm(operation.name);
  if (!isOdd) return JSON.stringify(meant);
  const text = JSON.stringify(dice.chance(5) ? oddValue(around) : mutated(meant, around));
  const spoilers = [
    () => text.slice(0, dice.roll(text.length)),
    () => text.replace(/:\d+/, ":1e400"),
    () => text.replace("{", '{"__proto__":{"a":1},'),
    () => text.replaceAll('"', "'"),
    () => "",
    () => "[".repeat(2_000),
    () => `\ufeff${text}`,
  ];
  return dice.chance(15) ? dice.pick(spoilers)() : text;
}

/** A form with the file that is meant. */
function meantForm(operation: string): Uint8Array<ArrayBuffer> {
  const isImage = operation.includes("/uploads");
  const file = isImage ? png(3, 2) : Buffer.from("email,plan\nada@example.com,pro\n");
  return Buffer.concat([
    Buffer.from(
      [
        `--${BOUNDARY}`,
        `Content-Disposition: form-data; name="${isImage ? "image" : "file"}"; filename="a"`,
        `Content-Type: ${isImage ? "image/png" : "text/csv"}`,
        "\r\n",
      ].join("\r\n"),
    ),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
}

function formOf({ dice }: Surroundings): string {
  const rows = dice.pick([
    "email,plan\nada@example.com,pro\n",
    "email\n",
    "",
    "\0",
    "a,b\n1\n",
    '"'.repeat(1_000),
  ]);
  const field = dice.pick(["file", "mapping", "__proto__"]);
  return [
    `--${BOUNDARY}`,
    `Content-Disposition: form-data; name="${field}"; filename="${dice.pick(["a.csv", "../x", ""])}"`,
    dice.pick(["Content-Type: text/csv", "Content-Type: image/png", "X: y"]),
    "",
    rows,
    dice.pick([`--${BOUNDARY}--`, `--${BOUNDARY}`, ""]),
    "",
  ].join("\r\n");
}

/** Sends a request to a running service. A connection that ends without an answer is status 0. */
export async function ask(url: string, request: FuzzRequest): Promise<FuzzAnswer> {
  const startedAt = performance.now();
  const { method, headers, body } = request;
  try {
    const answer = await fetch(url + request.target, {
      method,
      headers,
      redirect: "manual",
      ...(body !== null && { body }),
      signal: AbortSignal.timeout(60_000),
    });
    return { status: answer.status, text: await textOf(answer), ms: performance.now() - startedAt };
  } catch (error) {
    return { status: 0, text: String(error), ms: performance.now() - startedAt };
  }
}
