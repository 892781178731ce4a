// The marks of mails that have reached the end of their handover. What this process has claimed and not marked when it
// dies was never sent; so a mail is in doubt only when the line that ends it was, or may just have been, on the wire.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import type { MayEnd } from "../../mail/mailer.ts";

/** A mail of the ledger. */
interface MarkedMail {
  projectId: string;
  id: string;
}

/** The marks of a process. */
export interface HandoverMarks {
  /** Resolves when the marks of this process count. Nothing may be claimed before. */
  noted(): Promise<void>;
  /** Does `work` with a mail that is on its way, and gives it the question whether the mail may be ended. */
  onItsWay<T>(mail: MarkedMail, work: (mayEnd: MayEnd) => Promise<T>): Promise<T>;
}

/** While others are on their way to their ends marks wait for each other, but never longer than this. */
const PATIENCE_MS = 2;
/** The end of a mail is withheld this long. Then the connection is broken, and the mail is as it was. */
const LONGEST_HOLD_MS = 10_000;
const RETRY_MS = 200;
/** Concurrent statements. */
const MAX_FLIGHTS = 2;

interface Waiting {
  mail: MarkedMail;
  since: number;
  answer(mayEnd: boolean): void;
}

/** What the marks of a process are made of. */
interface MarksParts {
  connections: number;
  /**
   * All that this process holds, until the ledger has the outcome. If the marks are lost, as by a crash of Postgres,
   * they are written again for these.
   */
  underway: ReadonlySet<string>;
  longestHoldMs?: number;
}

/** The marks of this process. Mails that come to their ends at about the same time share a statement. */
export function createHandoverMarks(
  ctx: Context,
  { connections, underway, longestHoldMs = LONGEST_HOLD_MS }: MarksParts,
): HandoverMarks {
  const worthwhile = Math.ceil(connections / 3);
  let waiting: Waiting[] = [];
  let approaching = 0;
  let flights = 0;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let noting: Promise<void> | undefined;
  /** Of the latest note. Marking without one, or after losing it, makes the next. */
  let epoch = 0;
  /** The marks as they are in the database: a group for each place. Null if that is unknown. */
  const places: (string[] | null)[] = [];

  const noteDown = async () => {
    epoch += 1;
    await q.handoverMarks.noteDown(ctx, { workerId: ctx.workerId, epoch, emailIds: [...underway] });
  };
  /**
   * A place whose mails are all settled, or a new one. A statement whose answer was lost may still be carried out at any
   * time: its place is never used again.
   */
  const takePlace = (): number => {
    const free = places.findIndex((marked) => marked !== null && !marked.some((id) => underway.has(id)));
    const place = free === -1 ? places.length : free;
    places[place] = null;
    return place;
  };
  const noted = (): Promise<void> => {
    noting ??= noteDown().catch((error) => {
      noting = undefined;
      throw error;
    });
    return noting;
  };
  const pump = (isTired = false): void => {
    if (flights === MAX_FLIGHTS || waiting.length === 0) return;
    // A statement for one costs as much as a statement for many.
    if (isTired || approaching === 0 || waiting.length >= worthwhile) return void depart();
    patience ??= setTimeout(() => {
      patience = undefined;
      pump(true);
    }, PATIENCE_MS);
  };
  const depart = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    clearTimeout(patience);
    patience = undefined;
    flights += 1;
    const held = await inTime(group);
    flights -= 1;
    // Replies received in the meantime are read first: a server may have hung up.
    setImmediate(() => {
      for (const { mail, answer } of group) answer(held.has(mail.id));
    });
    pump();
  };
  /** Those that may be ended. None when it took too long, be it because this process stood still. */
  const inTime = async (group: Waiting[]): Promise<Set<string>> => {
    const left = () => Math.min(...group.map(({ since }) => since)) + longestHoldMs - performance.now();
    const tooLate = Promise.withResolvers<Set<string>>();
    const timer = setTimeout(() => tooLate.resolve(new Set()), Math.max(0, left()));
    const held = await Promise.race([marked(group, () => left() <= 0), tooLate.promise]);
    clearTimeout(timer);
    return left() > 0 ? held : new Set();
  };
  const marked = async (group: Waiting[], isTooLate: () => boolean): Promise<Set<string>> => {
    const emailIds = group.map(({ mail }) => mail.id);
    const place = takePlace();
    let isKnown = true;
    const mails = {
      workerId: ctx.workerId,
      place,
      projectIds: group.map(({ mail }) => mail.projectId),
      emailIds,
    };
    while (!isTooLate()) {
      const asked = epoch;
      try {
        const { held } = await q.handoverMarks.mark(ctx, { ...mails, epoch: asked });
        if (held) {
          if (isKnown) places[place] = emailIds;
          return new Set(held);
        }
        if (asked === epoch) await noteDown();
      } catch (error) {
        isKnown = false;
        ctx.log.warn("ends of mails not marked yet", { mails: group.length, ...describeError(error) });
        await Bun.sleep(RETRY_MS);
      }
    }
    return new Set();
  };
  return {
    noted,
    async onItsWay(mail, work) {
      approaching += 1;
      let isApproaching = true;
      const arrive = () => {
        if (isApproaching) approaching -= 1;
        isApproaching = false;
      };
      const mayEnd = () =>
        new Promise<boolean>((answer) => {
          arrive();
          waiting.push({ mail, since: performance.now(), answer });
          pump();
        });
      try {
        return await work(mayEnd);
      } finally {
        arrive();
        pump();
      }
    },
  };
}
