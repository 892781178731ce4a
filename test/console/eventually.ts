// What a page shows comes when it is ready: after a request, a frame, a turn of React.
import { expect, type Matchers } from "bun:test";

/** For a busy machine: what never holds fails all the same. */
const LIMIT_MS = 60_000;

type Check = Record<string, (...expected: unknown[]) => void>;
type Eventually = {
  [M in keyof Matchers<unknown>]: M extends "not"
    ? Omit<Eventually, "not">
    : (...expected: unknown[]) => Promise<void>;
};

/**
 * `expect` of what is read from a page, read again until it holds: `await eventually(() => field.inputValue()).toBe("Ada")`.
 * Fails with the last reason after a minute.
 */
export const eventually = (read: () => Promise<unknown>): Eventually => {
  const checks = (of: (found: unknown) => unknown) =>
    new Proxy({} as Eventually, {
      get: (_, matcher: string) =>
        matcher === "not"
          ? checks((found) => expect(found).not)
          : (...expected: unknown[]) =>
              untilItHolds(read, (found) => (of(found) as Check)[matcher]!(...expected)),
    });
  return checks(expect);
};

async function untilItHolds(read: () => Promise<unknown>, check: (found: unknown) => void): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  for (let pauseMs = 10; ; pauseMs = Math.min(50, pauseMs * 2)) {
    const found = await read();
    try {
      check(found);
      return;
    } catch (reason) {
      if (Date.now() > deadline) throw reason;
      await Bun.sleep(pauseMs);
    }
  }
}
