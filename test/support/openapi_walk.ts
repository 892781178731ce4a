// Every operation of the API, asked once or more by good requests.
import { expect } from "bun:test";
import { proveUser } from "../../src/accounts/people/mod.ts";
import { join, signUp } from "./accounts.ts";
import { type Call, walk } from "./openapi_scenario.ts";
import type { TestService } from "./service.ts";

/** A request that was made, with its answer. */
interface Example {
  request?: unknown;
  status: number;
  answer?: unknown;
}

/** What a walk has seen. */
interface Walked {
  /** The first request of each operation. */
  made: Map<string, Example>;
  /** The operations that nothing was asked of. */
  untold: string[];
}

const CSV = { "content-type": "text/csv" };

/** Asks every operation of the service's document for something that it can do; throws when one refuses. */
export async function walkAll(service: TestService): Promise<Walked> {
  const made = new Map<string, Example>();
  const operations = await operationsOf(service);
  const project = await service.createProject();
  const owner = await signUp(service, "owner@example.com");
  await join(service, owner, project.id, "OWNER");
  // Who invites people has proven their own address.
  await proveUser(service, owner.userId);

  const send = async (method: string, url: string, { as, body, headers, form, text }: Call) => {
    if (as === "person") return await owner.request(method, url, body, headers && { headers });
    const key = as === "nobody" ? undefined : as === "public" ? project.public : project.secret;
    const encoded = text !== undefined ? new Response(text, { headers: CSV }) : form && new Response(form);
    const type = encoded?.headers.get("content-type");
    return await service.request(method, url, {
      ...(key && { key }),
      ...(encoded ? { raw: new Uint8Array(await encoded.arrayBuffer()) } : { body }),
      headers: { ...headers, ...(type && { "content-type": type }) },
    });
  };
  const tell = async (operationId: string, call: Call = {}): Promise<unknown> => {
    const operation = operations.get(operationId);
    if (!operation) throw new Error(`The document has no operation ${operationId}`);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(call.path?.[name] ?? project.id),
    );
    const url = call.query ? `${path}?${new URLSearchParams(call.query)}` : path;
    const { status, body } = await send(operation.method, url, call);
    expect([operationId, status, status < 300 || body]).toEqual([operationId, status, true]);
    // The first one is the example: a later one only gets the walk further.
    if (!made.has(operationId)) {
      made.set(operationId, {
        ...((call.body ?? call.text) !== undefined && { request: call.body ?? call.text }),
        status,
        ...(body !== "" && { answer: body }),
      });
    }
    return body;
  };
  const note = (operationId: string, answer: unknown, request?: unknown) => {
    made.set(operationId, {
      ...(request !== undefined && { request }),
      status: 200,
      ...(answer !== undefined && { answer }),
    });
  };
  await walk(tell as never, note, { service, owner, project });
  // Text for Prometheus, which has no schema.
  return { made, untold: [...operations.keys()].filter((id) => !made.has(id) && id !== "getMetrics") };
}

/** By their ids. */
async function operationsOf(service: TestService): Promise<Map<string, { method: string; path: string }>> {
  const { body: document } = await service.request("GET", "/openapi.json");
  const paths = document.paths as Record<string, Record<string, { operationId: string }>>;
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [
        operationId,
        { method: method.toUpperCase(), path },
      ]),
    ),
  );
}
