// What follows from the calls of an endpoint, whatever chance makes of the pauses.
import { describe, expect, test } from "bun:test";
import type { Called } from "../../src/automation/endpoints/_call.ts";
import { deliveryOutcome, verdictOf } from "../../src/automation/endpoints/_verdict.ts";

const now = new Date("2026-11-27T12:00:00Z");
const fresh = { failures: 0, failingSince: null };
const MINUTE_MS = 60_000;

function called(status: number, retryAfterMs = 0): Called {
  const made = { at: now.toISOString(), ms: 1, status };
  return { isGood: status < 300, try: made, status, response: null, retryAfterMs };
}

describe("a delivery that fails", () => {
  test.each([
    [0, 1],
    [1, 0],
    [0.5, 0.5],
  ])("is due when its line is called again, not before: chance %d and %d", (ownChance, lineChance) => {
    const asksForTwoHours = called(429, 120 * MINUTE_MS);
    const { retryAt } = verdictOf(fresh, [asksForTwoHours], now, () => lineChance);
    const { dueAt } = deliveryOutcome(2, asksForTwoHours, { now, retryAt }, () => ownChance);
    const minutes = (dueAt!.getTime() - now.getTime()) / MINUTE_MS;

    expect(dueAt!.getTime()).toBeGreaterThanOrEqual(retryAt!.getTime());
    expect(minutes).toBeGreaterThanOrEqual(120);
    expect(minutes).toBeLessThanOrEqual(144);
  });

  test("among others that succeed waits for its own time alone", () => {
    const failed = called(500);
    const { retryAt } = verdictOf(fresh, [failed, called(200)], now);
    const { dueAt } = deliveryOutcome(1, failed, { now, retryAt }, () => 0);

    expect(retryAt).toBeNull();
    expect(dueAt!.getTime() - now.getTime()).toBe(MINUTE_MS);
  });
});

describe("Retry-After", () => {
  const ask = (status: number) => {
    const failed = called(status, 60 * MINUTE_MS);
    const { retryAt } = verdictOf(fresh, [failed, called(200)], now, () => 0);
    const { dueAt } = deliveryOutcome(1, failed, { now, retryAt }, () => 0);
    const minutesTo = (at: Date | null) => at && (at.getTime() - now.getTime()) / MINUTE_MS;
    return { line: minutesTo(retryAt), delivery: minutesTo(dueAt) };
  };

  test.each([429, 503])("of %d rests the endpoint, though others of the moment have succeeded", (status) => {
    expect(ask(status)).toEqual({ line: 60, delivery: 60 });
  });

  test.each([302, 400, 404, 500, 502])("of %d keeps back its own delivery alone", (status) => {
    expect(ask(status)).toEqual({ line: null, delivery: 60 });
  });

  test("of any other status makes the rest of an endpoint at which everything fails no longer", () => {
    const { retryAt, failures } = verdictOf(fresh, [called(500, 60 * MINUTE_MS)], now, () => 0);

    expect([failures, retryAt!.getTime() - now.getTime()]).toEqual([1, 5_000]);
  });
});
