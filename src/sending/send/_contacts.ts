// The contacts of the recipients of messages.
import { bothOf, type DataChange, sortData } from "../../audience/contacts/data.ts";
import { upsertContacts, type WrittenContact } from "../../audience/contacts/mod.ts";
import type { Context } from "../../context.ts";
import type { SendInput } from "./input.ts";
import type { Recipient } from "./recipients.ts";

/**
 * One contact per address, however often it was named: what later messages say goes over what earlier ones do. What a message
 * says of its contact, in `data` and `subscribed`, is not about who gets a copy.
 */
export async function upsertRecipients(
  tx: Context,
  projectId: string,
  messages: { input: SendInput; recipients: Recipient[] }[],
): Promise<Map<string, WrittenContact>> {
  const writes = new Map<string, { subscribed: boolean | undefined; change: DataChange }>();
  for (const { input, recipients } of messages) {
    const said = sortData(input.data);
    const isCopy = new Map(recipients.map(({ email, role }) => [email, role === "cc" || role === "bcc"]));
    for (const [email, copied] of isCopy) {
      const before = writes.get(email);
      const change = copied ? sortData(undefined) : said;
      const subscribed = copied ? before?.subscribed : (input.subscribed ?? before?.subscribed);
      writes.set(email, { subscribed, change: before ? bothOf(before.change, change) : change });
    }
  }
  const rows = [...writes].map(([email, { subscribed, change }]) => ({
    projectId,
    email,
    given: { subscribed },
    subscribedDefault: false,
    change,
  }));
  return await upsertContacts(tx, rows);
}
