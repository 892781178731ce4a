// The examples of the README, run as they are printed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addVerifiedDomain } from "../src/accounts/projects/domains.ts";
import type { NewProject } from "../src/accounts/projects/mod.ts";
import { markedBlock, runScript } from "./support/guides.ts";
import { startProcess, until } from "./support/process.ts";
import { useService } from "./support/service.ts";
import { workflowsOf } from "./support/workflows.ts";

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

describe("the README", () => {
  test.skipIf(!hasCurl)(
    `leads from sign-up to the first campaign, with nothing but the public endpoints${withCurl}`,
    async () => {
      const SECRET_KEY = "a secret that only the tests know, 32+";
      const newcomer = await startProcess({ DATABASE_URL: service.databaseUrl, SECRET_KEY });
      try {
        const script = `${block("sign-up")}\n${block("first campaign")}\necho "$CAMPAIGN $SK"`;
        const lines = (await run(script, { POSTRIDER: newcomer.url })).trimEnd().split("\n");
        const [campaign, secret] = lines.at(-1)!.split(" ").slice(-2);
        const headers = { authorization: `Bearer ${secret}` };
        const read = async (path: string) =>
          // oxlint-disable-next-line typescript/no-explicit-any
          (await (await fetch(`${newcomer.url}${path}`, { headers })).json()) as any;
        await until("the campaign", async () => (await read(`/campaigns/${campaign}`)).status === "SENT");
        const caught = async () =>
          (
            await service.pool`select to_address, subject from captured_mails order by to_address, subject`
          ).map((mail) => `${mail.toAddress}: ${mail.subject}`);
        await until("the mails", async () => (await caught()).length === 3);

        expect((await caught()).toSorted()).toEqual([
          "ada@example.com: News for Ada",
          "you@example.com: Is this your address?",
          expect.stringMatching(/^you@example\.com: .*News for/),
        ]);
      } finally {
        await newcomer.end("SIGKILL");
      }
    },
  );

  test.skipIf(!hasCurl)(
    `builds the welcome series that it says: each goes the way of the wait and of the branch${withCurl}`,
    async () => {
      const names = /^export (.*)$/m
        .exec(block("keys"))![1]!
        .split(" ")
        .map((pair) => pair.split("=")[0]);
      const url = `http://127.0.0.1:${server.port}`;
      expect(names).toEqual(["POSTRIDER", "SK", "PK"]);
      const variables = { POSTRIDER: url, SK: project.secret, PK: project.public };
      await run(block("welcome series"), variables);
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
