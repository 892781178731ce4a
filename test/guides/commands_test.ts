// The commands of the guides, run as they are printed, against a service as a newcomer starts it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GUIDE_NAMES, markedBlock, markedBlocks, readGuide, runScript } from "../support/guides.ts";
import { type ServiceProcess, startProcess, until } from "../support/process.ts";
import { useService } from "../support/service.ts";

const service = useService();
const hasCurl = Bun.which("curl") !== null && Bun.which("bash") !== null;
const withCurl = hasCurl ? "" : " (skipped: this machine has no curl or no bash)";
const folder = mkdtempSync(join(tmpdir(), "postrider-guides-"));

/** What a person would see fail. Where the status is asked for, a refusal is meant. */
const CURL = `curl() {
  case "$*" in *http_code*) command curl "$@" ;; *) command curl -sS --fail-with-body "$@" ;; esac
}`;

/** Those of the operator are run by a test of their own. */
const guides = GUIDE_NAMES.filter(
  (name) => !/^(operating|webhooks)$/.test(name) && markedBlocks(readGuide(name), "run:").length > 0,
);

let newcomer: ServiceProcess;
let variables: Record<string, string>;

describe.skipIf(!hasCurl)(`the commands${withCurl}`, () => {
  beforeAll(async () => {
    newcomer = await startProcess({
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: "a secret that only the tests know, 32+",
      DNS_SERVERS: "127.0.0.1:9",
    });
    variables = { POSTRIDER: newcomer.url };
    const signUp = markedBlock(readGuide("getting-started"), "run: sign up");
    const printed = await run(`${signUp}\necho; echo "$SK $PK"`);
    const [SK = "", PK = ""] = printed.trimEnd().split("\n").at(-1)!.split(" ");
    variables = { ...variables, SK, PK };
  });

  afterAll(async () => {
    await newcomer.end("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (script: string) => await runScript(`${CURL}\n${script}`, { cwd: folder, variables });

  const scriptOf = (name: string) =>
    markedBlocks(readGuide(name), "run:")
      .filter(({ mark }) => mark !== "run: sign up")
      .map(({ code }) => code)
      .join("\n");

  const caught = async () =>
    (await service.pool`select to_address, subject from captured_mails`).map(
      (mail) => `${mail.toAddress}: ${mail.subject}`,
    );

  test("are those of a guide for each of these", () => {
    expect(guides.toSorted()).toEqual([
      "agents",
      "api",
      "campaigns",
      "contacts",
      "domains",
      "events",
      "getting-started",
      "segments",
      "sending",
      "templates",
      "workflows",
    ]);
  });

  test("of the first steps: the mail arrives, and the contact has what the event said", async () => {
    await run(scriptOf("getting-started"));

    await until("the mail", async () => (await caught()).includes("ada@example.com: Hello Ada"));
    const [ada] = await service.pool`select data from contacts where email = 'ada@example.com'`;
    expect(ada!.data).toEqual({ name: "Ada", plan: "pro" });
  });

  test("of sending: a repeat is refused, and an address is told to be mistyped", async () => {
    const printed = await run(scriptOf("sending"));

    expect(printed).toContain("200\n409\n");
    expect(printed).toContain('"isTypo":true');
    await until("one receipt", async () => (await caught()).includes("ada@example.com: Receipt 4711"));
    expect((await caught()).filter((mail) => mail.endsWith("Receipt 4711"))).toHaveLength(1);
    expect(
      (await service.pool`select email from suppressions order by email`).map(({ email }) => email),
    ).toEqual(["gone@example.com", "left@example.com"]);
  });

  test("of contacts: the file is imported", async () => {
    await run(scriptOf("contacts"));

    await until("the import", async () => {
      const [bob] = await service.pool`select subscribed, data from contacts where email = 'bob@example.com'`;
      return bob?.subscribed === false && bob.data.firstName === "Bob";
    });
  });

  test("of campaigns: it is sent, and the test before it", async () => {
    await run(scriptOf("campaigns"));

    await until("the campaign", async () => {
      const [campaign] = await service.pool`select status from campaigns where name = 'Spring news'`;
      return campaign?.status === "SENT";
    });
    expect(await caught()).toContain("ada@example.com: News for Ada");
    expect(await caught()).toContain("you@example.com: [TEST] News for firstName");
  });

  test("of workflows: who signs up is welcomed", async () => {
    await run(scriptOf("workflows"));

    await until("the welcome", async () => (await caught()).includes("eve@example.com: Welcome, Eve"));
  });

  test.each(["agents", "api", "domains", "events", "segments", "templates"])("of %s", async (name) => {
    expect(await run(scriptOf(name))).toContain("{");
  });
});
