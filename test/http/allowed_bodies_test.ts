// A body that the document allows is one that the service takes: what it still refuses is about the state of things, and
// never about the form of the request.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { allowedBy } from "../support/allowed_values.ts";
import { makeScene, operationsOf, placeOf, type Operation, type Scene } from "../support/fuzz.ts";
import { diceOf, type Schema } from "../support/fuzz_values.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService({
  SIGNUP_LIMIT_PER_NETWORK: "0",
  LOGIN_LIMIT_PER_EMAIL: "0",
  LOGIN_LIMIT_PER_NETWORK: "0",
  TRUSTED_PROXIES: "1",
});

const BODIES = Number(process.env.ALLOWED_BODIES ?? 6);
const SEED = Number(process.env.FUZZ_SEED ?? 1);

/** What a refusal says of the form of a body. */
const OF_THE_FORM = new Set([
  "required",
  "invalid_type",
  "invalid_string",
  "invalid_union",
  "invalid_enum_value",
  "too_small",
  "too_big",
]);

/** What no schema can say: which refusals of these operations are about the state of things, and why. */
const OF_THE_STATE: Record<string, RegExp> = {
  // Null takes away what the campaign or its template may be needed for.
  "PATCH /campaigns/{id}": /^(subject|body|from|segmentId|audienceCondition) required/,
  // The trigger and the step that are there decide.
  "PATCH /workflows/{id}": /^triggerConfig\.(eventName|schedule) required/,
  "PATCH /workflows/{id}/steps/{stepId}": /^(templateId required|config)/,
  // What is asked for depends on the kind.
  "POST /transports": /^(url|heloName|bindAddresses) /,
  // What is asked for depends on where it comes from.
  "POST /moves": /^(url|key|user|password|sender) /,
  // Which operators a field takes follows from its name, which may be that of a field of the project.
  "POST /workflows/{id}/steps": /^config\.(field|operator|unit|count|value|branches)/,
  "POST /workflows/{id}/transitions/{transitionId}/insert-step":
    /^config\.(field|operator|unit|count|value|branches)/,
  "PUT /workflows/{id}/graph": /^steps\.\d+\.config\.(field|operator|unit|count|value|branches)/,
};

interface Answered {
  status: number;
  body: { error?: string | { errors?: { field: string; code: string; message: string }[] } } | null;
}

/** The fields that were refused for their form. */
function refusedForms(operation: string, { status, body }: Answered): string[] {
  if (status === 400 && typeof body?.error === "string") return [body.error];
  if (status !== 422 || typeof body?.error !== "object") return [];
  return (body.error.errors ?? [])
    .filter(({ code }) => OF_THE_FORM.has(code))
    .map(({ field, code, message }) => `${field} ${code} ${message}`)
    .filter((fault) => !OF_THE_STATE[operation]?.test(fault));
}

test("no body that the document allows is refused for its form", async () => {
  const { body: document } = await service.request("GET", "/openapi.json");
  const { operations, resolve } = operationsOf(document);
  const withBody = operations.filter(({ body }) => body?.type === "application/json");
  const refused: string[] = [];
  let scene = await makeScene(service);
  for (const [n, operation] of withBody.entries()) {
    for (const [i, given] of bodiesOf(operation, scene, resolve).entries()) {
      const answer = await ask(operation, scene, given, n * BODIES + i);
      // A session may have ended, or its project.
      if (answer.status === 401 || answer.status === 403) scene = await makeScene(service);
      const faults = refusedForms(operation.name, answer);
      if (faults.length > 0) refused.push(`${operation.name} ${JSON.stringify(given)}: ${faults.join("; ")}`);
    }
  }

  expect(refused).toEqual([]);
  expect(withBody.length).toBeGreaterThan(70);
}, 300_000);

function bodiesOf(operation: Operation, scene: Scene, resolve: (ref: string) => Schema): unknown[] {
  const ids = Object.values(scene.ids).flat();
  const known = { ids, emails: ["ada@example.com", `hello@${DOMAIN}`], resolve };
  return fc.sample(allowedBy(operation.body!.schema, known), { numRuns: BODIES, seed: SEED });
}

async function ask(operation: Operation, scene: Scene, body: unknown, n: number): Promise<Answered> {
  const around = {
    dice: diceOf(n),
    ids: Object.values(scene.ids).flat(),
    emails: scene.emails,
    resolve: () => ({}),
  };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(placeOf(operation.path, name, scene.ids, around)),
  );
  const credential = scene.credentials[operation.path === "/v1/track" ? 1 : operation.isPersonal ? 2 : 0]!;
  const headers = { ...credential, "x-forwarded-for": `10.0.${n >> 8}.${n & 255}` };
  return await service.request(operation.method, path, { body, headers });
}
