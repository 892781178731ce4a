import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
import type { DnsAnswer } from "../mail/dns.ts";
import {
  type DomainRecord,
  inheritedDmarcName,
  judgeRecord,
  type RecordPurpose,
  type RecordState,
} from "../mail/domain_records.ts";
import { recordsOf } from "../sending/domains/records.ts";
import { hasSchema } from "./_database.ts";
import { type Check, failure, type Finding, ok, type Patient, skipped, warning } from "./_findings.ts";

type Domain = Awaited<ReturnType<Queries["doctor"]["domains"]>>[number];

/** A record and how it stands; null when the DNS did not answer. */
interface Seen {
  record: DomainRecord;
  state: RecordState | null;
}

const MAX_DOMAINS = 1_000;
const AT_ONCE = 20;
const LOOK_UP_MS = 4_000;
const ALL_MS = 60_000;

/** Names that lead nowhere on purpose (RFC 2606). Postgres reads this, too. */
const RESERVED = /(^|\.)(example|test|invalid|localhost)$|(^|\.)example\.(com|net|org)$/;

const NAMES: Record<RecordPurpose, string> = {
  DKIM: "DKIM record",
  SPF: "SPF record",
  RETURN_PATH: "return path",
  DMARC: "DMARC record",
};

/** The DNS records of every domain, as they are now. What is found changes nothing. */
export const domains: Check = {
  name: "domains",
  limitMs: ALL_MS + 10_000,
  needsDatabase: true,
  async look(patient) {
    const { sql } = patient;
    if (!sql) return skipped("domains", "The database cannot be reached");
    if (!(await hasSchema(patient))) return skipped("domains", "The database is not migrated");
    const all = await q.doctor.domains({ sql }, { reserved: RESERVED.source, limit: MAX_DOMAINS });
    if (all.length === 0) return skipped("domains", "No project has a domain");
    return await lookAtAll(patient, all);
  },
};

async function lookAtAll(patient: Patient, all: Domain[]): Promise<Finding[]> {
  const deadline = performance.now() + ALL_MS;
  const found: Finding[] = all.filter(isReserved).map(reserved);
  if (all.length === MAX_DOMAINS) found.push(skipped("domains", `Only ${MAX_DOMAINS} were checked`));
  const others = all.filter((domain) => !isReserved(domain));
  for (let i = 0; i < others.length; i += AT_ONCE) {
    if (performance.now() > deadline) {
      return [
        ...found,
        skipped("domains", `${others.length - i} more were not checked: there was no time left`),
      ];
    }
    const batch = others.slice(i, i + AT_ONCE);
    const seen = await Promise.all(batch.map((domain) => lookUp(patient, domain)));
    if (seen.flat().every(({ state }) => state === null)) return [...found, silence(patient)];
    found.push(...batch.map((domain, n) => judge(domain, seen[n]!)));
  }
  return found;
}

async function lookUp({ dns, config }: Patient, domain: Domain): Promise<Seen[]> {
  const ask = (name: string, type: "TXT" | "MX"): Promise<DnsAnswer<"TXT" | "MX">> =>
    dns.lookup(name, type, { timeoutMs: LOOK_UP_MS });
  return await Promise.all(
    recordsOf(config, domain).map(async (record) => {
      const state = judgeRecord(record, await ask(record.name, record.type));
      const above =
        record.purpose === "DMARC" && state === "MISSING" ? inheritedDmarcName(record.name) : null;
      return { record, state: above ? judgeRecord(record, await ask(above, "TXT")) : state };
    }),
  );
}

function judge(domain: Domain, seen: Seen[]): Finding {
  const check = `domain ${domain.domain}`;
  const faults = seen.filter(({ state }) => state === "MISSING" || state === "MISMATCH");
  const unknown = seen.filter(({ state }) => state === null);
  const isUnsigned = domain.dkimSelector === null || faults.some(({ record }) => record.purpose === "DKIM");
  const said = [
    ...(domain.dkimSelector === null ? ["it has no DKIM key"] : []),
    ...faults.map(
      ({ record, state }) => `the ${nameOf(record)} is ${state === "MISSING" ? "missing" : "wrong"}`,
    ),
    ...unknown.map(({ record }) => `the DNS does not respond for the ${nameOf(record)}`),
  ];
  if (said.length === 0) {
    return ok(
      check,
      "DKIM, SPF and DMARC are in place: its mails are signed with its own domain, as DMARC requires",
    );
  }
  const message = `Project ${domain.projectName}: ${said.join(", ")}`;
  const advice = [
    ...(isUnsigned ? [consequenceOf(domain)] : []),
    ...(domain.dkimSelector === null ? ["Checking it creates the key: GET /domains/<id>/verify."] : []),
    ...(faults.length > 0 ? ["Publish:", ...faults.map(({ record }) => `  ${lineOf(record)}`)] : []),
    ...(unknown.length > 0 ? ["Check the name servers of the domain, or try again later."] : []),
  ].join("\n");
  // Until the DNS has proved it, nothing is signed; afterwards every signature fails.
  return isUnsigned && domain.verifiedAt ? failure(check, message, advice) : warning(check, message, advice);
}

function consequenceOf({ status, verifiedAt }: Domain): string {
  if (verifiedAt)
    return "Its mails are signed with a key that receivers cannot find: DMARC fails, and they are rejected.";
  if (status === "VERIFIED")
    return "Its mails are not signed: they fail DMARC unless SPF passes, and many are treated as spam.";
  return "Nothing can be sent from it until its DKIM record is published.";
}

function nameOf({ purpose, type }: DomainRecord): string {
  return purpose === "RETURN_PATH" ? `${type} record of the return path` : NAMES[purpose];
}

function lineOf({ type, name, value, priority }: DomainRecord): string {
  return [type, name, ...(priority === undefined ? [] : [priority]), value].join(" ");
}

function isReserved({ domain }: Domain): boolean {
  return RESERVED.test(domain);
}

function reserved({ domain, projectName }: Domain): Finding {
  return skipped(
    `domain ${domain}`,
    `Project ${projectName}: a reserved example name: no receiver accepts mail from it`,
  );
}

function silence({ config }: Patient): Finding {
  const servers = config.DNS_SERVERS || "of the system";
  const message = `The name servers (${servers}) do not respond`;
  const advice =
    "Set DNS_SERVERS to servers that this machine can reach on port 53 (UDP and TCP), or leave it unset to use the system's.";
  return failure("dns", message, advice);
}
