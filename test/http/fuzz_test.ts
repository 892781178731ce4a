// Requests made from the OpenAPI document, valid and spoilt, to every operation with three kinds of credentials and
// none: nothing that a caller sends is a fault of ours. `bun run test:fuzz` is the long one. FUZZ_SEED repeats a run.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  ask,
  type FuzzAnswer,
  type FuzzRequest,
  makeRequest,
  makeScene,
  operationsOf,
} from "../support/fuzz.ts";
import { diceOf } from "../support/fuzz_values.ts";
import { type ServiceProcess, startProcess } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { withoutReferences } from "../support/openapi.ts";

const isLong = process.env.FUZZ_TEST === "long";
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? (isLong ? 200_000 : 1_000));
/** The short run is the same each time; the long one is another one. */
const SEED = Number(process.env.FUZZ_SEED ?? (isLong ? Math.floor(Math.random() * 2 ** 31) : 1));
/** Requests to one project, before there is a new one. */
const SCENE = 500;
const AT_ONCE = 8;
const SLOWEST_MS = 2_000;

/** Where a 5xx is right, and why. */
const LAWFUL: Record<string, number[]> = {
  // This installation has no payment provider and no OAuth app.
  "POST /users/@me/projects/{id}/checkout": [501],
  "POST /users/@me/projects/{id}/billing-portal": [501],
  "GET /users/@me/projects/{id}/billing-invoices": [501],
  "POST /webhooks/incoming/stripe": [501],
  // A probe that says so where a machine is too busy to ask the database in time.
  "GET /ready": [503],
};

const service = useService({ SIGNUP_LIMIT_PER_NETWORK: "0" });
let server: ServiceProcess;

beforeAll(async () => {
  server = await startProcess({
    DATABASE_URL: service.databaseUrl,
    SECRET_KEY: service.config.SECRET_KEY,
    BASE_URL: service.config.BASE_URL,
    SMTP_URL: service.smtp.url,
    PLATFORM_FROM: "Postrider <postrider@example.com>",
    RATE_LIMIT_PER_MINUTE: "0",
    SIGNUP_LIMIT_PER_NETWORK: "0",
    LOGIN_LIMIT_PER_EMAIL: "0",
    LOGIN_LIMIT_PER_NETWORK: "0",
    TRUSTED_PROXIES: "1",
  });
});

afterAll(async () => {
  await server?.end("SIGKILL");
});

test(
  `no request is answered with a fault of ours (${REQUESTS} of them, seed ${SEED})`,
  async () => {
    console.log(`FUZZ_SEED=${SEED} FUZZ_REQUESTS=${REQUESTS}`);
    const document = withoutReferences(await (await fetch(`${server.url}/openapi.json`)).json());
    const { operations, resolve } = operationsOf(document as Parameters<typeof operationsOf>[0]);
    const dice = diceOf(SEED);
    const faults: { request: FuzzRequest; answer: FuzzAnswer }[] = [];
    const statuses: Record<number, number> = {};
    const asked = new Set<string>();
    const done = new Set<string>();
    const slow: string[] = [];
    let settled = 0;
    for (let begun = 0; begun < REQUESTS; begun += SCENE) {
      const scene = await makeScene(service);
      const requests = Array.from({ length: Math.min(SCENE, REQUESTS - begun) }, (_, i) =>
        // Each operation in its turn, so that none is left out.
        makeRequest(operations[(begun + i) % operations.length]!, scene, dice, resolve),
      );
      const next = requests.values();
      const work = async () => {
        for (const request of next) {
          const answer = await ask(server.url, request);
          asked.add(request.operation);
          if (answer.status >= 200 && answer.status < 400) done.add(request.operation);
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
          if (answer.ms > SLOWEST_MS) slow.push(`${request.operation} ${Math.round(answer.ms)} ms`);
          const isLawful = LAWFUL[request.operation]?.includes(answer.status) ?? false;
          if ((answer.status === 0 || answer.status >= 500) && !isLawful) faults.push({ request, answer });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      // What was warmed up by the first tenth stays.
      if (begun >= REQUESTS / 10 && settled === 0) settled = memoryOf(server.pid);
      if (isLong && begun % 10_000 === 0) console.log(`${begun} asked, ${memoryOf(server.pid) >> 10} MB`);
    }
    for (const { request, answer } of faults.slice(0, 20)) {
      console.log(
        JSON.stringify({
          ...request,
          body: String(request.body?.slice(0, 600)),
          answer: answer.text.slice(0, 400),
          status: answer.status,
        }),
      );
    }
    if (faults.length > 0) console.log(errorsOf(server.output()).slice(0, 50_000));
    console.log(
      JSON.stringify({
        statuses,
        neverDone: operations.map(({ name }) => name).filter((name) => !done.has(name)),
        slow: slow.slice(0, 20),
        memoryMb: [settled, memoryOf(server.pid)].map((kb) => Math.round(kb / 1024)),
      }),
    );

    expect(faults.map(({ request, answer }) => `${answer.status} ${request.operation}`)).toEqual([]);
    expect(asked.size).toBe(operations.length);
    // Not everything was refused: what is behind the first checks is reached, too.
    expect((statuses[200] ?? 0) + (statuses[201] ?? 0)).toBeGreaterThan(REQUESTS / 10);
    if (isLong) expect(slow).toEqual([]);
    if (isLong) expect(memoryOf(server.pid)).toBeLessThan(settled * 1.2);
  },
  { timeout: 4 * 3_600_000 },
);

/** The lines of a log that tell of faults. */
function errorsOf(output: string): string {
  return output
    .split("\n")
    .filter((line) => line.includes('"level":"error"') || !line.startsWith("{"))
    .join("\n");
}

/** The memory that a process holds, in KB. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}
