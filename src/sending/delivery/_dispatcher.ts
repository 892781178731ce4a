// Delivers mails, as many at once as there are connections. It works in passes: each writes outcomes and claims as many
// mails again, in one commit. The more there is to do, the more each pass does, and a mail waits for one commit, not
// for two. While one pass is being committed another one may begin, so that the connections are not idle.
//
// The way of a mail, from the top of this file to its end: enqueue, choose, admit, claim, transmit, settle.
import type { Context } from "../../context.ts";
import { pacesOf } from "../transports/paces.ts";
import { admittedAmong } from "./_admission.ts";
import type { ApartMails } from "./_apart.ts";
import { type DomainRoom, TICK_MS } from "./_domain_pace.ts";
import { createHandoverMarks, type HandoverMarks } from "./_handover_marks.ts";
import { type ClaimedMail, runPass } from "./_pass.ts";
import { createOutlets, freeOf, type Outlet, type Outlets } from "./_outlets.ts";
import type { QueuedRequest } from "./_places.ts";
import { PassPatience } from "./_pass_patience.ts";
import { Apart, type DeliveryRequest, Postponed } from "./_requests.ts";
import { tracedMail } from "./_traced_mail.ts";
import { transmit } from "./_transmission.ts";
import { untraced } from "../../tracing.ts";
import type { MailOutcome } from "./outcomes.ts";

/** Delivers mails. */
export interface Dispatcher {
  /**
   * Resolves when the mail is settled, by this process or by another one. A bulk mail that takes long is let go of
   * before: it is in progress, and nobody needs to wait. Rejects with Postponed or Apart when it has to wait.
   */
  deliver(request: DeliveryRequest): Promise<void>;
  /** Ids of the mails that this process has claimed. */
  underway: ReadonlySet<string>;
  /** Ids of the mails that it has fetched from those that wait apart, until they are settled or wait elsewhere. */
  fetched: ReadonlySet<string>;
  /** Learns which mails wait apart, gives up those that have waited too long, and fetches some if there is room. */
  lookForApart(): Promise<void>;
  /** Takes no more requests and fails those that are not claimed yet. Resolves when nothing is in progress any more. */
  stop(): Promise<void>;
}

/** A mail whose domain is still being tried by others after this time waits apart. */
const LONGEST_HERE_MS = 1_000;
const NO_ROOM = { mails: 0, as: "many" } as const;
/** Passes that are being committed at the same time. */
const MAX_PASSES = 2;

/** A dispatcher. `finished` is called for each mail that ends while no job waits for it. */
export function createDispatcher(
  ctx: Context,
  apart: ApartMails,
  finished: (request: DeliveryRequest) => void,
): Dispatcher {
  return new PassingDispatcher(ctx, apart, finished);
}

class PassingDispatcher implements Dispatcher {
  readonly underway = new Set<string>();
  readonly fetched = new Set<string>();
  private readonly ctx: Context;
  private readonly apart: ApartMails;
  private readonly finished: (request: DeliveryRequest) => void;
  private readonly marks: HandoverMarks;
  private readonly outlets: Outlets;
  private ended: { request: QueuedRequest; outcome: MailOutcome }[] = [];
  private passes = 0;
  private readonly patience = new PassPatience(() => this.pump(true));
  private isTicking = false;
  private isFetchingLater = false;
  private idle: (() => void) | null = null;
  private isStopped = false;

  constructor(ctx: Context, apart: ApartMails, finished: (request: DeliveryRequest) => void) {
    const { underway } = this;
    this.ctx = ctx;
    this.apart = apart;
    this.finished = finished;
    this.marks = createHandoverMarks(ctx, { connections: ctx.mailer.connections, underway });
    this.outlets = createOutlets(ctx, {
      waitingApart: (domain) => apart.count(domain),
      onSlow: (request) => {
        // What is bulk and slow holds a job for nothing, and there are few for bulk.
        if (request.campaignId !== null && underway.has(request.emailId)) this.letGo(request);
      },
    });
  }

  deliver(request: DeliveryRequest): Promise<void> {
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<void>();
    const queued = { ...request, done, failed, since: 0, flight: null, isInBulk: false, isLoose: false };
    // It may begin a pass, which is for all.
    untraced(() => this.enqueue(queued));
    return promise;
  }

  async lookForApart(): Promise<void> {
    this.retire();
    await this.apart.lookAround((domain) => this.outlets.apartFrom(domain).places.pace.isFailing(domain));
    this.fetchApart();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const { places } of this.outlets) {
      for (const request of places.takeStuck(() => true)) request.failed(stopping());
    }
    if (this.isBusy) await new Promise<void>((resolve) => (this.idle = resolve));
  }

  private enqueue(request: QueuedRequest): void {
    if (this.isStopped) return request.failed(stopping());
    const outlet = this.outlets.choose(request);
    if (typeof outlet === "number") return request.failed(new Postponed(outlet, { isShutOut: true }));
    this.outlets.give(request, outlet);
    if (outlet.places.ask(request) === "apart") return this.sendApart(request, outlet);
    request.since = performance.now();
    outlet.places.push(request);
    this.pump();
    if (request.campaignId === null) this.patience.hurry();
    this.tickLater();
  }

  private get isBusy(): boolean {
    for (const { taken } of this.outlets) if (taken > 0) return true;
    return false;
  }

  /** Begins a pass where it is worth one; while others are in progress it waits until it is. */
  private pump(isTired = false): void {
    if (this.passes === MAX_PASSES) return;
    const ready = this.outlets.ready();
    if (ready + this.ended.length === 0) return;
    // A pass for one costs as much as a pass for many; but nobody waits for mails that are slow to end.
    const isWorthwhile =
      this.ended.length === this.underway.size ||
      Math.max(ready, this.ended.length) >= Math.ceil(this.outlets.connections / 3);
    if (isWorthwhile || isTired) return void this.pass();
    this.patience.wait();
  }

  private async pass(): Promise<void> {
    const chosen: QueuedRequest[] = [];
    const settling = this.ended;
    const shares: { outlet: Outlet; chosen: number; settling: number }[] = [];
    for (const outlet of this.outlets) {
      const mine = this.outlets.isInUse(outlet) ? outlet.places.choose(freeOf(outlet)) : [];
      chosen.push(...mine);
      shares.push({ outlet, chosen: mine.length, settling: outlet.ended });
    }
    if (chosen.length + settling.length === 0) return;
    this.passes += 1;
    this.ended = [];
    for (const { outlet, chosen: begins, settling: ends } of shares) {
      outlet.ended = 0;
      // Connections freed by this pass are available to its own claims at once, and to others when it is committed.
      outlet.taken += begins - Math.min(begins, ends);
    }
    const requests = await admittedAmong(this.ctx, this.outlets, chosen, (request) => this.enqueue(request));
    const claimed = await runPass(
      this.ctx,
      this.marks.noted,
      settling.map(({ outcome }) => outcome),
      requests,
    );
    for (const { request } of settling) this.settled(request);
    const begun = new Map<Outlet, number>();
    for (const request of requests) {
      const outlet = this.outlets.of(request);
      if (this.begin(request, outlet, claimed)) begun.set(outlet, (begun.get(outlet) ?? 0) + 1);
    }
    for (const { outlet, chosen: begins, settling: ends } of shares) {
      outlet.taken -= ends - Math.min(begins, ends) + begins - (begun.get(outlet) ?? 0);
    }
    this.passes -= 1;
    this.fetchApart();
    this.pump();
    if (!this.isBusy) this.idle?.();
  }

  /** True when it is in progress now. */
  private begin(request: QueuedRequest, outlet: Outlet, claimed: Map<string, ClaimedMail> | Error): boolean {
    const mail = claimed instanceof Error ? undefined : claimed.get(request.emailId);
    if (mail && !this.underway.has(request.emailId)) {
      this.underway.add(request.emailId);
      void this.send(request, outlet, mail);
      if (request.flight!.isSlow && request.campaignId !== null) this.letGo(request);
      return true;
    }
    outlet.places.vacate(request);
    if (claimed instanceof Error) request.failed(claimed);
    // Somebody else's. Nor is it a second time when it was asked for twice.
    else request.done();
    return false;
  }

  private async send(request: QueuedRequest, outlet: Outlet, mail: ClaimedMail): Promise<void> {
    request.flight!.begin();
    this.tickLater();
    const begunAt = performance.now();
    const { outcome, verdict } = await tracedMail(request, outlet, () =>
      transmit(this.ctx, { marks: this.marks, outlet }, mail, () => request.flight!.pause()),
    );
    this.patience.note(performance.now() - begunAt);
    outlet.places.leave(request, verdict);
    outlet.ended += 1;
    this.ended.push({ request, outcome });
    this.pump();
  }

  private settled(request: QueuedRequest): void {
    this.underway.delete(request.emailId);
    request.done();
    if (request.isLoose) this.finished(request);
  }

  private letGo(request: QueuedRequest): void {
    request.isLoose = true;
    request.done();
  }

  private sendApart(request: QueuedRequest, outlet: Outlet): void {
    this.outlets.noteApart(request.domain, outlet);
    request.failed(new Apart(outlet.places.pace.isFailing(request.domain)));
  }

  /** Mails whose domain has no room wait elsewhere: here they would occupy jobs. */
  private clear(): void {
    const before = performance.now() - LONGEST_HERE_MS;
    for (const outlet of this.outlets) {
      const { places } = outlet;
      const isStuck = (first: QueuedRequest) => {
        const leave = places.ask(first);
        return leave === "apart" || (leave === "trying" && first.since < before);
      };
      for (const request of places.takeStuck(isStuck)) this.sendApart(request, outlet);
    }
  }

  /** What waits for a transport that is not in use any more takes another, or the same at its new address. */
  private retire(): void {
    for (const request of this.outlets.retire()) this.enqueue(request);
  }

  /** As long as something waits or is in progress, somebody looks who takes long. */
  private tickLater(): void {
    if (this.isTicking) return;
    this.isTicking = true;
    setTimeout(() => {
      this.isTicking = false;
      for (const { places } of this.outlets) places.pace.tick();
      this.retire();
      this.clear();
      this.pump();
      this.fetchApart();
      if (this.isBusy || this.outlets.waiting > 0) this.tickLater();
    }, TICK_MS);
  }

  /** Brings back mails that wait apart, where their domains have room. */
  private fetchApart(): void {
    if (this.isStopped) return;
    let againMs = Infinity;
    const room = (domain: string): DomainRoom => {
      const { gate, places, transport } = this.outlets.apartFrom(domain);
      if (gate.way !== "here") return NO_ROOM;
      const free = { ...places.pace.room(domain), by: transport.id };
      const paced = pacesOf(this.ctx).room(transport, domain);
      if (!paced) return free;
      againMs = Math.min(againMs, Math.max(TICK_MS, paced.waitMs));
      return { ...free, mails: Math.min(free.mails, paced.mails), scope: paced.scope };
    };
    const waitingFor = (domain: string) => this.outlets.apartFrom(domain).places.waitingFor(domain);
    void this.apart.fetch({ pace: { room }, waitingFor }).then((requests) => {
      for (const request of requests) void this.deliverUnasked(request);
      // What a pace holds back is brought when there is a place again, also when nothing else is in progress.
      if (againMs < Infinity) this.fetchLater(againMs);
    });
  }

  private fetchLater(afterMs: number): void {
    if (this.isFetchingLater || this.isStopped) return;
    this.isFetchingLater = true;
    setTimeout(() => {
      this.isFetchingLater = false;
      this.fetchApart();
    }, afterMs).unref();
  }

  /** Nobody waits for this one, and it has no job: what is not settled here goes back to those that wait apart, or gets one. */
  private async deliverUnasked(request: DeliveryRequest): Promise<void> {
    this.fetched.add(request.emailId);
    try {
      await this.deliver(request);
      this.finished(request);
    } catch (reason) {
      await this.leave(request, reason).catch(() => {});
    }
    // What failed otherwise, or could not be written, goes back with what this process has lost sight of (`releaseLostClaims`).
    this.fetched.delete(request.emailId);
  }

  private async leave(request: DeliveryRequest, reason: unknown): Promise<void> {
    if (reason instanceof Apart) return await this.apart.add(request, reason.isFailing);
    // Held back by a rate, it has a job of its own later. While no connection is accepted, it soon waits apart again, or gets one
    // from whichever process is accepted first.
    const isHeld = reason instanceof Postponed && reason.waitMs < Infinity;
    if (isHeld) await this.apart.bringLater(request, reason.waitMs);
  }
}

function stopping(): Error {
  return new Error("This process is stopping");
}
