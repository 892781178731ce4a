import type { DirectSettings } from "../../mail/direct_url.ts";
import type { Mailer } from "../../mail/mailer.ts";

/** How mail leaves. */
export type TransportKind = "SMTP" | "DIRECT" | "CAPTURE";

/** A transport in use. */
export interface Transport {
  /** Of its row; `default` for the mail server of the settings. */
  readonly id: string;
  /** Whose it is: all zeros for the installation. */
  readonly projectId: string;
  readonly name: string;
  readonly kind: TransportKind;
  readonly mailer: Mailer;
  /** Of kind DIRECT: as who it sends, and from where. */
  readonly direct: DirectSettings | null;
  /** Header fields that the other side writes itself: they are not signed. */
  readonly writesFields: ReadonlySet<string>;
  priority: number;
  weight: number;
  /** Mails a second; null: as many as go. */
  ratePerSecond: number | null;
  perDay: number | null;
  /** The days of its warm-up, and the first one. */
  warmup: { since: Date; limits: number[] } | null;
  /** Nothing goes this way until then, in milliseconds of the service's time. */
  heldUntil: number;
  /** Of the day, as of 1970, whose mails are used up. */
  fullOn: number | null;
}
