// What somebody is told by mail about their own account, so that they notice what others do to it.
import { createHash } from "node:crypto";
import type { Context } from "../../context.ts";
import type { AccountNotice } from "../../account_notice.ts";
import { addJob } from "../../jobs.ts";

/** Tells somebody of a change, if and only if `tx` commits. The same within a moment is told once. */
export async function notify(
  tx: Context,
  { email }: { email: string },
  { what, subject }: Pick<AccountNotice, "what" | "subject">,
): Promise<void> {
  const notice = { email, what, subject, at: tx.now().toISOString() };
  const same = createHash("sha256")
    .update(JSON.stringify([what, email, subject]))
    .digest("hex");
  await addJob(tx, "send_account_notice", notice, { key: `notice:${same}` });
}
