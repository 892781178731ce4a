// A campaign as it was read, with what says whether somebody has changed it since.
import type { Campaign } from "../../api.gen.ts";
import { keyOf } from "../../queries.ts";

/** A campaign with its `etag`. */
export interface Stored {
  answer: Campaign;
  etag: string | undefined;
}

/** The key under which the page of a campaign reads it. */
export const campaignKey = (projectId: string, id: string) =>
  [...keyOf(projectId, "GET /campaigns/{id}", { path: { id } }), "version"] as const;
