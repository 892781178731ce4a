/** One mail that somebody wants carried away. Those of a campaign are bulk: they never hold another one back. */
export interface Errand {
  projectId: string;
  emailId: string;
  campaignId: string | null;
}

/** Says of some errands which may be carried away now. */
export interface Admission {
  admitted: Errand[];
  /** They have to wait for so many milliseconds. */
  refused: { errand: Errand; waitMs: number }[];
}

/** What a courier is made of. `Parcel` is what a claim answers with for a mail. */
interface CourierParts<Parcel, Outcome> {
  /** How many mails may be claimed and not settled yet: what would be in doubt if the process died. */
  connections: number;
  /** Keeps to the rates that are allowed. Null where nothing is limited. */
  admit(errands: Errand[]): Promise<Admission | null>;
  /**
   * Writes these outcomes, never giving up, and takes these mails for this process, in one commit where it can. What
   * the answer does not hold is somebody else's, or done; an Error says that nothing could be taken.
   */
  turn(outcomes: Outcome[], errands: Errand[]): Promise<Map<string, Parcel> | Error>;
  /** Hands one mail over. Never throws. */
  carry(parcel: Parcel): Promise<Outcome>;
}

/** Carries mails away, as many at once as there are connections. */
export interface Courier {
  /** Resolves when the mail is settled, by this process or by another one. Rejects with Postponed when it has to wait. */
  deliver(errand: Errand): Promise<void>;
  /** Ids of the mails that this process has claimed. */
  underway: ReadonlySet<string>;
  /** Takes no more errands and fails those that are not claimed yet. */
  stop(): void;
}

/** The rate does not allow this mail for a while. Who asked should do something else, and ask again then. */
export class Postponed extends Error {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super("The rate of sending does not allow more at the moment");
    this.waitMs = waitMs;
  }
}

// While others are under way a turn waits until it is worth it, but never longer than this.
const PATIENCE_MS = 3;
/** Bulk leaves a tenth of the connections to the others: a server that is slow to answer would else hold all. */
const BULK_SHARE = 0.9;
/** Whose place is nearer than this waits for it here; the others wait in the queue of the database, where it costs nothing. */
const LONGEST_WAIT_MS = 2_000;

/** Turns that are being committed at the same time. */
const MAX_TURNS = 2;

type Waiting = Errand & { done: () => void; failed: (error: unknown) => void };

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
  const lanes = { fast: [] as Waiting[], bulk: [] as Waiting[] };
  /** Places that are taken: by what is claimed, or about to be, and not settled. */
  const held = { all: 0, bulk: 0 };
  let ended: { errand: Waiting; outcome: Outcome }[] = [];
  let turns = 0;
  let patient = false;
  let stopped = false;

  const carry = async (errand: Waiting, parcel: Parcel): Promise<void> => {
    const outcome = await parts.carry(parcel);
    ended.push({ errand, outcome });
    pump();
  };

  /** How many could begin now: what has ended makes room for what is claimed in the same turn. */
  const ready = (): number => {
    const freed = countOf(ended.map(({ errand }) => errand));
    const bulk = Math.min(lanes.bulk.length, bulkConnections - held.bulk + freed.bulk);
    return Math.min(connections - held.all + freed.all, lanes.fast.length + bulk);
  };

  const takeTurn = async (): Promise<void> => {
    turns += 1;
    const count = Math.max(0, ready());
    const settling = ended;
    ended = [];
    const fast = lanes.fast.splice(0, count);
    const asked = [...fast, ...lanes.bulk.splice(0, count - fast.length)];
    const release = reserve(
      settling.map(({ errand }) => errand),
      asked,
    );
    const errands = await admitted(asked);
    const claimed = await parts.turn(
      settling.map(({ outcome }) => outcome),
      errands,
    );
    for (const { errand } of settling) {
      underway.delete(errand.emailId);
      errand.done();
    }
    release(errands.filter((errand) => begin(errand, claimed)));
    turns -= 1;
    pump();
  };

  /**
   * Takes the places of what is asked for. What this turn settles gives its places to what it claims, and to others
   * only when it is committed: then the answer is called, with what was begun.
   */
  const reserve = (settling: Errand[], asked: Errand[]): ((begun: Errand[]) => void) => {
    const [freed, wanted] = [countOf(settling), countOf(asked)];
    const before = { all: Math.max(0, wanted.all - freed.all), bulk: Math.max(0, wanted.bulk - freed.bulk) };
    held.all += before.all;
    held.bulk += before.bulk;
    return (begun) => {
      const kept = countOf(begun);
      held.all += kept.all - freed.all - before.all;
      held.bulk += kept.bulk - freed.bulk - before.bulk;
    };
  };

  /** Lets go of those that have to wait: for a moment they wait here, for longer in the queue. */
  const admitted = async (asked: Waiting[]): Promise<Waiting[]> => {
    if (asked.length === 0) return [];
    const admission = await parts.admit(asked).catch((error: Error) => error);
    if (admission instanceof Error) {
      for (const errand of asked) errand.failed(admission);
      return [];
    }
    if (!admission) return asked;
    for (const { errand, waitMs } of admission.refused as { errand: Waiting; waitMs: number }[]) {
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
      return true;
    }
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

  const enqueue = (errand: Waiting): void => {
    if (stopped) return errand.failed(new Error("This process is stopping"));
    lanes[errand.campaignId === null ? "fast" : "bulk"].push(errand);
    pump();
  };

  return {
    underway,
    deliver: (errand) => new Promise((done, failed) => enqueue({ ...errand, done, failed })),
    stop() {
      stopped = true;
      for (const errand of [...lanes.fast, ...lanes.bulk])
        errand.failed(new Error("This process is stopping"));
      lanes.fast = [];
      lanes.bulk = [];
    },
  };
}

function countOf(errands: Errand[]): { all: number; bulk: number } {
  return { all: errands.length, bulk: errands.filter((errand) => errand.campaignId !== null).length };
}
