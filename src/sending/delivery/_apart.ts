// Mails whose domain has no room wait in the ledger, without a job, and are fetched when it has.
import { createBatcher } from "../../batcher.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import type { DomainPace } from "./_domain_pace.ts";
import type { DeliveryRequest } from "./_requests.ts";
import { GIVE_UP_AFTER_MS } from "./outcomes.ts";

/** The mails that wait apart. */
export interface ApartMails {
  /** How many this process has sent there, for a domain. */
  count(domain: string): number;
  /** Sends one there. `isFailing`: its domain takes no mail. */
  add(request: DeliveryRequest, isFailing: boolean): Promise<void>;
  /** Fetches some, where there is room. To be called whenever there may be. Never throws. */
  fetch(here: Here): Promise<DeliveryRequest[]>;
  /** Learns what others have sent there, or this process in an earlier life. To be called every few seconds. */
  lookAround(isFailing: (domain: string) => boolean): Promise<void>;
}

/** What decides how many may come back to a domain. */
interface Here {
  pace: Pick<DomainPace, "room">;
  /** How many mails to a domain wait here already. */
  waitingFor(domain: string): number;
}

/** Its progress, and its work at hand. */
interface State {
  walk: MapIterator<string>;
  isFetching: boolean;
  lookedUpTo: string;
  gaveUpAt: number;
}

/** More domains are kept in mind only when these have no mails there any more; the ledger knows all. */
const MAX_DOMAINS = 20_000;
const DOMAINS_A_LOOK = 500;
/** Of a domain that was found in the ledger it is not known how many there are: more than somebody writes by hand. */
const UNCOUNTED = 10;
const DOMAINS_A_FETCH = 200;
const GIVE_UP_LIMIT = 5_000;
const GIVE_UP_EVERY_MS = 60_000;

/** Nobody waits, as far as is known. */
export function createApartMails(ctx: Context): ApartMails {
  const counts = new Map<string, number>();
  const state: State = { walk: counts.keys(), isFetching: false, lookedUpTo: "", gaveUpAt: -Infinity };
  const write = createBatcher<{ request: DeliveryRequest; isFailing: boolean }, true>(
    async (mails) => {
      await q.emails.setApart(ctx, {
        projectIds: mails.map(({ request }) => request.projectId),
        ids: mails.map(({ request }) => request.emailId),
        failing: [...new Set(mails.flatMap(({ request, isFailing }) => (isFailing ? [request.domain] : [])))],
        now: ctx.now(),
      });
      return mails.map(() => true);
    },
    { maxItems: 2_000, maxFlights: 1 },
  );

  const putLast = (domain: string) => {
    const mails = counts.get(domain)!;
    counts.delete(domain);
    counts.set(domain, mails);
  };
  const note = (domain: string, mails: number) => {
    if (counts.has(domain) || counts.size < MAX_DOMAINS)
      counts.set(domain, (counts.get(domain) ?? 0) + mails);
  };

  const add: ApartMails["add"] = async (request, isFailing) => {
    await write({ request, isFailing });
    note(request.domain, 1);
  };

  /** Some domains at a time, one after the other, round and round. */
  const look = function* (): Generator<string> {
    // Each time only a few are walked through completely: those chosen last are at the end.
    if (counts.size <= DOMAINS_A_FETCH) state.walk = counts.keys();
    for (let looks = 0; looks < Math.min(DOMAINS_A_FETCH, counts.size); looks++) {
      let next = state.walk.next();
      if (next.done) {
        state.walk = counts.keys();
        next = state.walk.next();
      }
      if (!next.done) yield next.value;
    }
  };

  /** How many mails of which domains. */
  const choose = ({ pace, waitingFor }: Here) => {
    const chosen = { domains: [] as string[], counts: [] as number[], lasts: [] as number[] };
    let trials = 0;
    for (const domain of look()) {
      const { mails, as } = pace.room(domain);
      const room = mails - waitingFor(domain) - (as === "few" ? trials : 0);
      if (room <= 0) continue;
      // Untested domains come one by one, so that all have their turn.
      if (as === "few") trials += 1;
      const last = as === "probes" ? room >> 1 : 0;
      chosen.domains.push(domain);
      chosen.counts.push(as === "few" ? 1 : room - last);
      chosen.lasts.push(last);
    }
    for (const domain of chosen.domains) putLast(domain);
    return chosen;
  };

  const fetchSome = async (here: Here): Promise<DeliveryRequest[]> => {
    const chosen = choose(here);
    if (chosen.domains.length === 0) return [];
    const back = await q.emails.comeBack(ctx, { ...chosen, now: ctx.now() });
    const byDomain = Map.groupBy(back, (row) => row.domain);
    chosen.domains.forEach((domain, i) => {
      const came = byDomain.get(domain)?.length ?? 0;
      if (came < chosen.counts[i]!) counts.delete(domain);
      else counts.set(domain, Math.max(1, (counts.get(domain) ?? 0) - came));
    });
    return back.map(({ projectId, id, campaignId, domain }) => ({
      projectId,
      emailId: id,
      campaignId,
      domain,
    }));
  };

  const fetch = async (here: Here): Promise<DeliveryRequest[]> => {
    if (state.isFetching || counts.size === 0) return [];
    state.isFetching = true;
    try {
      return await fetchSome(here);
    } catch (error) {
      ctx.log.warn("mails that wait apart not fetched", describeError(error));
      return [];
    } finally {
      state.isFetching = false;
    }
  };

  const giveUp = async (isFailing: (domain: string) => boolean): Promise<void> => {
    const now = ctx.now();
    if (now.getTime() - state.gaveUpAt < GIVE_UP_EVERY_MS) return;
    state.gaveUpAt = now.getTime();
    for (const domain of [...counts.keys()].filter(isFailing)) {
      await q.emails.giveUpApart(ctx, {
        domain,
        before: new Date(now.getTime() - GIVE_UP_AFTER_MS),
        error: "Given up after 24 hours: the recipient's domain accepts no mail",
        now,
        limit: GIVE_UP_LIMIT,
      });
    }
  };

  return {
    count: (domain) => counts.get(domain) ?? 0,
    add,
    fetch,
    async lookAround(isFailing) {
      const found = await q.emails.apartDomains(ctx, { after: state.lookedUpTo, limit: DOMAINS_A_LOOK });
      for (const { domain } of found) if (!counts.has(domain)) note(domain, UNCOUNTED);
      state.lookedUpTo = found.length < DOMAINS_A_LOOK ? "" : found.at(-1)!.domain;
      await giveUp(isFailing);
    },
  };
}
