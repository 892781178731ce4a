// How attempts to hand mails over end, counted by the hour for `GET /deliverability`: added up in memory, so that a pass of
// delivery writes a row for each mailbox provider in it, and not for each mail.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { namedProvider } from "../../mail/mailbox_provider.ts";
import type { Handover } from "../../mail/mailer.ts";
import { INSTALLATION } from "../transports/routes.ts";

/** What ended an attempt. `returned`: after it was accepted. */
export type AttemptEnd = "accepted" | "deferred" | "bounced" | "refused" | "returned" | "complained";

/** One attempt, or what came back of one. */
export interface MailAttempt {
  end: AttemptEnd;
  at: Date;
  projectId: string;
  /** The address that it went to. */
  address: string;
  /** The address that it came from. */
  from: string;
  /** Null: the mail server of the settings. */
  transportId: string | null;
  /** Of an accepted one: since the first attempt. */
  tookMs?: number;
  /** Where the recipient's own server was seen. */
  via?: Handover["via"];
  /** Who keeps the mailbox, where it was seen earlier. */
  provider?: string | null;
}

/** A row of `delivery_hour_deltas`. */
export interface DeliveryFigures {
  project_id: string;
  hour: Date;
  sender_domain: string;
  provider: string;
  transport_id: string;
  accepted_times: number[];
  deferred: number;
  bounced: number;
  refused: number;
  returned: number;
  complained: number;
  encrypted: number;
  unencrypted: number;
}

/** Until when a mail counts to each of `accepted_times`, in milliseconds; the last one has no end. */
export const TIME_LIMITS_MS = [
  250,
  500,
  1_000,
  2_000,
  5_000,
  15_000,
  60_000,
  300_000,
  1_800_000,
  7_200_000,
  43_200_000,
  Infinity,
] as const;

const HOUR_MS = 3_600_000;

/** Adds attempts up: a row for each of what they have in common. */
export function figuresOf(attempts: readonly MailAttempt[]): DeliveryFigures[] {
  const rows = new Map<string, DeliveryFigures>();
  for (const attempt of attempts) {
    const of = placeOf(attempt);
    const key = `${of.project_id} ${of.hour.getTime()} ${of.sender_domain} ${of.provider} ${of.transport_id}`;
    const row = rows.get(key) ?? { ...of, ...nothing() };
    rows.set(key, row);
    count(row, attempt);
  }
  return [...rows.values()];
}

/** Counts what came back, in the transaction of `tx`. */
export async function countReturns(tx: Context, attempts: readonly MailAttempt[]): Promise<void> {
  if (attempts.length > 0) await q.deliverability.add(tx, { figures: figuresOf(attempts) });
}

/** Who keeps a mailbox, by the server that took its mail; null where the address alone says the same. */
export function unsaidProvider(address: string, via: Handover["via"]): string | null {
  const seen = namedProvider(domainIn(address), via?.provider);
  return seen === namedProvider(domainIn(address)) ? null : seen;
}

function placeOf({ projectId, at, address, from, transportId, via, provider }: MailAttempt) {
  return {
    project_id: projectId,
    hour: new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS),
    sender_domain: domainIn(from),
    provider: provider ?? namedProvider(domainIn(address), via?.provider),
    transport_id: transportId ?? INSTALLATION,
  };
}

function nothing() {
  return {
    accepted_times: TIME_LIMITS_MS.map(() => 0),
    deferred: 0,
    bounced: 0,
    refused: 0,
    returned: 0,
    complained: 0,
    encrypted: 0,
    unencrypted: 0,
  };
}

function count(row: DeliveryFigures, { end, tookMs = 0, via }: MailAttempt): void {
  if (end !== "accepted") return void (row[end] += 1);
  const place = TIME_LIMITS_MS.findIndex((limit) => tookMs <= limit);
  row.accepted_times[place]! += 1;
  if (via) row[via.tls ? "encrypted" : "unencrypted"] += 1;
}

/** In lower case; of an address that was forgotten, the hash that is left of it. */
function domainIn(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}
