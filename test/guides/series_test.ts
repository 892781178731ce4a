// The welcome series of the guide on workflows, built as it is printed, and three days later.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { markedBlock, readGuide, runScript } from "../support/guides.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
const hasCurl = Bun.which("curl") !== null && Bun.which("bash") !== null;
const withCurl = hasCurl ? "" : " (skipped: this machine has no curl or no bash)";

let server: ReturnType<typeof Bun.serve>;
let project: NewProject;
const folder = mkdtempSync(join(tmpdir(), "postrider-series-"));

beforeAll(async () => {
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => service.app.handle(request) });
  project = await service.createProject();
  await addVerifiedDomain(service, project.id, "sandbox.example");
});

afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

const guide = readGuide("workflows");
const block = (name: string) => markedBlock(guide, `series: ${name}`);
const run = (script: string, variables: Record<string, string>) =>
  runScript(script, { cwd: folder, variables });

const mailsTo = (name: string) =>
  service.smtp.received
    .filter((mail) => mail.to.includes(`${name}@example.com`))
    .map((mail) => /^Subject: (.*)$/m.exec(mail.source)?.[1]);

describe("the welcome series", () => {
  test.skipIf(!hasCurl)(
    `is built as it is printed: each goes the way of the wait and of the branch${withCurl}`,
    async () => {
      const names = /^export (.*)$/m
        .exec(block("keys"))![1]!
        .split(" ")
        .map((pair) => pair.split("=")[0]);
      const url = `http://127.0.0.1:${server.port}`;
      expect(names).toEqual(["POSTRIDER", "SK", "PK"]);
      const variables = { POSTRIDER: url, SK: project.secret, PK: project.public };
      await run(block("build"), variables);
      await service.runJobs();
      await run(block("first order"), variables);
      await service.runJobs();
      const atOnce = ["ada", "bob", "eve"].map(mailsTo);
      service.setNow(new Date(Date.now() + 3 * 86_400_000));
      await service.runJobs();
      const { executions } = workflowsOf(service, () => project);
      const [workflow] = await service.pool`select id from workflows where project_id = ${project.id}`;

      expect(atOnce).toEqual([
        ["Welcome, Ada"],
        ["Welcome, Bob"],
        ["Welcome, Eve", "Thank you for your order"],
      ]);
      expect(["ada", "bob", "eve"].map(mailsTo)).toEqual([
        ["Welcome, Ada", "May we help you with the set-up?"],
        ["Welcome, Bob", "Three ideas to begin with"],
        ["Welcome, Eve", "Thank you for your order"],
      ]);
      expect((await executions(workflow!.id)).map((execution) => execution.status)).toEqual(
        Array(3).fill("COMPLETED"),
      );
    },
  );
});
