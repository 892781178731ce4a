// The client's examples in the guides, compiled and run as they are printed, by the package as others install it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { CHROMIUM, closeContexts, noChromium, openBrowser } from "../support/chromium.ts";
import { GUIDE_NAMES, markedBlock, markedBlocks, readGuide, runScript } from "../support/guides.ts";
import { useService } from "../support/service.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const OPTIONS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2022",
    module: "nodenext",
    lib: ["esnext", "dom"],
    types: [],
  },
  include: ["*.mts"],
};

const service = useService({ SMTP_URL: "" });
const hasTar = Bun.which("tar") !== null && Bun.which("node") !== null && Bun.which("bash") !== null;
const folder = mkdtempSync(join(tmpdir(), "postrider-client-"));
const installed = join(folder, "node_modules/@postrider/client");
const guides = GUIDE_NAMES.filter((name) => markedBlocks(readGuide(name), "client:").length > 0);
const setUp = markedBlock(readGuide("client"), "client: set up");

let server: Bun.Server<undefined>;
let project: NewProject;

const run = async (script: string) =>
  await runScript(script, { cwd: folder, variables: { BUN: process.execPath } });

/** The blocks of a guide, each with names of its own, below what they begin with. */
function programOf(name: string): string {
  const blocks = markedBlocks(readGuide(name), "client:").filter(({ mark }) => mark !== "client: set up");
  return `${setUp}\n${blocks.map(({ code }) => `{\n${code}}\n`).join("")}\nexport {};\n`;
}

/** As a reader fills it in. */
const filledIn = (program: string) =>
  program
    .replaceAll("http://localhost:3000", server.url.href)
    .replaceAll("sk_…", project.secret)
    .replaceAll("pk_…", project.public);

describe.skipIf(!hasTar)(`the package${hasTar ? "" : " (skipped: it takes tar, node and bash)"}`, () => {
  beforeAll(async () => {
    server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => service.app.handle(request) });
    project = await service.createProject();
    await addVerifiedDomain(service, project.id, "sandbox.example");
    mkdirSync(installed, { recursive: true });
    await run(`"$BUN" ${ROOT}src/client/build.ts ${folder}/packed > /dev/null
      tar -xzf packed/postrider-client-*.tgz -C ${installed} --strip-components=1`);
    for (const name of guides) {
      writeFileSync(join(folder, `${name}.mts`), programOf(name));
      writeFileSync(join(folder, `${name}.mjs`), filledIn(programOf(name)));
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(OPTIONS));
  });

  afterAll(async () => {
    await server.stop(true);
    rmSync(folder, { recursive: true, force: true });
  });

  test("holds what runs, what describes it, and nothing else", async () => {
    const files = (await run(`cd ${installed} && find . -type f | sort`)).trim().split("\n");

    expect(files).toContain("./dist/mod.js");
    expect(
      files.filter((file) => !/^\.\/(package\.json|README\.md|dist\/(mod\.js|[\w.]+\.d\.ts))$/.test(file)),
    ).toEqual([]);
  });

  test("is used in a guide for each of these", () => {
    expect(guides.toSorted()).toEqual([
      "api",
      "campaigns",
      "client",
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

  test("has types that take every example as it is printed, and refuse mistakes", async () => {
    const right = markedBlocks(readGuide("getting-started"), "client:")[0]!.code;
    expect(right).toContain("subject:");
    // Where an example has nothing wrong, the compiler complains of the comment.
    const wrong = [
      right.replace("subject:", "subjet:"),
      "const { nothing } = await postrider.contacts.list();",
    ];
    const expectErrors = wrong
      .map((code) => `{\n// @ts-expect-error\n${code.replace(/\n */g, " ")}\n}`)
      .join("\n");
    writeFileSync(join(folder, "wrong.mts"), `${setUp}\n${expectErrors}\nexport {};\n`);

    expect(await run(`${ROOT}node_modules/.bin/tsc -p . || true`)).toBe("");
  });

  test.each(guides)("runs the examples of the guide on %s in Node", async (name) => {
    await run(`node ${name}.mjs`);
  });

  test.skipIf(!CHROMIUM)(
    `tracks from a page of another origin, and refuses a secret key there${noChromium}`,
    async () => {
      const page = await (await openBrowser()).newPage();
      const site = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: ({ url }) =>
          url.endsWith(".js")
            ? new Response(Bun.file(join(installed, "dist/mod.js")))
            : new Response("<!doctype html>", { headers: { "content-type": "text/html" } }),
      });
      await page.goto(site.url.href);
      const track = async (key: string) =>
        await page.evaluate(
          async ([baseUrl, given]) => {
            const { Postrider } = await import(`${location.origin}/mod.js`);
            const postrider = new Postrider({ baseUrl, key: given });
            const { data } = await postrider.events.track({ event: "seen", email: "page@example.com" });
            return data.event as string;
          },
          [server.url.href, key] as const,
        );
      const event = await track(project.public);
      const [row] = await service.pool`select name from events where id = ${event}`;

      expect(row?.name).toBe("seen");
      expect(await track(project.secret).catch((error: Error) => error.message)).toContain(
        "secret key in a web page",
      );
      await site.stop(true);
      await closeContexts();
    },
  );
});
