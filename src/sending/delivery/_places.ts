// Which of the mails that wait here may begin: the connections are shared out by lane, by recipient domain and by project.
import { createDomainPace, type DomainPace, type Flight, type Leave, type Verdict } from "./_domain_pace.ts";
import { createLines } from "./_lines.ts";
import type { DeliveryRequest } from "./_requests.ts";

/** Bulk leaves a tenth of the connections to the others: a server that is slow to answer would else hold all. */
const BULK_SHARE = 0.9;

/** A request while it waits here and while it is in progress. */
export interface QueuedRequest extends DeliveryRequest {
  done: () => void;
  failed: (error: unknown) => void;
  /** When it came, by the clock of the process. */
  since: number;
  flight: Flight | null;
  /** It holds a place of bulk: it is bulk, and not slow. */
  isInBulk: boolean;
  /** Nobody waits for it any more. */
  isLoose: boolean;
}

/** What the places depend on. */
export interface PlacesOptions {
  connections: number;
  /** The time of the service, in milliseconds. */
  now(): number;
  /** How many mails to a domain wait apart. */
  waitingApart(domain: string): number;
  /** Called once for a mail whose domain turns out to be slow. */
  onSlow(request: QueuedRequest): void;
}

/** The mails that wait here, and the places they may take. */
export interface DeliveryPlaces {
  readonly pace: DomainPace;
  /** How many wait here: all, and those to a domain. */
  readonly waiting: number;
  waitingFor(domain: string): number;
  push(request: QueuedRequest): void;
  /** Whether it may begin, as far as its domain is concerned. */
  ask(request: QueuedRequest): Leave;
  /** How many could begin with that many free connections, as far as their domains have capacity. */
  ready(free: number): number;
  /** Takes those that may begin: first in fair shares; then, where connections are left, all others. */
  choose(free: number): QueuedRequest[];
  /** Gives up the place of one whose handover has ended. */
  leave(request: QueuedRequest, verdict: Verdict): void;
  /** Gives up the place of one that was chosen, and does not begin. */
  vacate(request: QueuedRequest): void;
  /** Takes all that wait behind a first one which `isStuck`. */
  takeStuck(isStuck: (first: QueuedRequest) => boolean): QueuedRequest[];
}

/** Nobody waits yet. */
export function createDeliveryPlaces({
  connections,
  now,
  waitingApart,
  onSlow,
}: PlacesOptions): DeliveryPlaces {
  const bulkConnections = Math.max(1, Math.floor(connections * BULK_SHARE));
  const pace = createDomainPace({ connections, now });
  const lanes = { fast: createLines<QueuedRequest>(), bulk: createLines<QueuedRequest>() };
  const waitingHere = new Map<string, number>();
  const inFlight = new Map<string, number>();
  let bulkTaken = 0;

  const askingOf = ({ domain, campaignId, projectId }: QueuedRequest) => ({
    domain,
    // All campaigns of a project are one: otherwise each new one would be trusted afresh.
    owner: campaignId === null ? projectId : `campaigns of ${projectId}`,
    waiting: (waitingHere.get(domain) ?? 0) + waitingApart(domain),
    isApart: waitingApart(domain) > 0,
    isSingle: campaignId === null,
  });
  /** Slow mails have taken their part of bulk. One place is left to it in any case. */
  const freeForBulk = () => Math.max(1, bulkConnections - pace.slow) - bulkTaken;
  const leaveBulk = (request: QueuedRequest) => {
    if (request.isInBulk) bulkTaken -= 1;
    request.isInBulk = false;
  };

  /** Takes a place, if the domain has one. */
  const occupy = (request: QueuedRequest): boolean => {
    const asking = askingOf(request);
    if (pace.ask(asking) !== "now") return false;
    add(waitingHere, request.domain, -1);
    add(inFlight, request.projectId, 1);
    request.isInBulk = request.campaignId !== null;
    if (request.isInBulk) bulkTaken += 1;
    request.flight = pace.take(asking, () => {
      leaveBulk(request);
      onSlow(request);
    });
    return true;
  };

  return {
    pace,
    get waiting() {
      return lanes.fast.size + lanes.bulk.size;
    },
    waitingFor: (domain) => waitingHere.get(domain) ?? 0,
    push(request) {
      add(waitingHere, request.domain, 1);
      lanes[request.campaignId === null ? "fast" : "bulk"].push(request);
    },
    ask: (request) => pace.ask(askingOf(request)),
    ready: (free) => Math.min(free, lanes.fast.size + Math.max(0, Math.min(lanes.bulk.size, freeForBulk()))),
    choose(free) {
      const chosen: QueuedRequest[] = [];
      for (const lane of [lanes.fast, lanes.bulk]) {
        const room = () =>
          Math.min(
            Math.max(0, free) - chosen.length,
            lane === lanes.bulk ? freeForBulk() : Number.POSITIVE_INFINITY,
          );
        const share = Math.ceil(connections / Math.max(1, lane.domains));
        const projectShare = Math.ceil(connections / Math.max(1, lane.projects));
        const isFair = ({ domain, projectId }: QueuedRequest) =>
          pace.inFlight(domain) < share && (inFlight.get(projectId) ?? 0) < projectShare;
        for (const isWanted of [isFair, () => true]) {
          if (lane.size === 0 || room() <= 0) continue;
          chosen.push(...lane.take(room(), (item) => isWanted(item) && occupy(item)));
        }
      }
      return chosen;
    },
    leave(request, verdict) {
      request.flight!.end(verdict);
      leaveBulk(request);
      add(inFlight, request.projectId, -1);
    },
    vacate(request) {
      request.flight?.cancel();
      request.flight = null;
      leaveBulk(request);
      add(inFlight, request.projectId, -1);
    },
    takeStuck(isStuck) {
      const stuck = [lanes.fast, lanes.bulk].flatMap((lane) => lane.takeStuck(isStuck));
      for (const { domain } of stuck) add(waitingHere, domain, -1);
      return stuck;
    },
  };
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
