// The behaviour of recipient domains, as far as this process has seen: it takes observations, and decides whether a
// mail to a domain may begin now, in a moment, or has to wait apart from the others.
import { type Flight, OpenFlight, type Sky } from "./_domain_flight.ts";
import { isOpen, OPEN_GATE, probesLeft } from "./_domain_gate.ts";
import { DomainMemory } from "./_domain_memory.ts";
import { createTrials } from "./_domain_trials.ts";

export { type Flight, TICK_MS, type Verdict } from "./_domain_flight.ts";

/** `soon`: as soon as others are done; `trying`: when it is known how the domain takes them; `apart`: not for long. */
export type Leave = "now" | "soon" | "trying" | "apart";

/** Who asks for a place for a mail. */
export interface Asking {
  domain: string;
  /** Whose mails they are: the campaigns of a project, or its single mails. */
  owner: string;
  /** How many mails to the domain are known to wait. */
  waiting: number;
  /** Some of them have been sent to wait apart. */
  isApart: boolean;
  /** It is of no campaign. */
  isSingle: boolean;
}

/**
 * How many mails may come back, and as what: `few` share their places with other domains, and `probes` ask a failing one. Of
 * all domains that may come as `first` or `last` one does, which came to wait apart first or last.
 */
export interface DomainRoom {
  mails: number;
  as: "few" | "first" | "last" | "probes" | "many";
  /** They share their number with other domains of this name. */
  scope?: string;
  /** Those that are tried share their places with others of this name: of the transport. */
  by?: string;
}

/** What is known of the domains. */
export interface DomainPace {
  /** Handovers that hold a place of the slow ones. */
  readonly slow: number;
  ask(asking: Asking): Leave;
  /** Takes a place. `onSlow` is called once if the mail turns out to be slow, at once if its domain is known to be. */
  take(asking: Asking, onSlow: () => void): Flight;
  /** How many mails of a domain are in progress. */
  inFlight(domain: string): number;
  /** How many mails to the domain, of those that wait apart, may come back. */
  room(domain: string): DomainRoom;
  /** Whether the domain has stopped taking mail, and waits for its next trial. */
  isFailing(domain: string): boolean;
  /** To be called every {@linkcode TICK_MS} while something is in progress. True when more mails have become slow. */
  tick(): boolean;
  /** How many domains it remembers. */
  readonly size: number;
}

/** What the pace is made of. */
export interface PaceOptions {
  connections: number;
  /** The service's clock, for what is promised to a domain (milliseconds). */
  now: () => number;
  /** A clock that only continues, for how long things take. */
  clock?: () => number;
  random?: () => number;
}

/** Knows no domain yet. */
export function createDomainPace(options: PaceOptions): DomainPace {
  const { connections, now, clock = () => performance.now(), random = Math.random } = options;
  const memory = new DomainMemory({ connections, now, clock, random });
  const { few } = memory;
  const trials = createTrials({ connections, few, clock, isAlone: () => memory.isAlone });
  const flights = new Set<OpenFlight>();
  const sky: Sky = { memory, trials, flights };

  return {
    get slow() {
      return memory.slow;
    },
    get size() {
      return memory.size;
    },
    ask(asking) {
      const domain = memory.get(asking.domain);
      if (domain && !isOpen(domain.gate)) return probesLeft(domain.gate, now()) > 0 ? "now" : "apart";
      if (domain && memory.isSlow(domain)) return memory.slowRoom(domain) > 0 ? "now" : "apart";
      if (domain && domain.inFlight >= domain.window) return domain.isProven ? "soon" : "trying";
      return domain?.isProven ? "now" : trials.ask(asking, memory.slowOfShare);
    },
    take: (asking, onSlow) => new OpenFlight(sky, memory.remember(asking.domain), asking, onSlow),
    inFlight: (name) => memory.get(name)?.inFlight ?? 0,
    room(name) {
      const domain = memory.get(name);
      if (domain && !isOpen(domain.gate)) return { mails: probesLeft(domain.gate, now()), as: "probes" };
      const isSlow = domain !== undefined && memory.isSlow(domain);
      if (domain?.isProven && !isSlow) return { mails: connections * 2, as: "many" };
      if (isSlow) return { mails: memory.slowRoom(domain), as: "few" };
      const mails = few - memory.slowOfShare;
      const oneMore = mails > 0 ? null : trials.oneMore();
      return oneMore ? { mails: 1, as: oneMore } : { mails, as: "few" };
    },
    isFailing: (name) => !isOpen(memory.get(name)?.gate ?? OPEN_GATE),
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
