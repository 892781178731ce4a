// Which DNS records a sender domain needs, and what a DNS answer says about them. No look-up is made here.

import type { DnsAnswer, DnsRecords } from "./dns.ts";
import { registeredDomain } from "./domain_name.ts";

/** What a record is for. */
export type RecordPurpose = "DKIM" | "SPF" | "RETURN_PATH" | "DMARC";

/**
 * The state of a record: VERIFIED, MISSING, MISMATCH (there is a different one), or PENDING while the DNS has not
 * answered yet.
 */
export type RecordState = "PENDING" | "VERIFIED" | "MISSING" | "MISMATCH";

/** A record that the owner of a domain is asked to publish. */
export interface DomainRecord {
  type: "TXT" | "MX";
  name: string;
  value: string;
  priority?: number;
  purpose: RecordPurpose;
  /** Without it the domain is not verified; the others are advice. */
  required: boolean;
}

/** What the records of a domain are made of. */
export interface RecordFacts {
  domain: string;
  /** The domain that bounces go to. */
  returnPath: string;
  /** Null while the domain has no key. */
  dkim: { selector: string; publicKey: string } | null;
  /** The host of this installation, where it has a name. */
  host: string | null;
  /** What an SPF record must include. */
  spfInclude: string | undefined;
}

const mxPriority = 10;
/** No record of ours comes near that, and a text is scanned several times. */
const MAX_TEXT = 4_096;

/** The records of a domain, the required one first. A return path is offered only where bounces can be taken. */
export function neededRecords({ domain, returnPath, dkim, host, spfInclude }: RecordFacts): DomainRecord[] {
  const spf = `v=spf1 ${spfInclude ? `include:${spfInclude}` : host ? `a:${host}` : "a mx"} ~all`;
  const advice = { type: "TXT", required: false } as const;
  const records: DomainRecord[] = [{ ...advice, name: domain, value: spf, purpose: "SPF" }];
  if (dkim) {
    const name = `${dkim.selector}._domainkey.${domain}`;
    const value = `v=DKIM1; k=rsa; p=${dkim.publicKey}`;
    records.unshift({ type: "TXT", name, value, purpose: "DKIM", required: true });
  }
  if (host) {
    const back = { name: returnPath, purpose: "RETURN_PATH", required: false } as const;
    records.push({ ...back, type: "MX", value: host, priority: mxPriority });
    records.push({ ...back, type: "TXT", value: spf });
  }
  const dmarc = { ...advice, name: `_dmarc.${domain}`, value: "v=DMARC1; p=none;" };
  return [...records, { ...dmarc, purpose: "DMARC" }];
}

/** What tells a record from the others of its domain, also when its name or value changes. */
export function recordKey({ purpose, type }: Pick<DomainRecord, "purpose" | "type">): string {
  return `${purpose} ${type}`;
}

/** What an answer says about a record; null when the DNS did not answer. */
export function judgeRecord(record: DomainRecord, answer: DnsAnswer<"TXT" | "MX">): RecordState | null {
  if (answer.state === "failed") return null;
  if (answer.state !== "found") return "MISSING";
  if (record.type === "MX") return judgeMx(record, answer.records as DnsRecords["MX"][]);
  const texts = answer.records as string[];
  if (texts.some(({ length }) => length > MAX_TEXT)) return "MISMATCH";
  switch (record.purpose) {
    case "DKIM":
      return judgeDkim(record, texts);
    case "DMARC":
      return judgeDmarc(texts);
    default:
      return judgeSpf(record, texts);
  }
}

/**
 * Where receivers look when a domain has no DMARC record of its own (RFC 7489, 6.6.3); null when there is no further
 * place.
 */
export function inheritedDmarcName(name: string): string | null {
  const domain = name.slice("_dmarc.".length);
  const registered = registeredDomain(domain);
  return registered === domain ? null : `_dmarc.${registered}`;
}

/**
 * The key must be ours in every key record of that name: with several, each receiver picks any (RFC 6376, 3.6.2.2).
 * Text that is not a key record does no harm.
 */
function judgeDkim(record: DomainRecord, texts: string[]): RecordState {
  const ours = readTags(record.value)!.get("p")!;
  const keys = texts.map(readTags).filter((tags) => tags?.has("p"));
  return keys.length > 0 && keys.every((tags) => isUsableKey(tags!, ours)) ? "VERIFIED" : "MISMATCH";
}

function isUsableKey(tags: Map<string, string>, ours: string): boolean {
  const allows = (tag: string, ...wanted: string[]) => {
    const given = tags.get(tag)?.toLowerCase().split(":");
    return !given || given.some((word) => wanted.includes(word.trim()));
  };
  return (
    withoutPadding(tags.get("p")!) === withoutPadding(ours) &&
    (tags.get("v") ?? "DKIM1") === "DKIM1" &&
    allows("k", "rsa") &&
    allows("h", "sha256") &&
    allows("s", "*", "email")
  );
}

function withoutPadding(key: string): string {
  return key.replace(/\s+/g, "").replace(/={1,2}$/, "");
}

/** The `tag=value` list of DKIM and DMARC; null when it is none, or names a tag twice. */
export function readTags(text: string): Map<string, string> | null {
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    if (part.trim() === "") continue;
    const [, name, value] = /^\s*([a-z]\w*)\s*=([\s\S]*)$/i.exec(part) ?? [];
    if (name === undefined || tags.has(name)) return null;
    tags.set(name, value!.trim());
  }
  return tags;
}

/**
 * More than one SPF record counts as none (RFC 7208, 4.5). The configured name has to be included. Where the sending
 * provider is unknown, the record must allow somebody: bounces come back to the return path, whose record is ours
 * alone.
 */
function judgeSpf(record: DomainRecord, texts: string[]): RecordState {
  const policies = texts.filter((text) => /^v=spf1( |$)/i.test(text));
  if (policies.length === 0) return "MISSING";
  if (policies.length > 1) return "MISMATCH";
  const terms = effectiveTerms(policies[0]!);
  const wanted = effectiveTerms(record.value).find((term) => /^(include|a):/.test(term));
  const isNamed = wanted !== undefined && (wanted.startsWith("include:") || record.purpose === "RETURN_PATH");
  return (isNamed ? letsThrough(terms, wanted) : letsSomebodyThrough(terms)) ? "VERIFIED" : "MISMATCH";
}

/** Receivers evaluate the terms in order: the first that matches a sender decides. */
function letsThrough(terms: string[], wanted: string): boolean {
  const first = terms.find((term) => term.replace(/^[-+?~]/, "") === wanted);
  return first !== undefined && /^[+a-z]/.test(first);
}

/** A record without an `all` rejects nobody. */
function letsSomebodyThrough(terms: string[]): boolean {
  const end = terms.findIndex(isAll);
  return end === -1 || terms.some((term) => /^\+?[a-z]/.test(term) && !term.includes("="));
}

/** The terms of a policy, without its version, up to the one that matches everybody: nothing is read after it. */
export function effectiveTerms(policy: string): string[] {
  const terms = policy.toLowerCase().split(/ +/).slice(1);
  const end = terms.findIndex(isAll);
  return end === -1 ? terms : terms.slice(0, end + 1);
}

function isAll(term: string): boolean {
  return /^[-+?~]?all$/.test(term);
}

function judgeDmarc(texts: string[]): RecordState {
  const policies = texts.filter((text) => /^v\s*=\s*DMARC1\s*(;|$)/.test(text));
  if (policies.length === 0) return "MISSING";
  const policy = readTags(policies[0]!)?.get("p")?.toLowerCase() ?? "";
  const isOne = policies.length === 1 && ["none", "quarantine", "reject"].includes(policy);
  return isOne ? "VERIFIED" : "MISMATCH";
}

/** Bounces go to the most preferred server, so that one has to be ours. */
function judgeMx(record: DomainRecord, servers: DnsRecords["MX"][]): RecordState {
  const preferred = servers.filter(({ preference }) => preference === servers[0]!.preference);
  return preferred.every(({ exchange }) => exchange === record.value) ? "VERIFIED" : "MISMATCH";
}
