/** The message id of a ledger row: the same at every attempt, in the domain of the sender. */
export function messageIdOf(emailId: string, fromEmail: string): string {
  return `${emailId}@${fromEmail.slice(fromEmail.lastIndexOf("@") + 1)}`;
}
