// What the pages of templates know by themselves: how words become HTML, what is offered, what new templates begin as.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HELPERS } from "../../src/console/parts/code/names.ts";
import { MJML_TAGS } from "../../src/console/parts/code/mjml_tags.ts";
import { bodyOf, parseMjml } from "../../src/console/parts/mjml/tree.ts";
import { isPlain, toHtml, toLines } from "../../src/console/parts/mail_editor/blocks/lines.ts";
import { STARTS } from "../../src/console/parts/mail_starts/starts.ts";
import { helpers } from "../../src/content/handlebars/_helpers.ts";
import { templateErrors } from "../../src/content/handlebars/errors.ts";
import { compileBody } from "../../src/content/mjml/mod.ts";
import { mjmlHere } from "../../src/content/mjml/in_process.ts";

interface Preset {
  components: { componentName: string; allowedAttributes?: Record<string, string> }[];
  dependencies: Record<string, string[]>;
}
// @ts-expect-error: a part of MJML that has no types
const mjmlPreset = ((await import("mjml-preset-core")) as { default: { default?: Preset } & Preset }).default;

const RUNS = { numRuns: 200 };

describe("words with line breaks", () => {
  test("are shown as they were typed", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", " ", "\n", "<b>", "</b>", "{{name}}", "&amp;", "<", ">")),
        (parts) => {
          const typed = parts.join("");
          expect(toLines(toHtml(typed))).toBe(typed);
        },
      ),
      RUNS,
    );
  });

  test("those of the source are blanks, and none at the ends", () => {
    expect(toLines("\n    Hello\n    there<br />\n    you\n  ")).toBe("Hello there\nyou");
  });

  test("more than words is shown as HTML", () => {
    expect(
      ["Hello <b>you</b>", "a < b", "<ul><li>a</li></ul>", "<!-- a -->", "<table></table>"].map(isPlain),
    ).toEqual([true, true, false, false, false]);
  });
});

describe("what is offered", () => {
  test("has every helper of the language, and no other", () => {
    expect(Object.keys(HELPERS).toSorted()).toEqual([...helpers.keys()].toSorted());
  });

  test("has elements and attributes that MJML knows, each where it may stand", () => {
    const known = new Map(
      mjmlPreset.components.map((component) => [component.componentName, component.allowedAttributes ?? {}]),
    );
    for (const [name, { attrs = {}, children = [] }] of Object.entries(MJML_TAGS)) {
      if (name === "mjml") continue;
      expect({ name, isKnown: known.has(name) }).toEqual({ name, isKnown: true });
      const own = Object.keys(attrs).filter((one) => one !== "css-class" && one !== "mj-class");
      const unknown = own.filter(
        (one) => !(one in known.get(name)!) && `${name} ${one}` !== "mj-style inline",
      );
      expect({ name, unknown }).toEqual({ name, unknown: [] });
      const allowed = mjmlPreset.dependencies[name] ?? [];
      if (name === "mj-attributes") continue;
      expect({ name, misplaced: children.filter((child) => !allowed.includes(child)) }).toEqual({
        name,
        misplaced: [],
      });
    }
  });
});

describe("a new template", () => {
  for (const [name, { body, subject }] of Object.entries(STARTS)) {
    test(`can begin as ${name}: it compiles, and can be edited as blocks`, async () => {
      expect(bodyOf(parseMjml(body))!.children.length).toBeGreaterThan(0);
      expect(templateErrors("subject", subject)).toEqual([]);
      expect(await compileBody({ mjml: mjmlHere }, "starts", body)).toContain("<!doctype html>");
    });
  }
});
