import { createDomainPace, type DomainPace, type Flight, TICK_MS, type Verdict } from "./_domain_pace.ts";
import { type Admission, Apart, type Errand, Postponed } from "./_requests.ts";
import { createLines } from "./_lines.ts";

/** What a courier is made of. `Parcel` is what a claim answers with for a mail. */
interface CourierParts<Parcel, Outcome> {
  /** How many mails may be claimed and not settled yet: what would be in doubt if the process died. */
  connections: number;
  /** The time of the service, in milliseconds. */
  now(): number;
  /** Keeps to the rates that are allowed. Null where nothing is limited. */
  admit(errands: Errand[]): Promise<Admission | null>;
  /**
   * Writes these outcomes, never giving up, and takes these mails for this process, in one commit where it can. What
   * the answer does not hold is somebody else's, or done; an Error says that nothing could be taken.
   */
  turn(outcomes: Outcome[], errands: Errand[]): Promise<Map<string, Parcel> | Error>;
  /**
   * Hands one mail over, and says what that tells of the recipient's domain. Never throws. `pause` is called when the
   * time that passes is not the domain's, and its answer when it is again.
   */
  carry(parcel: Parcel, pause: () => () => void): Promise<{ outcome: Outcome; verdict: Verdict }>;
  /** How many mails to a domain wait apart. */
  waitingApart(domain: string): number;
  /** Places may be free. These are settled, and nobody waited for it any more. */
  settled(loose: Errand[]): void;
}

/** Carries mails away, as many at once as there are connections. */
export interface Courier {
  /**
   * Resolves when the mail is settled, by this process or by another one. A bulk mail that takes long is let go of before:
   * it is under way, and nobody needs to wait. Rejects with Postponed or Apart when it has to wait.
   */
  deliver(errand: Errand): Promise<void>;
  /** Ids of the mails that this process has claimed. */
  underway: ReadonlySet<string>;
  /** What is known of the domains of recipients. */
  pace: DomainPace;
  /** How many mails to a domain wait here. */
  waiting(domain: string): number;
  /** Takes no more errands and fails those that are not claimed yet. Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

// While others are under way a turn waits until it is worth it, but never longer than this.
const PATIENCE_MS = 3;
/** Bulk leaves a tenth of the connections to the others: a server that is slow to answer would else hold all. */
const BULK_SHARE = 0.9;
/** Whose place is nearer than this waits for it here; the others wait in the queue of the database, where it costs nothing. */
const LONGEST_WAIT_MS = 2_000;
/** A mail whose domain is still being tried by others after this time waits apart. */
const LONGEST_HERE_MS = 1_000;

/** Turns that are being committed at the same time. */
const MAX_TURNS = 2;

type Waiting = Errand & {
  done: () => void;
  failed: (error: unknown) => void;
  since: number;
  flight: Flight | null;
  /** It holds a place of bulk: it is bulk, and not slow. */
  isInBulk: boolean;
  isLoose: boolean;
};

/**
 * A courier over these parts. It works in turns: each settles what has ended and claims as many again, in one commit.
 * The more there is to do, the more each turn does, and a mail waits for one commit, not for two. While one turn is
 * being committed another one may begin, so that the connections do not stand still meanwhile.
 */
export function createCourier<Parcel, Outcome>(parts: CourierParts<Parcel, Outcome>): Courier {
  const { connections } = parts;
  const worthwhile = Math.ceil(connections / 3);
  const bulkConnections = Math.max(1, Math.floor(connections * BULK_SHARE));
  const underway = new Set<string>();
  const pace = createDomainPace({ connections, now: parts.now });
  const lanes = { fast: createLines<Waiting>(), bulk: createLines<Waiting>() };
  const waitingHere = new Map<string, number>();
  const inFlight = new Map<string, number>();
  /** Places that are taken: by what is claimed, or about to be, and not settled; of bulk, by what is on a connection. */
  const held = { all: 0, bulk: 0 };
  let ended: { errand: Waiting; outcome: Outcome }[] = [];
  let turns = 0;
  let patient = false;
  let ticking = false;
  let idle: (() => void) | null = null;
  let stopped = false;

  const carry = async (errand: Waiting, parcel: Parcel): Promise<void> => {
    const flight = errand.flight!;
    flight.begin();
    tickLater();
    const { outcome, verdict } = await parts.carry(parcel, flight.pause);
    flight.end(verdict);
    leaveBulk(errand);
    add(inFlight, errand.projectId, -1);
    ended.push({ errand, outcome });
    pump();
  };

  /** How many places there are: what has ended makes room for what is claimed in the same turn. */
  const free = () => connections - held.all + ended.length;
  /** Slow ones have taken theirs of bulk. One is left to it in any case. */
  const freeForBulk = () => Math.max(1, bulkConnections - pace.slow) - held.bulk;
  /** How many could begin now, as far as their domains have room. */
  const ready = () =>
    Math.min(free(), lanes.fast.size + Math.max(0, Math.min(lanes.bulk.size, freeForBulk())));

  const askingOf = ({ domain, campaignId, projectId }: Waiting) => ({
    domain,
    // All campaigns of a project are one: else each new one would be trusted anew.
    owner: campaignId === null ? projectId : `campaigns of ${projectId}`,
    waiting: (waitingHere.get(domain) ?? 0) + parts.waitingApart(domain),
    isApart: parts.waitingApart(domain) > 0,
  });

  /** Takes those that may begin: first in fair shares, then, where places are left, whoever wants them. */
  const choose = (): Waiting[] => {
    const places = Math.max(0, free());
    const chosen: Waiting[] = [];
    for (const lane of [lanes.fast, lanes.bulk]) {
      const room = () =>
        Math.min(places - chosen.length, lane === lanes.bulk ? freeForBulk() : Number.POSITIVE_INFINITY);
      const share = Math.ceil(connections / Math.max(1, lane.domains));
      const projectShare = Math.ceil(connections / Math.max(1, lane.projects));
      const isFair = ({ domain, projectId }: Waiting) =>
        pace.inFlight(domain) < share && (inFlight.get(projectId) ?? 0) < projectShare;
      for (const isWanted of [isFair, () => true]) {
        if (lane.size === 0 || room() <= 0) continue;
        chosen.push(...lane.take(room(), (item) => isWanted(item) && occupy(item)));
      }
    }
    return chosen;
  };

  /** Takes a place, if the domain has one. */
  const occupy = (errand: Waiting): boolean => {
    const asking = askingOf(errand);
    if (pace.ask(asking) !== "now") return false;
    add(waitingHere, errand.domain, -1);
    add(inFlight, errand.projectId, 1);
    errand.isInBulk = errand.campaignId !== null;
    if (errand.isInBulk) held.bulk += 1;
    errand.flight = pace.take(asking, () => {
      // What is bulk and slow holds a job for nothing, and there are few for bulk.
      leaveBulk(errand);
      if (errand.campaignId !== null && underway.has(errand.emailId)) letGo(errand);
    });
    return true;
  };
  const letGo = (errand: Waiting) => {
    errand.isLoose = true;
    errand.done();
  };
  const leaveBulk = (errand: Waiting) => {
    if (errand.isInBulk) held.bulk -= 1;
    errand.isInBulk = false;
  };
  /** Gives up the place of one that was chosen, and does not begin. */
  const vacate = (errand: Waiting) => {
    errand.flight?.cancel();
    errand.flight = null;
    leaveBulk(errand);
    add(inFlight, errand.projectId, -1);
  };

  const takeTurn = async (): Promise<void> => {
    const asked = choose();
    if (asked.length + ended.length === 0) return;
    turns += 1;
    const settling = ended;
    ended = [];
    // What this turn settles gives its places to what it claims at once, and to others when it is committed.
    const passedOn = Math.min(asked.length, settling.length);
    held.all += asked.length - passedOn;
    const errands = await admitted(asked);
    const claimed = await parts.turn(
      settling.map(({ outcome }) => outcome),
      errands,
    );
    for (const { errand } of settling) {
      underway.delete(errand.emailId);
      errand.done();
    }
    const begun = errands.filter((errand) => begin(errand, claimed));
    held.all -= settling.length - passedOn + asked.length - begun.length;
    turns -= 1;
    parts.settled(settling.flatMap(({ errand }) => (errand.isLoose ? [errand] : [])));
    pump();
    if (held.all === 0) idle?.();
  };

  /** Lets go of those that have to wait: for a moment they wait here, for longer in the queue. */
  const admitted = async (asked: Waiting[]): Promise<Waiting[]> => {
    if (asked.length === 0) return [];
    const admission = await parts.admit(asked).catch((error: Error) => error);
    if (admission instanceof Error) {
      for (const errand of asked) {
        vacate(errand);
        errand.failed(admission);
      }
      return [];
    }
    if (!admission) return asked;
    for (const { errand, waitMs } of admission.refused as { errand: Waiting; waitMs: number }[]) {
      vacate(errand);
      // What waits here occupies a job, and there are few for bulk.
      const isTooLong = waitMs > LONGEST_WAIT_MS || errand.campaignId !== null;
      if (isTooLong) errand.failed(new Postponed(waitMs));
      else setTimeout(() => enqueue(errand), Math.max(1, waitMs));
    }
    return admission.admitted as Waiting[];
  };

  /** True when it is under way now. */
  const begin = (errand: Waiting, claimed: Map<string, Parcel> | Error): boolean => {
    const parcel = claimed instanceof Error ? undefined : claimed.get(errand.emailId);
    if (parcel && !underway.has(errand.emailId)) {
      underway.add(errand.emailId);
      void carry(errand, parcel);
      if (errand.flight!.isSlow && errand.campaignId !== null) letGo(errand);
      return true;
    }
    vacate(errand);
    if (claimed instanceof Error) errand.failed(claimed);
    // Somebody else's. Nor is it a second time when it was asked for twice.
    else errand.done();
    return false;
  };

  const pump = (isTired = false): void => {
    if (turns === MAX_TURNS) return;
    const begun = Math.max(0, ready());
    if (begun + ended.length === 0) return;
    // A turn for one costs as much as a turn for many; but nobody waits for mails that are slow to end.
    const isWorthwhile = ended.length === underway.size || Math.max(begun, ended.length) >= worthwhile;
    if (isWorthwhile || isTired) return void takeTurn();
    if (patient) return;
    patient = true;
    setTimeout(() => {
      patient = false;
      pump(true);
    }, PATIENCE_MS);
  };

  /** As long as something waits or is under way, somebody looks who takes long. */
  const tickLater = () => {
    if (ticking) return;
    ticking = true;
    setTimeout(() => {
      ticking = false;
      pace.tick();
      sendApart();
      pump();
      parts.settled([]);
      if (held.all + lanes.fast.size + lanes.bulk.size > 0) tickLater();
    }, TICK_MS);
  };

  /** Mails whose domain has no room wait elsewhere: here they would occupy jobs. */
  const sendApart = () => {
    const before = performance.now() - LONGEST_HERE_MS;
    const isStuck = (first: Waiting) => {
      const leave = pace.ask(askingOf(first));
      return leave === "apart" || (leave === "trying" && first.since < before);
    };
    for (const lane of [lanes.fast, lanes.bulk]) {
      for (const errand of lane.takeStuck(isStuck)) {
        add(waitingHere, errand.domain, -1);
        errand.failed(new Apart(pace.isFailing(errand.domain)));
      }
    }
  };

  const enqueue = (errand: Waiting): void => {
    if (stopped) return errand.failed(new Error("This process is stopping"));
    if (pace.ask(askingOf(errand)) === "apart") {
      return errand.failed(new Apart(pace.isFailing(errand.domain)));
    }
    errand.since = performance.now();
    add(waitingHere, errand.domain, 1);
    lanes[errand.campaignId === null ? "fast" : "bulk"].push(errand);
    pump();
    tickLater();
  };

  return {
    underway,
    pace,
    waiting: (domain) => waitingHere.get(domain) ?? 0,
    deliver: (errand) =>
      new Promise((done, failed) =>
        enqueue({ ...errand, done, failed, since: 0, flight: null, isInBulk: false, isLoose: false }),
      ),
    async stop() {
      stopped = true;
      for (const lane of [lanes.fast, lanes.bulk]) {
        for (const errand of lane.takeStuck(() => true)) errand.failed(new Error("This process is stopping"));
      }
      if (held.all > 0) await new Promise<void>((resolve) => (idle = resolve));
    },
  };
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
