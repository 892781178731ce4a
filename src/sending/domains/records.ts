// The records of a domain as its project sees them: what to publish, and their state.
import { type Config, inboundHost } from "../../config.ts";
import { type DomainRecord, keyOf, neededRecords, type RecordState } from "../../mail/domain_records.ts";

/** A record and its state when the DNS last answered about it. */
export interface ShownRecord extends DomainRecord {
  status: RecordState;
}

/** What the states of a domain's records are kept under. */
export type RecordStates = Record<string, RecordState>;

/** What of a domain its records are made of. */
export interface RecordedDomain {
  domain: string;
  returnPath: string;
  dkimSelector: string | null;
  dkimPublicKey: string | null;
}

/** The records that a domain needs with the settings of today. */
export function recordsOf(config: Config, row: RecordedDomain): DomainRecord[] {
  const { domain, returnPath, dkimSelector: selector, dkimPublicKey: publicKey } = row;
  const dkim = selector !== null && publicKey !== null ? { selector, publicKey } : null;
  const host = inboundHost(config);
  return neededRecords({ domain, returnPath, dkim, host, spfInclude: config.SPF_INCLUDE?.toLowerCase() });
}

/** The same, each with its state. */
export function shownRecordsOf(
  config: Config,
  row: RecordedDomain & { recordStates: unknown },
): ShownRecord[] {
  const states = row.recordStates as RecordStates;
  return recordsOf(config, row).map((record) => ({ ...record, status: states[keyOf(record)] ?? "PENDING" }));
}
