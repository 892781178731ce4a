// What the mails of one message have in common, where it has several recipients who all see the same.

/** What a row of the ledger says of its message. */
export interface RowOfMessage {
  id: string;
  parentId: string | null;
  resendOf: string | null;
  /** What `first_recipient` of the database answers for its parent. */
  firstRecipient: unknown;
}

/** A contact, as templates show it. */
export interface ShownContact {
  id: string;
  email: string;
  subscribed: boolean;
  data: Record<string, unknown>;
}

/** The message of a mail. */
export interface MessageOfMail {
  /** Whose data the mail shows; null once that contact is gone. Left out: those of its own recipient, who is the first. */
  first?: ShownContact | null;
  /** The mail that all of them have their Message-ID from; null for one that was sent again. */
  idFrom: string | null;
}

/** Null for a mail that names its own recipient only. */
export function messageOfMail({
  id,
  parentId,
  resendOf,
  firstRecipient,
}: RowOfMessage): MessageOfMail | null {
  if (parentId === null) return null;
  return {
    ...(parentId !== id && { first: firstRecipient as ShownContact | null }),
    idFrom: resendOf === null ? parentId : null,
  };
}
