// What an operator should know at the start although it does not prevent one. `doctor` checks more.
import { isProduction } from "../config/mod.ts";
import type { Context } from "../context.ts";
import { keysOpen } from "../sending/dkim_keys.ts";
import { LOST_KEYS, notesOn } from "../sending/operator_notes.ts";

const LOCAL = /^https?:\/\/(localhost|127\.|\[::1\])/;

/** A line for the log. */
interface StartWarning {
  level: "warn" | "error";
  message: string;
}

/** Each as a sentence. */
export async function startWarnings(ctx: Context): Promise<StartWarning[]> {
  const { config } = ctx;
  const { DATABASE_URL, DATA_DIR, BASE_URL } = config;
  const messages = notesOn(config);
  if (isProduction(config) && DATABASE_URL === undefined) {
    messages.push(
      `DATABASE_URL is not set: everything is kept in the embedded Postgres in ${DATA_DIR}; keep that folder on a persistent disk`,
    );
  }
  if (isProduction(config) && LOCAL.test(BASE_URL)) {
    messages.push(`BASE_URL is ${BASE_URL}: links in mails only work on this machine`);
  }
  const warnings = messages.map((message) => ({ level: "warn" as const, message }));
  const isOpen = await keysOpen(ctx).catch(() => true);
  return isOpen ? warnings : [...warnings, { level: "error", message: LOST_KEYS }];
}
