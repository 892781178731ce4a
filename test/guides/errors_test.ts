import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { errorCatalogue } from "../support/error_catalogue.ts";
import { codesIn, readGuide, tableBelow, tablesOf } from "../support/guides.ts";

const guide = readGuide("errors");
const ERROR_TABLE = ["Message", "Status", "Cause", "Solution"];

/** What differs from one time to the next stands as `…` in both. */
const general = (message: string) => message.replace(/\d[\d,]*( [KM]B)?/g, "…");
const line = (code: string, status: number | string, message: string) => `${code} ${status} ${message}`;

describe("the guide on errors", () => {
  const tables = tablesOf(guide).filter(({ head }) => Bun.deepEquals(head, ERROR_TABLE));

  test("has every refusal of the catalogue below its code, and no other", () => {
    const told = tables.flatMap(({ heading, rows }) =>
      rows
        .filter(([message]) => message !== "any other")
        .map(([message, status]) => {
          return line(heading, status!, general(codesIn(message!)[0]!));
        }),
    );
    // Of `badRequest` the message is the caller's own.
    const known = errorCatalogue()
      .filter(({ name }) => name !== "badRequest")
      .map(({ code, status, message }) => line(code, status, message));

    expect(told.toSorted()).toEqual([...new Set(known)].toSorted());
  });

  test("has a chapter for every code, and no code twice", () => {
    const codes = new Set(errorCatalogue().map(({ code }) => code));

    expect(tables.map(({ heading }) => heading).toSorted()).toEqual([...codes].toSorted());
  });

  test("says of each the cause and the solution", () => {
    const short = tables
      .flatMap(({ rows }) => rows)
      .filter((row) => row.slice(2).some((cell) => cell.length < 5));

    expect(short).toEqual([]);
  });

  test("has every code of a field", () => {
    const source = readFileSync(new URL("../../src/problem/answer.ts", import.meta.url), "utf8");
    const union = /export type FieldErrorCode =([^;]*);/.exec(source)![1]!;
    const known = [...union.matchAll(/"(\w+)"/g)].map((match) => match[1]!);
    const { rows } = tableBelow(guide, "Field codes");

    expect(known.length).toBeGreaterThan(5);
    expect(rows.map(([code]) => codesIn(code!)[0]!)).toEqual(known);
  });
});
