// Mails whose domain has no room wait in the ledger, without a job, and are fetched when it has.
import { createBatcher } from "../../batcher.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob } from "../../jobs.ts";
import { describeError } from "../../log.ts";
import type { RoutedKind } from "../transports/routes.ts";
import type { DomainPace } from "./_domain_pace.ts";
import { deliverLater } from "./enqueue.ts";
import { kindsOfContents } from "./_kinds.ts";
import type { DeliveryRequest } from "./_requests.ts";
import { GIVE_UP_AFTER_MS } from "./outcomes.ts";

/** The mails that wait apart. */
export interface ApartMails {
  /** How many this process has sent there, for a domain. */
  count(domain: string): number;
  /** Sends one there. `isFailing`: its domain takes no mail. */
  add(request: DeliveryRequest, isFailing: boolean): Promise<void>;
  /** Fetches some, if there is room. To be called whenever there may be. Never throws. */
  fetch(here: Here): Promise<DeliveryRequest[]>;
  /** Gives one that was fetched a job of its own, after so long. */
  bringLater(request: DeliveryRequest, waitMs: number): Promise<void>;
  /** Learns what others have sent there, or this process in an earlier life. To be called every few seconds. */
  lookAround(isFailing: (domain: string) => boolean): Promise<void>;
  /** What was fetched and has not begun waits there again. To be called when no more is fetched. */
  giveBack(): Promise<void>;
}

/** What decides how many may come back to a domain. */
interface Here {
  pace: Pick<DomainPace, "room">;
  /** How many mails to a domain wait here already. */
  waitingFor(domain: string): number;
}

/** A mail that is to wait apart. */
interface Waiting {
  request: DeliveryRequest;
  isFailing: boolean;
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
  return new MailsApart(ctx);
}

class MailsApart implements ApartMails {
  private readonly ctx: Context;
  /** How many mails wait, by their domains, and in which order these came. */
  private readonly counts = new Map<string, { mails: number; place: number }>();
  private places = 0;
  /**
   * Fetched to be tried, and by which transport. While they wait here for a connection, or for a trial of their owner, no
   * others take their turn.
   */
  private trying = new Map<string, string>();
  private readonly write: (mail: Waiting) => Promise<true>;
  private walk = this.counts.keys();
  private fetching: Promise<DeliveryRequest[]> | null = null;
  private lookedUpTo = "";
  private gaveUpAt = -Infinity;

  constructor(ctx: Context) {
    this.ctx = ctx;
    this.write = createBatcher<Waiting, true>((mails) => setApart(ctx, mails), {
      maxItems: 2_000,
      maxFlights: 1,
    });
  }

  count(domain: string): number {
    return this.counts.get(domain)?.mails ?? 0;
  }

  async add(request: DeliveryRequest, isFailing: boolean): Promise<void> {
    await this.write({ request, isFailing });
    this.note(request.domain, 1);
  }

  async fetch(here: Here): Promise<DeliveryRequest[]> {
    if (this.fetching || this.counts.size === 0) return [];
    this.fetching = this.fetchSome(here).catch((error: unknown) => {
      this.ctx.log.warn("mails that wait apart not fetched", describeError(error));
      return [];
    });
    const requests = await this.fetching;
    this.fetching = null;
    return requests;
  }

  async giveBack(): Promise<void> {
    const { ctx } = this;
    await this.fetching;
    await q.apart.returnFetched(ctx, { workerIds: [ctx.workerId], kept: [], before: null, now: ctx.now() });
  }

  async bringLater({ projectId, emailId, campaignId }: DeliveryRequest, waitMs: number): Promise<void> {
    const runAt = new Date(this.ctx.now().getTime() + waitMs);
    await inTransaction(this.ctx, async (tx) => {
      await q.apart.letGo(tx, { projectIds: [projectId], ids: [emailId], workerId: tx.workerId });
      if (campaignId === null) await deliverLater(tx, { projectId, emailIds: [emailId] }, runAt);
      else
        await addJob(tx, "send_batch", { projectId, campaignId, fromId: emailId, toId: emailId }, { runAt });
    });
  }

  async lookAround(isFailing: (domain: string) => boolean): Promise<void> {
    const look = { after: this.lookedUpTo, limit: DOMAINS_A_LOOK };
    const found = await q.apart.apartDomains(this.ctx, look);
    for (const { domain } of found) if (!this.counts.has(domain)) this.note(domain, UNCOUNTED);
    this.lookedUpTo = found.length < DOMAINS_A_LOOK ? "" : found.at(-1)!.domain;
    await this.giveUp(isFailing);
  }

  private note(domain: string, mails: number): void {
    const { counts } = this;
    const known = counts.get(domain);
    if (known) known.mails += mails;
    else if (counts.size < MAX_DOMAINS) counts.set(domain, { mails, place: ++this.places });
  }

  private async fetchSome(here: Here): Promise<DeliveryRequest[]> {
    const { ctx, counts } = this;
    const chosen = this.choose(here);
    if (chosen.domains.length === 0) return [];
    const back = await q.apart.comeBack(ctx, { ...chosen, workerId: ctx.workerId, now: ctx.now() });
    const byDomain = Map.groupBy(back, (row) => row.domain);
    chosen.domains.forEach((domain, i) => {
      const came = byDomain.get(domain)?.length ?? 0;
      const known = counts.get(domain);
      if (came < chosen.counts[i]!) counts.delete(domain);
      else if (known) known.mails = Math.max(1, known.mails - came);
    });
    const kinds = await kindsOfMails(ctx, back);
    return back.map(({ projectId, id, campaignId, contentId, domain }) => ({
      projectId,
      emailId: id,
      campaignId,
      domain,
      kind: kinds.get(contentId ?? "") ?? null,
    }));
  }

  /** How many mails of which domains. */
  private choose({ pace, waitingFor }: Here) {
    const chosen = { domains: [] as string[], counts: [] as number[], lasts: [] as number[] };
    const add = (domain: string, count: number, last = 0) => {
      chosen.domains.push(domain);
      chosen.counts.push(count - last);
      chosen.lasts.push(last);
    };
    const shared = new Map<string, number>();
    const untried = new Map<string, { end: "first" | "last"; domains: string[] }>();
    const trials = new Map<string, number>();
    const tries = (domain: string, by: string) => {
      this.trying.set(domain, by);
      trials.set(by, (trials.get(by) ?? 0) + 1);
    };
    const before = this.trying;
    this.trying = new Map();
    for (const [domain, by] of before) if (waitingFor(domain) > 0) tries(domain, by);
    for (const domain of this.look()) {
      const { mails, as, scope, by = "" } = pace.room(domain);
      const left = Math.min(mails, (scope === undefined ? undefined : shared.get(scope)) ?? Infinity);
      const room = left - waitingFor(domain) - (as === "few" ? (trials.get(by) ?? 0) : 0);
      if (room <= 0) continue;
      if (as === "first" || as === "last") {
        const known = untried.get(by);
        if (known) known.domains.push(domain);
        else untried.set(by, { end: as, domains: [domain] });
        continue;
      }
      if (scope !== undefined)
        shared.set(scope, left - (as === "few" ? 1 : Math.min(room, this.count(domain))));
      // Untested domains come one by one, so that all have their turn.
      if (as === "few") tries(domain, by);
      add(domain, as === "few" ? 1 : room, as === "probes" ? room >> 1 : 0);
    }
    for (const [by, { end, domains }] of untried) {
      if (trials.has(by)) continue;
      const domain = this.inOrder(domains).at(end === "first" ? 0 : -1)!;
      tries(domain, by);
      add(domain, 1);
    }
    for (const domain of chosen.domains) this.putLast(domain);
    return chosen;
  }

  /** Some domains at a time, one after another, round and round. */
  private *look(): Generator<string> {
    const { counts } = this;
    // Each time only a few are walked through completely: those chosen last are at the end.
    if (counts.size <= DOMAINS_A_FETCH) this.walk = counts.keys();
    for (let looks = 0; looks < Math.min(DOMAINS_A_FETCH, counts.size); looks++) {
      let next = this.walk.next();
      if (next.done) {
        this.walk = counts.keys();
        next = this.walk.next();
      }
      if (!next.done) yield next.value;
    }
  }

  /** In the order in which they came. */
  private inOrder(domains: string[]): string[] {
    const placeOf = (domain: string) => this.counts.get(domain)?.place ?? 0;
    return domains.toSorted((a, b) => placeOf(a) - placeOf(b));
  }

  private putLast(domain: string): void {
    const known = this.counts.get(domain)!;
    this.counts.delete(domain);
    this.counts.set(domain, known);
  }

  private async giveUp(isFailing: (domain: string) => boolean): Promise<void> {
    const { ctx } = this;
    const now = ctx.now();
    if (now.getTime() - this.gaveUpAt < GIVE_UP_EVERY_MS) return;
    this.gaveUpAt = now.getTime();
    for (const domain of [...this.counts.keys()].filter(isFailing)) {
      await q.apart.beginApart(ctx, { domain, now, limit: GIVE_UP_LIMIT });
      await q.apart.giveUpApart(ctx, {
        domain,
        before: new Date(now.getTime() - GIVE_UP_AFTER_MS),
        error: "Given up after 24 hours: the recipient's domain accepts no mail",
        now,
        limit: GIVE_UP_LIMIT,
      });
    }
  }
}

async function setApart(ctx: Context, mails: Waiting[]): Promise<true[]> {
  await q.apart.setApart(ctx, {
    projectIds: mails.map(({ request }) => request.projectId),
    ids: mails.map(({ request }) => request.emailId),
    failing: [...new Set(mails.flatMap(({ request, isFailing }) => (isFailing ? [request.domain] : [])))],
    now: ctx.now(),
  });
  return mails.map(() => true);
}

/** What kind of mails they are, by their contents, where the routes of their projects ask. */
async function kindsOfMails(
  ctx: Context,
  mails: { projectId: string; contentId: string | null }[],
): Promise<Map<string, RoutedKind>> {
  const projects = [...Map.groupBy(mails, ({ projectId }) => projectId)];
  const known = await Promise.all(
    projects.map(([projectId, some]) =>
      kindsOfContents(
        ctx,
        projectId,
        some.map(({ contentId }) => contentId),
      ),
    ),
  );
  return new Map(known.flatMap((kinds) => [...kinds]));
}
