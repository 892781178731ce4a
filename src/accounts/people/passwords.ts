// Passwords are stored as argon2id. A check is meant to be expensive, so only a few run at once, in turn: log-ins have to
// leave the processor to the rest of the service.
import { availableParallelism } from "node:os";
import { type Context, perService } from "../../context.ts";
import { type FairLine, newFairLine } from "../../fair_line.ts";
import { problems } from "../../problem/mod.ts";

/** In characters. */
export const PASSWORD_LENGTH = { min: 8, max: 128 } as const;

/** What OWASP asks of argon2id: 19 MB and about 20 ms of one processor. */
const COSTS = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** A hash of the same cost, of an unknown password: checked if there is no account. */
export const NOBODYS_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$+DK7d9ZoqOb6Z45OykgcnTLO/rsXXWaXnAlJ8ogjrAU$+otvD0i9sLjdnl9U9TaN1SAv5ZTllp8ERNnTL/kqaL0";

/** Half of the processors: the other half is for requests. */
const AT_ONCE = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));

/** With this many waiting, one of the network with the most of them is told to come back. */
export const MAX_WAITING_PASSWORDS = 200 * AT_ONCE;

/** Of those waiting, at most this many may come from one network. */
export const MAX_WAITING_OF_A_NETWORK = MAX_WAITING_PASSWORDS / 4;

/**
 * After this long the caller is told to come back. A full line takes 5 s on a quiet machine and several times that on a busy
 * one. Somebody who waits costs nothing but a connection; somebody who is refused tries again, and waits again.
 */
const PATIENCE_MS = 25_000;

/** Whose turn it is to be, and how long they wait for it. A network that is null is not known, and not limited. */
interface Turn {
  network: string | null;
  patienceMs?: number;
}

/** The hash of a password that is to be kept. Throws 503 when too many others wait. */
export async function hashPassword(ctx: Context, password: string, network: string | null): Promise<string> {
  return await inTurn(ctx, { network }, () => Bun.password.hash(normalized(password), COSTS));
}

/**
 * Whether this is the password. It takes as long if there is none, for somebody without an account or without a
 * password. To be called {@linkcode inTurn}.
 */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const isRight = await Bun.password.verify(normalized(password), hash ?? NOBODYS_HASH);
  return isRight && hash !== null;
}

/**
 * Does work with a password when it is its turn. Networks take turns, so that somebody who logs in waits for one attempt of
 * each other network, however many one of them makes. Throws 503 when too many others wait, or this one too long.
 */
export async function inTurn<T>(ctx: Context, turn: Turn, work: () => Promise<T>): Promise<T> {
  const { network, patienceMs = PATIENCE_MS } = turn;
  return await lines(ctx)(network ?? Bun.randomUUIDv7(), work, patienceMs);
}

const lines = perService<FairLine>(() => {
  const refusal = () => problems.busy("check a password");
  return newFairLine(
    {
      maxAtOnce: AT_ONCE,
      maxOfOne: AT_ONCE,
      maxWaiting: MAX_WAITING_PASSWORDS,
      maxWaitingOfOne: MAX_WAITING_OF_A_NETWORK,
    },
    { ofAll: refusal, ofOne: refusal },
  );
});

/** One password is typed as different characters on different devices. */
function normalized(password: string): string {
  return password.normalize("NFKC");
}
