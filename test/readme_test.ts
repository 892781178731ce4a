// The examples of the README, run as they are printed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addVerifiedDomain } from "../src/accounts/projects/domains.ts";
import type { NewProject } from "../src/accounts/projects/mod.ts";
import { browserTest } from "./console/support.ts";
import { openBrowser } from "./support/chromium.ts";
import { markedBlock, runScript } from "./support/guides.ts";
import { startProcess, until } from "./support/process.ts";
import { useService } from "./support/service.ts";

const ROOT = join(import.meta.dir, "..");
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

/** What `npx -y bun@1.4.4 run admin demo` runs: the file that the script is for, and what it is told. */
function programOf(command: string): string[] {
  const [, version, script, ...words] = /^npx -y bun@(\S+) run (\S+)(.*)\n$/.exec(command)!;
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  expect(version).toBe(Bun.version);
  const file = /exec (?:env (?:\S+=\S+ )+)?bun (\S+\.ts)$/.exec(scripts[script!]!)![1]!;
  return [file, ...words.join("").split(" ").filter(Boolean)];
}

browserTest(
  "the first minute of the README goes by its words: start, one click, the demo, a campaign",
  async () => {
    const { PATH = "", HOME = "" } = process.env;
    const DATA_DIR = join(folder, "data");
    expect(programOf(block("start"))).toEqual(["src/main.ts"]);
    const started = await startProcess({ DATA_DIR, SECRET_KEY: "" });
    try {
      await until("the link is shown", () => started.output().includes("/docs/api"));
      const link = /(http:\S+\/auth\/start\?token=\S+)/.exec(started.output())![1]!;
      // A smaller shop says as much.
      const program = [process.execPath, ...programOf(block("demo")), "--contacts", "300"];
      const demo = Bun.spawn(program, { cwd: ROOT, env: { PATH, HOME, DATA_DIR }, stderr: "inherit" });
      expect(await demo.exited).toBe(0);

      const section = /## The first minute\n([^]*?)\n## /.exec(readme)![1]!;
      const words = [...section.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name!.replace(/\s+/g, " "));
      expect(words).toHaveLength(9);
      const context = await (await openBrowser()).newContext({ locale: "en-GB" });
      const page = await context.newPage();
      await page.goto(link);
      const press = async (name: string) => {
        const called = { name: new RegExp(`^${name.replace("…", ".*")}`) };
        await page.getByRole("button", called).or(page.getByRole("link", called)).last().click();
      };
      for (const name of words) {
        await press(name);
        if (name === "Log in") await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      }
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).waitFor();
      await press(words.at(-1)!);
      await page.getByText("Newsletter is being sent").waitFor();
      const inbox = new URL("/inbox/mails", link);
      await until("a mail is in the inbox", async () => {
        const mails = (await (await fetch(inbox)).json()) as { subject: string }[];
        return JSON.stringify(mails).includes("What is new this month");
      });
      await context.close();
    } finally {
      await started.end("SIGTERM");
    }
  },
  480_000,
);

test("the README is short, and all that it links to is there", () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => link!);
  const missing = links.filter((link) => !existsSync(new URL(`../${link}`, import.meta.url)));

  expect(readme.split("\n").length).toBeLessThanOrEqual(160);
  expect(links.length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});
