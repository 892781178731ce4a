// The send path from the ledger to the mailer and back. A row is SENDING, committed, before a socket is written to;
// its outcome, the events and the retry that follow from it are one statement. No transaction is open in between.
import { isSandbox } from "../../accounts/projects/sandbox_id.ts";
import { type Context, inTransaction, perService } from "../../context.ts";
import type { SpanContext } from "@opentelemetry/api";
import { q } from "../../db/queries.ts";
import type { Jobs } from "../../jobs.ts";
import { type ApartMails, createApartMails } from "./_apart.ts";
import { createDispatcher, type Dispatcher } from "./_dispatcher.ts";
import type { AcceptedContent } from "./accepted_content.ts";
import { createDomainLookup, type DomainLookup } from "./_domain_lookup.ts";
import { Apart, type DeliveryRequest, domainOfAddress, Postponed, type TransportRate } from "./_requests.ts";
import { createCampaignEnds } from "./campaign_ends.ts";
import { addSendJobs, deliverLater } from "./enqueue.ts";
import { kindOf, kindOfCampaign, kindsOfContents } from "./_kinds.ts";
import type { RoutedKind } from "../transports/routes.ts";
import { transportsOf } from "../transports/known.ts";
import { describeError } from "../../log.ts";
import { contextNow, tracer } from "../../tracing.ts";
import { gateOf, stopGates, type Way } from "./server_gate.ts";

/** A mail, and the domain of its recipient. */
interface Addressed {
  id: string;
  domain: string;
  /** Where routes ask for it. */
  kind?: RoutedKind | null;
  trace?: SpanContext | undefined;
}

/** A mail that this process has accepted. */
interface Accepted {
  id: string;
  address: string;
  content: AcceptedContent | null;
  trace?: SpanContext | undefined;
}

/** Mails that have to wait because of a rate, and for how long at least; Infinity when the mail server accepts no connections. */
export interface DeliveredBatch {
  postponed: string[];
  waitMs: number;
  /** No transport takes any of them before that time is over. */
  isShutOut: boolean;
  /** The first of them that waits for a transport waits for this one. */
  transportRate: TransportRate | undefined;
}

/** A job waits so long for a way to the mail server, before it comes again. */
export const CLOSED_WAIT_MS = 2_000;

/** An answer to a claim that has not come by now does not come any more. */
const LOST_AFTER_MS = 20_000;

/** What belongs together in one process. */
interface Delivery {
  dispatcher: Dispatcher;
  apart: ApartMails;
  domainOf: DomainLookup;
}

const deliveryOf = perService((ctx): Delivery => {
  const apart = createApartMails(ctx);
  const dispatcher = createDispatcher(ctx, apart, createCampaignEnds(ctx));
  const isBusy = () => dispatcher.underway.size * 3 > ctx.mailer.connections;
  return { dispatcher, apart, domainOf: createDomainLookup(ctx, isBusy) };
});

/**
 * Sends single mails, and leaves to a later job what has to wait for a rate. While no process reaches the mail server
 * nothing is kept in the queue: the first to reach it again gives a job to everything that is due. Where others reach
 * it, the mails are theirs.
 */
export async function sendSingle(
  ctx: Context,
  { projectId, emailIds, traces }: Jobs["send_emails"],
): Promise<void> {
  await transportsOf(ctx).ready();
  const leads = (way: Way) => wayOf(ctx, projectId) === way;
  if (leads("elsewhere")) await gateOf(ctx).opened(CLOSED_WAIT_MS);
  if (leads("nowhere")) return;
  const { postponed, waitMs } = await deliverEmails(ctx, projectId, emailIds, traces);
  if (postponed.length === 0 || (waitMs === Infinity && leads("nowhere"))) return;
  const runAt = new Date(ctx.now().getTime() + (waitMs === Infinity ? 0 : waitMs));
  await deliverLater(ctx, { projectId, emailIds: postponed }, runAt);
}

/**
 * Sends those of these mails that are still PENDING, and resolves when the ledger has the outcome of each, except those
 * whose domain has no capacity: they wait apart. A second call for the same mail finds nothing to claim.
 */
export async function deliverEmails(
  ctx: Context,
  projectId: string,
  emailIds: string[],
  traces?: Record<string, string>,
): Promise<DeliveredBatch> {
  const { domainOf } = deliveryOf(ctx);
  const [found] = await Promise.all([
    Promise.all(emailIds.map((emailId) => domainOf({ projectId, emailId }))),
    transportsOf(ctx).ready(),
  ]);
  const waiting = emailIds.flatMap((id, i) => (found[i] ? [{ id, ...found[i] }] : []));
  const kinds = await kindsOfContents(
    ctx,
    projectId,
    waiting.map(({ contentId }) => contentId),
  );
  const emails = waiting.map(({ id, domain, contentId }) => ({
    id,
    domain,
    kind: kinds.get(contentId ?? "") ?? null,
    trace: traces ? tracer?.read(traces[id]) : contextNow(),
  }));
  return await deliver(ctx, projectId, emails, null);
}

/** Makes what delivers mails, with this context. */
export function makeDelivery(ctx: Context): void {
  gateOf(ctx);
  deliveryOf(ctx);
}

/**
 * Sends a mail that this process has accepted, with what it knows of it. Resolves when its outcome is in the ledger, or when
 * it waits apart. Throws where it has to wait for a rate or a way to the mail server, or cannot be sent now.
 */
export async function deliverHanded(
  ctx: Context,
  projectId: string,
  { id, address, content, trace }: Accepted,
): Promise<void> {
  const domain = domainOfAddress(address);
  await transportsOf(ctx).ready();
  const kind = content && kindOf(content);
  await deliverOrPutApart(ctx, { projectId, emailId: id, campaignId: null, domain, content, kind, trace });
}

/** The same for mails of a campaign. Slow handovers are let go of: they are in progress. */
export async function deliverBatch(
  ctx: Context,
  projectId: string,
  emails: Addressed[],
  campaignId: string,
): Promise<DeliveredBatch> {
  await transportsOf(ctx).ready();
  const kind = await kindOfCampaign(ctx, projectId, campaignId);
  return await deliver(
    ctx,
    projectId,
    emails.map(({ id, domain }) => ({ id, domain, kind, trace: contextNow() })),
    campaignId,
  );
}

async function deliver(
  ctx: Context,
  projectId: string,
  emails: Addressed[],
  campaignId: string | null,
): Promise<DeliveredBatch> {
  const ends = await Promise.allSettled(
    emails.map(({ id, domain, kind = null, trace }) =>
      deliverOrPutApart(ctx, { projectId, emailId: id, campaignId, domain, kind, trace }),
    ),
  );
  const refusals = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  // One that failed fails the job, but only when nothing of it is in progress any more.
  const failure = refusals.find((reason) => !(reason instanceof Postponed));
  if (failure) throw failure;
  const waits = refusals as Postponed[];
  return {
    postponed: emails.flatMap(({ id }, i) => (ends[i]!.status === "rejected" ? [id] : [])),
    waitMs: Math.min(...waits.map(({ waitMs }) => waitMs), Infinity),
    isShutOut: waits.length > 0 && waits.every((postponed) => postponed.isShutOut),
    transportRate: waits.find(({ transportRate }) => transportRate)?.transportRate,
  };
}

async function deliverOrPutApart(ctx: Context, request: DeliveryRequest): Promise<void> {
  const { dispatcher, apart } = deliveryOf(ctx);
  try {
    await dispatcher.deliver(request);
  } catch (reason) {
    if (!(reason instanceof Apart)) throw reason;
    await apart.add(request, reason.isFailing);
  }
}

/** Whether mail can go to its server, from here or from another process. */
export function reachesMailServer(ctx: Context): boolean {
  return wayOf(ctx, null) !== "nowhere";
}

/**
 * Where mails of a project can go. With several transports each mail is asked for by itself, and those that have to wait keep
 * their jobs; those of a sandbox wait for no server.
 */
export function wayOf(ctx: Context, projectId: string | null): Way {
  const hasOther = !transportsOf(ctx).isPlain || (projectId !== null && isSandbox(projectId));
  return hasOther ? "here" : gateOf(ctx).way;
}

/** Resolves when mails of a project can leave from here, or after so long; true: they can. */
export async function opened(ctx: Context, projectId: string, withinMs: number): Promise<boolean> {
  await transportsOf(ctx).ready();
  return wayOf(ctx, projectId) === "here" || (await gateOf(ctx).opened(withinMs));
}

/** Fetches mails that wait apart, if there is room. */
export async function fetchApart(ctx: Context): Promise<void> {
  // A process that has just started knows no transport but the standard one.
  await transportsOf(ctx).ready();
  await deliveryOf(ctx).dispatcher.lookForApart();
}

/**
 * Gives back rows that this process holds without knowing it: the answer to its claim was lost on the way, or mails that waited
 * apart were fetched and could not be sent, nor put back.
 */
export async function releaseLostClaims(ctx: Context): Promise<number> {
  const { underway, fetched } = deliveryOf(ctx).dispatcher;
  const now = ctx.now();
  const before = new Date(now.getTime() - LOST_AFTER_MS);
  const own = { workerIds: [ctx.workerId], kept: [...fetched] };
  const returned = await q.apart.returnFetched(ctx, { ...own, before, now });
  const held = await q.delivery.heldBy(ctx, { workerId: ctx.workerId, before });
  const lost = held.filter((row) => !underway.has(row.id));
  if (lost.length === 0) return returned;
  return await inTransaction(ctx, async (tx) => {
    const put = await q.delivery.putBack(tx, {
      projectIds: lost.map((row) => row.projectId),
      ids: lost.map((row) => row.id),
      workerId: tx.workerId,
    });
    // Their jobs have failed by now, and come back late.
    await addSendJobs(tx, put);
    return returned + put.length;
  });
}

/**
 * Lets go of mails that have not begun; their jobs go to another process. Resolves when everything in progress is
 * finished, including what no job waits for.
 */
export async function stopDelivery(ctx: Context): Promise<void> {
  stopGates(ctx);
  const { dispatcher, apart } = deliveryOf(ctx);
  await dispatcher.stop();
  try {
    await apart.giveBack();
  } catch (error) {
    // The sweep finds out that nobody has them.
    ctx.log.warn("fetched mails not given back", describeError(error));
  }
  transportsOf(ctx).close();
}
