// The examples of the README, run as they are printed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addVerifiedDomain } from "../src/accounts/domains.ts";
import type { NewProject } from "../src/accounts/projects.ts";
import { useService } from "./support/service.ts";
import { workflowsOf } from "./support/workflows.ts";

const service = useService();
const hasCurl = Bun.which("curl") !== null && Bun.which("bash") !== null;
const withCurl = hasCurl ? "" : " (skipped: this machine has no curl or no bash)";

let server: ReturnType<typeof Bun.serve>;
let project: NewProject;

beforeAll(async () => {
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => service.app.handle(request) });
  project = await service.createProject();
  await addVerifiedDomain(service, project.id, "sandbox.example");
});

afterAll(() => server.stop(true));

/** The block of the README that stands below `<!-- run: name -->`. */
async function block(name: string): Promise<string> {
  const readme = await Bun.file(new URL("../README.md", import.meta.url)).text();
  const found = new RegExp(`<!-- run: ${name} -->\\n\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (found === undefined) throw new Error(`Cannot find the block ${name} in the README`);
  return found;
}

/** Runs it in a shell that ends at the first command that fails; answers what it printed. */
async function run(script: string, variables: Record<string, string>): Promise<string> {
  const shell = Bun.spawn(["bash", "-euo", "pipefail", "-c", script], {
    env: { ...process.env, ...variables },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, complaints, code] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
    shell.exited,
  ]);
  expect([code, complaints]).toEqual([0, ""]);
  return output;
}

const mailsTo = (name: string) =>
  service.smtp.received
    .filter((mail) => mail.to.includes(`${name}@example.com`))
    .map((mail) => /^Subject: (.*)$/m.exec(mail.source)?.[1]);

describe("the README", () => {
  test.skipIf(!hasCurl)(
    `builds the welcome series that it says: each goes the way of the wait and of the branch${withCurl}`,
    async () => {
      const names = /^export (.*)$/m
        .exec(await block("keys"))![1]!
        .split(" ")
        .map((pair) => pair.split("=")[0]);
      const url = `http://127.0.0.1:${server.port}`;
      expect(names).toEqual(["POSTRIDER", "SK", "PK"]);
      const variables = { POSTRIDER: url, SK: project.secret, PK: project.public };
      await run(await block("welcome series"), variables);
      await service.runJobs();
      await run(await block("first order"), variables);
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
