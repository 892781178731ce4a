// Who edits, and from which state: the headers of requests that change what several people edit.
import { t } from "elysia";
import { type Actor, nameOf } from "../../accounts/audit.ts";
import type { Edit } from "../../edits.ts";

/** The headers of a change. */
export const EditHeaders = t.Object({
  "if-match": t.Optional(
    t.String({
      description:
        "The `ETag` of the version you have read. If somebody has changed it since, nothing is changed, and 412 says who.",
    }),
  ),
});

/** The change that a request makes. */
export function editOf(actor: Actor, headers: { "if-match"?: string | undefined }): Edit {
  return { by: editorOf(actor), ifMatch: headers["if-match"] };
}

/** Who makes a change. */
export function editorOf(actor: Actor): string {
  return nameOf(actor);
}
