// How long a request waits for what has to be known before anything is done.
import { problems } from "../../problem/mod.ts";

// A database that hangs is noticed here.
const PATIENCE_MS = 10_000;

/** What `work` resolves with. Throws 503 where it takes too long. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(problems.unavailable()), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
