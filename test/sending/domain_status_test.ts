import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  afterCheck,
  type KeyVerdict,
  nextCheckAt,
  type Standing,
} from "../../src/sending/domains/_status.ts";

const START = Date.UTC(2026, 0, 1);
const at = (minutes: number) => new Date(START + minutes * 60_000);
const NEW: Standing = {
  status: "PENDING",
  trusted: false,
  verifiedAt: null,
  failures: 0,
  failingSince: null,
};
const VERIFIED: Standing = { ...NEW, status: "VERIFIED", verifiedAt: at(0) };
const TRUSTED: Standing = { ...NEW, status: "VERIFIED", trusted: true };
const HOURS = 60;

/** How a domain stands after checks at these minutes. */
const after = (before: Standing, checks: [number, KeyVerdict][]) =>
  checks.reduce((standing, [minute, verdict]) => afterCheck(standing, verdict, at(minute)), before);
const fails = (...minutes: number[]) => minutes.map((minute): [number, KeyVerdict] => [minute, "fail"]);

describe("a verified domain", () => {
  test.each([
    ["one failed check", fails(0), "VERIFIED"],
    ["many failed checks within an hour", fails(0, 5, 10, 20, 30, 40, 50, 59), "VERIFIED"],
    ["two failed checks, however far apart", fails(0, 10 * HOURS), "VERIFIED"],
    ["the third failed check, an hour after the first", fails(0, 30, 60), "FAILED"],
    ["the third failed check, a moment before that", fails(0, 30, 59.99), "VERIFIED"],
    ["a good check in between", [...fails(0, 30), [45, "match"], ...fails(60, 90)], "VERIFIED"],
    ["three failures after a good check", [...fails(0, 30), [45, "match"], ...fails(60, 90, 120)], "FAILED"],
    ["a DNS that does not answer", Array(99).fill([90, "unknown"]), "VERIFIED"],
    ["two failures and a DNS that does not answer", [...fails(0, 30), [90, "unknown"]], "VERIFIED"],
    ["three failures around silence", [...fails(0), [30, "unknown"], ...fails(59, 61)], "FAILED"],
  ] as [string, [number, KeyVerdict][], string][])("after %s", (_, checks, status) => {
    const standing = after(VERIFIED, checks);

    expect(standing.status).toBe(status as Standing["status"]);
    expect(standing.verifiedAt === null).toBe(status === "FAILED");
  });

  test("that was given up is verified again by one good check, and then has the whole hour again", () => {
    const lost = after(VERIFIED, fails(0, 30, 60));
    const back = after(lost, [[90, "match"]]);

    expect(back).toEqual({ ...VERIFIED, verifiedAt: at(90) });
    expect(after(back, fails(95, 100)).status).toBe("VERIFIED");
  });
});

describe("a new domain", () => {
  test("is verified by its first good check", () => {
    expect(after(NEW, [...fails(0, 5), [10, "match"]])).toEqual({ ...VERIFIED, verifiedAt: at(10) });
  });

  test("fails after 72 hours of failed checks, not before, and can be verified later", () => {
    const almost = after(NEW, fails(0, 72 * HOURS - 1));
    const failed = after(almost, fails(72 * HOURS));

    expect([almost.status, failed.status]).toEqual(["PENDING", "FAILED"]);
    expect(after(failed, [[100 * HOURS, "match"]]).status).toBe("VERIFIED");
  });

  test("stays as it is while the DNS does not answer", () => {
    expect(after(NEW, [[0, "unknown"], [99 * HOURS, "unknown"]])).toEqual(NEW); // prettier-ignore
  });
});

describe("a domain that the operator vouches for", () => {
  test("stays verified whatever is found, and it is known whether the DNS proves it", () => {
    const failing = after(TRUSTED, fails(0, 60, 99 * HOURS));
    const proved = after(failing, [[100 * HOURS, "match"]]);
    const lost = after(proved, fails(101 * HOURS, 102 * HOURS, 103 * HOURS));

    expect([failing, proved, lost].map(({ status }) => status)).toEqual(["VERIFIED", "VERIFIED", "VERIFIED"]);
    expect([failing, proved, lost].map(({ verifiedAt }) => verifiedAt)).toEqual([null, at(6000), null]);
  });
});

test("whatever is found in whatever order, only failures over an hour or three days give a domain up", () => {
  const findings = fc.constantFrom<KeyVerdict>("match", "fail", "unknown");
  const check = fc.tuple(fc.integer({ min: 0, max: 24 * HOURS }), findings);
  fc.assert(
    fc.property(fc.array(check, { maxLength: 40 }), fc.boolean(), (pauses, isNew) => {
      let standing = isNew ? NEW : VERIFIED;
      let minute = 0;
      // The failures since the last good check, which is all that may count.
      let failed: number[] = [];
      for (const [pause, verdict] of pauses) {
        minute += pause;
        if (verdict === "match") failed = [];
        if (verdict === "fail") failed.push(minute);
        const before = standing;
        standing = afterCheck(before, verdict, at(minute));
        const span = minute - (failed[0] ?? minute);
        const isDue = before.status === "VERIFIED" ? failed.length >= 3 && span >= 60 : span >= 72 * HOURS;
        const isGivenUp = before.status !== "FAILED" && standing.status === "FAILED";
        expect(isGivenUp).toBe(before.status !== "FAILED" && verdict === "fail" && isDue);
        expect(standing.verifiedAt !== null).toBe(standing.status === "VERIFIED");
      }
    }),
  );
});

describe("the next check", () => {
  const pause = (standing: Standing, now: Date, random = 0.5) =>
    Math.round((nextCheckAt(standing, now, random).getTime() - now.getTime()) / 6_000) / 10;

  test.each([
    ["of a new domain is the next run of the schedule", NEW, 0, 4],
    ["of a new domain stays so for days", after(NEW, fails(0, 60 * HOURS)), 60 * HOURS, 4],
    ["of a verified one is in an hour", VERIFIED, 0, 60],
    ["of a verified one in question is the next run", after(VERIFIED, fails(0)), 0, 4],
    ["of one that was just given up is soon", after(VERIFIED, fails(0, 30, 60)), 60, 6],
    ["of one that was given up long ago is rare", after(NEW, fails(0, 99 * HOURS)), 99 * HOURS, 360],
    ["of a trusted one that has no record is rare in the end", after(TRUSTED, fails(0)), 10 * HOURS, 60],
  ])("%s", (_, standing, minute, minutes) => {
    expect(pause(standing, at(minute))).toBe(minutes);
  });

  test("is spread, and never so late that a run of the schedule is missed", () => {
    expect([pause(VERIFIED, at(0), 0), pause(VERIFIED, at(0), 1)]).toEqual([54, 66]);
    expect(pause(NEW, at(0), 1)).toBeLessThan(5);
  });
});
