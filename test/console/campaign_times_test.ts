// The times that somebody chooses for a campaign, in whatever zone the computer is.
import { expect, test } from "bun:test";
import { ticksTo } from "../../src/console/parts/ticks.ts";
import { faultOf, localTime, tomorrow, zoneAt } from "../../src/console/parts/local_time.ts";

const now = new Date(2026, 9, 24, 17, 30);
const after = (minutes: number) => localTime(new Date(now.getTime() + minutes * 60_000));

test("a time of the field is that time of the computer, also over the change of clocks", () => {
  for (const at of [now, new Date(2026, 9, 25, 3, 5), new Date(2027, 2, 28, 9, 0)]) {
    expect(new Date(localTime(at)).getTime()).toBe(at.getTime());
  }
  expect(tomorrow(now)).toBe("2026-10-25T09:00");
  expect(tomorrow(new Date(2026, 11, 31))).toBe("2027-01-01T09:00");
});

test("a time that is over, too soon, too late or none says so", () => {
  const faults = [
    "",
    "2026-13-01T00:00",
    after(-1),
    after(4),
    after(5),
    "2036-10-01T00:00",
    "2037-01-01T00:00",
  ];
  expect(faults.map((text) => faultOf(text, now.getTime()))).toEqual([
    "Choose a day and a time",
    "Choose a day and a time",
    "This time is over",
    "Choose a time at least five minutes from now, or send it now",
    null,
    null,
    "Choose a time within ten years",
  ]);
});

test("the zone is named as it is on that day", () => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  expect(zoneAt("no time")).toBe(timeZone);
  expect(zoneAt("2026-07-01T09:00")).toStartWith(timeZone);
});

test("the marks of an axis are whole, even, and reach the highest count", () => {
  expect([0, 1, 3, 7, 40, 2204, 1_000_000].map(ticksTo)).toEqual([
    [0, 1],
    [0, 1],
    [0, 1, 2, 3],
    [0, 2, 4, 6, 8],
    [0, 10, 20, 30, 40],
    [0, 1000, 2000, 3000],
    [0, 500_000, 1_000_000],
  ]);
});
