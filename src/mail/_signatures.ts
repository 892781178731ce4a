// RSA signatures (2,048 bits): 0.25 to 0.3 ms of a processor each with OpenSSL, 0.6 to 1 with the cryptography of the
// runtime. OpenSSL is asked by a program beside the service, in batches: started when many signatures are wanted at
// once, ended when none is for a minute. Where there is none, or anything about it is not as it should be, the
// runtime's own threads sign.
import type { Subprocess } from "bun";
import { createHash, type KeyObject, sign } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { DIGEST_BYTES, type SignatureBatch, type SignedBatch } from "./_openssl_child.ts";

/** A text that waits for its signature. */
interface Waiting {
  text: Buffer;
  key: KeyObject;
  resolve(signature: Buffer | Promise<Buffer>): void;
}

/** So many at once are worth a process. */
const MANY = 8;
/** Signatures of a batch: about eight milliseconds of a processor. */
const BATCH = 32;
/** One is signed while the next is on its way. */
const BATCHES_AT_ONCE = 2;
/** So long nothing is tried again after a fault: a busy machine is one, and so is a library that is missing. */
const REST_MS = 10 * 60_000;

/** The program, and how it is waited for. */
interface ProgramOptions {
  script: string;
  /** For an answer. */
  patienceMs: number;
  /** Without anything to sign, until it is ended. */
  idleMs: number;
}

const PROGRAM: ProgramOptions = {
  script: join(import.meta.dir, "_openssl_child.ts"),
  patienceMs: 10_000,
  idleMs: 60_000,
};

const signInPool = promisify(sign);

/** The signature of a text by `key`: RSA with SHA-256, PKCS #1 v1.5 (RFC 8017 8.2). */
export type Sign = (text: Buffer, key: KeyObject) => Promise<Buffer>;

/** By the runtime's own threads. */
export const signByRuntime: Sign = async (text, key) => await signInPool("sha256", text, key);

/** Signs by the program, and by the runtime where that is not there. */
export function newSigner(options: Partial<ProgramOptions> = {}): Sign {
  let restsUntil = process.platform === "linux" ? 0 : Infinity;
  let program: Sign | null = null;
  let running = 0;
  return async (text, key) => {
    if (performance.now() < restsUntil || key.asymmetricKeyType !== "rsa") {
      return await signByRuntime(text, key);
    }
    if (program === null && running < MANY) {
      running++;
      return await signByRuntime(text, key).finally(() => running--);
    }
    const mine = (program ??= start({ ...PROGRAM, ...options }, (hasFailed) => {
      program = null;
      if (hasFailed) restsUntil = performance.now() + REST_MS;
    }));
    return await mine(text, key);
  };
}

/** As one for the whole process. */
export const signText: Sign = newSigner();

/** Starts the program. `ended` is called once, when it takes no more. */
function start({ script, patienceMs, idleMs }: ProgramOptions, ended: (hasFailed: boolean) => void): Sign {
  let child: Subprocess | undefined;
  let waiting: Waiting[] = [];
  const sent = new Map<number, { batch: Waiting[]; patience: Timer }>();
  let isOver = false;
  let nextId = 0;
  let idle: Timer | undefined;

  const end = (hasFailed: boolean) => {
    if (isOver) return;
    isOver = true;
    ended(hasFailed);
    clearTimeout(idle);
    child?.kill("SIGKILL");
    const left = [...[...sent.values()].flatMap(({ batch }) => batch), ...waiting];
    for (const { patience } of sent.values()) clearTimeout(patience);
    for (const { text, key, resolve } of left) resolve(signByRuntime(text, key));
  };
  /** A fault of the program, or of the way to it, is no fault of a mail. */
  const orEnd = <T extends unknown[]>(work: (...given: T) => Promise<void> | void) => {
    return (...given: T) => void (async () => await work(...given))().catch(() => end(true));
  };

  const flush = orEnd(() => {
    while (!isOver && waiting.length > 0 && sent.size < BATCHES_AT_ONCE) {
      const { key } = waiting[0]!;
      const batch = waiting.filter((one) => one.key === key).slice(0, BATCH);
      const inBatch = new Set(batch);
      waiting = waiting.filter((one) => !inBatch.has(one));
      const id = nextId++;
      const patience = setTimeout(() => end(true), patienceMs);
      sent.set(id, { batch, patience });
      child!.send({ id, key: derOf(key), digests: digestsOf(batch) } satisfies SignatureBatch);
    }
  });

  const confirmed = new WeakSet<KeyObject>();
  /** Whether they are as many as the texts, and the first is that of the runtime: asked once for each key. */
  const areRight = async (signatures: Buffer[], batch: Waiting[]): Promise<boolean> => {
    const { text, key } = batch[0]!;
    if (signatures.length !== batch.length) return false;
    if (confirmed.has(key)) return true;
    if (!signatures[0]!.equals(await signByRuntime(text, key))) return false;
    confirmed.add(key);
    return true;
  };

  const take = orEnd(async ({ id, signatures }: SignedBatch) => {
    if (isOver) return;
    const { batch, patience } = sent.get(id)!;
    const made = signaturesIn(signatures, batch[0]!.key);
    if (!(await areRight(made, batch))) return end(true);
    clearTimeout(patience);
    sent.delete(id);
    batch.forEach(({ resolve }, n) => resolve(made[n]!));
    idle ??= setTimeout(() => end(false), idleMs).unref();
    idle.refresh();
    flush();
  });

  try {
    child = Bun.spawn([process.execPath, "--smol", "--no-install", script], {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "ignore"],
      serialization: "advanced",
      ipc: take,
      onExit: () => end(true),
    });
    // The service may end while it runs.
    child.unref();
  } catch {
    // The system has no more processes, memory or files. Said when the caller has the program.
    setImmediate(() => end(true));
  }

  return async (text, key) =>
    await new Promise<Buffer>((resolve) => {
      if (isOver) return resolve(signByRuntime(text, key));
      waiting.push({ text, key, resolve });
      // Those of the same moment go together.
      if (waiting.length === 1) setImmediate(flush);
    });
}

const ders = new WeakMap<KeyObject, Buffer>();

function derOf(key: KeyObject): Buffer {
  const known = ders.get(key) ?? key.export({ type: "pkcs8", format: "der" });
  ders.set(key, known);
  return known;
}

function digestsOf(batch: Waiting[]): Buffer {
  return Buffer.concat(
    batch.map(({ text }) => createHash("sha256").update(text).digest()),
    batch.length * DIGEST_BYTES,
  );
}

/** One after the other; a signature is as long as the modulus of its key. */
function signaturesIn(bytes: Uint8Array, key: KeyObject): Buffer[] {
  const size = Math.ceil(key.asymmetricKeyDetails!.modulusLength! / 8);
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, n) =>
    Buffer.from(bytes.subarray(n * size, (n + 1) * size)),
  );
}
