import { beforeAll, describe, expect, test } from "bun:test";
import { useService } from "../support/service.ts";
import { withoutReferences } from "../support/openapi.ts";

const service = useService();

/** Endpoints that take nothing but their path. */
const BODILESS =
  /\/(compute|restore|refresh|resend|duplicate|unschedule|cancel|cancel-all|check|start|regenerate-keys|reset|undo|rotate|rotate-secret|deliveries\/\{deliveryId\}\/replay|webhooks\/\{id\}\/test|passkeys?\/options|reauthenticate\/passkey-options|totp|recovery-codes|sandbox)$/;

interface Operation {
  summary?: string;
  operationId?: string;
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: object; description?: string }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

let document: {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: object };
};
let operations: { name: string; path: string; operation: Operation }[];

beforeAll(async () => {
  document = withoutReferences((await service.request("GET", "/openapi.json")).body);
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );
});

const specified = async () => {
  const text = await Bun.file(new URL("../fixtures/endpoints.tsv", import.meta.url)).text();
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split("\t"))
    .map(([, method, path]) => `${method} ${path!.replace(/:(\w+)/g, "{$1}")}`);
};

describe("GET /openapi.json", () => {
  test("has every endpoint of the specification", async () => {
    const known = new Set(operations.map(({ name }) => name));
    const absent = (await specified()).filter((endpoint) => !known.has(endpoint));

    expect((await specified()).length).toBe(114);
    expect(absent).toEqual([]);
  });

  test("is OpenAPI 3.1, without anything that only our validator understands", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toMatchObject({ title: "Postrider", version: expect.any(String) });
    expect(JSON.stringify(document)).not.toContain("x-any-object");
    expect(Object.keys(document.components.schemas)).toContain("Problem");
  });

  test("says of every operation what it takes, what it answers and who may call it", () => {
    for (const { name, path, operation } of operations) {
      const parameters = operation.parameters ?? [];
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      expect([name, parameters.filter((p) => p.in === "path").map((p) => p.name)]).toEqual([name, inPath]);
      expect([name, parameters.filter((p) => !("$ref" in p || p.description))]).toEqual([name, []]);
      expect([name, operation.summary, operation.operationId]).toEqual([
        name,
        expect.any(String),
        expect.any(String),
      ]);
      expect([name, operation.security]).toEqual([name, expect.any(Array)]);
      const done = Object.keys(operation.responses).filter((status) => status.startsWith("2"));
      expect([name, done.length > 0]).toEqual([name, true]);
      if (/^(POST|PUT|PATCH)/.test(name) && !BODILESS.test(path)) {
        const [schema] = Object.values(operation.requestBody?.content ?? {}).map((content) => content.schema);
        expect([name, schema]).toEqual([name, expect.any(Object)]);
      }
      for (const [status, response] of Object.entries(operation.responses)) {
        expect([name, status, response.description]).toEqual([name, status, expect.any(String)]);
      }
    }
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  test("describes the body of /v1/send so that a client can be made from it", () => {
    const { requestBody, parameters } = document.paths["/v1/send"]!.post!;
    const { anyOf } = requestBody!.content["application/json"]!.schema as {
      anyOf: { properties: Record<string, unknown>; required: string[] }[];
    };

    expect(anyOf.map(({ required }) => required)).toEqual([
      ["to", "template"],
      ["to", "subject", "body", "from"],
    ]);
    for (const { properties } of anyOf) {
      expect(properties.data).toMatchObject({ type: "object", additionalProperties: true });
      expect(properties.attachments).toMatchObject({ type: "array", maxItems: 10 });
    }
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: "idempotency-key", in: "header", required: false }),
    );
  });

  test("promises whole numbers as whole numbers, and takes bodies with more fields than it knows", () => {
    const text = JSON.stringify(document);
    const bodies = operations.map(({ operation }) => JSON.stringify(operation.requestBody ?? {}));

    expect(text.match(/"format":"integer"/g) ?? []).toEqual([]);
    expect(text.includes('"attempts":{"type":"integer"}')).toBe(true);
    expect(bodies.filter((body) => body.includes('"additionalProperties":false'))).toEqual([]);
  });

  test("no route is declared twice", () => {
    const routes = service.app.routes.map((route) => `${route.method} ${route.path.replace(/(.)\/$/, "$1")}`);
    expect(routes.filter((route, i) => routes.indexOf(route) !== i)).toEqual([]);
  });

  test("every endpoint that needs a key answers 401 without one", async () => {
    const guarded = operations.filter(({ operation }) => operation.security!.length > 0);
    for (const { name, path } of guarded) {
      const method = name.split(" ")[0]!;
      const { status } = await service.request(method, path.replace(/\{\w+\}/g, crypto.randomUUID()), {
        body: method === "GET" ? undefined : {},
      });
      expect([name, status]).toEqual([name, 401]);
    }
    expect(guarded.length).toBeGreaterThan(3);
  });
});

describe("an answer", () => {
  test("holds nothing that its schema does not list", async () => {
    const project = await service.createProject();
    const { body } = await service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to: "a@b.io", from: "x@shop.example", subject: "s", body: "b" },
    });
    const email = await service.request("GET", `/emails/${body.data.emails[0].email}`, {
      key: project.secret,
    });
    const { schema } = document.paths["/emails/{id}"]!.get!.responses["200"]!.content![
      "application/json"
    ]! as {
      schema: { properties: object };
    };

    expect(Object.keys(email.body).sort()).toEqual(Object.keys(schema.properties).sort());
    expect(Object.keys(email.body)).not.toContain("contentId");
  });
});
