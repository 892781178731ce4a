import { describe, expect, test } from "bun:test";
import { PassPatience } from "../../src/sending/delivery/_pass_patience.ts";

const after = (mails: number, ms: number, patience = new PassPatience(() => {})) => {
  for (let n = 0; n < mails; n++) patience.note(ms);
  return patience;
};

/** Resolves when somebody was tired so many times. */
function untilTired(times: number): { patience: PassPatience; tired: Promise<void>; count: () => number } {
  let count = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const patience = new PassPatience(() => {
    if (++count === times) resolve();
  });
  return { patience, tired: promise, count: () => count };
}

describe("the patience of a pass", () => {
  test("is a tenth of the time that a mail takes, but within limits", () => {
    expect(new PassPatience(() => {}).ms).toBe(3);
    expect(after(100, 1).ms).toBe(3);
    expect(after(100, 100).ms).toBeCloseTo(10, 1);
    expect(after(100, 20_000).ms).toBe(20);
  });

  test("follows a server that becomes faster, and not one slow mail", () => {
    expect(after(100, 5, after(100, 200)).ms).toBe(3);
    expect(after(1, 150, after(100, 5)).ms).toBe(3);
  });

  test("ends once, however often it was asked for meanwhile", async () => {
    const { patience, tired, count } = untilTired(1);
    for (let n = 0; n < 5; n++) patience.wait();
    await tired;

    expect(count()).toBe(1);
  });

  test("is short for a single mail where it is long for others", async () => {
    const { patience, tired } = untilTired(2);
    after(100, 200, patience).wait();
    for (let n = 0; n < 5; n++) patience.hurry();
    // The short one, and the long one.
    await tired;

    const fast = untilTired(1);
    fast.patience.hurry();
    fast.patience.wait();
    fast.patience.hurry();
    await fast.tired;
    expect(fast.count()).toBe(1);
  });
});
