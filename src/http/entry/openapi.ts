// The OpenAPI document, made from the routes themselves.
//
// From the part of the package that generates it: its main entry loads two more validation libraries, which replace
// formats (`email`, `uuid`, …) that bodies are checked with.
import { readFileSync } from "node:fs";
import { toOpenAPISchema } from "@elysiajs/openapi/openapi";
import type { AnyElysia } from "elysia";
import { conditionSchemas } from "../../audience/conditions/catalogue.ts";
import type { Config } from "../../config/mod.ts";
import { VERSION } from "../../version.ts";
import {
  addExample,
  completeOperation,
  type Example,
  HEADERS,
  type Operation,
  type RouteHooks,
} from "./_openapi_operations.ts";
import { asJsonSchema, hoistSchemas } from "./_openapi_schemas.ts";
import { ProblemEnvelope } from "./schemas.ts";
import { ownCookie, SESSION_COOKIE } from "./session.ts";

const credentials = (config: Config) => ({
  secretKey: { type: "http", scheme: "bearer", description: "The secret key of the project: `sk_…`" },
  publicKey: {
    type: "http",
    scheme: "bearer",
    description: "The public key of the project: `pk_…`, for `/v1/track` only",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: ownCookie({ config }, SESSION_COOKIE),
    description:
      "Set by `POST /auth/login`. A request that changes something must come from the service's own origin or that of a dashboard.",
  },
  projectId: { type: "apiKey", in: "header", name: "X-Project-Id", description: "The id of the project" },
});

/** Requests that a test has made, with their answers (`bun run openapi:examples`). */
const EXAMPLES = new URL("./examples.gen.json", import.meta.url);

/** What is together in the document, in this order. */
const TAGS: Record<string, string> = {
  "Public API": "What an application calls: send a message, track an event, check an address.",
  Contacts: "The people you write to, their data and their subscriptions.",
  Segments: "Named parts of the contacts, by a condition or by a list.",
  Moves:
    "What another service has comes into the project: contacts with their consent, templates, workflows.",
  Templates: "Messages to send again and again.",
  Campaigns: "One message to many contacts, now or later.",
  Workflows: "Steps that each contact is taken through.",
  Events: "What contacts have done, and what happened to their mails.",
  Domains: "Where mail may be sent from.",
  Transports: "The ways out for mail, and which mails take which.",
  Emails: "The ledger: one row for each mail.",
  Inbox: "What was captured instead of sent.",
  Suppressions: "Addresses that get no mail.",
  Analytics: "Figures of mails, campaigns and events.",
  Activity: "What happened, and what will.",
  Search: "One box for everything that has a name.",
  Uploads: "Images for the bodies of mails.",
  Requests: "What was asked of the API, and why it was refused.",
  Projects: "Members, reputation and history of a project.",
  Billing: "Limits, usage and subscriptions.",
  Account: "People: log in, sign up, projects of their own.",
  Configuration: "What this installation offers.",
  Webhooks: "Your servers are told what happens; and what other services call.",
  Operation: "For those who run the service.",
};

/** The document for these routes, as OpenAPI 3.1. Routes with `detail.hide` are left out. */
export function openApiDocument(app: AnyElysia, config: Config) {
  const made = toOpenAPISchema(app) as unknown as { paths: Record<string, Record<string, Operation>> };
  const paths = Object.fromEntries(
    Object.entries(made.paths).map(([path, item]) => [withoutSlash(path), item]),
  );
  for (const route of app.routes) {
    const method = route.method.toLowerCase();
    const operation = paths[withoutSlash(route.path.replace(/:(\w+)/g, "{$1}"))]?.[method];
    if (operation) completeOperation(operation, route.hooks as RouteHooks, route);
  }
  const examples = JSON.parse(readFileSync(EXAMPLES, "utf8")) as Record<string, Example>;
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    const example = examples[String(operation.operationId)];
    if (example) addExample(operation, example);
  }
  const schemas: Record<string, Record<string, unknown>> = { ...conditionSchemas() };
  const plain = asJsonSchema({ paths, problem: ProblemEnvelope });
  hoistSchemas(plain.problem, schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Postrider",
      version: VERSION,
      description:
        "An email service that needs nothing but Postgres. The guides are at [/docs](/docs); what all endpoints have in " +
        "common is described in [The API](/docs/guides/api).",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: config.BASE_URL }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: hoistSchemas(plain.paths, schemas),
    components: { securitySchemes: credentials(config), headers: HEADERS, schemas },
  };
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
