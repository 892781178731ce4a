// Domains of which nothing is known yet may turn out to hold a connection for long. Whoever sends to them is trusted with
// as many at once as went well before.

import { forgetOldest } from "./_forgetting.ts";

/** The trials of one process. */
export interface Trials {
  /** Whether a mail of this owner to an untried domain may begin. */
  ask(owner: string, waiting: number, slow: number): "now" | "trying" | "apart";
  /** How many connections may be held by slow mails, and one more untried domain may be tried all the same. */
  readonly limit: number;
  begin(owner: string): Trial;
}

/** One mail to an untried domain. One of the three ends it. */
export interface Trial {
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
const MAX_OWNERS = 10_000;

/** Nobody has tried anything yet. `few` connections are what an owner begins with. */
export function createTrials({ connections, few }: { connections: number; few: number }): Trials {
  const owners = new Map<string, Owner>();
  const newOwnerLimit = Math.max(Math.ceil(connections / 2), few + 1);
  const limit = few + (few >> 1);
  return {
    limit,
    ask(name, waiting, slow) {
      const { trying, window } = owners.get(name) ?? { trying: 0, window: few };
      if (trying < window) return slow < newOwnerLimit ? "now" : "trying";
      if (trying > 0) return "trying";
      // Nothing that this owner has tried went well. Its other domains get on, one at a time, while few connections are
      // held by slow ones; and a little longer where only few mails wait.
      if (slow < limit) return "now";
      return waiting <= FEW_MAILS && slow < few * 2 ? "now" : "apart";
    },
    begin(name) {
      const owner = owners.get(name) ?? { trying: 0, window: few };
      owners.delete(name);
      owners.set(name, owner);
      forgetOldest(owners, MAX_OWNERS, ({ trying }) => trying > 0);
      owner.trying += 1;
      const end = (window: number) => {
        owner.trying -= 1;
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
