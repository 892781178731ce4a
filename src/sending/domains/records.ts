// The records of a domain as its project sees them: what to publish, and their state.
import { type Config, inboundHost } from "../../config/mod.ts";
import { type DomainRecord, recordKey, neededRecords, type RecordState } from "../../mail/domain_records.ts";
import type { RecordFinding } from "../../mail/record_findings.ts";

/** A record, its state when the DNS last answered about it, and what was found then. */
export interface ShownRecord extends DomainRecord, RecordFinding {
  status: RecordState;
}

/** What the states of a domain's records are kept under. */
export type RecordStates = Record<string, RecordState>;

/** What was found in place of them is kept under the same. */
export type RecordFindings = Record<string, RecordFinding>;

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

const NOTHING_FOUND: RecordFinding = { found: [], reason: null };

/** The same, each with its state. */
export function shownRecordsOf(
  config: Config,
  row: RecordedDomain & { recordStates: unknown; recordFindings: unknown },
): ShownRecord[] {
  const states = row.recordStates as RecordStates;
  const findings = row.recordFindings as RecordFindings;
  return recordsOf(config, row).map((record) => ({
    ...record,
    status: states[recordKey(record)] ?? "PENDING",
    ...(findings[recordKey(record)] ?? NOTHING_FOUND),
  }));
}
