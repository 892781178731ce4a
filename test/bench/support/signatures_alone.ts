// The price of a signature: how many of them this machine makes in a second when it does nothing else.
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { promisify } from "node:util";
import { runChild } from "./child.ts";

const SECONDS = 2;
const AT_ONCE = 36;
const KEY_BITS = 2048;

/** Signatures a second on all processors, and milliseconds of processor time that one takes. */
export async function measureSignatures(): Promise<{ rate: number; processorMs: number }> {
  return await runChild(import.meta.path, {}, 30_000);
}

if (import.meta.main) console.log(JSON.stringify(await measure()));

async function measure(): Promise<{ rate: number; processorMs: number }> {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const key = createPrivateKey(privateKey);
  const header = Buffer.alloc(1_200, "x");
  const end = performance.now() + SECONDS * 1000;
  const before = process.cpuUsage();
  let signatures = 0;
  const loop = async () => {
    for (; performance.now() < end; signatures++) await promisify(sign)("sha256", header, key);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, loop));
  const { user, system } = process.cpuUsage(before);
  return { rate: signatures / SECONDS, processorMs: (user + system) / 1000 / signatures };
}
