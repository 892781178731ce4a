/**
 * The message id of a ledger row: the same at every attempt, in the domain of the sender. Mails of one message have it from
 * `sharedBy`, so that answers belong together; it does not begin like the id of a mail, for which notices would take it.
 */
export function messageIdOf(emailId: string, fromEmail: string, sharedBy: string | null = null): string {
  const local = sharedBy === null ? emailId : `all-${sharedBy}`;
  return `${local}@${fromEmail.slice(fromEmail.lastIndexOf("@") + 1)}`;
}
