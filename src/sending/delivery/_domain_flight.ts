// A mail that holds a place, from the choice until its handover has ended, and what that says about its domain.
import { gateAfter, gateAsked, gateUnasked, isOpen } from "./_domain_gate.ts";
import type { KnownDomain, DomainMemory } from "./_domain_memory.ts";
import type { DomainTrial, TrialAsking, Trials } from "./_domain_trials.ts";

/** What a handover said about the domain. `unknown`: nothing, as when our mail server could not be reached. */
export type Verdict = "answered" | "deferred" | "unknown";

/** A mail that holds a place. */
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

/** How often those in progress are checked. */
export const TICK_MS = 100;

/** What a flight is part of. */
export interface Sky {
  memory: DomainMemory;
  trials: Trials;
  /** Those whose handover has begun. */
  flights: Set<OpenFlight>;
}

/** A flight, which watches itself. */
export class OpenFlight implements Flight {
  private readonly sky: Sky;
  private readonly domain: KnownDomain;
  private readonly onSlow: () => void;
  private readonly wasQuick: boolean;
  private readonly isSluggish: boolean;
  private isLent: boolean;
  private readonly isProbe: boolean;
  private trial: DomainTrial | null;
  private readonly place: Pick<DomainTrial, "leave" | "isOneMore"> | null;
  private isMarked = false;
  private isAged = false;
  private isPaused = false;
  private beganAt = 0;
  private pausedMs = 0;
  private age = 0;
  private seenAt = 0;

  /** Takes a place. `onSlow` is called once if the mail turns out to be slow, at once if its domain is known to be. */
  constructor(sky: Sky, domain: KnownDomain, asking: TrialAsking, onSlow: () => void) {
    const { memory, trials } = sky;
    const isKnownSlow = memory.isSlow(domain);
    this.sky = sky;
    this.domain = domain;
    this.onSlow = onSlow;
    this.wasQuick = domain.isProven && !isKnownSlow;
    this.isSluggish = isKnownSlow && memory.isSluggish(domain);
    this.isLent = isKnownSlow && memory.slowOfShare >= memory.few;
    this.isProbe = !isOpen(domain.gate);
    const isTrial = !domain.isProven && !isKnownSlow && !this.isProbe;
    this.trial = isTrial ? trials.begin(asking, memory.slowOfShare) : null;
    this.place = this.trial;
    domain.inFlight += 1;
    if (this.isSluggish) memory.sluggish += 1;
    if (this.isLent) memory.lent += 1;
    if (this.isProbe) domain.gate = gateAsked(domain.gate, memory.options.now());
    if (isKnownSlow) this.mark();
  }

  get isSlow(): boolean {
    return this.isMarked;
  }

  begin(): void {
    this.beganAt = this.sky.memory.options.clock();
    this.seenAt = this.beganAt;
    this.sky.flights.add(this);
  }

  pause(): () => void {
    const { clock } = this.sky.memory.options;
    const since = clock();
    this.see(since);
    this.isPaused = true;
    return () => {
      this.see(clock());
      this.isPaused = false;
      this.pausedMs += clock() - since;
    };
  }

  cancel(): void {
    this.leave();
    this.withdraw();
  }

  end(verdict: Verdict): void {
    const { domain } = this;
    const { memory } = this.sky;
    const { clock, now, random } = memory.options;
    const { beganAt } = this;
    const at = clock();
    this.see(at);
    const tookMs = Math.min(at - beganAt - this.pausedMs, this.age);
    this.leave();
    // The first one of a domain that was quick is no reason to keep everybody waiting.
    if (this.isMarked && !this.wasQuick) memory.rest(at, tookMs);
    if (verdict === "unknown") return this.withdraw();
    memory.noteTime(domain, tookMs);
    domain.gate = gateAfter(domain.gate, verdict, { beganAt, endedAt: at, now: now(), random });
    const isQuick = !this.isAged && tookMs <= memory.limitMs;
    if (isQuick) this.trial?.succeed();
    else this.trial?.fail();
    if (verdict === "deferred") return;
    memory.sample(tookMs);
    if (isQuick) memory.noteQuick(domain, at);
  }

  /**
   * Grows older until this moment, and returns whether that made it slow. A process that was frozen must not take that for
   * the slowness of others.
   */
  see(at: number): boolean {
    const { domain } = this;
    const { memory } = this.sky;
    if (!this.isPaused) this.age += Math.min(at - this.seenAt, TICK_MS * 2);
    this.seenAt = at;
    if (this.isAged || this.age <= memory.limitMs) return false;
    this.isAged = true;
    domain.aged += 1;
    if (memory.isSlow(domain)) domain.window = memory.few;
    this.trial?.fail();
    this.trial = null;
    this.mark();
    return true;
  }

  private mark(): void {
    if (this.isMarked) return;
    this.isMarked = true;
    this.sky.memory.slow += 1;
    // It holds no place of the share: what the share has free again is for others.
    if (this.place?.isOneMore) {
      this.isLent = true;
      this.sky.memory.lent += 1;
    }
    this.onSlow();
  }

  private leave(): void {
    const { memory, flights } = this.sky;
    flights.delete(this);
    this.place?.leave();
    this.domain.inFlight -= 1;
    if (this.isAged) this.domain.aged -= 1;
    if (this.isMarked) memory.slow -= 1;
    if (this.isSluggish) memory.sluggish -= 1;
    if (this.isLent) memory.lent -= 1;
  }

  /** Without results there was no trial. */
  private withdraw(): void {
    this.trial?.cancel();
    if (this.isProbe) this.domain.gate = gateUnasked(this.domain.gate);
  }
}
