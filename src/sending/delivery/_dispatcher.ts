// Delivers mails, as many at once as there are connections. It works in passes: each writes outcomes and claims as many
// mails again, in one commit. The more there is to do, the more each pass does, and a mail waits for one commit, not
// for two. While one pass is being committed another one may begin, so that the connections do not stand still.
//
// The way of a mail, from the top of this file to its end: enqueue, choose, admit, claim, transmit, settle.
import type { Context } from "../../context.ts";
import { addJob } from "../../jobs.ts";
import type { ApartMails } from "./_apart.ts";
import { TICK_MS } from "./_domain_pace.ts";
import { createHandoverMarks } from "./_handover_marks.ts";
import { type ClaimedMail, runPass } from "./_pass.ts";
import { createDeliveryPlaces, type QueuedRequest } from "./_places.ts";
import { type RateAdmission, Apart, type DeliveryRequest, Postponed } from "./_requests.ts";
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
  /** Learns which mails wait apart, gives up those that have waited too long, and fetches some where there is room. */
  lookForApart(): Promise<void>;
  /** Takes no more requests and fails those that are not claimed yet. Resolves when nothing is in progress any more. */
  stop(): Promise<void>;
}

// While others are under way a pass waits until it is worth it, but never longer than this.
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
  const { connections } = ctx.mailer;
  const worthwhile = Math.ceil(connections / 3);
  const underway = new Set<string>();
  const marks = createHandoverMarks(ctx, { connections, underway });
  const places = createDeliveryPlaces({
    connections,
    now: () => ctx.now().getTime(),
    waitingApart: apart.count,
    onSlow: (request) => {
      // What is bulk and slow holds a job for nothing, and there are few for bulk.
      if (request.campaignId !== null && underway.has(request.emailId)) letGo(request);
    },
  });
  let ended: { request: QueuedRequest; outcome: MailOutcome }[] = [];
  /** Connections in use: by mails that are claimed, or about to be, and not settled. */
  let taken = 0;
  let passes = 0;
  let isPatient = false;
  let isTicking = false;
  let idle: (() => void) | null = null;
  let isStopped = false;

  const enqueue = (request: QueuedRequest): void => {
    if (isStopped) return request.failed(stopping());
    if (places.ask(request) === "apart") return sendApart(request);
    request.since = performance.now();
    places.push(request);
    pump();
    tickLater();
  };

  /** Outcomes make room for what is claimed in the same pass. */
  const free = () => connections - taken + ended.length;

  /** Begins a pass where it is worth one. */
  const pump = (isTired = false): void => {
    if (passes === MAX_PASSES) return;
    const ready = Math.max(0, places.ready(free()));
    if (ready + ended.length === 0) return;
    // A pass for one costs as much as a pass for many; but nobody waits for mails that are slow to end.
    const isWorthwhile = ended.length === underway.size || Math.max(ready, ended.length) >= worthwhile;
    if (isWorthwhile || isTired) return void pass();
    if (isPatient) return;
    isPatient = true;
    setTimeout(() => {
      isPatient = false;
      pump(true);
    }, PATIENCE_MS);
  };

  const pass = async (): Promise<void> => {
    const chosen = places.choose(free());
    if (chosen.length + ended.length === 0) return;
    passes += 1;
    const settling = ended;
    ended = [];
    // Connections freed by this pass are available to its own claims at once, and to others when it is committed.
    const passedOn = Math.min(chosen.length, settling.length);
    taken += chosen.length - passedOn;
    const requests = await admitted(chosen);
    const claimed = await runPass(
      ctx,
      marks.noted,
      settling.map(({ outcome }) => outcome),
      requests,
    );
    for (const { request } of settling) settled(request);
    const begun = requests.filter((request) => begin(request, claimed));
    taken -= settling.length - passedOn + chosen.length - begun.length;
    passes -= 1;
    fetchApart();
    pump();
    if (taken === 0) idle?.();
  };

  /** Those that the rates allow now. The others wait: for a moment here, for longer in the queue. */
  const admitted = async (chosen: QueuedRequest[]): Promise<QueuedRequest[]> => {
    if (chosen.length === 0) return [];
    const admission = await admissionOf(ctx, chosen).catch((error: Error) => error);
    if (admission instanceof Error) {
      for (const request of chosen) {
        places.vacate(request);
        request.failed(admission);
      }
      return [];
    }
    if (!admission) return chosen;
    for (const { request, waitMs } of admission.refused as { request: QueuedRequest; waitMs: number }[]) {
      places.vacate(request);
      // What waits here occupies a job, and there are few for bulk.
      const isTooLong = waitMs > LONGEST_WAIT_MS || request.campaignId !== null;
      if (isTooLong) request.failed(new Postponed(waitMs));
      else setTimeout(() => enqueue(request), Math.max(1, waitMs));
    }
    return admission.admitted as QueuedRequest[];
  };

  /** True when it is under way now. */
  const begin = (request: QueuedRequest, claimed: Map<string, ClaimedMail> | Error): boolean => {
    const mail = claimed instanceof Error ? undefined : claimed.get(request.emailId);
    if (mail && !underway.has(request.emailId)) {
      underway.add(request.emailId);
      void send(request, mail);
      if (request.flight!.isSlow && request.campaignId !== null) letGo(request);
      return true;
    }
    places.vacate(request);
    if (claimed instanceof Error) request.failed(claimed);
    // Somebody else's. Nor is it a second time when it was asked for twice.
    else request.done();
    return false;
  };

  const send = async (request: QueuedRequest, mail: ClaimedMail): Promise<void> => {
    request.flight!.begin();
    tickLater();
    const { outcome, verdict } = await transmit(ctx, marks, mail, request.flight!.pause);
    places.leave(request, verdict);
    ended.push({ request, outcome });
    pump();
  };

  const settled = (request: QueuedRequest): void => {
    underway.delete(request.emailId);
    request.done();
    if (request.isLoose) finished(request);
  };

  const letGo = (request: QueuedRequest): void => {
    request.isLoose = true;
    request.done();
  };

  const sendApart = (request: QueuedRequest): void =>
    request.failed(new Apart(places.pace.isFailing(request.domain)));

  /** Mails whose domain has no room wait elsewhere: here they would occupy jobs. */
  const clear = (): void => {
    const before = performance.now() - LONGEST_HERE_MS;
    const isStuck = (first: QueuedRequest) => {
      const leave = places.ask(first);
      return leave === "apart" || (leave === "trying" && first.since < before);
    };
    for (const request of places.takeStuck(isStuck)) sendApart(request);
  };

  /** As long as something waits or is under way, somebody looks who takes long. */
  const tickLater = (): void => {
    if (isTicking) return;
    isTicking = true;
    setTimeout(() => {
      isTicking = false;
      places.pace.tick();
      clear();
      pump();
      fetchApart();
      if (taken + places.waiting > 0) tickLater();
    }, TICK_MS);
  };

  /** Brings back mails that wait apart, where their domains have room. */
  const fetchApart = (): void => {
    if (gateOf(ctx).way !== "here") return;
    void apart.fetch(places).then((requests) => {
      for (const request of requests) void deliverUnasked(request);
    });
  };

  /** Nobody waits for this one. Where it fails, it is due and without a job, and the sweep finds it. */
  const deliverUnasked = async (request: DeliveryRequest): Promise<void> => {
    try {
      await deliver(request);
      finished(request);
    } catch (reason) {
      if (reason instanceof Apart) await apart.add(request, reason.isFailing).catch(() => {});
      // Held back by a rate, it has a job of its own later. While no connection is accepted, it gets one from whichever
      // process is accepted first.
      const isHeld = reason instanceof Postponed && reason.waitMs < Infinity;
      if (isHeld) await deliverLater(ctx, request, reason.waitMs).catch(() => {});
    }
  };

  const deliver = (request: DeliveryRequest): Promise<void> =>
    new Promise((done, failed) =>
      enqueue({ ...request, done, failed, since: 0, flight: null, isInBulk: false, isLoose: false }),
    );

  return {
    deliver,
    underway,
    async lookForApart() {
      await apart.lookAround(places.pace.isFailing);
      fetchApart();
    },
    async stop() {
      isStopped = true;
      for (const request of places.takeStuck(() => true)) request.failed(stopping());
      if (taken > 0) await new Promise<void>((resolve) => (idle = resolve));
    },
  };
}

function stopping(): Error {
  return new Error("This process is stopping");
}

/** Null where nothing is limited. While the mail server accepts no connections, nothing is claimed. */
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
