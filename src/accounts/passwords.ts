// Passwords are kept as argon2id. A check is meant to be dear, so few are made at once, in turn, and nobody waits long:
// log-ins have to leave the processor to the rest of the service.
import { availableParallelism } from "node:os";
import { type Context, perService } from "../context.ts";
import { problems } from "../problem.ts";

/** What OWASP asks of argon2id: 19 MB and about 20 ms of one processor. */
const COSTS = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** A hash of the same costs, of a password that nobody knows: looked at where there is nothing to look at. */
export const NOBODYS_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$+DK7d9ZoqOb6Z45OykgcnTLO/rsXXWaXnAlJ8ogjrAU$+otvD0i9sLjdnl9U9TaN1SAv5ZTllp8ERNnTL/kqaL0";

/** Half of the processors: the other half is for requests. */
const AT_ONCE = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));

/** Who comes when so many wait is told to come back: the last one waits some seconds. */
export const MAX_WAITING_PASSWORDS = 200 * AT_ONCE;

/** The hash of a password that is to be kept. Throws 503 when too many others wait. */
export async function hashPassword(ctx: Context, password: string): Promise<string> {
  return await inTurn(ctx, () => Bun.password.hash(spelled(password), COSTS));
}

/**
 * Whether this is the password. It takes as long where there is none, for somebody without an account or without a
 * password. To be called {@linkcode inTurn}.
 */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const isRight = await Bun.password.verify(spelled(password), hash ?? NOBODYS_HASH);
  return isRight && hash !== null;
}

/** Does work with a password when it is its turn. Throws 503 when too many others wait. */
export async function inTurn<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  const line = lines(ctx);
  if (line.busy === AT_ONCE) {
    if (line.waiting.length >= MAX_WAITING_PASSWORDS) throw problems.tooManyPasswords();
    // Whoever is done hands the place over.
    await new Promise<void>((go) => line.waiting.push(go));
  } else line.busy++;
  try {
    return await work();
  } finally {
    const next = line.waiting.shift();
    if (next) next();
    else line.busy--;
  }
}

const lines = perService(() => ({ busy: 0, waiting: [] as (() => void)[] }));

/** One password is typed as different characters on different devices. */
function spelled(password: string): string {
  return password.normalize("NFKC");
}
