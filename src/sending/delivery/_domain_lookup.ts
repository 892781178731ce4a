// Where a mail goes that is still to be sent, and what it says. Those who ask at about the same time share a statement.
import { createBatcher } from "../../batcher.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";

/** Mails whose domains are looked up in one statement. */
const MAX_MAILS = 500;
/** While others are in progress a mail waits this long for more to be looked up with it: one costs as much as ten. */
const GATHER_MS = 5;

/** The domain of a recipient, and the content of the mail. */
interface Addressed {
  domain: string;
  contentId: string | null;
}

/** Returns this of a mail that is still to be sent; null for others. */
export type DomainLookup = (mail: { projectId: string; emailId: string }) => Promise<Addressed | null>;

/** Look-ups that wait a moment for each other while this process `isBusy`. */
export function createDomainLookup(ctx: Context, isBusy: () => boolean): DomainLookup {
  const find = createBatcher<{ projectId: string; emailId: string }, Addressed | null>(
    async (mails) => {
      const [projectIds, ids] = [mails.map((mail) => mail.projectId), mails.map((mail) => mail.emailId)];
      const rows = await q.apart.recipients(ctx, { projectIds, ids, now: ctx.now() });
      const found = new Map(rows.map((row) => [`${row.projectId} ${row.id}`, row]));
      return mails.map(({ projectId, emailId }) => found.get(`${projectId} ${emailId}`) ?? null);
    },
    { maxItems: MAX_MAILS, maxFlights: 2 },
  );
  let gathering: Promise<void> | null = null;
  return async (mail) => {
    if (isBusy()) await (gathering ??= Bun.sleep(GATHER_MS).then(() => void (gathering = null)));
    return await find(mail);
  };
}
