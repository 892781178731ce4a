// The examples of the OpenAPI document are requests that were made, with their answers. `bun run openapi:examples` makes
// them again.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { proveUser } from "../../src/accounts/people/mod.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { plainExamples } from "../support/openapi_examples.ts";
import { type Call, walk } from "../support/openapi_scenario.ts";
import { useService } from "../support/service.ts";

const FILE = new URL("../../src/http/entry/examples.gen.json", import.meta.url);

interface Example {
  request?: unknown;
  status: number;
  answer?: unknown;
}

const service = useService({
  PLATFORM_FROM: "Postrider <postrider@example.com>",
  REQUEST_LOG_PER_MINUTE: "120",
});
const made = new Map<string, Example>();
let project: NewProject;
let owner: Person;
let operations: Map<string, { method: string; path: string }>;

beforeAll(async () => {
  const { body: document } = await service.request("GET", "/openapi.json");
  const paths = document.paths as Record<string, Record<string, { operationId: string }>>;
  operations = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [
        operationId,
        { method: method.toUpperCase(), path },
      ]),
    ),
  );
  project = await service.createProject();
  owner = await signUp(service, "owner@example.com");
  await join(service, owner, project.id, "OWNER");
  // Who invites people has proven their own address.
  await proveUser(service, owner.userId);
});

afterAll(() => {
  if (process.env.WRITE_EXAMPLES !== "1") return;
  const sorted = Object.fromEntries([...made].sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(plainExamples(sorted), null, 2)}\n`);
});

async function tell(operationId: string, call: Call = {}): Promise<unknown> {
  const operation = operations.get(operationId);
  if (!operation) throw new Error(`The document has no operation ${operationId}`);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.path?.[name] ?? project.id),
  );
  const url = call.query ? `${path}?${new URLSearchParams(call.query)}` : path;
  const answer = await send(operation.method, url, call);
  expect([operationId, answer.status, answer.status < 300 || answer.body]).toEqual([
    operationId,
    answer.status,
    true,
  ]);
  const { body, status } = answer;
  // The first one is the example: a later one only gets the walk further.
  if (!made.has(operationId)) {
    made.set(operationId, {
      ...((call.body ?? call.text) !== undefined && { request: call.body ?? call.text }),
      status,
      ...(body !== "" && { answer: body }),
    });
  }
  return body;
}

const CSV = { "content-type": "text/csv" };

async function send(method: string, url: string, { as, body, headers, form, text }: Call) {
  if (as === "person") return await owner.request(method, url, body, headers && { headers });
  const key = as === "nobody" ? undefined : as === "public" ? project.public : project.secret;
  const encoded = text !== undefined ? new Response(text, { headers: CSV }) : form && new Response(form);
  const type = encoded?.headers.get("content-type");
  return await service.request(method, url, {
    ...(key && { key }),
    ...(encoded ? { raw: new Uint8Array(await encoded.arrayBuffer()) } : { body }),
    headers: { ...headers, ...(type && { "content-type": type }) },
  });
}

test("every operation is done with success, and its example is kept", async () => {
  const note = (operationId: string, answer: unknown, request?: unknown) => {
    const kept = {
      ...(request !== undefined && { request }),
      status: 200,
      ...(answer !== undefined && { answer }),
    };
    made.set(operationId, kept);
  };
  await walk(tell as never, note, { service, owner, project });
  // Text for Prometheus, which has no schema.
  const untold = [...operations.keys()].filter((id) => !made.has(id) && id !== "getMetrics");
  const stored = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Example>;

  expect(untold).toEqual([]);
  if (process.env.WRITE_EXAMPLES !== "1") expect(Object.keys(stored)).toEqual([...made.keys()].sort());
});
