// How the image has JavaScript's heap grow. The Dockerfile says it; what measures the service starts it in the same way.
import { readFileSync } from "node:fs";

const DOCKERFILE = new URL("../../Dockerfile", import.meta.url);

/** The variables of the environment, with their values. */
export const HEAP_SETTINGS = heapSettingsIn(readFileSync(DOCKERFILE, "utf8"));

/** Those that a text sets, as `NAME=value`. */
export function heapSettingsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/\b(BUN_JSC_\w+)=([\w.]+)/g)].map(([, name, value]) => [name!, value!]),
  );
}
