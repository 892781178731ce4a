// Untested domains may turn out to hold a connection for long. A sender may try as many of them at once as went well
// before.

import { forgetOldest } from "./_forgetting.ts";

/** The trials of one process. */
export interface Trials {
  /** Whether a mail to an untried domain may begin, while that many connections are held by slow mails. */
  ask(asking: TrialAsking, slow: number): "now" | "trying" | "apart";
  begin(owner: string, slow: number): DomainTrial;
}

/** A mail to an untried domain. */
export interface TrialAsking {
  owner: string;
  /** How many mails to the domain are known to wait. */
  waiting: number;
  /** Some of them have been sent to wait apart. */
  isApart: boolean;
}

/** One mail to an untried domain. One of the three ends it. */
export interface DomainTrial {
  succeed(): void;
  fail(): void;
  cancel(): void;
}

interface Owner {
  trying: number;
  /** How many may be tried at once. */
  window: number;
}

/** To a domain with no more mails than this somebody writes, and does not mail it in bulk. */
const FEW_MAILS = 3;
/** Domains that come beside those that wait apart are tried beyond the share of slow ones, one in this time. */
const NEWCOMER_MS = 2_000;
const MAX_OWNERS = 10_000;

/** `few` connections are what an owner begins with, and what slow mails share. */
interface TrialsOptions {
  connections: number;
  few: number;
  clock: () => number;
}

/** Nothing has been tried yet. */
export function createTrials({ connections, few, clock }: TrialsOptions): Trials {
  const owners = new Map<string, Owner>();
  /** What untested senders may hold together: slow ones, and trials that may become slow. */
  const strangersLimit = Math.max(Math.ceil(connections / 4), few + 1);
  /** A sender whose domains proved quick, or one with a single mail, may go beyond that. */
  const trustedLimit = Math.max(Math.ceil(connections / 2), few + 1);
  let strangers = 0;
  const newcomerLimit = few + (few >> 1);
  let newcomerAt = -Infinity;
  return {
    ask({ owner: name, waiting, isApart }, slow) {
      const { trying, window } = owners.get(name) ?? { trying: 0, window: few };
      if (trying < window) {
        if (window > few) return slow < trustedLimit ? "now" : "trying";
        const limit = waiting <= FEW_MAILS ? trustedLimit : strangersLimit;
        return slow + strangers < limit ? "now" : "trying";
      }
      if (trying > 0) return "trying";
      // Nothing that this owner has tried went well. Its other domains are tried one at a time, while few connections
      // are held by slow ones. A newcomer does not wait behind a crowd that waits apart: some places are kept for
      // newcomers, and some more for those of whom only few mails wait.
      if (slow < few) return "now";
      if (waiting <= FEW_MAILS) return slow < few * 2 ? "now" : "apart";
      const isNewcomer = !isApart && slow < newcomerLimit && clock() - newcomerAt >= NEWCOMER_MS;
      return isNewcomer ? "now" : "apart";
    },
    begin(name, slow) {
      if (slow >= few) newcomerAt = clock();
      const owner = owners.get(name) ?? { trying: 0, window: few };
      owners.delete(name);
      owners.set(name, owner);
      forgetOldest(owners, MAX_OWNERS, ({ trying }) => trying > 0);
      owner.trying += 1;
      const isStranger = owner.window <= few;
      if (isStranger) strangers += 1;
      const end = (window: number) => {
        owner.trying -= 1;
        if (isStranger) strangers -= 1;
        owner.window = Math.min(connections, window);
      };
      return {
        succeed: () => end(owner.window + 1),
        fail: () => end(owner.window >> 1),
        cancel: () => end(owner.window),
      };
    },
  };
}
