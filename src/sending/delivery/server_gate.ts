// Whether the mail server lets this process in. While it refuses connections, greets with a refusal or takes no log-in,
// nothing is claimed: mails stay as they are, one connection at a time asks again, and when the server is back all continues.
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import type { Mailer } from "../../mail/mailer.ts";
import type { Transport } from "../transports/transport.ts";
import { DEFAULT_TRANSPORT } from "../transports/routes.ts";
import { wakeMails } from "./recovery.ts";

/** Where mails can go: from here, from other processes alone, or from nowhere. */
export type Way = "here" | "elsewhere" | "nowhere";

/** Whether the mail server accepts connections. Gates for a part of the mails may be added beside it. */
export interface ServerGate {
  readonly way: Way;
  /** How long it has let nobody in from here; 0: it does. */
  readonly closedForMs: number;
  /** The server has accepted no connection, with this reply. */
  shut(words: string): void;
  /** Resolves when there is a way from here, or after so long; true: there is. */
  opened(withinMs: number): Promise<boolean>;
  /** Asks no more. */
  stop(): void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const WAKE_AGAIN_MS = 5_000;
/** A server that refuses permanently (5xx) is asked less often: failed log-ins are counted. */
const LONGEST_PAUSE_REFUSED_MS = 30_000;

/** The gate of the mail server of the settings. */
export const gateOf = perService((ctx) =>
  createServerGate(ctx, { mailer: ctx.mailer, id: DEFAULT_TRANSPORT }),
);

const othersOf = perService(() => new Map<string, { gate: ServerGate; mailer: Mailer }>());

/** The gate of a transport: a new one where it was opened again. */
export function gateOfTransport(ctx: Context, transport: Pick<Transport, "id" | "mailer">): ServerGate {
  if (transport.id === DEFAULT_TRANSPORT) return gateOf(ctx);
  const others = othersOf(ctx);
  const made = others.get(transport.id);
  if (made?.mailer === transport.mailer) return made.gate;
  made?.gate.stop();
  const gate = createServerGate(ctx, transport);
  others.set(transport.id, { gate, mailer: transport.mailer });
  return gate;
}

/** The gates of transports that are not in use any more, or were opened again, ask no more and are forgotten. */
export function dropGates(ctx: Context, isInUse: (id: string, mailer: Mailer) => boolean): void {
  const others = othersOf(ctx);
  for (const [id, { gate, mailer }] of others) {
    if (isInUse(id, mailer)) continue;
    gate.stop();
    others.delete(id);
  }
}

/** All gates ask no more. */
export function stopGates(ctx: Context): void {
  gateOf(ctx).stop();
  for (const { gate } of othersOf(ctx).values()) gate.stop();
}

function createServerGate(ctx: Context, { mailer, id }: Pick<Transport, "id" | "mailer">): ServerGate {
  /** Mails of other transports have jobs while they wait, and need no waking. */
  const isShared = id === DEFAULT_TRANSPORT;
  const about = isShared ? {} : { transportId: id };
  let way: Way = "here";
  let shutAt = 0;
  let stopped = false;
  let waking = 0;
  const waiting = new Set<() => void>();

  const ask = async (words: string): Promise<void> => {
    const since = performance.now();
    ctx.log.warn("mail server accepts no connections", { ...about, response: words });
    let answer: string | null = words;
    for (let pauseMs = FIRST_PAUSE_MS; answer !== null; pauseMs *= 2) {
      await note(true, since);
      await pause(Math.min(pauseMs, answer.startsWith("5") ? LONGEST_PAUSE_REFUSED_MS : LONGEST_PAUSE_MS));
      if (stopped) return;
      answer = await mailer.reach();
    }
    way = "here";
    for (const go of waiting) go();
    ctx.log.info("mail server accepts connections again", {
      ...about,
      ms: Math.round(performance.now() - since),
    });
    await note(false, since);
    if (isShared) await wakeAll(since);
  };
  /** Informs the others, and is informed by them. */
  const note = async (isAway: boolean, since: number): Promise<void> => {
    if (!isShared) return;
    try {
      const { othersReachIt } = await q.workers.noteMailServer(ctx, { id: ctx.workerId, isAway });
      if (!isAway) return;
      const before = way;
      way = othersReachIt ? "elsewhere" : "nowhere";
      if (before === "nowhere" && othersReachIt) void wakeAll(since);
    } catch (error) {
      ctx.log.warn("state of the mail server not noted", describeError(error));
    }
  };
  /** Once for each opening, and no more when it closes again: the next opening wakes what is left. */
  const wakeAll = async (since: number): Promise<void> => {
    const mine = (waking += 1);
    const isOver = () => mine === waking && way !== "nowhere" && !stopped;
    const closedForMs = performance.now() - since;
    const wake = async (): Promise<void> => {
      for (let pauseMs = FIRST_PAUSE_MS; isOver(); pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        try {
          return await wakeMails(ctx, { closedForMs, isOver });
        } catch (error) {
          ctx.log.warn("waiting mails not woken yet", describeError(error));
          await pause(pauseMs);
        }
      }
    };
    await wake();
    // Jobs that were in the queue then kept the last mails before them from being seen.
    await pause(WAKE_AGAIN_MS);
    await wake();
  };
  return {
    get way() {
      return way;
    },
    get closedForMs() {
      return way === "here" ? 0 : performance.now() - shutAt;
    },
    shut(words) {
      if (way !== "here" || stopped) return;
      way = "nowhere";
      shutAt = performance.now();
      void ask(words);
    },
    async opened(withinMs) {
      if (way === "here") return true;
      const open = Promise.withResolvers<void>();
      waiting.add(open.resolve);
      await Promise.race([open.promise, pause(withinMs)]);
      waiting.delete(open.resolve);
      return (way as Way) === "here";
    },
    stop() {
      stopped = true;
    },
  };
}

/** A pause that keeps no process alive. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
