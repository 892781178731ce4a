// What was found on the ways to a domain that led nowhere, and what that means for the mail.
import type { Handover, Via } from "./mailer.ts";

/** Takes notes while one way after the other is tried. Reasons are half a sentence, or the words of a server. */
export interface Trail {
  /** The server could not be reached, or did not let us in. */
  failed(host: string, reason: string): void;
  /** It has said so itself. */
  answered(via: Via): void;
  /** A policy forbids to deliver there, or there in this way. */
  forbidden(host: string, reason: string): void;
  /** It is in a network that is not for the public. */
  closed(host: string, reason: string): void;
  /** It has addresses of a family alone that we do not send by. */
  foreign(host: string, address: string): void;
  /** It has no address. */
  lost(host: string): void;
  /** The outcome when no way is left. */
  end(): Handover;
}

/** A trail without notes. */
export function createTrail(domain: string): Trail {
  const notes: { kind: "failed" | "forbidden" | "closed" | "foreign" | "lost"; words: string }[] = [];
  const note = (kind: (typeof notes)[number]["kind"]) => (host: string, reason: string) =>
    void notes.push({ kind, words: `${host}: ${reason}`.slice(0, 400) });
  let answered: Via | undefined;
  return {
    failed: note("failed"),
    answered: (via) => void (answered = via),
    forbidden: note("forbidden"),
    closed: note("closed"),
    foreign: (host, address) => note("foreign")(host, address),
    lost: (host) => note("lost")(host, "it has no address"),
    end() {
      // What may change by itself comes first: while one server may come back, the mail waits for it.
      const last = (kind: (typeof notes)[number]["kind"]) =>
        notes.findLast((one) => one.kind === kind)?.words;
      const [failed, forbidden, closed] = [last("failed"), last("forbidden"), last("closed")];
      if (failed !== undefined) {
        const via = answered && { via: answered };
        return { state: "deferred", response: failed, meaning: "transient", ...via };
      }
      if (forbidden !== undefined) return { state: "deferred", response: forbidden, meaning: "policy" };
      if (closed !== undefined) {
        return {
          state: "refused",
          response: `The mail server of ${domain} must not be called: ${closed}`,
          meaning: "policy",
        };
      }
      const foreign = last("foreign");
      // Of no address in the world, and no fault of the recipient: nobody is suppressed for it.
      if (foreign !== undefined) {
        const response = `The mail servers of ${domain} cannot be reached from the addresses of this machine: ${foreign}`;
        return { state: "refused", response, meaning: "policy" };
      }
      const response = `550 5.4.4 No mail server of ${domain} has an address`;
      return { state: "bounced", response, meaning: "permanent" };
    },
  };
}
