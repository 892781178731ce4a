// The behaviour of recipient domains, as far as this process has seen: it takes observations, and decides whether a
// mail to a domain may begin now, in a moment, or has to wait apart from the others.
import {
  type Gate,
  gateAfter,
  gateAsked,
  gateUnasked,
  isOpen,
  OPEN_GATE,
  probesLeft,
} from "./_domain_gate.ts";
import { forgetOldest } from "./_forgetting.ts";
import { type Trials, createTrials } from "./_domain_trials.ts";

/** What a handover said about the domain. `unknown`: nothing, as when our mail server could not be reached. */
export type Verdict = "answered" | "deferred" | "unknown";

/** `soon`: as soon as others are done; `trying`: when it is known how the domain takes them; `apart`: not for long. */
export type Leave = "now" | "soon" | "trying" | "apart";

/** A mail that holds a place, from the choice until its handover has ended. */
export interface Flight {
  /** It holds one of the places of slow domains. */
  readonly isSlow: boolean;
  /** The handover begins. */
  begin(): void;
  /** Something of ours is slow, which says nothing about the domain, until the returned function is called. */
  pause(): () => void;
  /** The handover has ended. */
  end(verdict: Verdict): void;
  /** It never began. */
  cancel(): void;
}

/** Who asks for a place for a mail. */
export interface Asking {
  domain: string;
  /** Whose mails they are: the campaigns of a project, or its single mails. */
  owner: string;
  /** How many mails to the domain are known to wait. */
  waiting: number;
  /** Some of them have been sent to wait apart. */
  isApart: boolean;
}

/** How many mails may come back, and as what: `few` share their places with other domains, `probes` ask a failing one. */
export interface DomainRoom {
  mails: number;
  as: "few" | "probes" | "many";
}

/** What is known of the domains. */
export interface DomainPace {
  /** Handovers that hold a place of the slow ones. */
  readonly slow: number;
  ask(asking: Asking): Leave;
  /** Takes a place. `onSlow` is called once if the mail turns out to be slow, at once if its domain is known to be. */
  take(asking: Asking, onSlow: () => void): Flight;
  /** How many mails of a domain are under way. */
  inFlight(domain: string): number;
  /** How many mails to the domain, of those that wait apart, may come back. */
  room(domain: string): DomainRoom;
  /** Whether the domain has stopped taking mail, and waits for its next trial. */
  isFailing(domain: string): boolean;
  /** To be called every {@linkcode TICK_MS} while something is under way. True when more mails have become slow. */
  tick(): boolean;
  /** How many domains it keeps in mind. */
  readonly size: number;
}

/** What the pace is made of. */
export interface PaceOptions {
  connections: number;
  /** The service's clock, for what is promised to a domain (milliseconds). */
  now: () => number;
  /** A clock that only goes on, for how long things take. */
  clock?: () => number;
  random?: () => number;
}

interface Domain {
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

export const TICK_MS = 100;
/** Slower than this many times the median is slow … */
const SLOW_TIMES = 10;
/** … but nothing that takes less than this, whatever the median; and everything that takes more than this. */
const NEVER_SLOW_MS = 500;
const ALWAYS_SLOW_MS = 10_000;
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
export function createDomainPace(options: PaceOptions): DomainPace {
  const { connections, now, clock = () => performance.now(), random = Math.random } = options;
  const few = Math.max(1, Math.floor(connections * SLOW_SHARE));
  const domains = new Map<string, Domain>();
  const flights = new Set<OpenFlight>();
  const trials: Trials = createTrials({ connections, few, clock });
  const samples: number[] = [];
  let sampled = 0;
  let limitMs = SLOW_TIMES * UNKNOWN_MEDIAN_MS;
  let slow = 0;
  /** Of these, those of sluggish domains. */
  let sluggish = 0;
  let quickAt = clock();
  let restUntil = -Infinity;

  interface OpenFlight {
    /** Grows older until this moment. A process that stood still must not take that for the slowness of others. */
    see(at: number): boolean;
  }

  const isSlow = (domain: Domain) =>
    (domain.typicalMs !== null && domain.typicalMs > limitMs) ||
    (domain.aged > 0 && (domain.aged * 2 >= domain.inFlight || domain.aged > few));
  const isAlone = () => clock() - quickAt > NOBODY_ELSE_MS;
  /** Its mails end, if late: it may be that only this machine, or the way there, was busy for a moment. */
  const isSluggish = ({ typicalMs, aged }: Domain) =>
    aged === 0 && typicalMs !== null && typicalMs <= ALWAYS_SLOW_MS;
  /**
   * A connection cannot be taken back, so slow ones get no more than this even while nobody waits. One place is kept
   * from those that hold theirs for very long: a domain that was only sluggish can show there that it has recovered.
   */
  const slowRoom = (domain: Domain) => {
    if (isAlone()) return Math.max(1, Math.floor(connections / 2)) - slow;
    if (clock() < restUntil) return 0;
    if (few > 1 && isSluggish(domain)) return Math.max(few - slow, 1 - sluggish);
    return few - slow;
  };

  const ask = (asking: Asking): Leave => {
    const { domain: name } = asking;
    const domain = domains.get(name);
    if (domain && !isOpen(domain.gate)) return probesLeft(domain.gate, now()) > 0 ? "now" : "apart";
    if (domain && isSlow(domain)) return slowRoom(domain) > 0 ? "now" : "apart";
    if (domain && domain.inFlight >= domain.window) return domain.isProven ? "soon" : "trying";
    return domain?.isProven ? "now" : trials.ask(asking, slow);
  };

  const known = (name: string): Domain => {
    const domain = domains.get(name) ?? {
      name,
      inFlight: 0,
      aged: 0,
      typicalMs: null,
      isProven: false,
      // Other unknown domains are tried beside it: one of them may be quick.
      window: 1,
      gate: OPEN_GATE,
    };
    // The youngest stand at the end.
    domains.delete(name);
    domains.set(name, domain);
    forgetOldest(domains, MAX_DOMAINS, ({ inFlight }) => inFlight > 0);
    return domain;
  };
  const sample = (tookMs: number) => {
    samples.push(tookMs);
    if (samples.length > SAMPLES) samples.shift();
    if (samples.length < ENOUGH_SAMPLES || ++sampled % REFRESH_AFTER > 0) return;
    const median = samples.toSorted((a, b) => a - b)[samples.length >> 1]!;
    limitMs = Math.min(ALWAYS_SLOW_MS, Math.max(NEVER_SLOW_MS, SLOW_TIMES * median));
  };

  const take = ({ domain: name, owner }: Asking, onSlow: () => void): Flight => {
    const domain = known(name);
    const isKnownSlow = isSlow(domain);
    const wasQuick = domain.isProven && !isKnownSlow;
    const isSluggishOne = isKnownSlow && isSluggish(domain);
    // Without results there was no trial.
    const withdraw = () => {
      trial?.cancel();
      if (isProbe) domain.gate = gateUnasked(domain.gate);
    };
    let trial = domain.isProven || isKnownSlow ? null : trials.begin(owner, slow);
    let isMarked = false;
    let isAged = false;
    let beganAt = 0;
    let pausedMs = 0;
    const mark = () => {
      if (isMarked) return;
      isMarked = true;
      slow += 1;
      onSlow();
    };
    let age = 0;
    let seenAt = 0;
    let isPaused = false;
    const own: OpenFlight = {
      see(at) {
        if (!isPaused) age += Math.min(at - seenAt, TICK_MS * 2);
        seenAt = at;
        if (isAged || age <= limitMs) return false;
        isAged = true;
        domain.aged += 1;
        if (isSlow(domain)) domain.window = few;
        trial?.fail();
        trial = null;
        mark();
        return true;
      },
    };
    const leave = () => {
      flights.delete(own);
      domain.inFlight -= 1;
      if (isAged) domain.aged -= 1;
      if (isMarked) slow -= 1;
      if (isSluggishOne) sluggish -= 1;
    };
    domain.inFlight += 1;
    if (isSluggishOne) sluggish += 1;
    const isProbe = !isOpen(domain.gate);
    if (isProbe) domain.gate = gateAsked(domain.gate, now());
    if (isKnownSlow) mark();
    return {
      get isSlow() {
        return isMarked;
      },
      begin() {
        beganAt = clock();
        seenAt = beganAt;
        flights.add(own);
      },
      pause() {
        const since = clock();
        own.see(since);
        isPaused = true;
        return () => {
          own.see(clock());
          isPaused = false;
          pausedMs += clock() - since;
        };
      },
      cancel() {
        leave();
        withdraw();
      },
      end(verdict) {
        const at = clock();
        own.see(at);
        const tookMs = Math.min(at - beganAt - pausedMs, age);
        leave();
        // With few connections one slow mail already holds more than the share, so this is balanced over time. The
        // first one of a domain that was quick is no reason to keep everybody waiting.
        if (isMarked && !wasQuick && connections * SLOW_SHARE < 1) {
          restUntil = at + tookMs * (1 / (connections * SLOW_SHARE) - 1);
        }
        if (verdict === "unknown") return withdraw();
        const { typicalMs } = domain;
        domain.typicalMs = typicalMs === null ? tookMs : typicalMs + NEWEST_WEIGHT * (tookMs - typicalMs);
        domain.gate = gateAfter(domain.gate, verdict, { beganAt, endedAt: at, now: now(), random });
        const isQuick = !isAged && tookMs <= limitMs;
        if (isQuick) trial?.succeed();
        else trial?.fail();
        if (verdict === "deferred") return;
        sample(tookMs);
        if (!isQuick) return;
        quickAt = at;
        domain.window = domain.isProven ? Math.min(connections, domain.window + 1) : connections;
        domain.isProven = true;
      },
    };
  };

  return {
    get slow() {
      return slow;
    },
    get size() {
      return domains.size;
    },
    ask,
    take,
    inFlight: (name) => domains.get(name)?.inFlight ?? 0,
    room(name) {
      const domain = domains.get(name);
      if (domain && !isOpen(domain.gate)) return { mails: probesLeft(domain.gate, now()), as: "probes" };
      if (domain?.isProven && !isSlow(domain)) return { mails: connections * 2, as: "many" };
      return { mails: domain && isSlow(domain) ? slowRoom(domain) : few - slow, as: "few" };
    },
    isFailing: (name) => !isOpen(domains.get(name)?.gate ?? OPEN_GATE),
    tick() {
      const at = clock();
      let isNews = false;
      for (const flight of flights) {
        if (flight.see(at)) isNews = true;
      }
      return isNews;
    },
  };
}
