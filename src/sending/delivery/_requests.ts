// What the dispatcher is asked for, and why it may refuse.
import type { SpanContext } from "@opentelemetry/api";
import type { RoutedKind } from "../transports/routes.ts";
import type { AcceptedContent } from "./accepted_content.ts";

/** A mail that somebody wants delivered. Those of a campaign are bulk: they never hold another one back. */
export interface DeliveryRequest {
  projectId: string;
  emailId: string;
  campaignId: string | null;
  /** The domain of its recipient. */
  domain: string;
  /** What it says, where this process has just accepted it: it is not read back. */
  content?: AcceptedContent | null;
  /** What kind of mail it is, where the routes of its project ask. */
  kind?: RoutedKind | null;
  /** The span that asks for it, or has accepted it, where that is recorded. */
  trace?: SpanContext | undefined;
  /** The transport that it was given to in this process. */
  transportId?: string;
}

/** Says which requests may go ahead now. */
export interface RateAdmission {
  admitted: DeliveryRequest[];
  /** They have to wait for that many milliseconds; `isApart`: with the mails that wait apart. */
  refused: { request: DeliveryRequest; waitMs: number; isApart?: boolean }[];
}

/** The rate does not allow this mail for a while. The caller should do something else, and ask again then. */
export class Postponed extends Error {
  readonly waitMs: number;
  /** No transport takes it now, and not only a rate. */
  readonly isShutOut: boolean;

  constructor(waitMs: number, { isShutOut = false } = {}) {
    super("The sending rate does not allow more at the moment");
    this.waitMs = waitMs;
    this.isShutOut = isShutOut;
  }
}

/** The domain of the recipient is slow, or takes no mail: this one has to wait apart from the others. */
export class Apart extends Error {
  /** It takes no mail. */
  readonly isFailing: boolean;

  constructor(isFailing: boolean) {
    super("The recipient's domain has no capacity at the moment");
    this.isFailing = isFailing;
  }
}

/** As `recipient_domain` says it. */
export function domainOfAddress(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}
