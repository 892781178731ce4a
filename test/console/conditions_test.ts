// Conditions as the builder writes them, against the catalogue of the service. No browser is needed for that.
import { describe, expect, test } from "bun:test";
import { conditionCatalogue } from "../../src/audience/conditions/catalogue.ts";
import type { Condition, Filter, OperatorCatalogue } from "../../src/console/api.gen.ts";
import { conditionOf, draftOf } from "../../src/console/parts/conditions/draft.ts";

describe("the draft of a condition", () => {
  const catalogue = conditionCatalogue() as OperatorCatalogue;
  const samples: Record<string, object[]> = {
    none: [{}],
    text: [{ value: "pro" }],
    boolean: [{ value: true }, { value: false }],
    time: [{ value: "2020-01-31" }, { value: "2020-01-31T12:00:00Z" }],
    json: [
      { value: "pro" },
      { value: "12" },
      { value: 12 },
      { value: true },
      { value: null },
      { value: "" },
      { value: ["a", 1] },
      { value: "2026-06-15" },
    ],
    ordered: [{ value: 3 }, { value: "b" }, { value: "2026-03-01" }],
    amount: [{ value: 2, unit: "weeks" }],
    count: [{ count: 2 }, { count: 2, value: 30, unit: "days" }],
  };

  test("gives every operator of the catalogue back as it was", () => {
    const filters = catalogue.fields.flatMap(({ field: name, operators }) =>
      operators.flatMap(({ operator, operand }) =>
        samples[operand]!.map((beside) => ({ field: name.replace(/<.*>/, "opened"), operator, ...beside })),
      ),
    );
    const mails = catalogue.fields.find(({ sources }) => sources)!;
    filters.push(
      ...mails.operators.flatMap(({ operator, operand }) =>
        mails.sources!.map((source) => ({
          field: "email.clicked",
          operator,
          ...samples[operand]!.at(-1),
          [source]: "0190a3c4-0000-7000-8000-000000000001",
        })),
      ),
    );
    expect(filters.length).toBeGreaterThan(50);
    const condition = { logic: "OR", groups: [{ filters: filters as Filter[] }] } as Condition;
    const written = conditionOf(catalogue, draftOf(condition));
    expect(written.condition).toEqual(condition);
    expect(written.missing.size).toBe(0);
  });
});
