import { describe, expect, test } from "bun:test";
import { checkTemplate, compileTemplate, mailScope } from "../../src/content/handlebars/mod.ts";
import { codesIn, markedBlock, readGuide, tableBelow, tablesOf } from "../support/guides.ts";

const guide = readGuide("templates");
const data = JSON.parse(markedBlock(guide, "data")) as Record<string, unknown>;
const urls = { unsubscribeUrl: "/u", subscribeUrl: "/s", manageUrl: "/m" };
const contact = { id: "1", email: "ada@example.com", subscribed: true, data };
const scope = mailScope({ contact, urls, event: {} });

/** Some formats of `Intl` have blanks of other widths. */
const plain = (text: string) => text.replace(/\s+/g, " ").trim();

const examples = tablesOf(guide)
  .filter(({ head }) => head.at(-1) === "Result")
  .flatMap(({ rows }) => rows.map((row) => row.slice(-2)));

/** What stands between the backticks at both ends. */
const inner = (cell: string) => cell.replace(/^`|`$/g, "").replaceAll("\\|", "|");

describe("the guide on templates", () => {
  test.each(examples)("%s gives %s", (template, result) => {
    expect(checkTemplate(inner(template!))).toBeNull();
    expect(plain(compileTemplate(inner(template!), "html")(scope))).toBe(plain(inner(result!)));
  });

  test("has many examples", () => {
    expect(examples.length).toBeGreaterThan(40);
  });

  test("has every helper, and no other", () => {
    const told = new Set(tableBelow(guide, "Helpers").rows.map(([helper]) => codesIn(helper!)[0]!));

    expect([...told].toSorted()).toEqual(helperNames().toSorted());
  });

  test("has every reserved name", () => {
    const told = tableBelow(guide, "What a template sees").rows.map(([name]) => codesIn(name!)[0]!);
    const reserved = Object.keys(mailScope({ contact: { ...contact, data: {} }, urls, event: {} }));

    expect(told.toSorted()).toEqual(reserved.toSorted());
  });

  test("has every block", () => {
    for (const block of ["if", "unless", "each", "with"]) expect(guide).toContain(`{{#${block} `);
    expect(checkTemplate("{{#list a}}{{/list}}")!.message).toContain("a block is if, unless, each or with");
  });
});

/** The language itself lists its helpers where one is unknown. */
function helperNames(): string[] {
  const { message } = checkTemplate('{{nobody "knows" this}}')!;
  return /the helpers are (.*)$/.exec(message)![1]!.split(", ");
}
