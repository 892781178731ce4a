// Whom a message goes to. Without cc and bcc each recipient gets a mail that names nobody else; with one of them, all of
// them get the same message, and each has a row of the ledger.
import { parseAddress, parseMailbox } from "../../mail/address.ts";
import type { FieldError } from "../../problem/mod.ts";
import type { RecipientLists } from "../compose/mod.ts";

/** An address, with or without a name: `ada@example.com`, `Ada <ada@example.com>`, or both apart. */
export type MailboxInput = string | { email: string; name?: string | undefined };

/** The recipients of a request. */
export interface RecipientsInput {
  to: MailboxInput | MailboxInput[];
  cc?: MailboxInput | MailboxInput[] | undefined;
  bcc?: MailboxInput | MailboxInput[] | undefined;
}

/** An address, trimmed and lower-case, with its name. */
export interface NamedAddress {
  email: string;
  name: string | null;
}

/** How a recipient is named in the header that all recipients see. */
export type RecipientRole = "to" | "cc" | "bcc";

/** Somebody who gets a mail. */
export interface Recipient extends NamedAddress {
  /** Null: the mail names nobody else. */
  role: RecipientRole | null;
}

/** The recipients of a message with cc or bcc, as at other services: every one of them sees the others' addresses. */
export const MAX_NAMED = 50;

/** Reads one mailbox. Null when it is none. */
export function toMailbox(input: MailboxInput): NamedAddress | null {
  if (typeof input === "string") {
    const mailbox = parseMailbox(input);
    return mailbox && { email: mailbox.email, name: mailbox.name || null };
  }
  const address = parseAddress(input.email);
  return address && { email: address.email, name: input.name?.trim() || null };
}

/**
 * Every recipient, in the order given: of `to` with repeated addresses, unless there is a cc or bcc; then an address gets the
 * message once, in the role in which it is named first.
 */
export function recipientsOf({ to, cc = [], bcc = [] }: RecipientsInput): Recipient[] {
  const copies = [...inRole("cc", cc), ...inRole("bcc", bcc)];
  if (copies.length === 0) return inRole(null, to);
  const all = [...inRole("to", to), ...copies];
  const first = new Map(all.toReversed().map((recipient) => [recipient.email, recipient]));
  return all.filter((recipient) => first.get(recipient.email) === recipient);
}

/** How many recipients a request names, whether or not its schema has looked at them. */
export function numberOfRecipients({ to, cc = [], bcc = [] }: RecipientsInput): number {
  return [to].flat().length + [cc].flat().length + [bcc].flat().length;
}

/** Says so where a message with cc or bcc names too many. */
export function recipientErrors({ to = [], cc = [], bcc = [] }: Partial<RecipientsInput>): FieldError[] {
  const hasCopies = [cc, bcc].flat().length > 0;
  if (!hasCopies || numberOfRecipients({ to, cc, bcc }) <= MAX_NAMED) return [];
  const message = `A message with cc or bcc has at most ${MAX_NAMED} recipients, in to, cc and bcc together`;
  return [{ field: "to", code: "too_big", message }];
}

/** Whom the header of a message names, and whom it does not; null where each mail names its own recipient, or they are too many. */
export function listsOf(recipients: Recipient[]): RecipientLists | null {
  if (recipients[0]!.role === null || recipients.length > MAX_NAMED) return null;
  const named = (wanted: RecipientRole) =>
    recipients.filter(({ role }) => role === wanted).map(({ email, name }) => ({ email, name }));
  return { to: named("to"), cc: named("cc"), bcc: named("bcc") };
}

function inRole(role: RecipientRole | null, given: MailboxInput | MailboxInput[]): Recipient[] {
  return [given].flat().map((mailbox) => ({ ...toMailbox(mailbox)!, role }));
}
