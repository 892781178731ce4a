// Signatures by the OpenSSL of the system, and what happens where it is missing or not as it should be.
import { afterAll, describe, expect, test } from "bun:test";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSsl } from "../../src/mail/_openssl_child.ts";
import { newSigner, type Sign } from "../../src/mail/_signatures.ts";
import { until } from "../support/process.ts";

const CHILD = join(import.meta.dir, "../../src/mail/_openssl_child.ts");
const dir = mkdtempSync(join(tmpdir(), "postrider-signatures-"));
afterAll(() => rmSync(dir, { recursive: true }));

const rsa = (modulusLength: number) => generateKeyPairSync("rsa", { modulusLength }).privateKey;
const keys = [rsa(2048), rsa(1024), rsa(4096)];
const [key] = keys as [KeyObject];

const hasOpenSsl = (() => {
  try {
    return openSsl() !== undefined;
  } catch {
    return false;
  }
})();
const orSkipped = hasOpenSsl ? "" : " (skipped: there is no OpenSSL 3 here)";

const texts = (count: number) =>
  Array.from({ length: count }, (_, n) => Buffer.from(`field ${n}\r\n`.repeat(n)));
const right = (text: Buffer, by: KeyObject) => sign("sha256", text, by).toString("base64");

/** Signs all at once, and answers whether each signature is right. */
async function allRight(signText: Sign, count = 200, by: (n: number) => KeyObject = () => key) {
  const made = await Promise.all(
    texts(count).map(
      async (text, n) => (await signText(text, by(n))).toString("base64") === right(text, by(n)),
    ),
  );
  return made.every(Boolean);
}

/** A program that notes each batch in a file, and does `answer` with it. */
async function programOf(name: string, answer: string): Promise<{ script: string; batches(): number }> {
  const notes = join(dir, `${name}.notes`);
  const script = join(dir, `${name}.ts`);
  await Bun.write(
    script,
    `import { appendFileSync } from "node:fs";
     import { openSsl } from ${JSON.stringify(CHILD)};
     let count = 0;
     process.on("message", (batch: any) => {
       count++;
       appendFileSync(${JSON.stringify(notes)}, "x");
       ${answer}
     });
     process.on("disconnect", () => process.exit(0));`,
  );
  const batches = () => (existsSync(notes) ? readFileSync(notes).length : 0);
  return { script, batches };
}

describe.skipIf(!hasOpenSsl)(`signatures by OpenSSL${orSkipped}`, () => {
  test("are those that the runtime makes, for every size of key, in batches", async () => {
    const { script, batches } = await programOf("sound", "process.send!(openSsl()(batch));");
    const signText = newSigner({ script });
    expect(await allRight(signText, 300, (n) => keys[n % 7 === 0 ? 1 : n % 11 === 0 ? 2 : 0]!)).toBe(true);
    expect(batches()).toBeGreaterThan(8);
    expect(await allRight(signText, 1)).toBe(true);
  });

  test("are made by the program that the service starts", async () => {
    expect(await allRight(newSigner())).toBe(true);
    const sound = openSsl()({
      id: 3,
      key: key.export({ type: "pkcs8", format: "der" }),
      digests: new Uint8Array(64),
    });
    expect(sound.id).toBe(3);
    expect(sound.signatures.length).toBe(512);
    expect(() => openSsl()({ id: 4, key: Buffer.from("no key"), digests: new Uint8Array(32) })).toThrow(
      "cannot read this key",
    );
  });

  test("end with the program when none was asked for a while; the next ones start another", async () => {
    const { script, batches } = await programOf(
      "idle",
      `appendFileSync(${JSON.stringify(join(dir, "pids"))}, process.pid + "\\n"); process.send!(openSsl()(batch));`,
    );
    const signText = newSigner({ script, idleMs: 50 });
    expect(await allRight(signText)).toBe(true);
    const first = batches();
    const pid = Number(readFileSync(join(dir, "pids"), "utf8").split("\n")[0]);
    await until("the program has ended", () => !existsSync(`/proc/${pid}`));
    expect(await allRight(signText)).toBe(true);
    expect(batches()).toBeGreaterThan(first);
  });

  test("leave no program behind when the service is killed", async () => {
    const ready = join(dir, "ready");
    const service = join(dir, "service.ts");
    await Bun.write(
      service,
      `import { generateKeyPairSync } from "node:crypto";
       import { newSigner } from ${JSON.stringify(join(import.meta.dir, "../../src/mail/_signatures.ts"))};
       const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
       const signText = newSigner();
       await Promise.all(Array.from({ length: 50 }, () => signText(Buffer.from("x"), privateKey)));
       await Bun.write(${JSON.stringify(ready)}, "x");
       setInterval(() => {}, 1000);`,
    );
    const killed = Bun.spawn([process.execPath, service], { stdio: ["ignore", "ignore", "inherit"] });
    await until("signatures", () => existsSync(ready));
    const programs = childrenOf(killed.pid);
    expect(programs.length).toBe(1);
    killed.kill("SIGKILL");
    await killed.exited;
    await until("the end of the program", () => !existsSync(`/proc/${programs[0]}`));
  });
});

/** The processes that a process has started. */
function childrenOf(pid: number): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/status`, "utf8").includes(`\nPPid:\t${pid}\n`);
    } catch {
      return false; // It has ended meanwhile.
    }
  });
}

describe("a signature is right all the same", () => {
  test("for a few at a time, which start no program", async () => {
    const { script, batches } = await programOf("few", "process.exit(1)");
    const signText = newSigner({ script });
    for (const text of texts(20))
      expect((await signText(text, key)).toString("base64")).toBe(right(text, key));
    expect(batches()).toBe(0);
  });

  for (const [what, answer] of [
    ["cannot start", ""],
    ["ends in the middle", "if (count === 3) process.exit(1); process.send!(openSsl()(batch));"],
    ["crashes", 'process.kill(process.pid, "SIGSEGV");'],
    ["hangs", "for (;;);"],
    [
      "answers nonsense",
      "process.send!({ id: batch.id, signatures: new Uint8Array(batch.digests.length * 8) });",
    ],
    ["answers something else", "process.send!({ hello: batch.id });"],
    ["answers too little", "process.send!({ id: batch.id, signatures: new Uint8Array(1) });"],
  ] as const) {
    test(`when the program ${what}; it is not started again at once`, async () => {
      const name = what.replaceAll(" ", "_");
      const { script, batches } = await programOf(name, answer);
      if (what === "cannot start") await Bun.write(script, "throw new Error('no OpenSSL');");
      const signText = newSigner({ script, patienceMs: 2_000 });
      expect(await allRight(signText)).toBe(true);
      const asked = batches();
      expect(await allRight(signText)).toBe(true);
      expect(batches()).toBe(asked);
    });
  }
});
