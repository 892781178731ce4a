// What the DNS has in place of a record, and why that is not right: for the people who publish it.
import type { DnsAnswer, DnsRecords } from "./dns.ts";
import { type DomainRecord, effectiveTerms, readTags, type RecordState } from "./domain_records.ts";

/** What was found at the name of a record. */
export interface RecordFinding {
  /** The values, as the DNS has them; for SPF and DMARC only those that are meant to be such records. */
  found: string[];
  /** Why the record is not right, in a sentence; null if it is. */
  reason: string | null;
}

const MAX_FOUND = 5;
/** Twice the length of a key record. */
const MAX_FOUND_LENGTH = 800;

/** What to show of an answer that was judged as `state`. */
export function findingOf(
  record: DomainRecord,
  state: RecordState,
  answer: DnsAnswer<"TXT" | "MX">,
): RecordFinding {
  const values = answer.state === "found" ? valuesOf(record, answer.records) : [];
  return {
    found: values.slice(0, MAX_FOUND).map((value) => value.slice(0, MAX_FOUND_LENGTH)),
    reason: state === "VERIFIED" || state === "PENDING" ? null : reasonOf(record, state, values),
  };
}

function valuesOf({ type, purpose }: DomainRecord, records: DnsRecords["TXT" | "MX"][]): string[] {
  if (type === "MX") {
    return (records as DnsRecords["MX"][]).map(({ preference, exchange }) => `${preference} ${exchange}`);
  }
  const texts = records as string[];
  if (purpose === "DKIM") return texts;
  return texts.filter((text) => (purpose === "DMARC" ? /^v\s*=\s*DMARC1/i : /^v=spf1/i).test(text));
}

function reasonOf(record: DomainRecord, state: RecordState, values: string[]): string {
  if (state === "MISSING" || values.length === 0) return `There is no ${kindOf(record)} at this name`;
  if (record.type === "MX")
    return `Bounces go to ${values[0]!.split(" ")[1]} first, and not to ${record.value}`;
  if (record.purpose === "DKIM") return reasonOfKey(record, values);
  if (values.length > 1) {
    return `There are ${values.length} ${kindOf(record)}s, of which receivers take none: merge them into one`;
  }
  if (record.purpose === "DMARC") return "Its policy has to be p=none, p=quarantine or p=reject";
  return reasonOfPolicy(record, values[0]!);
}

function kindOf({ type, purpose }: DomainRecord): string {
  if (type === "MX") return "MX record";
  return { DKIM: "TXT record", DMARC: "DMARC record", SPF: "SPF record", RETURN_PATH: "SPF record" }[purpose];
}

function reasonOfKey(record: DomainRecord, values: string[]): string {
  const ours = keyIn(record.value)!;
  const keys = values.map(keyIn).filter((key) => key !== null);
  if (keys.length === 0) return "The TXT record holds no key: publish the whole value, from v=DKIM1 on";
  if (keys.length > 1) return `There are ${keys.length} keys at this name: leave only this one`;
  const [key] = keys as [string];
  if (key === "") return "The key is empty, which says that it was revoked";
  if (key === ours)
    return "The key is right, but another part of the record forbids its use: publish this value";
  if (key.length < ours.length && ours.startsWith(key)) {
    return `The key is cut off after ${key.length} of ${ours.length} characters: split the value into strings of at most 255 characters`;
  }
  return "The key is another one: replace the value with this one";
}

function keyIn(text: string): string | null {
  const key = readTags(text)?.get("p");
  return key === undefined ? null : key.replace(/\s+/g, "").replace(/={1,2}$/, "");
}

function reasonOfPolicy(record: DomainRecord, policy: string): string {
  const wanted = effectiveTerms(record.value).find((term) => /^(include|a):/.test(term));
  if (wanted === undefined) return "It lets nobody send for the domain: name the servers that do";
  const isAfterAll = policy.toLowerCase().split(/ +/).includes(wanted);
  if (isAfterAll) return `${wanted} stands after “all”, where nothing is read: move it before it`;
  if (effectiveTerms(policy).some((term) => /^[-?~]/.test(term) && term.slice(1) === wanted)) {
    return `It refuses ${wanted}: take away the sign before it`;
  }
  return `It does not name this service: add ${wanted} before “all”`;
}
