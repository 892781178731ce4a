// MJML as blocks see it: every edit changes its own letters and no others.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import {
  addColumn,
  attributeOf,
  contentOf,
  duplicateNode,
  insertNode,
  itemsOf,
  moveNode,
  nodeOf,
  type Path,
  pathWithout,
  removeNode,
  setAttribute,
  setContent,
} from "../../src/console/parts/mjml/edit.ts";
import { bodyOf, HTML_INSIDE, type MjmlNode, parseMjml } from "../../src/console/parts/mjml/tree.ts";
import { newHistory, record, redo, undo } from "../../src/console/parts/mail_editor/blocks/history.ts";
import { ENDING_TAGS } from "../../src/content/mjml/_source.ts";

const RUNS = { numRuns: 200 };

/** What stands between elements: blanks, comments, blocks of expressions, and what nobody expects. */
const gap = (indent: string) =>
  fc.constantFrom(
    "",
    `\n${indent}`,
    `\r\n${indent}`,
    `\n\n\t`,
    ` <!-- a <mj-section> note --> `,
    `\n${indent}{{! <mj-text> }}\n${indent}`,
    `\n${indent}{{!-- }} <mj-text> --}}\n${indent}`,
    ` <p>stray & lost</p> `,
  );
const quoted = fc.constantFrom(
  '="#fff"',
  "='10px 5px'",
  '="https://a.example/?a=1&amp;b={{default id "x > y"}}"',
  "=12px",
  ' = "a &quot;b&quot; <c"',
  '="{{#if vip}}red{{else}}blue{{/if}}"',
  "",
);
const attribute = fc
  .tuple(
    fc.constantFrom("color", "padding", "href", "mj-class", "data-x"),
    quoted,
    fc.constantFrom(" ", "\n   ", "  "),
  )
  .map(([name, value, blank]) => blank + name + value);
const tag = (name: string, content: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(attribute, { maxLength: 3 }), content, fc.constantFrom("", " ", "\n"), fc.boolean())
    .map(([attributes, inner, blank, isShort]) => {
      const once = attributes.filter(
        (one, n) =>
          attributes.findIndex((two) => two.trim().split(/[ =]/)[0] === one.trim().split(/[ =]/)[0]) === n,
      );
      const head = `<${name}${once.join("")}`;
      return inner === "" && isShort ? `${head} />` : `${head}${blank}>${inner}</${name}${blank}>`;
    });
const html = fc.constantFrom(
  "",
  "Hello {{firstName ?? there}}",
  "\n  <b>a</b> &nbsp; <br />\n",
  "{{#each items}}<tr><td>{{name}}</td></tr>{{/each}}",
  "a < b & c > d, <mj-text> is no tag here",
  "<!-- </p> -->",
);
const blocks = fc.oneof(
  ...["mj-text", "mj-button", "mj-raw", "mj-table"].map((name) => tag(name, html)),
  ...["mj-image", "mj-divider", "mj-spacer", "mj-unknown"].map((name) => tag(name, fc.constant(""))),
);
const inside = (child: fc.Arbitrary<string>, indent: string) =>
  fc
    .tuple(fc.array(fc.tuple(gap(indent), child, fc.boolean()), { maxLength: 4 }), gap(indent.slice(2)))
    .map(
      ([children, last]) =>
        children
          .map(([before, one, isChoice]) => before + (isChoice ? `{{#if a}}${one}{{else}}{{/if}}` : one))
          .join("") + last,
    );
const column = tag("mj-column", inside(blocks, "        "));
const section = tag("mj-section", inside(column, "      "));
const document = fc
  .tuple(
    gap(""),
    gap("  "),
    inside(fc.oneof(section, tag("mj-wrapper", inside(section, "      "))), "    "),
    gap(""),
  )
  .map(
    ([first, head, body, last]) =>
      `${first.replace(/<p>.*<\/p>/, "")}<mjml>${head}<mj-head><mj-title>A</mj-title></mj-head><mj-body width="600px">${body}</mj-body></mjml>${last}`,
  );

/** All paths below the body, the deepest last. */
function pathsOf(text: string): Path[] {
  const root = parseMjml(text);
  const below = (node: MjmlNode, path: Path): Path[] =>
    node.children.flatMap((child, n) => [[...path, n], ...below(child, [...path, n])]);
  const top = root.children.findIndex(({ tag: name }) => name === "mjml");
  const body = root.children[top]!.children.findIndex(({ tag: name }) => name === "mj-body");
  return below(bodyOf(root)!, [top, body]);
}

/** A document, and one of its elements. */
const withPath = fc
  .tuple(document, fc.nat())
  .map(([text, n]) => ({ text, paths: pathsOf(text), n }))
  .filter(({ paths }) => paths.length > 0)
  .map(({ text, paths, n }) => ({ text, paths, path: paths[n % paths.length]! }));

describe("the tree", () => {
  test("every element has the letters that are its own, also around expressions, comments and quotes", () => {
    fc.assert(
      fc.property(document, (text) => {
        const check = (node: MjmlNode): void => {
          if (node.tag !== "") {
            expect(text.startsWith(`<${node.tag}`, node.start)).toBe(true);
            expect(text[node.end - 1]).toBe(">");
          }
          for (const { value, valueStart, valueEnd, start, name } of node.attributes) {
            expect(text.slice(valueStart, valueEnd)).toBe(value);
            expect(text.startsWith(name, start)).toBe(true);
          }
          let last = node.openEnd;
          for (const child of node.children) {
            expect(child.start).toBeGreaterThanOrEqual(last);
            expect(child.end).toBeLessThanOrEqual(node.contentEnd);
            last = child.end;
            check(child);
          }
        };
        check(parseMjml(text));
      }),
      RUNS,
    );
  });

  test("what is no MJML inside is the same as for the service", () => {
    expect([...HTML_INSIDE].toSorted()).toEqual([...ENDING_TAGS].toSorted());
  });

  test("a text that is not whole is refused with the place", () => {
    const place = (text: string) => {
      try {
        parseMjml(text);
        return null;
      } catch (error) {
        return (error as { at: number }).at;
      }
    };
    expect(place("<mjml><mj-body></mjml>")).toBe(15);
    expect(place("<mjml><mj-text>a</mjml>")).toBe(6);
    expect(place('<mjml><mj-body width="1></mj-body></mjml>')).toBe(15);
    expect(place("<mjml>{{#if a</mjml>")).toBe(6);
    expect(place("<mjml></mj-body></mjml>")).toBe(6);
    expect(place("<mjml></mjml>")).toBe(null);
  });
});

describe("an edit", () => {
  test("of an attribute changes that value, reads back as it was given, and can be taken back", () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('{{default a "b"}}', 'a "b" <c> & &amp; d', "#fff"));
    fc.assert(
      fc.property(withPath, value, ({ text, path }, given) => {
        fc.pre(!given.includes("{{") || given.includes("}}"));
        const node = nodeOf(parseMjml(text), path);
        const after = setAttribute(text, path, "color", given);
        const now = nodeOf(parseMjml(after), path);
        expect(attributeOf(now, "color")).toBe(given);
        expect(after.slice(0, node.start)).toBe(text.slice(0, node.start));
        expect(after.slice(now.openEnd - (now.isSelfClosed ? 2 : 1))).toBe(
          text.slice(node.openEnd - (node.isSelfClosed ? 2 : 1)),
        );
        if (attributeOf(node, "color") === undefined) {
          expect(setAttribute(after, path, "color", null)).toBe(text);
        }
      }),
      RUNS,
    );
  });

  test("of a content changes nothing around it", () => {
    fc.assert(
      fc.property(withPath, html, ({ text, path }, given) => {
        const node = nodeOf(parseMjml(text), path);
        fc.pre(HTML_INSIDE.has(node.tag));
        const after = setContent(text, path, given);
        const now = nodeOf(parseMjml(after), path);
        expect(contentOf(after, now)).toBe(given);
        expect(after.slice(0, node.start)).toBe(text.slice(0, node.start));
        expect(after.slice(now.end)).toBe(text.slice(node.end));
      }),
      RUNS,
    );
  });

  test("that inserts or copies an element is undone by removing it, letter by letter", () => {
    fc.assert(
      fc.property(withPath, ({ text, path }) => {
        const last = path.at(-1)!;
        const parent = path.slice(0, -1);
        const copy = [...parent, last + 1];
        expect(removeNode(duplicateNode(text, path), copy)).toBe(text);
        const items = itemsOf(nodeOf(parseMjml(text), parent));
        const place = items.findIndex((item) => item.node && item.index === last);
        const inserted = insertNode(text, parent, place + 1, "<mj-divider />");
        expect(nodeOf(parseMjml(inserted), copy).tag).toBe("mj-divider");
        expect(removeNode(inserted, copy)).toBe(text);
      }),
      RUNS,
    );
  });

  test("that moves an element keeps every letter, and leaves what is around it as it was", () => {
    fc.assert(
      fc.property(withPath, fc.nat(), ({ text, paths, path }, n) => {
        const { tag: name } = nodeOf(parseMjml(text), path);
        const parents = paths.map((one) => one.slice(0, -1)).filter((one) => !startsWith(one, path));
        const target = parents[n % parents.length]!;
        const gone = removeNode(text, path);
        // Its number is another where something before it has gone.
        const moved = pathWithout(target, path);
        const items = itemsOf(nodeOf(parseMjml(gone), moved));
        const place = n % (items.length + 1);
        const after = moveNode(text, path, moved, place);
        const index = items.slice(0, place).filter(({ node }) => node !== null).length;
        expect(nodeOf(parseMjml(after), [...moved, index]).tag).toBe(name);
        expect(lettersOf(after)).toBe(lettersOf(text));
        const rest = removeNode(after, [...moved, index]);
        // One that was empty, on one line, has its ends on two now.
        const isSpread = items.length === 0;
        expect(isSpread ? lettersOf(rest) : rest).toBe(isSpread ? lettersOf(gone) : gone);
      }),
      RUNS,
    );
  });
});

const startsWith = (path: Path, start: Path) => start.every((index, n) => path[n] === index);

/** Every letter but blanks, in no order. */
const lettersOf = (text: string) => [...text.replaceAll(/\s/g, "")].toSorted().join("");

/** As a person does it: any block, any attribute, a few letters more. */
const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom("color", "padding", "href"), fc.string()), {
  minLength: 50,
  maxLength: 60,
});

describe("the history", () => {
  test("50 edits taken back end where they began, and done again where they had led", () => {
    fc.assert(
      fc.property(document, edits, (text, all) => {
        const history = newHistory(text);
        const states = [text];
        for (const [n, name, value] of all) {
          const paths = pathsOf(history.text);
          if (paths.length === 0) return;
          const path = paths[n % paths.length]!;
          const next =
            n % 5 === 0
              ? duplicateNode(history.text, path)
              : setAttribute(history.text, path, name, value.replaceAll("{{", ""));
          if (next === history.text) continue;
          record(history, next);
          states.push(next);
        }
        for (const state of states.slice(0, -1).toReversed()) expect(undo(history)).toBe(state);
        expect(undo(history)).toBe(null);
        for (const state of states.slice(1)) expect(redo(history)).toBe(state);
        expect(redo(history)).toBe(null);
      }),
      { numRuns: 30 },
    );
  });

  test("what is typed without a pause is one step", () => {
    const history = newHistory("a");
    record(history, "ab", "text", 0);
    record(history, "abc", "text", 900);
    record(history, "abcd", "other", 1000);
    record(history, "abcde", "other", 9000);
    expect([undo(history), undo(history), undo(history), undo(history)]).toEqual(["abcd", "abc", "a", null]);
  });
});

/** Each element is changed, and changed back; what stands around it stays as it was. */
function expectOwnLetters(text: string): void {
  for (const path of pathsOf(text)) {
    const { start, end, attributes } = nodeOf(parseMjml(text), path);
    const after = setAttribute(text, path, "data-test", "a");
    expect(setAttribute(after, path, "data-test", null)).toBe(text);
    expect(after.slice(0, start) + text.slice(start, end) + after.slice(end + ' data-test="a"'.length)).toBe(
      text,
    );
    for (const { name } of attributes) {
      const value = attributeOf(nodeOf(parseMjml(text), path), name)!;
      const other = setAttribute(text, path, name, `${value}0`);
      expect(attributeOf(nodeOf(parseMjml(other), path), name)).toBe(`${value}0`);
    }
    expect(removeNode(duplicateNode(text, path), [...path.slice(0, -1), path.at(-1)! + 1])).toBe(text);
  }
}

/** The mails in the guides of MJML, which come with its packages. */
const EXAMPLES = [...new Bun.Glob("node_modules/mjml{,-*}/README.md").scanSync(".")]
  .toSorted()
  .flatMap((file) => {
    const guide = readFileSync(file, "utf8");
    const mails = [...guide.matchAll(/<mjml[\s>][^]*?<\/mjml>/g)].map(([text]) => text);
    const whole = mails.filter((text) => text.includes("<mj-body") && !text.includes("\n..."));
    return whole.map((text, n) => [`${file.split("/")[1]} ${n + 1}`, text] as const);
  });

describe("MJML's own examples", () => {
  test("are there", () => {
    expect(EXAMPLES.length).toBeGreaterThan(20);
    const elements = EXAMPLES.map(([, text]) => pathsOf(text).length);
    expect(elements.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(100);
  });

  test.each(EXAMPLES)("%s: each of its elements has the letters that are its own", (_, text) => {
    expectOwnLetters(text);
    expectOwnLetters(text.replaceAll("\n", "\r\n"));
  });
});

describe("one more column", () => {
  const firstSection = (text: string) =>
    pathsOf(text).find((path) => nodeOf(parseMjml(text), path).tag === "mj-section");
  const columnsOf = (text: string) => {
    const path = firstSection(text)!;
    const after = addColumn(text, path, "<mj-text>New</mj-text>");
    const { children } = nodeOf(parseMjml(after), path);
    return { after, path, widths: children.map((child) => attributeOf(child, "width")) };
  };
  const mailOf = (...columns: string[]) =>
    `<mjml>\n  <mj-body>\n    <mj-section>\n${columns.map((one) => `      ${one}\n`).join("")}    </mj-section>\n  </mj-body>\n</mjml>\n`;

  test("is as wide as the others, which make room where they have shares", () => {
    expect(columnsOf(mailOf("<mj-column></mj-column>")).widths).toEqual([undefined, undefined]);
    expect(columnsOf(mailOf('<mj-column width="50%" />', "<mj-column width='50%' />")).widths).toEqual([
      "33.33%",
      "33.33%",
      "33.33%",
    ]);
    expect(columnsOf(mailOf('<mj-column width="25%" />', '<mj-column width="75%" />')).widths).toEqual([
      "16.67%",
      "50%",
      "33.33%",
    ]);
    expect(columnsOf(mailOf('<mj-column width="200px" />')).widths).toEqual(["200px", undefined]);
    expect(columnsOf("<mjml><mj-body><mj-section/></mj-body></mjml>").after).toBe(
      "<mjml><mj-body><mj-section><mj-column>\n  <mj-text>New</mj-text>\n</mj-column></mj-section></mj-body></mjml>",
    );
  });

  test("stands behind the last, indented as it is, and is undone by removing it where no width changed", () => {
    const text = mailOf("<mj-column>", "</mj-column>");
    const { after, path } = columnsOf(text);
    expect(after).toContain(
      "      </mj-column>\n      <mj-column>\n        <mj-text>New</mj-text>\n      </mj-column>\n    </mj-section>",
    );
    expect(removeNode(after, [...path, 1])).toBe(text);
  });

  test("leaves all that is no width as it was, in any document", () => {
    fc.assert(
      fc.property(withPath, ({ text }) => {
        const path = firstSection(text);
        if (!path) return;
        const after = addColumn(text, path, "<mj-text>New</mj-text>");
        const added = [...path, nodeOf(parseMjml(text), path).children.length];
        expect(nodeOf(parseMjml(after), added).tag).toBe("mj-column");
        // One that was empty, or closed in itself, has its ends on two lines now.
        if (itemsOf(nodeOf(parseMjml(text), path)).length > 0) expect(removeNode(after, added)).toBe(text);
      }),
      RUNS,
    );
  });
});

describe("the mails of the demonstration", () => {
  const folder = new URL("../../src/demo/templates/", import.meta.url);
  const frame = readFileSync(new URL("frame.mjml", folder), "utf8");
  const names = readdirSync(folder).filter((name) => name.endsWith(".mjml") && name !== "frame.mjml");

  test.each(names)("%s: each of its elements is changed alone, and changed back letter by letter", (name) => {
    const text = frame.replace("CONTENT", () => readFileSync(new URL(name, folder), "utf8"));
    expect(pathsOf(text).length).toBeGreaterThan(3);
    expectOwnLetters(text);
  });
});
