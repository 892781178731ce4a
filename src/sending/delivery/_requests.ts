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
  refused: RefusedByRate[];
}

/** It has to wait for that many milliseconds; `isApart`: with the mails that wait apart. */
export interface RefusedByRate {
  request: DeliveryRequest;
  waitMs: number;
  isApart?: boolean;
  /** The transport that it waits for has this rate. */
  transportRate?: TransportRate;
}

/** Mails a second of a transport. */
export interface TransportRate {
  transportId: string;
  rate: number;
}

interface PostponedOptions {
  isShutOut?: boolean;
  transportRate?: TransportRate | undefined;
}

/** The rate does not allow this mail for a while. The caller should do something else, and ask again then. */
export class Postponed extends Error {
  readonly waitMs: number;
  /** No transport takes it now, and not only a rate. */
  readonly isShutOut: boolean;
  /** It waits for this one. */
  readonly transportRate: TransportRate | undefined;

  constructor(waitMs: number, { isShutOut = false, transportRate }: PostponedOptions = {}) {
    super("The sending rate does not allow more at the moment");
    this.waitMs = waitMs;
    this.isShutOut = isShutOut;
    this.transportRate = transportRate;
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
