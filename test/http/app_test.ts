// The console as it is served: its page, its files, and the frame for mails. What it does is tested in test/console.
import { beforeAll, describe, expect, test } from "bun:test";
import { brotliCompressSync } from "node:zlib";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type BuiltConsole, builtConsole } from "../../src/console_build.ts";
import { createApp } from "../../src/http/mod.ts";
import { useService } from "../support/service.ts";

const service = useService();
const BUDGET_BYTES = 220_000;
let built: BuiltConsole;

beforeAll(async () => {
  built = await builtConsole(service.config.DATA_DIR);
});

const get = (path: string, headers: Record<string, string> = {}) => service.request("GET", path, { headers });
const nonceOf = (policy: string) => /'nonce-([^']+)'/.exec(policy)![1]!;

describe("the page", () => {
  test.each(["/app", "/app/log-in?return=%2Fp", "/app/p/018f/contacts"])("stands at %s", async (path) => {
    const { status, body, headers } = await get(path);

    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toContain(`/app/assets/${built.manifest.script}`);
  });

  test("lets nothing in from elsewhere, and no style that has not its nonce, which is new each time", async () => {
    const policies = await Promise.all(
      [1, 2].map(async () => {
        const { body, headers } = await get("/app");
        const policy = headers.get("content-security-policy")!;
        expect(body).toContain(`<meta name="csp-nonce" content="${nonceOf(policy)}">`);
        return policy;
      }),
    );

    expect(new Set(policies.map(nonceOf)).size).toBe(2);
    for (const policy of policies) {
      expect(policy).not.toContain("unsafe");
      expect(policy).not.toContain("http");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
    }
  });

  test("knows the path that a proxy has put the service below", async () => {
    const config = { ...service.config, BASE_URL: "https://example.com/mail" };
    const answer = await createApp({ ...service, config }).handle(new Request("http://localhost/app"));
    const body = await answer.text();

    expect(body).toContain('<meta name="base" content="/mail">');
    expect(body).toContain(`src="/mail/app/assets/${built.manifest.script}"`);
  });
});

describe("its files", () => {
  test("are kept for a year: their names change with what is in them", async () => {
    for (const name of [built.manifest.script, ...built.manifest.styles]) {
      const { status, headers } = await get(`/app/assets/${name}`);

      expect([name, status]).toEqual([name, 200]);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("content-type")).toEndWith("charset=utf-8");
      expect(headers.get("vary")).toContain("Accept-Encoding");
    }
  });

  test("HEAD tells the same without them", async () => {
    const { status, headers, body } = await service.request("HEAD", `/app/assets/${built.manifest.script}`);

    expect([status, headers.get("content-type"), body || ""]).toEqual([
      200,
      "text/javascript; charset=utf-8",
      "",
    ]);
  });

  test.each([
    "nothing-here.js",
    "manifest.json",
    "..%2f..%2fpackage.json",
    "..%5cmanifest.json",
    "%00.js",
    "%E0%A4.js",
    `${"a".repeat(5000)}.js`,
  ])("%s is not one of them", async (name) => {
    const { status, headers } = await get(`/app/assets/${name}`);

    expect(status).toBe(404);
    expect(headers.get("cache-control") ?? "").not.toContain("immutable");
  });
});

describe("the frame for mails", () => {
  test("runs nothing, and loads no picture from elsewhere unless somebody asks for it", async () => {
    const policy = async (path: string) => (await get(path)).headers.get("content-security-policy")!;

    expect(await policy("/app/frame")).not.toContain("http");
    expect(await policy("/app/frame?pictures=true")).toContain("img-src 'self' data: https: http:");
    for (const path of ["/app/frame", "/app/frame?pictures=true"]) {
      expect(await policy(path)).toContain("default-src 'none'");
      expect(await policy(path)).not.toContain("script");
      expect(await policy(path)).toContain("frame-ancestors 'self'");
    }
  });
});

describe("the styles of packages", () => {
  const classesOf = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g));

  test("are those of every component in use, and of no other", () => {
    const names = readdirSync(built.folder);
    const scripts = names
      .filter((name) => name.endsWith(".js"))
      .map((name) => readFileSync(join(built.folder, name), "utf8"));
    const used = classesOf(scripts.join("\n"));
    const known = classesOf(
      readFileSync(Bun.resolveSync("@mantine/core/styles.css", import.meta.dir), "utf8"),
    );
    const vendor = names.find((name) => name.startsWith("vendor-") && name.endsWith(".css"))!;
    const there = classesOf(readFileSync(join(built.folder, vendor), "utf8"));

    expect(used.size).toBeGreaterThan(100);
    expect([...used].filter((name) => known.has(name) && !there.has(name))).toEqual([]);
    const folder = Bun.resolveSync("@mantine/core/styles.css", import.meta.dir).replace(/\.css$/, "");
    const unused = readdirSync(folder)
      .filter((file) => /^[A-Z]\w*\.css$/.test(file))
      .map((file) => classesOf(readFileSync(join(folder, file), "utf8")))
      .filter((classes) => classes.isDisjointFrom(used));
    expect(unused.length).toBeGreaterThan(20);
    expect(unused.filter((classes) => !classes.isDisjointFrom(there))).toEqual([]);
  });
});

describe("the size of the first view", () => {
  const names = () => readdirSync(built.folder);
  const sizeOf = (name: string) => brotliCompressSync(readFileSync(join(built.folder, name))).length;
  /** A file with all that it imports by name, and not what it loads later. */
  const withImports = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found;
    found.add(name);
    const text = readFileSync(join(built.folder, name), "utf8");
    const imports = text.matchAll(/(?:from|import)\s*"\.\/([\w-]+\.js)"/g);
    for (const [, imported] of imports) withImports(imported!, found);
    return found;
  };
  const chunk = (start: string) => names().find((name) => name.startsWith(start) && name.endsWith(".js"))!;

  test.each([
    ["the log-in page", []],
    ["the overview", ["shell-", "overview-"]],
  ])("%s stays below 220 KB, compressed", (_, pages) => {
    const files = new Set(built.manifest.styles);
    for (const start of [built.manifest.script, ...pages.map(chunk)]) withImports(start, files);
    const sizes = [...files].map((name) => [name, sizeOf(name)] as const);

    expect(sizes.length).toBeGreaterThan(pages.length + 2);
    expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(BUDGET_BYTES);
  });
});
