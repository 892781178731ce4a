// The price of a signature: how many of them OpenSSL makes in a second on all processors when they do nothing else.
import { generateKeyPairSync } from "node:crypto";
import { availableParallelism } from "node:os";
import { DIGEST_BYTES, openSsl } from "../../../src/mail/_openssl_child.ts";
import { runChild } from "./child.ts";

const SECONDS = 2;
const BATCH = 32;
const KEY_BITS = 2048;

/** Signatures a second, of all processors together. */
export async function measureSignatures(): Promise<number> {
  const each = Array.from({ length: availableParallelism() }, async () => {
    return await runChild<number>(import.meta.path, {}, 30_000);
  });
  return (await Promise.all(each)).reduce((sum, rate) => sum + rate);
}

if (import.meta.main) console.log(JSON.stringify(measure()));

function measure(): number {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: KEY_BITS });
  const key = privateKey.export({ type: "pkcs8", format: "der" });
  const signBatch = openSsl();
  const start = performance.now();
  let signatures = 0;
  for (; performance.now() < start + SECONDS * 1000; signatures += BATCH) {
    signBatch({ id: 0, key, digests: new Uint8Array(BATCH * DIGEST_BYTES) });
  }
  return (signatures / (performance.now() - start)) * 1000;
}
