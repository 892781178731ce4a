// The operations of the API, as a program calls them that is in the same process: by the routes themselves, with the
// credentials of the request that asks for it. So checks, scopes, limits and answers are those of the API.
import { isAllowed } from "../../accounts/projects/scopes.ts";

/** A JSON Schema, as the document has it. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  $ref?: string;
  [keyword: string]: unknown;
}

/** An operation of the document. */
export interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema }> };
}

/** The part of the document that is read. */
export interface ApiDescription {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

/** An operation with its address. */
export interface KnownOperation extends DocumentedOperation {
  method: string;
  /** Such as `/contacts/{id}`. */
  path: string;
}

/** What an operation is called with: the values of its path and its query by their names, and `body`. */
export type OperationInput = Record<string, unknown>;

/** An answer of the API. */
export interface ApiAnswer {
  status: number;
  // Each operation has an answer of its own.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** Calls an operation by its `operationId`. */
export type CallOperation = (
  operationId: string,
  input: OperationInput,
  headers?: Record<string, string>,
) => Promise<ApiAnswer>;

/** Who asks, for the requests that are made in their name. */
const PASSED_ON = ["authorization", "cookie", "x-project-id", "origin", "sec-fetch-site", "user-agent"];

/** The operations of a document by their `operationId`. */
export function operationsOf({ paths }: ApiDescription): Map<string, KnownOperation> {
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, KnownOperation] => [
      operation.operationId,
      { ...operation, method: method.toUpperCase(), path },
    ]),
  );
  return new Map(found);
}

/** Whether a key with these scopes may call an operation. */
export function mayCall(scopes: readonly string[] | null, { method, path }: KnownOperation): boolean {
  return isAllowed(scopes, method, path.replace(/\{(\w+)\}/g, ":$1"));
}

/** Calls operations for whoever has sent `request`. */
export function callsFor(
  request: Request,
  operations: Map<string, KnownOperation>,
  handle: (request: Request) => Promise<Response>,
): CallOperation {
  const { origin } = new URL(request.url);
  const given = PASSED_ON.flatMap((name) => {
    const value = request.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return async (operationId, input, headers = {}) => {
    const operation = operations.get(operationId)!;
    const isJson = operation.requestBody !== undefined && input.body !== undefined;
    const asked = new Request(origin + addressOf(operation, input), {
      method: operation.method,
      headers: {
        ...Object.fromEntries(given),
        ...headers,
        ...(isJson && { "content-type": "application/json" }),
      },
      ...(isJson && { body: JSON.stringify(input.body) }),
    });
    const response = await handle(asked);
    const text = await response.text();
    const isAnswered = text !== "" && response.headers.get("content-type")?.includes("json");
    return { status: response.status, body: isAnswered ? JSON.parse(text) : text || null };
  };
}

function addressOf({ path, parameters = [] }: KnownOperation, input: OperationInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(textOf(input[name])));
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) {
    if (place !== "query" || input[name] === undefined || input[name] === null) continue;
    query.set(name, textOf(input[name]));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}
