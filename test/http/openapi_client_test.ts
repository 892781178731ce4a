// A client that is generated from the document compiles what the service takes, and nothing that it refuses.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { apiTypes } from "../support/api_types.ts";
import { useService } from "../support/service.ts";

const FIXTURES = new URL("../fixtures/", import.meta.url).pathname;
const TSC = new URL("../../node_modules/.bin/tsc", import.meta.url).pathname;
const OPTIONS = {
  compilerOptions: {
    target: "esnext",
    module: "preserve",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: [],
    lib: ["esnext", "dom"],
  },
};

const service = useService();
let project: NewProject;
let dir: string;

beforeAll(async () => {
  project = await service.createProject();
  dir = mkdtempSync(join(tmpdir(), "postrider-client-"));
  writeFileSync(join(dir, "api.ts"), apiTypes((await service.request("GET", "/openapi.json")).body));
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify(OPTIONS));
  copyFileSync(join(FIXTURES, "client.ts"), join(dir, "client.ts"));
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** What the compiler says of a program beside the client. */
async function compile(name: string): Promise<string> {
  copyFileSync(join(FIXTURES, name), join(dir, name));
  const compiler = Bun.spawn([TSC, "-p", dir], { stdout: "pipe", stderr: "pipe" });
  const said = await new Response(compiler.stdout).text();
  await compiler.exited;
  return said;
}

test("right calls compile, and the service answers them", async () => {
  expect(await compile("client_right.ts")).toBe("");
  const { rightCalls } = (await import(join(FIXTURES, "client_right.ts"))) as {
    rightCalls: (call: unknown) => Promise<unknown[]>;
  };
  const call = async (name: string, input: Record<string, Record<string, string>> = {}) => {
    const [method, pattern] = name.split(" ") as [string, string];
    const path = pattern.replace(/\{(\w+)\}/g, (_, field: string) => input.path![field]!);
    const query = input.query ? `?${new URLSearchParams(input.query)}` : "";
    const { status, body } = await service.request(method, path + query, {
      key: project.secret,
      body: input.body,
    });
    expect([name, status < 300 || body]).toEqual([name, true]);
    return body;
  };

  expect(await rightCalls(call)).toEqual([true, "ada@example.com", "DELAY", "SCHEDULED", 2]);
});

test("each wrong call is an error, and nothing else is", async () => {
  expect(await compile("client_wrong.ts")).toBe("");
});

test("what the console knows of the API is what the document says", async () => {
  const written = await Bun.file(new URL("../../src/console/api.gen.ts", import.meta.url)).text();
  const { body } = await service.request("GET", "/openapi.json");

  // `bun run api:types` writes it.
  expect(written === apiTypes(body)).toBe(true);
});
