// What the TypeScript client knows of the API: the operations that take a key, by resource, and their types.
import { apiTypes, type ApiDocument } from "./api_types.ts";

type Operation = ApiDocument["paths"][string][string];

/** An operation with its place in the client. */
interface Method {
  operation: Operation;
  endpoint: string;
  resource: string;
  name: string;
}

/** Where the operations of the public API belong. */
const PUBLIC: Record<string, string> = {
  sendEmail: "emails",
  sendEmails: "emails",
  verifyEmail: "emails",
  trackEvent: "events",
};
/** What the name of its resource, left out, would take the sense from. */
const NAMES: Record<string, string> = {
  sendEmails: "sendBatch",
  listContactEvents: "listOfContact",
  listSizesOfSegments: "listAllSizes",
  search: "",
};

/** `src/client/api.gen.ts` for this document. */
export function clientApi(document: ApiDocument): string {
  const known = withoutSessions(document);
  const methods = methodsOf(known);
  const byResource = Map.groupBy(methods, ({ resource }) => resource);
  return [
    apiTypes(known).trimEnd(),
    'import type { Call, List } from "./calls.ts";',
    'import type { CallOptions } from "./request.ts";',
    "/** The methods of the client, by resource. */",
    "export interface Resources {",
    ...[...byResource].map(([resource, found]) => resourceType(resource, found)),
    "}",
    "export const OPERATIONS = {",
    ...[...byResource].map(([resource, found]) => resourceTable(resource, found)),
    "} as const;",
    "",
  ].join("\n");
}

/** The operations that a key may call, without the parameters that are for sessions. */
function withoutSessions({ paths, components }: ApiDocument): ApiDocument {
  const kept: ApiDocument["paths"] = {};
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const takesKey = operation.security?.some((one) => "secretKey" in one || "publicKey" in one);
      if (!takesKey) continue;
      const parameters = operation.parameters?.filter(
        ({ name, in: place }) => place === "path" || name !== "projectId",
      );
      kept[path] = { ...kept[path], [method]: { ...operation, ...(parameters && { parameters }) } };
    }
  }
  return { paths: kept, components: { schemas: reachedBy(kept, components.schemas) } };
}

/** The schemas that are named by these operations, and by one another. */
function reachedBy(paths: ApiDocument["paths"], schemas: ApiDocument["components"]["schemas"]) {
  const reached = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (reached.has(name!)) continue;
      reached.add(name!);
      visit(schemas[name!]);
    }
  };
  visit(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => reached.has(name)));
}

/** Each operation with its name: the operationId without the word of its resource, unless another one is then called so. */
function methodsOf({ paths }: ApiDocument): Method[] {
  const found = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const resource = PUBLIC[operation.operationId] ?? operation.tags[0]!.toLowerCase();
      return { operation, endpoint: `${method.toUpperCase()} ${path}`, resource };
    }),
  );
  const short = found.map(
    ({ operation, resource }) => `${resource}.${shortName(operation.operationId, resource)}`,
  );
  return found.map((one, index) => {
    const { operationId } = one.operation;
    const isTaken = short.indexOf(short[index]!) !== short.lastIndexOf(short[index]!);
    return { ...one, name: isTaken ? operationId : short[index]!.slice(one.resource.length + 1) };
  });
}

function shortName(operationId: string, resource: string): string {
  if (NAMES[operationId] !== undefined) return NAMES[operationId];
  const word =
    resource === "inbox" ? "InboxMail" : resource[0]!.toUpperCase() + resource.slice(1).replace(/s$/, "");
  return operationId.replace(new RegExp(`${word}s?`), "");
}

function resourceType(resource: string, methods: Method[]): string {
  const lines = methods.map(({ name, operation, endpoint }) => {
    const path = (operation.parameters ?? [])
      .filter((one) => one.in === "path")
      .map((one) => `${one.name}: string`);
    const given = takenBy(operation).map(({ name: part, required }) => {
      const type = part === "body" && isRaw(operation) ? rawType(operation) : `Api["${endpoint}"]["${part}"]`;
      return `${part}${required ? "" : "?"}: ${type}`;
    });
    const parameters = [...path, ...given, "options?: CallOptions"].join(", ");
    const about = `  /** ${operation.summary}: \`${endpoint}\`. */\n  `;
    return `${about}${name || resource}(${parameters}): ${resultType(endpoint, operation)};`;
  });
  return methods[0]!.name === "" ? lines[0]! : [`${resource}: {`, ...lines, "};"].join("\n");
}

function resultType(endpoint: string, operation: Operation): string {
  if (isFile(operation)) return "Call<Response>";
  const answer = `Api["${endpoint}"]["answer"]`;
  const list = listOf(operation);
  return list ? `List<${answer}, ${answer}["${list[1]}"][number]>` : `Call<${answer}>`;
}

function resourceTable(resource: string, methods: Method[]): string {
  const entries = methods.map(({ name, operation, endpoint }) => {
    const media = Object.keys(operation.requestBody?.content ?? {})[0];
    const list = listOf(operation);
    const fields = {
      endpoint,
      takes: takenBy(operation).map(({ name: part }) => part),
      ...(media && media !== "application/json" && { media }),
      ...(operation.parameters?.some((one) => one.name === "idempotency-key") && { keyed: true }),
      ...(operation.parameters?.some((one) => one.name === "idempotency-replay") && { replays: true }),
      ...(isFile(operation) && { file: true }),
      ...(list && { list }),
    };
    return `  ${name || resource}: ${JSON.stringify(fields)},`;
  });
  return methods[0]!.name === "" ? entries[0]! : [`${resource}: {`, ...entries, "},"].join("\n");
}

/** What a method takes besides the path: the body first. */
function takenBy({ requestBody, parameters = [] }: Operation) {
  const query = parameters.filter((one) => one.in === "query");
  return [
    ...(requestBody ? [{ name: "body", required: requestBody.required === true }] : []),
    ...(query.length > 0 ? [{ name: "query", required: query.some((one) => one.required) }] : []),
  ];
}

const isRaw = ({ requestBody }: Operation) => requestBody?.content["application/json"] === undefined;

function rawType({ requestBody }: Operation): string {
  const isForm = requestBody!.content["multipart/form-data"] !== undefined;
  return isForm ? "FormData" : "string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>";
}

function successOf({ responses }: Operation) {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2"))!;
  return success.content && Object.values(success.content)[0]?.schema;
}

/** The document describes what is streamed, and gives it no type. */
function isFile(operation: Operation): boolean {
  const schema = successOf(operation);
  return schema !== undefined && Object.keys(schema).every((key) => key === "description");
}

function listOf(operation: Operation): ["cursor" | "page", string] | undefined {
  const asked = (operation.parameters ?? []).map(({ name }) => name);
  const { properties = {} } = successOf(operation) ?? {};
  const items = ["data", "events"].find((name) => properties[name]?.type === "array");
  if (!items) return undefined;
  if (asked.includes("cursor") && properties.hasMore) return ["cursor", items];
  return asked.includes("page") ? ["page", items] : undefined;
}
