// Two people who edit the same thing: the second one is told, and nothing is lost. Who was last is noted by triggers:
// `templates_edited`, `campaigns_edited`, `segments_edited`, `workflows_edited`.
import { createHash } from "node:crypto";
import type { Context } from "./context.ts";
import { q } from "./db/queries.ts";
import { problems } from "./problem/mod.ts";

/** What several people may edit. */
export type Edited = "template" | "campaign" | "segment" | "workflow";

/** By whom a change is made, and from which state of the thing. */
export interface Edit {
  /** An address, or which key. */
  by: string;
  /** The `If-Match` of the request: what the editor has seen. Left out: whatever is there is changed. */
  ifMatch?: string | undefined;
  /** It has to be there: nobody can do without it. */
  isRequired?: boolean;
  /** Left out: the thing is changed. */
  purpose?: "delete" | "send";
}

/** Nobody in particular, who has seen nothing of what is there. */
export const NOBODY: Edit = { by: "" };

/** The `ETag` of what people edit of a thing: the same as long as none of it changes (RFC 9110, 8.8.3). */
export function editTag(edited: object): string {
  return `"${createHash("sha256").update(JSON.stringify(edited)).digest("base64url").slice(0, 22)}"`;
}

/**
 * Begins an edit, in the transaction that writes it and holds the thing. Throws 412 where somebody has edited it since,
 * and says who; `current` is read only if it was asked for.
 */
export async function beginEdit(
  tx: Context,
  { by, ifMatch, isRequired = false, purpose }: Edit,
  thing: { kind: Edited; projectId: string; id: string },
  current: () => Promise<object>,
): Promise<void> {
  await q.edits.actAs(tx, { editor: by });
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  const tag = editTag(await current());
  // A proxy that compresses an answer makes its tag a weak one.
  const seen = ifMatch.split(",").map((one) => one.trim().replace(/^W\//, ""));
  if (seen.includes(tag)) return;
  const last = await q.edits.last(tx, thing);
  const details = { etag: tag, editedBy: last!.editedBy, editedAt: last!.editedAt };
  if (purpose) throw problems.editedBefore(purpose, thing.kind, details);
  throw problems.editedMeanwhile(thing.kind, details, isRequired);
}
