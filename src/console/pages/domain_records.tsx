// The records of a domain: what is wanted, and what was found.
import type { DnsRecord } from "../api.gen.ts";
import { Copyable } from "../parts/copy.tsx";
import { Status, type Tone } from "../parts/status.tsx";
import classes from "./domains.module.css";

const PURPOSES: Record<DnsRecord["purpose"], { name: string; why: string }> = {
  DKIM: { name: "Signature (DKIM)", why: "Proves that the domain is yours, and signs every mail." },
  SPF: { name: "Senders (SPF)", why: "Names the servers that may send for the domain." },
  RETURN_PATH: { name: "Return path", why: "Returns bounces to Postrider, so that lists stay clean." },
  DMARC: { name: "Policy (DMARC)", why: "Tells receivers what to do with mail that fails the checks." },
};

const STATES: Record<DnsRecord["status"], { tone: Tone; word: string }> = {
  VERIFIED: { tone: "fine", word: "In place" },
  PENDING: { tone: "quiet", word: "Not looked up yet" },
  MISSING: { tone: "warn", word: "Not found" },
  MISMATCH: { tone: "bad", word: "Not right" },
};

/** All records, the required one first. */
export function Records({ records }: { records: DnsRecord[] }) {
  return (
    <div className={classes.records}>
      {records.map((record) => (
        <RecordCard key={`${record.purpose} ${record.type}`} record={record} />
      ))}
    </div>
  );
}

function RecordCard({ record }: { record: DnsRecord }) {
  const { type, name, value, priority, purpose, required, status, found, reason } = record;
  const { tone, word } = STATES[status];
  const title = PURPOSES[purpose].name;
  return (
    <section className={classes.record} aria-label={`${title}, ${type}`}>
      <header className={classes.recordHead}>
        <div>
          <h2 className={classes.recordTitle}>
            {title} <span className={classes.kind}>{required ? "Required" : "Recommended"}</span>
          </h2>
          <p className={classes.why}>{PURPOSES[purpose].why}</p>
        </div>
        <Status status={status} tone={tone}>
          {word}
        </Status>
      </header>
      <dl className={classes.facts}>
        <dt>Type</dt>
        <dd>
          <code>{type}</code>
        </dd>
        <dt>Name</dt>
        <dd>
          <Copyable value={name} label="name" />
        </dd>
        {priority !== undefined && (
          <>
            <dt>Priority</dt>
            <dd>
              <Copyable value={String(priority)} label="priority" />
            </dd>
          </>
        )}
        <dt>Value</dt>
        <dd>
          <Copyable value={value} label="value" />
        </dd>
        {status !== "VERIFIED" && found.length > 0 && (
          <>
            <dt>Found</dt>
            <dd className={classes.found}>
              {found.map((text, i) => (
                <code key={i}>{text}</code>
              ))}
            </dd>
          </>
        )}
      </dl>
      {reason && <p className={classes.reason}>{reason}.</p>}
    </section>
  );
}
