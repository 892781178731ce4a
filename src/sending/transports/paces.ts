// How fast mails may go where somebody asks us to slow down: a relay all of its mails, a mailbox provider those that are
// delivered to it directly. Additive increase, multiplicative decrease, as TCP does (RFC 5681); shared by all processes.
import { createHash } from "node:crypto";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import { createCache } from "../../cache.ts";
import { meansTooManyConnections } from "../../mail/reply_meaning.ts";
import { MAILBOX_PROVIDERS } from "../../mail/mailbox_provider.ts";
import type { Transport } from "./transport.ts";
import { mailboxProvidersOf } from "./mailbox_providers.ts";
import { DEFAULT_TRANSPORT, INSTALLATION } from "./routes.ts";

/** A pace that is slowed. */
export interface Pace {
  /** Its bucket in `send_rates`. */
  scope: string;
  /** Mails a second, over all processes. */
  rate: number;
}

/** So many mails may be fetched now, of all domains that share the pace; when none, in how many milliseconds. */
export interface PaceRoom {
  scope: string;
  mails: number;
  waitMs: number;
}

/** The paces as this process knows them. */
export interface Paces {
  /** Null: as fast as it goes. */
  of(transport: Transport, domain: string): Pace | null;
  /** What may be fetched now of what waits; null: as much as there is. */
  room(transport: Transport, domain: string): PaceRoom | null;
  /** Its places are given away for so long. */
  noteEmpty(transport: Transport, domain: string, waitMs: number): void;
  noteAccepted(transport: Transport, domain: string): void;
  /** The other side has asked for it. Never throws. */
  slowDown(transport: Transport, domain: string, reason: string): Promise<void>;
  /** What the database knows, and a little faster where nobody has asked lately. */
  refresh(): Promise<void>;
}

/** All mails of a transport. */
const ALL = "*";
const WINDOW_MS = 10_000;
/** Who has only begun to send has seen nothing yet: it begins with half of this, and finds less by itself. */
const LEAST_SEEN = 10;
const MAX_KEYS = 5_000;
/**
 * Of each transport that many are kept for providers that have no name here: whoever owns a thousand domains may have all of them
 * ask, and every process reads every pace. The great providers keep theirs, whatever strangers ask for.
 */
const MAX_PACES = 200;
const NAMED: readonly string[] = [ALL, ...MAILBOX_PROVIDERS];
/** Mails are fetched for so long: until somebody looks again. */
const FETCH_S = 0.15;
/** Who has waited for a place within this time was held back by the pace, and not by having little to send. */
const BINDING_MS = 5_000;
/** More than any pace. */
const UNSEEN = 1_000_000;

/** Of this process. */
export const pacesOf = perService((ctx): Paces => createPaces(ctx));

function createPaces(ctx: Context): Paces {
  let paces = new Map<string, Pace>();
  const emptyUntil = new Map<string, number>();
  /** Mails that were accepted in this window of time and the one before. */
  const seen = createCache<{ window: number; count: number; before: number }>({ maxEntries: MAX_KEYS });
  const providers = mailboxProvidersOf(ctx);
  const partsOf = (transport: Transport, domain: string): [transportId: string, provider: string] => {
    const id = transport.id === DEFAULT_TRANSPORT ? INSTALLATION : transport.id;
    return [id, transport.kind === "DIRECT" ? providers.of(domain) : ALL];
  };
  const keyOf = (transport: Transport, domain: string) => partsOf(transport, domain).join(" ");
  const windowOf = (at: number) => Math.floor(at / WINDOW_MS);

  const countOf = (key: string) => {
    const window = windowOf(performance.now());
    const known = seen.get(key);
    if (!known) return { window, count: 0, before: 0 };
    if (known.window === window) return known;
    return { window, count: 0, before: known.window === window - 1 ? known.count : 0 };
  };
  /** Mails a second of this process, in the last ten to twenty seconds. */
  const rateSeen = (key: string) => {
    const { count, before } = countOf(key);
    const passedMs = performance.now() % WINDOW_MS;
    return Math.max(LEAST_SEEN, ((count + before) * 1000) / (passedMs + (before > 0 ? WINDOW_MS : 0) + 1));
  };
  /** Then the pace itself is what was too fast: the other processes send, too. */
  const isBinding = (key: string) =>
    paces.has(key) && performance.now() - (emptyUntil.get(key) ?? -Infinity) < BINDING_MS;
  return {
    of: (transport, domain) => (paces.size === 0 ? null : (paces.get(keyOf(transport, domain)) ?? null)),
    room(transport, domain) {
      const key = keyOf(transport, domain);
      const pace = paces.get(key);
      if (!pace) return null;
      const { scope, rate } = pace;
      const waitMs = Math.max(0, (emptyUntil.get(key) ?? 0) - performance.now());
      return { scope, mails: waitMs > 0 ? 0 : Math.max(1, Math.ceil(rate * FETCH_S)), waitMs };
    },
    noteEmpty: (transport, domain, waitMs) =>
      void emptyUntil.set(keyOf(transport, domain), performance.now() + waitMs),
    noteAccepted(transport, domain) {
      const key = keyOf(transport, domain);
      const known = countOf(key);
      seen.set(key, { ...known, count: known.count + 1 });
    },
    async slowDown(transport, domain, reason) {
      const key = keyOf(transport, domain);
      const [transportId, provider] = partsOf(transport, domain);
      try {
        const changed = await q.transports.slowDown(ctx, {
          transportId,
          provider,
          reason,
          seen: String(isBinding(key) ? UNSEEN : rateSeen(key)),
          now: ctx.now(),
        });
        if (changed === 0) return;
        if (!NAMED.includes(provider)) {
          await q.transports.dropPaces(ctx, { transportId, named: [...NAMED], max: MAX_PACES });
        }
        ctx.log.info("slowed down", { transportId: transport.id, provider, response: reason });
        await this.refresh();
      } catch (error) {
        ctx.log.warn("pace not slowed down", describeError(error));
      }
    },
    async refresh() {
      const rows = await q.transports.paces(ctx);
      paces = new Map(
        rows.map(({ transportId, provider, rate }) => {
          const key = `${transportId} ${provider}`;
          return [key, { scope: scopeOf(key), rate }];
        }),
      );
      for (const key of emptyUntil.keys()) if (!paces.has(key)) emptyUntil.delete(key);
      if (paces.size > 0) await q.transports.speedUp(ctx, { now: ctx.now() });
    },
  };
}

/** A UUID of its own for each pace. */
function scopeOf(key: string): string {
  const hex = createHash("md5").update(`pace ${key}`).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Whether a server asks for the same mail later, as it does of strangers: it is well, and takes the others likewise. */
export function isGreylisting(response: string): boolean {
  return /gr[ae]y.?list/i.test(response);
}

/**
 * Whether a mailbox provider asks to slow down. Greylisting asks for the same mail later, not for fewer; too many
 * connections are those of all processes, however few mails go over them, and who has some keeps them. Where no server of
 * a domain takes a mail, the name of the last one stands before its reply: `mx.example.com [203.0.113.7]: 421 Too fast`.
 */
export function asksToSlowDown(response: string): boolean {
  if (isGreylisting(response) || meansTooManyConnections(response)) return false;
  const reply = response.replace(/^\S+ \[\S+\]: /, "");
  return /^421\b|^450\b(?!.*\b4\.2\.)|^4\d\d.*\b4\.7\.\d+/.test(reply);
}
