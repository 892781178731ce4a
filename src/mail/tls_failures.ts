// How often connections to the servers of recipients could not be encrypted as they should, by who keeps the mailboxes.

/** Counted over all mailers that share it. */
export interface TlsFailures {
  /** Of a provider such as `google`, or of a domain. */
  count(provider: string): void;
  /** At most 51: what comes later is `other`. */
  readonly counts: ReadonlyMap<string, number>;
}

const MAX_COUNTED = 50;

/** None yet. */
export function createTlsFailures(): TlsFailures {
  const counts = new Map<string, number>();
  return {
    counts,
    count(provider) {
      const name = counts.has(provider) || counts.size < MAX_COUNTED ? provider : "other";
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
  };
}
