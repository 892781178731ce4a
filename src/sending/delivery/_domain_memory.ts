// What this process has seen of the domains that its mails go to: how long they take, and how many of them are slow.
import { type Gate, OPEN_GATE } from "./_domain_gate.ts";
import { forgetOldest } from "./_forgetting.ts";

/** Where times and chance come from. */
export interface MemoryOptions {
  connections: number;
  /** The service's clock, for what is promised to a domain (milliseconds). */
  now: () => number;
  /** A clock that only continues, for how long things take. */
  clock: () => number;
  random: () => number;
}

/** A domain. */
export interface KnownDomain {
  name: string;
  inFlight: number;
  /** Of these, how many have already taken too long. */
  aged: number;
  /** How long a handover takes, the last ones counting most. Null: none has ended. */
  typicalMs: number | null;
  /** A handover has ended in time. */
  isProven: boolean;
  /** How many may be in progress at once: one at first, few after trouble, and more with each that ends in time. */
  window: number;
  gate: Gate;
}

/** Slower than this many times the median is slow … */
const SLOW_TIMES = 10;
/** … but nothing that takes less than this, whatever the median; and everything that takes more than this. */
const NEVER_SLOW_MS = 500;
export const ALWAYS_SLOW_MS = 10_000;
/** Before this many handovers the median is not meaningful. */
const ENOUGH_SAMPLES = 10;
const UNKNOWN_MEDIAN_MS = 100;
const SAMPLES = 101;
/** The median is recomputed after this many more. */
const REFRESH_AFTER = 8;
/** Slow domains together hold this share of the connections, and half of them when nobody else was seen for a while. */
const SLOW_SHARE = 0.1;
const NOBODY_ELSE_MS = 60_000;
const NEWEST_WEIGHT = 0.25;
const MAX_DOMAINS = 20_000;

/** A memory of domains that knows none yet. What it learns is of this process: every other one learns for itself. */
export class DomainMemory {
  readonly options: MemoryOptions;
  /** How many connections all slow domains share. */
  readonly few: number;
  /** Slower than this is slow. */
  limitMs = SLOW_TIMES * UNKNOWN_MEDIAN_MS;
  /** Handovers that hold a place of the slow ones. */
  slow = 0;
  /** Of these, those of sluggish domains. */
  sluggish = 0;
  /** Of these, those beyond their share: lent to known ones while nobody else was seen, and to one more that is tried. */
  lent = 0;
  private readonly domains = new Map<string, KnownDomain>();
  private readonly samples: number[] = [];
  private sampled = 0;
  private quickAt: number;
  private restUntil = -Infinity;

  constructor(options: MemoryOptions) {
    this.options = options;
    this.few = Math.max(1, Math.floor(options.connections * SLOW_SHARE));
    this.quickAt = options.clock();
  }

  get size(): number {
    return this.domains.size;
  }

  /** What is known of a domain; undefined if nothing is. */
  get(name: string): KnownDomain | undefined {
    return this.domains.get(name);
  }

  /** The same; what is not known yet is noted. */
  remember(name: string): KnownDomain {
    const domain = this.domains.get(name) ?? {
      name,
      inFlight: 0,
      aged: 0,
      typicalMs: null,
      isProven: false,
      // Other unknown domains are tried beside it: one of them may be quick.
      window: 1,
      gate: OPEN_GATE,
    };
    // The youngest are at the end.
    this.domains.delete(name);
    this.domains.set(name, domain);
    forgetOldest(this.domains, MAX_DOMAINS, ({ inFlight }) => inFlight > 0);
    return domain;
  }

  /** Connections of the share of slow ones that are held. What is lent to them is nobody else's fault. */
  get slowOfShare(): number {
    return this.slow - this.lent;
  }

  /** No quick mail was seen for a while. */
  get isAlone(): boolean {
    return this.options.clock() - this.quickAt > NOBODY_ELSE_MS;
  }

  isSlow(domain: KnownDomain): boolean {
    return (
      (domain.typicalMs !== null && domain.typicalMs > this.limitMs) ||
      (domain.aged > 0 && (domain.aged * 2 >= domain.inFlight || domain.aged > this.few))
    );
  }

  /** Its mails end, if late: it may be that only this machine, or the way there, was busy for a moment. */
  isSluggish({ typicalMs, aged }: KnownDomain): boolean {
    return aged === 0 && typicalMs !== null && typicalMs <= ALWAYS_SLOW_MS;
  }

  /**
   * A connection cannot be taken back, so slow ones get no more than this even while nobody waits. One place is kept
   * from those that hold theirs for very long: a domain that was only sluggish can show there that it has recovered.
   */
  slowRoom(domain: KnownDomain): number {
    const { connections, clock } = this.options;
    if (this.isAlone) return Math.max(1, Math.floor(connections / 2)) - this.slow;
    if (clock() < this.restUntil) return 0;
    const left = this.few - this.slowOfShare;
    return this.few > 1 && this.isSluggish(domain) ? Math.max(left, 1 - this.sluggish) : left;
  }

  /**
   * With few connections one slow mail, which has ended now, already held more than the share, so this is balanced over
   * time.
   */
  rest(at: number, tookMs: number): void {
    const share = this.options.connections * SLOW_SHARE;
    if (share < 1) this.restUntil = at + tookMs * (1 / share - 1);
  }

  /** How long a handover of a domain took. */
  noteTime(domain: KnownDomain, tookMs: number): void {
    const { typicalMs } = domain;
    domain.typicalMs = typicalMs === null ? tookMs : typicalMs + NEWEST_WEIGHT * (tookMs - typicalMs);
  }

  /** The domain has taken a mail in time. */
  noteQuick(domain: KnownDomain, at: number): void {
    const { connections } = this.options;
    this.quickAt = at;
    domain.window = domain.isProven ? Math.min(connections, domain.window + 1) : connections;
    domain.isProven = true;
  }

  /** What is slow depends on how long the others take. */
  sample(tookMs: number): void {
    const { samples } = this;
    samples.push(tookMs);
    if (samples.length > SAMPLES) samples.shift();
    if (samples.length < ENOUGH_SAMPLES || ++this.sampled % REFRESH_AFTER > 0) return;
    const median = samples.toSorted((a, b) => a - b)[samples.length >> 1]!;
    this.limitMs = Math.min(ALWAYS_SLOW_MS, Math.max(NEVER_SLOW_MS, SLOW_TIMES * median));
  }
}
