/** One mail that somebody wants carried away. */
export interface Errand {
  projectId: string;
  emailId: string;
}

/** What a courier is made of. `Parcel` is what a claim answers with for a mail. */
interface CourierParts<Parcel, Outcome> {
  /** How many mails may be claimed and not settled yet: what would be in doubt if the process died. */
  connections: number;
  /** Takes these mails for this process. What it does not answer for is somebody else's, or done. */
  claim(errands: Errand[]): Promise<Map<string, Parcel>>;
  /** Hands one mail over. Never throws. */
  carry(parcel: Parcel): Promise<Outcome>;
  /** Writes an outcome. Never gives up. */
  settle(outcome: Outcome): Promise<unknown>;
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

// While others are under way a claim waits until it is worth it, but never longer than this.
const PATIENCE_MS = 5;

type Waiting = Errand & { done: () => void; failed: (error: unknown) => void };

/** A courier over these parts. */
export function createCourier<Parcel, Outcome>(parts: CourierParts<Parcel, Outcome>): Courier {
  const { connections } = parts;
  const worthwhile = Math.ceil(connections / 4);
  const underway = new Set<string>();
  let waiting: Waiting[] = [];
  let claiming = false;
  let patient = false;
  let stopped = false;

  const carryAndSettle = async (errand: Waiting, parcel: Parcel): Promise<void> => {
    await parts.settle(await parts.carry(parcel));
    underway.delete(errand.emailId);
    errand.done();
    pump();
  };

  const claimNext = async (room: number): Promise<void> => {
    claiming = true;
    const errands = waiting.splice(0, room);
    try {
      const claimed = await parts.claim(errands);
      for (const errand of errands) {
        const parcel = claimed.get(errand.emailId);
        // Not ours. Nor is it when the same mail was asked for twice in one claim.
        if (!parcel || underway.has(errand.emailId)) errand.done();
        else {
          underway.add(errand.emailId);
          void carryAndSettle(errand, parcel);
        }
      }
    } catch (error) {
      for (const errand of errands) errand.failed(error);
    } finally {
      claiming = false;
    }
    pump();
  };

  const pump = (isTired = false): void => {
    const room = connections - underway.size;
    if (claiming || waiting.length === 0 || room === 0) return;
    // A claim for one costs as much as a claim for many.
    const enough = underway.size === 0 || Math.min(room, waiting.length) >= worthwhile;
    if (enough || isTired) return void claimNext(room);
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
