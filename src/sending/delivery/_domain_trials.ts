// Untested domains may turn out to hold a connection for long. A sender may try as many of them at once as went well
// before.

import { ALWAYS_SLOW_MS } from "./_domain_memory.ts";
import { forgetOldest } from "./_forgetting.ts";

/** The trials of one process. */
export interface Trials {
  /** Whether a mail to an untried domain may begin, while that many connections are held by slow mails. */
  ask(asking: TrialAsking, slow: number): "now" | "trying" | "apart";
  /**
   * Which of the untried domains that wait apart may be tried though slow mails hold all that they share: the one that came
   * there first, or last, of those that are looked at. Null: none yet.
   */
  oneMore(): "first" | "last" | null;
  begin(asking: TrialAsking, slow: number): DomainTrial;
}

/** A mail to an untried domain. */
export interface TrialAsking {
  owner: string;
  /** How many mails to the domain are known to wait. */
  waiting: number;
  /** Some of them have been sent to wait apart. */
  isApart: boolean;
  /** It is of no campaign. */
  isSingle: boolean;
}

/** One mail to an untried domain. One of the first three ends it. */
export interface DomainTrial {
  /** It is one more than slow mails and trials share. */
  readonly isOneMore: boolean;
  succeed(): void;
  fail(): void;
  cancel(): void;
  /** Its connection is free again, also after it has failed. */
  leave(): void;
}

interface Owner {
  trying: number;
  /** How many may be tried at once. */
  window: number;
}

/** To a domain with no more mails than this somebody writes, and does not mail it in bulk. */
const FEW_MAILS = 3;
/**
 * While slow mails hold all that they share one more domain is tried now and then: one that comes beside those that wait apart,
 * and one of them. What is quick must not wait for as long as tarpits hold their places, which may be minutes. Each comes
 * after this time, and after twice as long for each before it that still holds its connection.
 */
const ONE_MORE_MS = { newcomer: 2_000, apart: 5_000 };
type Kind = keyof typeof ONE_MORE_MS;
const MAX_OWNERS = 10_000;

/** `few` connections are what an owner begins with, and what slow mails share. */
interface TrialsOptions {
  connections: number;
  few: number;
  clock: () => number;
  /** No quick mail was seen for a while. */
  isAlone: () => boolean;
}

/** Nothing has been tried yet. */
export function createTrials({ connections, few, clock, isAlone }: TrialsOptions): Trials {
  const owners = new Map<string, Owner>();
  /** What untested senders may hold together: slow ones, and trials that may become slow. */
  const strangersLimit = Math.max(Math.ceil(connections / 4), few + 1);
  /** A campaign of a sender whose domains proved quick may go beyond that: its next ones may be tarpits all the same. */
  const trustedLimit = Math.max(Math.ceil(connections / 2), few + 1);
  /** All together, but for one more now and then. What is above the others is for those who write to somebody. */
  const limit = Math.max(Math.ceil((connections * 5) / 8), few + 1);
  /** Single mails of such a sender: they may be a list all the same. */
  const singlesLimit = Math.ceil((trustedLimit + limit) / 2);
  let strangers = 0;
  let trials = 0;
  /** Of each kind how many hold a connection, and when one was tried last: those who come all the time take no other's turn. */
  const more = { newcomer: 0, apart: 0 };
  const triedAt = { newcomer: -Infinity, apart: -Infinity };
  // A crowd of tarpits comes together. Whoever came behind it is not tried when all of it has been.
  let nextIs: "first" | "last" = "last";
  /** The last one more was quick. */
  let goesWell = false;
  // Together as many again as slow ones share, and with few connections none; more of those that wait apart while nobody else is
  // there, and one after the other where that goes well.
  const limits = { newcomer: few >> 1, apart: Math.round(connections / 20) };
  const mostMore = Math.max(0, Math.min(strangersLimit, connections >> 1) - few);
  const moreLimit = (kind: Kind) =>
    kind === "apart" && (isAlone() || (goesWell && limits.apart > 0)) ? mostMore : limits[kind];
  const isDue = (kind: Kind) =>
    more[kind] < moreLimit(kind) && clock() - triedAt[kind] >= ONE_MORE_MS[kind] * 2 ** more[kind];
  /** Places of an owner of whose trials none went well; more are kept for those of whom only few mails wait. */
  const placesFor = ({ waiting }: TrialAsking) => (waiting <= FEW_MAILS ? few * 2 : few);
  const ownerOf = (name: string): Owner => owners.get(name) ?? { trying: 0, window: few };
  /** Whether there is room among those that slow mails and trials share. */
  const hasRoom = (asking: TrialAsking, { trying, window }: Owner, slow: number): boolean => {
    // Nothing that this owner has tried went well: its other domains are tried one at a time.
    if (trying >= window) return trying === 0 && slow + strangers < placesFor(asking);
    if (slow + trials >= limit) return false;
    if (window > few) return slow + trials < (asking.isSingle ? singlesLimit : trustedLimit);
    return slow + strangers < (asking.waiting <= FEW_MAILS ? limit : strangersLimit);
  };
  return {
    oneMore: () => (isDue("apart") ? nextIs : null),
    ask(asking, slow) {
      const { isApart } = asking;
      const owner = ownerOf(asking.owner);
      if (hasRoom(asking, owner, slow)) return "now";
      if (owner.trying < owner.window) return isApart && slow >= few && isDue("apart") ? "now" : "trying";
      if (owner.trying > 0 || slow < placesFor(asking)) return "trying";
      // One now and then: a newcomer does not wait behind a crowd that waits apart.
      return isDue(isApart ? "apart" : "newcomer") ? "now" : "apart";
    },
    begin(asking, slow) {
      const owner = ownerOf(asking.owner);
      owners.delete(asking.owner);
      owners.set(asking.owner, owner);
      forgetOldest(owners, MAX_OWNERS, ({ trying }) => trying > 0);
      const kind: Kind = asking.isApart ? "apart" : "newcomer";
      const isBeyond = owner.trying >= owner.window && slow >= placesFor(asking);
      const isTurn = slow >= few && (asking.isApart || isBeyond);
      const isOneMore = isTurn && !hasRoom(asking, owner, slow);
      if (isTurn) triedAt[kind] = clock();
      if (isOneMore) more[kind] += 1;
      const isStranger = owner.window <= few;
      owner.trying += 1;
      trials += 1;
      if (isStranger) strangers += 1;
      const end = (window: number) => {
        owner.trying -= 1;
        trials -= 1;
        if (isStranger) strangers -= 1;
        owner.window = Math.min(connections, window);
      };
      const from = nextIs;
      const turns = isTurn && asking.isApart;
      const begunAt = clock();
      const takeFromOtherEnd = () => {
        if (turns) nextIs = from === "last" ? "first" : "last";
      };
      return {
        isOneMore,
        succeed() {
          end(owner.window + 1);
          // Where one is quick others are, too. Newcomers that are still here are not among those that wait apart: after one of
          // them the last of these would be one of the crowd.
          if (isTurn) triedAt.newcomer = -Infinity;
          if (turns) triedAt.apart = -Infinity;
          if (turns) goesWell = true;
        },
        fail() {
          end(owner.window >> 1);
          takeFromOtherEnd();
          if (turns) goesWell = false;
          // Those that are about to hold the share of slow ones have been tried just now.
          if (slow < few) triedAt.apart = clock();
        },
        cancel() {
          end(owner.window);
          takeFromOtherEnd();
        },
        leave() {
          if (isOneMore) more[kind] -= 1;
          // What ends, if late, is no tarpit: this machine may have been busy, and at the other end may be the crowd.
          if (turns && clock() - begunAt <= ALWAYS_SLOW_MS) nextIs = from;
        },
      };
    },
  };
}
