// Conditions as the builder writes them, against the catalogue of the service. No browser is needed for that.
import { describe, expect, test } from "bun:test";
import { conditionCatalogue } from "../../src/audience/conditions/catalogue.ts";
import type { Condition, Filter, OperatorCatalogue } from "../../src/console/api.gen.ts";
import { conditionOf, draftOf } from "../../src/console/parts/conditions/draft.ts";
import { filterSentence } from "../../src/console/parts/conditions/words.ts";

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

describe("a filter on mails in words", () => {
  const mails = new Map([
    ["a", "Sale"],
    ["gone", null],
  ]);
  const terms = { kindOf: () => "event" as const, segments: new Map(), mails };
  const period = { value: 30, unit: "days" };
  const CASES: [object, string][] = [
    [{ field: "email.opened", operator: "triggered" }, "a mail was opened"],
    [
      { field: "email.click", operator: "notTriggered", campaignId: "a" },
      "a link in a mail of the campaign “Sale” was never clicked",
    ],
    [
      { field: "email.bounced", operator: "notTriggeredWithin", ...period },
      "a mail did not bounce in the last 30 days",
    ],
    [
      { field: "email.sent", operator: "triggeredAtLeast", count: 2, ...period, templateId: "a" },
      "a mail of the template “Sale” was sent at least 2 times in the last 30 days",
    ],
    [
      { field: "email.received", operator: "triggeredOlderThan", ...period },
      "a mail from them was last received more than 30 days ago",
    ],
    [
      { field: "email.complaint", operator: "triggeredAtMost", count: 1, campaignId: "gone" },
      "a mail of a deleted campaign was marked as spam at most 1 time",
    ],
    [
      { field: "email.delivery", operator: "triggeredWithin", ...period, campaignId: "b" },
      "a mail of the campaign … was delivered in the last 30 days",
    ],
  ];

  test.each(CASES)("%j", (filter, words) => {
    expect(filterSentence(filter as Parameters<typeof filterSentence>[0], terms)).toBe(words);
  });
});
