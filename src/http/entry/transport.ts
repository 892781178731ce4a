import type { Config } from "../../config.ts";

/**
 * What tells browsers to come back over TLS only, for a year; nothing where the address of the service has none. It
 * speaks for this host and no other: what is below it may be somebody else's, and without TLS.
 */
export function transportHeaders({ BASE_URL }: Pick<Config, "BASE_URL">): Record<string, string> {
  return BASE_URL.startsWith("https:") ? { "strict-transport-security": "max-age=31536000" } : {};
}
