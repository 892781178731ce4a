// Delivers mails, as many at once as there are connections. It works in passes: each writes outcomes and claims as many
// mails again, in one commit. The more there is to do, the more each pass does, and a mail waits for one commit, not
// for two. While one pass is being committed another one may begin, so that the connections are not idle.
//
// The way of a mail, from the top of this file to its end: enqueue, choose, admit, claim, transmit, settle.
import type { Context } from "../../context.ts";
import { addJob } from "../../jobs.ts";
import type { ApartMails } from "./_apart.ts";
import { TICK_MS } from "./_domain_pace.ts";
import { createHandoverMarks, type HandoverMarks } from "./_handover_marks.ts";
import { type ClaimedMail, runPass } from "./_pass.ts";
import { createDeliveryPlaces, type DeliveryPlaces, type QueuedRequest } from "./_places.ts";
import { Apart, type DeliveryRequest, Postponed, type RateAdmission } from "./_requests.ts";
import { transmit } from "./_transmission.ts";
import type { MailOutcome } from "./outcomes.ts";
import { admitByRate } from "./rates.ts";
import { gateOf } from "./server_gate.ts";

/** Delivers mails. */
export interface Dispatcher {
  /**
   * Resolves when the mail is settled, by this process or by another one. A bulk mail that takes long is let go of
   * before: it is in progress, and nobody needs to wait. Rejects with Postponed or Apart when it has to wait.
   */
  deliver(request: DeliveryRequest): Promise<void>;
  /** Ids of the mails that this process has claimed. */
  underway: ReadonlySet<string>;
  /** Learns which mails wait apart, gives up those that have waited too long, and fetches some if there is room. */
  lookForApart(): Promise<void>;
  /** Takes no more requests and fails those that are not claimed yet. Resolves when nothing is in progress any more. */
  stop(): Promise<void>;
}

// While others are in progress a pass waits until it is worth it, but never longer than this.
const PATIENCE_MS = 3;
/** A mail whose turn is nearer than this waits for it here; the others wait in the queue of the database, at no cost. */
const LONGEST_WAIT_MS = 2_000;
/** A mail whose domain is still being tried by others after this time waits apart. */
const LONGEST_HERE_MS = 1_000;
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
  private readonly ctx: Context;
  private readonly apart: ApartMails;
  private readonly finished: (request: DeliveryRequest) => void;
  private readonly marks: HandoverMarks;
  private readonly places: DeliveryPlaces;
  private readonly worthwhile: number;
  private ended: { request: QueuedRequest; outcome: MailOutcome }[] = [];
  /** Connections in use: by mails that are claimed, or about to be, and not settled. */
  private taken = 0;
  private passes = 0;
  private isPatient = false;
  private isTicking = false;
  private idle: (() => void) | null = null;
  private isStopped = false;

  constructor(ctx: Context, apart: ApartMails, finished: (request: DeliveryRequest) => void) {
    const { connections } = ctx.mailer;
    const { underway } = this;
    this.ctx = ctx;
    this.apart = apart;
    this.finished = finished;
    this.worthwhile = Math.ceil(connections / 3);
    this.marks = createHandoverMarks(ctx, { connections, underway });
    this.places = createDeliveryPlaces({
      connections,
      now: () => ctx.now().getTime(),
      waitingApart: (domain) => apart.count(domain),
      onSlow: (request) => {
        // What is bulk and slow holds a job for nothing, and there are few for bulk.
        if (request.campaignId !== null && underway.has(request.emailId)) this.letGo(request);
      },
    });
  }

  deliver(request: DeliveryRequest): Promise<void> {
    return new Promise((done, failed) =>
      this.enqueue({ ...request, done, failed, since: 0, flight: null, isInBulk: false, isLoose: false }),
    );
  }

  async lookForApart(): Promise<void> {
    await this.apart.lookAround(this.places.pace.isFailing);
    this.fetchApart();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const request of this.places.takeStuck(() => true)) request.failed(stopping());
    if (this.taken > 0) await new Promise<void>((resolve) => (this.idle = resolve));
  }

  private enqueue(request: QueuedRequest): void {
    if (this.isStopped) return request.failed(stopping());
    if (this.places.ask(request) === "apart") return this.sendApart(request);
    request.since = performance.now();
    this.places.push(request);
    this.pump();
    this.tickLater();
  }

  /** Outcomes make room for what is claimed in the same pass. */
  private free(): number {
    return this.ctx.mailer.connections - this.taken + this.ended.length;
  }

  /** Begins a pass where it is worth one. */
  private pump(isTired = false): void {
    if (this.passes === MAX_PASSES) return;
    const ready = Math.max(0, this.places.ready(this.free()));
    if (ready + this.ended.length === 0) return;
    // A pass for one costs as much as a pass for many; but nobody waits for mails that are slow to end.
    const isWorthwhile =
      this.ended.length === this.underway.size || Math.max(ready, this.ended.length) >= this.worthwhile;
    if (isWorthwhile || isTired) return void this.pass();
    if (this.isPatient) return;
    this.isPatient = true;
    setTimeout(() => {
      this.isPatient = false;
      this.pump(true);
    }, PATIENCE_MS);
  }

  private async pass(): Promise<void> {
    const chosen = this.places.choose(this.free());
    if (chosen.length + this.ended.length === 0) return;
    this.passes += 1;
    const settling = this.ended;
    this.ended = [];
    // Connections freed by this pass are available to its own claims at once, and to others when it is committed.
    const passedOn = Math.min(chosen.length, settling.length);
    this.taken += chosen.length - passedOn;
    const requests = await this.admitted(chosen);
    const claimed = await runPass(
      this.ctx,
      this.marks.noted,
      settling.map(({ outcome }) => outcome),
      requests,
    );
    for (const { request } of settling) this.settled(request);
    const begun = requests.filter((request) => this.begin(request, claimed));
    this.taken -= settling.length - passedOn + chosen.length - begun.length;
    this.passes -= 1;
    this.fetchApart();
    this.pump();
    if (this.taken === 0) this.idle?.();
  }

  /** Those that the rates allow now. The others wait: for a moment here, for longer in the queue. */
  private async admitted(chosen: QueuedRequest[]): Promise<QueuedRequest[]> {
    if (chosen.length === 0) return [];
    const admission = await admissionOf(this.ctx, chosen).catch((error: Error) => error);
    if (admission instanceof Error) {
      for (const request of chosen) {
        this.places.vacate(request);
        request.failed(admission);
      }
      return [];
    }
    if (!admission) return chosen;
    for (const { request, waitMs } of admission.refused as { request: QueuedRequest; waitMs: number }[]) {
      this.places.vacate(request);
      // What waits here occupies a job, and there are few for bulk.
      const isTooLong = waitMs > LONGEST_WAIT_MS || request.campaignId !== null;
      if (isTooLong) request.failed(new Postponed(waitMs));
      else setTimeout(() => this.enqueue(request), Math.max(1, waitMs));
    }
    return admission.admitted as QueuedRequest[];
  }

  /** True when it is in progress now. */
  private begin(request: QueuedRequest, claimed: Map<string, ClaimedMail> | Error): boolean {
    const mail = claimed instanceof Error ? undefined : claimed.get(request.emailId);
    if (mail && !this.underway.has(request.emailId)) {
      this.underway.add(request.emailId);
      void this.send(request, mail);
      if (request.flight!.isSlow && request.campaignId !== null) this.letGo(request);
      return true;
    }
    this.places.vacate(request);
    if (claimed instanceof Error) request.failed(claimed);
    // Somebody else's. Nor is it a second time when it was asked for twice.
    else request.done();
    return false;
  }

  private async send(request: QueuedRequest, mail: ClaimedMail): Promise<void> {
    request.flight!.begin();
    this.tickLater();
    const { outcome, verdict } = await transmit(this.ctx, this.marks, mail, () => request.flight!.pause());
    this.places.leave(request, verdict);
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

  private sendApart(request: QueuedRequest): void {
    request.failed(new Apart(this.places.pace.isFailing(request.domain)));
  }

  /** Mails whose domain has no room wait elsewhere: here they would occupy jobs. */
  private clear(): void {
    const before = performance.now() - LONGEST_HERE_MS;
    const isStuck = (first: QueuedRequest) => {
      const leave = this.places.ask(first);
      return leave === "apart" || (leave === "trying" && first.since < before);
    };
    for (const request of this.places.takeStuck(isStuck)) this.sendApart(request);
  }

  /** As long as something waits or is in progress, somebody looks who takes long. */
  private tickLater(): void {
    if (this.isTicking) return;
    this.isTicking = true;
    setTimeout(() => {
      this.isTicking = false;
      this.places.pace.tick();
      this.clear();
      this.pump();
      this.fetchApart();
      if (this.taken + this.places.waiting > 0) this.tickLater();
    }, TICK_MS);
  }

  /** Brings back mails that wait apart, where their domains have room. */
  private fetchApart(): void {
    if (gateOf(this.ctx).way !== "here") return;
    void this.apart.fetch(this.places).then((requests) => {
      for (const request of requests) void this.deliverUnasked(request);
    });
  }

  /** Nobody waits for this one. If it fails, it is due and without a job, and the sweep finds it. */
  private async deliverUnasked(request: DeliveryRequest): Promise<void> {
    try {
      await this.deliver(request);
      this.finished(request);
    } catch (reason) {
      if (reason instanceof Apart) await this.apart.add(request, reason.isFailing).catch(() => {});
      // Held back by a rate, it has a job of its own later. While no connection is accepted, it gets one from whichever
      // process is accepted first.
      const isHeld = reason instanceof Postponed && reason.waitMs < Infinity;
      if (isHeld) await deliverLater(this.ctx, request, reason.waitMs).catch(() => {});
    }
  }
}

function stopping(): Error {
  return new Error("This process is stopping");
}

/** Null if nothing is limited. While the mail server accepts no connections, nothing is claimed. */
async function admissionOf(ctx: Context, requests: DeliveryRequest[]): Promise<RateAdmission | null> {
  if (gateOf(ctx).way === "here") return await admitByRate(ctx, requests);
  return { admitted: [], refused: requests.map((request) => ({ request, waitMs: Infinity })) };
}

async function deliverLater(
  ctx: Context,
  { projectId, emailId, campaignId }: DeliveryRequest,
  waitMs: number,
): Promise<void> {
  const runAt = new Date(ctx.now().getTime() + waitMs);
  if (campaignId === null) await addJob(ctx, "send_emails", { projectId, emailIds: [emailId] }, { runAt });
  else await addJob(ctx, "send_batch", { projectId, campaignId, fromId: emailId, toId: emailId }, { runAt });
}
