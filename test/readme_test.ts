// The examples of the README, run as they are printed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addVerifiedDomain } from "../src/accounts/projects/domains.ts";
import type { NewProject } from "../src/accounts/projects/mod.ts";
import { markedBlock, runScript } from "./support/guides.ts";
import { useService } from "./support/service.ts";

const service = useService();
const hasCurl = Bun.which("curl") !== null && Bun.which("bash") !== null;
const withCurl = hasCurl ? "" : " (skipped: this machine has no curl or no bash)";

let server: ReturnType<typeof Bun.serve>;
let project: NewProject;
const folder = mkdtempSync(join(tmpdir(), "postrider-readme-"));

beforeAll(async () => {
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => service.app.handle(request) });
  project = await service.createProject();
  await addVerifiedDomain(service, project.id, "sandbox.example");
});

afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const block = (name: string) => markedBlock(readme, `run: ${name}`);
const run = (script: string, variables: Record<string, string>) =>
  runScript(script, { cwd: folder, variables });

const mailsTo = (name: string) =>
  service.smtp.received
    .filter((mail) => mail.to.includes(`${name}@example.com`))
    .map((mail) => /^Subject: (.*)$/m.exec(mail.source)?.[1]);

test.skipIf(!hasCurl)(
  `the first mail of the README arrives, and its event is recorded${withCurl}`,
  async () => {
    const names = /^export (.*)$/m
      .exec(block("keys"))![1]!
      .split(" ")
      .map((pair) => pair.split("=")[0]);
    // A person sees the progress of curl, too.
    await run(`curl() { command curl -sS --fail-with-body "$@"; }\n${block("first mail")}`, {
      POSTRIDER: `http://127.0.0.1:${server.port}`,
      SK: project.secret,
      PK: project.public,
    });
    await service.runJobs();
    const [ada] = await service.pool`select data from contacts where project_id = ${project.id}`;

    expect(names).toEqual(["POSTRIDER", "SK", "PK"]);
    expect(mailsTo("ada")).toEqual(["Hello Ada"]);
    expect(ada!.data).toEqual({ name: "Ada", plan: "pro" });
  },
);

test("the README is short, and all that it links to is there", () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => link!);
  const missing = links.filter((link) => !existsSync(new URL(`../${link}`, import.meta.url)));

  expect(readme.split("\n").length).toBeLessThanOrEqual(160);
  expect(links.length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});
