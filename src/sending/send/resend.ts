// One mail of the ledger once more, as a new one.
import { type IdempotentRequest, once } from "../../accounts/idempotency.ts";
import { type Context, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Json } from "../../db/types.ts";
import { problems } from "../../problem/mod.ts";
import { type Email, getEmail } from "../delivery/emails.ts";
import { assertMayBeSent, enterLedger } from "./ledger.ts";

type Original = NonNullable<Awaited<ReturnType<Queries["emailDetails"]["toResend"]>>>;

/** One whose recipient, content and data are still known. */
type Repeatable = Original & {
  to: string;
  contentId: string;
  type: NonNullable<Original["type"]>;
  fromEmail: string;
};

/**
 * Sends what a mail said to its recipient again: to the contact's current address, rendered with the current data. It
 * is a new mail, single, with the same header, and TRANSACTIONAL by its source, whatever the first one belonged to, and the counters of a campaign
 * stay as they are. Returns its row: `SUPPRESSED` where the address is on the suppression list. Throws not-found, 409 for a
 * mail that is still on its way or of which something is gone, 409 for a used key, and what `send` throws of the sender
 * (403), of a recipient who has opted out (400) and of the month's limit (402).
 */
export async function resend(ctx: Context, request: IdempotentRequest, emailId: string): Promise<Email> {
  const { projectId } = request;
  return await once(
    ctx,
    request,
    async (tx) => {
      const original = await q.emailDetails.toResend(tx, { projectId, emailId });
      if (!original) throw problems.notFound("email", emailId);
      assertRepeatable(original);
      await assertMayBeSent(tx, projectId, { ...original, addresses: [original.to] });
      if (hasLeft(original)) throw problems.optedOut([original.to]);
      return await getEmail(tx, projectId, await repeat(tx, projectId, emailId, original));
    },
    (email) => ({ statusCode: 202, response: email }),
  );
}

function assertRepeatable(original: Original): asserts original is Repeatable {
  const { status, to, contentId, isDataGone } = original;
  if (status === "PENDING" || status === "SENDING") throw problems.mailUnderWay(status);
  if (to === null) throw problems.mailNotRepeated("its contact has been deleted");
  if (contentId === null) throw problems.mailNotRepeated("what it said is no longer kept");
  if (isDataGone) throw problems.mailNotRepeated("its workflow, whose data it shows, has been deleted");
}

/** Mails to an audience go to nobody who is no longer subscribed. */
function hasLeft({ sourceType, type, subscribed }: Repeatable): boolean {
  return sourceType !== "TRANSACTIONAL" && type !== "TRANSACTIONAL" && subscribed === false;
}

async function repeat(
  tx: Context,
  projectId: string,
  emailId: string,
  { contactId, to, toName, contentId, templateId, data, role, parentId }: Repeatable,
): Promise<string> {
  const copyId = newId(tx);
  if ((await q.contents.copy(tx, { projectId, id: copyId, contentId })) === 0) {
    throw problems.mailNotRepeated("what it said is no longer kept");
  }
  const id = newId(tx);
  await enterLedger(tx, projectId, [
    {
      id,
      contact_id: contactId,
      address: to,
      to_name: toName,
      content_id: copyId,
      template_id: templateId,
      resend_of: emailId,
      data: data as Json,
      role,
      parent_id: parentId,
    },
  ]);
  await q.emails.tagAs(tx, { projectId, emailId: id, originalId: emailId });
  return id;
}
