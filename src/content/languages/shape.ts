/** A page that says one thing. `{project}` and `{address}` stand for the sender and the reader. */
export interface PagePhrases {
  heading: string;
  text: string;
}

/** A page with one button. */
export interface ActionPhrases extends PagePhrases {
  note: string;
  button: string;
}

/**
 * All texts for recipients: one file a language, polite, and without a guess at anyone's gender. A new language is one
 * more file, and one more line in `phrases.ts`.
 */
export interface Phrases {
  /** The end of a MARKETING mail. */
  footer: { reason: string; unsubscribe: string; manage: string };
  /** Asks before unsubscribing. */
  leave: ActionPhrases;
  /** Unsubscribed; the button takes it back. */
  left: ActionPhrases;
  /** Asks before subscribing. */
  join: ActionPhrases;
  /** Subscribed; the button takes it back. */
  joined: ActionPhrases;
  /** The choice between the two. */
  manage: PagePhrases & { yes: string; no: string; button: string; saved: string };
  /** A link that belongs to nobody. */
  missing: PagePhrases;
  /** The link of a mail that was sent as a test. */
  preview: PagePhrases;
  /** Too many requests. */
  busy: PagePhrases;
  /** Anything else that went wrong. */
  trouble: PagePhrases;
}
