import type { Json } from "../../db/types.ts";

/** How a webhook may be called. */
export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The config of a WEBHOOK step. Without a `body` the default one. Strings in `url`, `headers` and `body` are templates. */
export interface WebhookConfig {
  url: string;
  method: (typeof METHODS)[number];
  headers: Record<string, string>;
  body?: Json;
}
