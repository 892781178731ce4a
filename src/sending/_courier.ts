/** One mail that somebody wants carried away. */
export interface Errand {
  projectId: string;
  emailId: string;
}

/** What a courier is made of. `Parcel` is what a claim answers with for a mail. */
interface CourierParts<Parcel, Outcome> {
  /** How many mails may be claimed and not settled yet: what would be in doubt if the process died. */
  connections: number;
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
  /** Resolves when the mail is settled, by this process or by another one. */
  deliver(errand: Errand): Promise<void>;
  /** Ids of the mails that this process has claimed. */
  underway: ReadonlySet<string>;
  /** Takes no more errands and fails those that are not claimed yet. */
  stop(): void;
}

// While others are under way a turn waits until it is worth it, but never longer than this.
const PATIENCE_MS = 3;

type Waiting = Errand & { done: () => void; failed: (error: unknown) => void };

/**
 * A courier over these parts. It works in turns, one at a time: each settles what has ended since the last one and
 * claims as many again. The more there is to do, the more each turn does, and a mail waits for one commit, not for two.
 */
export function createCourier<Parcel, Outcome>(parts: CourierParts<Parcel, Outcome>): Courier {
  const { connections } = parts;
  const worthwhile = Math.ceil(connections / 3);
  const underway = new Set<string>();
  let waiting: Waiting[] = [];
  let ended: { errand: Waiting; outcome: Outcome }[] = [];
  let turning = false;
  let patient = false;
  let stopped = false;

  const carry = async (errand: Waiting, parcel: Parcel): Promise<void> => {
    const outcome = await parts.carry(parcel);
    ended.push({ errand, outcome });
    pump();
  };

  const takeTurn = async (): Promise<void> => {
    turning = true;
    const settling = ended;
    ended = [];
    const errands = waiting.splice(0, connections - underway.size + settling.length);
    const claimed = await parts.turn(
      settling.map(({ outcome }) => outcome),
      errands,
    );
    for (const { errand } of settling) {
      underway.delete(errand.emailId);
      errand.done();
    }
    for (const errand of errands) begin(errand, claimed);
    turning = false;
    pump();
  };

  const begin = (errand: Waiting, claimed: Map<string, Parcel> | Error): void => {
    if (claimed instanceof Error) return errand.failed(claimed);
    const parcel = claimed.get(errand.emailId);
    // Not ours. Nor is it a second time when it was asked for twice.
    if (!parcel || underway.has(errand.emailId)) return errand.done();
    underway.add(errand.emailId);
    void carry(errand, parcel);
  };

  const pump = (isTired = false): void => {
    const room = connections - underway.size + ended.length;
    const begun = Math.min(room, waiting.length);
    if (turning || begun + ended.length === 0) return;
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

  return {
    underway,
    deliver: (errand) =>
      new Promise((done, failed) => {
        if (stopped) return failed(new Error("This process is stopping"));
        waiting.push({ ...errand, done, failed });
        pump();
      }),
    stop() {
      stopped = true;
      for (const errand of waiting) errand.failed(new Error("This process is stopping"));
      waiting = [];
    },
  };
}
