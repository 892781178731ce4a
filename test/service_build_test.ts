// The program that the image runs is the service in one piece: it does what the sources do.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildService } from "../src/service_build.ts";
import { walkAll } from "./support/openapi_walk.ts";
import { type ServiceProcess, startProcess, until } from "./support/process.ts";
import { DOMAIN, requestsTo, type TestService, useService } from "./support/service.ts";

/** A place of the sources as the program names it, and a script there that it starts. */
const PLACE = /new URL\("(\.\.[^"]*)", import\.meta\.url\)(?:\), "(\w+\.ts)")?/g;

const folder = mkdtempSync(join(tmpdir(), "postrider-program-"));
const service = useService({ PLATFORM_FROM: "Postrider <postrider@example.com>" });
let program: string;
let running: ServiceProcess;
/** The service with the process as what answers. */
let built: TestService;

beforeAll(async () => {
  program = await buildService(folder);
  running = await start("http");
  const respond = (request: Request) =>
    fetch(new Request(request.url.replace("http://localhost", running.url), request), { redirect: "manual" });
  built = { ...service, request: requestsTo(respond) };
}, 240_000);
afterAll(async () => {
  await running.end("SIGTERM");
  rmSync(folder, { recursive: true });
});

async function start(mode: "http" | "worker"): Promise<ServiceProcess> {
  return await startProcess(
    {
      MODE: mode,
      HOST: "127.0.0.1",
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY!,
      SMTP_URL: service.smtp.url,
      BASE_URL: service.config.BASE_URL,
      PLATFORM_FROM: "Postrider <postrider@example.com>",
      DNS_SERVERS: "127.0.0.1:9",
      RATE_LIMIT_PER_MINUTE: "0",
    },
    { program },
  );
}

test("it does every operation with success, and its document is that of the sources", async () => {
  const { untold } = await walkAll(built);

  expect(untold).toEqual([]);
  expect((await built.request("GET", "/openapi.json")).body).toEqual(
    (await service.request("GET", "/openapi.json")).body,
  );
}, 240_000);

test("what can be read at a fixed address is what the sources answer", async () => {
  // A service that has started has a link for its first account.
  const paths = service.app.routes.filter(
    ({ method, path }) => method === "GET" && !/[:*]/.test(path) && path !== "/auth/start",
  );
  const seen = async ({ request }: TestService, path: string) => {
    const { status, headers, body } = await request("GET", path);
    const type = headers.get("content-type");
    // Each page has a nonce of its own, and what a process has counted stands in plain text.
    return [path, status, type, typeof body === "string" && !type?.startsWith("text/plain") && body.length];
  };
  for (const { path } of paths) expect(await seen(built, path)).toEqual(await seen(service, path));

  expect(paths.length).toBeGreaterThan(100);
}, 240_000);

test("its worker sends what its routes have accepted, with a body of MJML", async () => {
  const project = await service.createProject();
  const { body: template } = await built.request("POST", "/templates", {
    key: project.secret,
    body: {
      name: "In columns",
      subject: "A mail in columns",
      from: `hello@${DOMAIN}`,
      body: "<mjml><mj-body><mj-section><mj-column><mj-text>Hello {{name}}</mj-text></mj-column></mj-section></mj-body></mjml>",
    },
  });
  const { status } = await built.request("POST", "/v1/send", {
    key: project.secret,
    body: { to: "ada@example.com", template: template.id, data: { name: "Ada" } },
  });
  const worker = await start("worker");
  const sources = () => service.smtp.received.map(({ source }) => source);
  await until("the mail", () => sources().some((source) => source.includes("A mail in columns")));
  await worker.end("SIGTERM");
  const source = sources().find((one) => one.includes("A mail in columns"));

  expect(status).toBe(200);
  expect(source).toContain("<table");
  expect(source).toContain("Hello Ada");
  expect(source).not.toContain("<mj-");
}, 240_000);

test("each file and folder of the sources that it names is there, its three programs among them", () => {
  const places: string[] = [];
  const programs: string[] = [];
  for (const name of new Bun.Glob("*.js").scanSync(folder)) {
    const text = readFileSync(join(folder, name), "utf8");
    for (const [, path, script] of text.matchAll(PLACE)) {
      places.push(path!);
      if (script !== undefined) programs.push(join(path!, script));
    }
  }

  expect(places.length).toBeGreaterThan(15);
  expect([...places, ...programs].filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  expect(programs.map((path) => path.slice(path.indexOf("src/"))).toSorted()).toEqual([
    "src/content/images/_child.ts",
    "src/content/mjml/_child.ts",
    "src/mail/_openssl_child.ts",
  ]);
});

test("the image builds it, and runs it", () => {
  const image = readFileSync(join(import.meta.dir, "../Dockerfile"), "utf8");

  expect(image).toMatch(/^RUN bun src\/console_build\.ts && bun src\/service_build\.ts$/m);
  expect(image).toMatch(/^COPY --from=build \/app\/dist dist$/m);
  expect(image).toMatch(/^CMD \["bun", "dist\/service\/main\.js"\]$/m);
});
