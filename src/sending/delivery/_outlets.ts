// The ways out of this process: a transport with its connections, whether its server lets us in, and the mails that wait for
// it here.
import { isSandbox } from "../../accounts/projects/sandbox_id.ts";
import type { Context } from "../../context.ts";
import { candidatesOf } from "../transports/candidates.ts";
import { dayOf, waitOf } from "../transports/holds.ts";
import { type KnownTransports, transportsOf } from "../transports/known.ts";
import type { Transport } from "../transports/transport.ts";
import {
  createDeliveryPlaces,
  type DeliveryPlaces,
  type PlacesOptions,
  type QueuedRequest,
} from "./_places.ts";
import type { DeliveryRequest } from "./_requests.ts";
import { dropGates, gateOfTransport, type ServerGate } from "./server_gate.ts";

/** A transport in this process. */
export interface Outlet {
  readonly transport: Transport;
  readonly gate: ServerGate;
  readonly places: DeliveryPlaces;
  /** Connections in use: by mails that are claimed, or about to be, and not settled. */
  taken: number;
  /** Of these, those whose outcome waits for the next pass: their connections are free. */
  ended: number;
}

/** The outlets of a process: each is made when the first mail takes it. */
export interface Outlets extends Iterable<Outlet> {
  /** Connections of all that are in use. */
  readonly connections: number;
  /** Mails that wait here. */
  readonly waiting: number;
  /** Where a mail goes now; or for how many milliseconds it has to wait, as no transport takes it. */
  choose(request: DeliveryRequest): Outlet | number;
  give(request: QueuedRequest, outlet: Outlet): void;
  /** The one that a request was given to. */
  of(request: QueuedRequest): Outlet;
  /** Whether mails may begin there: its transport is in use, and as it was when it was opened. */
  isInUse(outlet: Outlet): boolean;
  /** Takes what waits for those that are not in use any more: it goes another way. They are forgotten with their last handover. */
  retire(): QueuedRequest[];
  /** How many could begin now. */
  ready(): number;
  /** The one whose mails to this domain wait apart. */
  apartFrom(domain: string): Outlet;
  /** Mails to this domain wait apart from here on, because this outlet has no capacity for it. */
  noteApart(domain: string, outlet: Outlet): void;
}

/**
 * When every server of a mail accepts no connections, it comes again after this time, and after more where they have been away
 * for longer: thousands of mails may wait.
 */
const CLOSED_MS = 2_000;
const LONGEST_CLOSED_MS = 30_000;
/** All of its transports are paused: a person decides when that is over. */
const PAUSED_MS = 60_000;
const MAX_DOMAINS = 20_000;

/** No outlet yet. Those that are not in use any more are walked through, too, until their last handover is settled. */
export function createOutlets(
  ctx: Context,
  options: Pick<PlacesOptions, "waitingApart" | "onSlow">,
): Outlets {
  const known = transportsOf(ctx);
  const outlets = new Map<string, Outlet>();
  const leaving = new Set<Outlet>();
  const given = new WeakMap<QueuedRequest, Outlet>();
  const apart = new Map<string, string>();

  /**
   * The ledger knows what waits apart by domain, and not by transport: which one takes a mail is decided anew when it comes back,
   * as routes and transports may be others by then. What waits because of one transport says nothing about the domain at
   * another, where that is known: after a start it is not, until the domain is met again.
   */
  const waitingApart = (id: string) => (domain: string) =>
    (apart.get(domain) ?? id) === id ? options.waitingApart(domain) : 0;
  const outletOf = (transport: Transport): Outlet => {
    const made = outlets.get(transport.id);
    if (made?.transport === transport) return made;
    // It was opened again, with another address or number of connections: what is in progress ends by the earlier one.
    if (made) leaving.add(made);
    const places = createDeliveryPlaces({
      ...options,
      // What waits apart for a domain waits for its server, and the inbox is none.
      waitingApart: transport === known.sandbox ? () => 0 : waitingApart(transport.id),
      connections: transport.mailer.connections,
      now: () => ctx.now().getTime(),
    });
    const outlet = { transport, gate: gateOfTransport(ctx, transport), places, taken: 0, ended: 0 };
    outlets.set(transport.id, outlet);
    return outlet;
  };
  const isInUse = ({ transport }: Outlet) => known.byId(transport.id) === transport;
  const sum = (of: (outlet: Outlet) => number) => {
    let total = 0;
    for (const outlet of outlets.values()) total += of(outlet);
    return total;
  };
  return {
    get connections() {
      return sum((outlet) => (isInUse(outlet) ? outlet.transport.mailer.connections : 0));
    },
    get waiting() {
      let total = sum(({ places }) => places.waiting);
      for (const { places } of leaving) total += places.waiting;
      return total;
    },
    choose: (request) => chooseOutlet(ctx, known, request, outletOf),
    give(request, outlet) {
      request.transportId = outlet.transport.id;
      given.set(request, outlet);
    },
    of: (request) => given.get(request)!,
    isInUse,
    retire() {
      for (const [id, outlet] of outlets) {
        if (isInUse(outlet)) continue;
        outlets.delete(id);
        leaving.add(outlet);
      }
      const left: QueuedRequest[] = [];
      for (const outlet of leaving) {
        left.push(...outlet.places.takeStuck(() => true));
        if (outlet.taken === 0) leaving.delete(outlet);
      }
      dropGates(ctx, (id, mailer) => known.byId(id)?.mailer === mailer);
      return left;
    },
    ready: () => sum((outlet) => (isInUse(outlet) ? Math.max(0, outlet.places.ready(freeOf(outlet))) : 0)),
    apartFrom: (domain) => outlets.get(apart.get(domain) ?? "") ?? outletOf(known.standard),
    noteApart(domain, { transport }) {
      if (apart.size >= MAX_DOMAINS && !apart.has(domain)) apart.clear();
      apart.set(domain, transport.id);
    },
    *[Symbol.iterator]() {
      yield* outlets.values();
      yield* leaving;
    },
  };
}

/** Connections that a pass may use: what has ended makes room in the same commit. */
export function freeOf({ transport, taken, ended }: Outlet): number {
  return transport.mailer.connections - taken + ended;
}

/** The first of its transports that takes mail. With one alone nothing is asked here: what closes it holds all back. */
function chooseOutlet(
  ctx: Context,
  known: KnownTransports,
  { projectId, emailId, domain, kind = null }: DeliveryRequest,
  outletOf: (transport: Transport) => Outlet,
): Outlet | number {
  if (isSandbox(projectId)) return outletOf(known.sandbox);
  if (known.isPlain) return outletOf(known.standard);
  const { transports, whenFull } = candidatesOf(known, { projectId, emailId, domain, kind });
  const now = ctx.now();
  let wait = Infinity;
  for (const transport of transports) {
    const waitMs = waitOf(now, transport);
    if (waitMs > 0) {
      wait = Math.min(wait, waitMs);
      if (whenFull === "WAIT" && transport.fullOn === dayOf(now)) return waitMs;
      continue;
    }
    const outlet = outletOf(transport);
    if (outlet.gate.way === "here") return outlet;
    wait = Math.min(wait, Math.max(CLOSED_MS, Math.min(LONGEST_CLOSED_MS, outlet.gate.closedForMs)));
  }
  return wait === Infinity ? PAUSED_MS : wait;
}
