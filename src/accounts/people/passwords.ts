// Passwords are stored as argon2id. A check is meant to be expensive, so only a few run at once, in turn, and nobody
// waits long: log-ins have to leave the processor to the rest of the service.
import { availableParallelism } from "node:os";
import { type Context, perService } from "../../context.ts";
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

/** With this many waiting, others are told to come back: the last one waits some seconds. */
export const MAX_WAITING_PASSWORDS = 200 * AT_ONCE;

/**
 * Of those waiting, at most this many may come from one network: there is room for others, whatever one network sends.
 */
export const MAX_WAITING_OF_A_NETWORK = MAX_WAITING_PASSWORDS / 4;

/**
 * After this long the caller is told to come back: where hashing takes longer than it should, the queue is too long.
 */
const PATIENCE_MS = 8_000;

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

/** Does work with a password when it is its turn. Throws 503 when too many others wait, or this one too long. */
export async function inTurn<T>(ctx: Context, turn: Turn, work: () => Promise<T>): Promise<T> {
  const line = lines(ctx);
  if (line.busy < AT_ONCE) line.busy++;
  else await waitIn(line, turn);
  try {
    return await work();
  } finally {
    // One that is done hands over its place.
    const next = line.waiting.shift();
    if (next) next.go();
    else line.busy--;
  }
}

interface Waiting {
  network: string | null;
  go(): void;
}

const lines = perService(() => ({ busy: 0, waiting: [] as Waiting[] }));

async function waitIn({ waiting }: { waiting: Waiting[] }, turn: Turn): Promise<void> {
  const { network, patienceMs = PATIENCE_MS } = turn;
  const ofNetwork = network === null ? 0 : waiting.filter((other) => other.network === network).length;
  if (waiting.length >= MAX_WAITING_PASSWORDS || ofNetwork >= MAX_WAITING_OF_A_NETWORK) {
    throw problems.busy("check a password");
  }
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(place), 1);
      reject(problems.busy("check a password"));
    }, patienceMs);
    const place = {
      network,
      go() {
        clearTimeout(timer);
        resolve();
      },
    };
    waiting.push(place);
  });
}

/** One password is typed as different characters on different devices. */
function normalized(password: string): string {
  return password.normalize("NFKC");
}
