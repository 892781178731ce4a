// What every provider of mail has to tell us how to do.
import type { Notice } from "../../../mail/notice.ts";

/** A request of a webhook. */
export interface ProviderDelivery {
  headers: Headers;
  /** As it came: signatures are made over this. */
  bytes: Uint8Array;
  /** The same, parsed. */
  body: unknown;
  now: Date;
}

/** One thing that a provider has to tell. */
export interface ProviderEvent {
  /** The same when it is told again. */
  id: string;
  notice: Notice;
}

/** How to understand one provider. */
export interface FeedbackProvider {
  /** Half a sentence for why this is not from the provider; null when it is. */
  whyForged(delivery: ProviderDelivery, secret: string): string | null;
  /** What it says about mails. What is of no use here, or cannot be read, is left out. */
  read(delivery: ProviderDelivery): ProviderEvent[];
}
