import type { Config } from "../../config/mod.ts";

/**
 * Tells browsers to come back over TLS only, for a year; nothing if the address of the service has none. It covers
 * this host only: hosts below it may belong to somebody else, and have no TLS.
 */
export function transportHeaders({ BASE_URL }: Pick<Config, "BASE_URL">): Record<string, string> {
  return BASE_URL.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {};
}
