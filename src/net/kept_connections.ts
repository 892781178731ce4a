// Connections that are kept for the next request to the same place. The address of each was checked when it was made, so a
// name that leads elsewhere by now is no matter until it is closed.
import type { Socket } from "node:net";

/** How long one is kept without a request. Many servers close it after 5 s, which is noticed. */
const IDLE_MS = 10_000;
/** How long one is used at most: where its name leads is looked up again then. */
const MAX_AGE_MS = 60_000;
/** Of one place, and of all. */
const MAX_OF_PLACE = 32;
const MAX_IDLE = 256;

/** A connection, and when it was made: a reading of performance.now(). */
export interface KeptConnection {
  socket: Socket;
  madeAt: number;
}

/** The connections of callers that follow the same rules about addresses. */
export interface KeptConnections {
  /** One to this place that nobody uses; null when there is none. */
  take(place: string): KeptConnection | null;
  /** Keeps one for the next request, or closes it. */
  give(place: string, connection: KeptConnection): void;
  /** How many are kept and not in use. */
  readonly idle: number;
}

interface Idle extends KeptConnection {
  place: string;
  timer: ReturnType<typeof setTimeout>;
  lose: () => void;
}

/** None yet. Those that are idle do not keep the process alive. */
export function keptConnections(idleMs = IDLE_MS, maxAgeMs = MAX_AGE_MS): KeptConnections {
  const byPlace = new Map<string, Idle[]>();
  /** In the order in which they became idle. */
  const all = new Set<Idle>();
  const remove = (idle: Idle) => {
    all.delete(idle);
    const left = byPlace.get(idle.place)!.filter((one) => one !== idle);
    if (left.length > 0) byPlace.set(idle.place, left);
    else byPlace.delete(idle.place);
    clearTimeout(idle.timer);
    for (const event of LOSSES) idle.socket.off(event, idle.lose);
  };
  return {
    get idle() {
      return all.size;
    },
    take(place) {
      for (;;) {
        // The one that was used last: it is the likeliest to be there still.
        const idle = byPlace.get(place)?.at(-1);
        if (!idle) return null;
        remove(idle);
        const { socket, madeAt } = idle;
        if (!socket.destroyed && performance.now() - madeAt < maxAgeMs)
          return { socket: socket.ref(), madeAt };
        socket.destroy();
      }
    },
    give(place, { socket, madeAt }) {
      const isOld = performance.now() - madeAt >= maxAgeMs;
      const isFull = (byPlace.get(place)?.length ?? 0) >= MAX_OF_PLACE;
      if (socket.destroyed || socket.writableLength > 0 || isOld || isFull) return void socket.destroy();
      const lose = () => {
        remove(idle);
        socket.destroy();
      };
      const idle: Idle = { place, socket, madeAt, timer: setTimeout(lose, idleMs).unref(), lose };
      // It was closed, or says what nobody asked for.
      for (const event of LOSSES) socket.on(event, lose);
      socket.unref();
      all.add(idle);
      byPlace.set(place, [...(byPlace.get(place) ?? []), idle]);
      if (all.size > MAX_IDLE) all.values().next().value!.lose();
    },
  };
}

const LOSSES = ["data", "end", "close", "error"] as const;
