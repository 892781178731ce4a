import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { components } from "mjml-core";
import "mjml";
import { compiler, runMjml } from "../../src/content/mjml/_process.ts";
import { BLOCK_PARENTS, ENDING_TAGS } from "../../src/content/mjml/_source.ts";
import { compileBody, isMjml } from "../../src/content/mjml/mod.ts";
import { compileTemplate, type Scope } from "../../src/content/handlebars/mod.ts";
import { type FieldError, Problem } from "../../src/problem/mod.ts";
import { mjmlHere } from "../../src/content/mjml/in_process.ts";

const scope: Scope = {
  name: "Ada",
  url: "https://a.example/?x=1&y=2",
  html: "<b>bold</b>",
  yes: true,
  color: "#123456",
  items: [{ name: "Pen" }, { name: "Ink" }],
};

const inBody = (content: string, head = "") =>
  `<mjml>\n<mj-head>${head}</mj-head>\n<mj-body>\n${content}\n</mj-body>\n</mjml>`;
const inColumn = (content: string, head = "") =>
  inBody(`<mj-section><mj-column>\n${content}\n</mj-column></mj-section>`, head);
const compile = (body: string, alsoWrong: readonly FieldError[] = [], program = mjmlHere) =>
  compileBody({ mjml: program }, "project", body, alsoWrong);
/** By a process of its own, as the service does. */
const compileApart = (body: string) => compile(body, [], compiler);
const render = async (body: string) => compileTemplate(await compile(body), "html")(scope);

/** What is wrong with a body: message and place of every error, none of which says where the service lives. */
async function errorsOf(body: string, program = mjmlHere): Promise<string[]> {
  const problem = await compile(body, [], program).then(
    () => null,
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(Problem);
  const { status, problemCode, extras } = problem as Problem;
  expect([status, problemCode]).toEqual([422, "VALIDATION_ERROR"]);
  expect(extras.errors!.map(({ field, code }) => [field, code])).toEqual(
    extras.errors!.map(() => ["body", "custom"]),
  );
  const messages = extras.errors!.map((error) => error.message);
  expect(messages.filter((message) => message.includes(process.cwd()))).toEqual([]);
  expect(messages.join("\n")).not.toMatch(/node_modules|\/(tmp|home|root|usr|src|app)\b/);
  return messages;
}

describe("a body", () => {
  test.each([
    ["HTML", "<p>Hi {{name}}</p>", false],
    ["text", "Hi", false],
    ["MJML", "<mjml></mjml>", true],
    ["MJML with an attribute", '<mjml lang="de">', true],
    ["MJML in capitals behind blanks and a mark of byte order", "\uFEFF \n<MJML>", true],
    ["MJML behind comments", "<!-- a --> <!-- b --><mjml>", true],
    ["MJML further down", "<p></p><mjml>", false],
    ["another element", "<mjmlx>", false],
    ["a comment without an end", "<!-- <mjml>", false],
  ])("of %s is told from others", (_, body, expected) => {
    expect(isMjml(body)).toBe(expected);
  });

  test("of HTML stays as it is", async () => {
    const body = "<mj-text>{{name}}</mj-text>\n<p>\u00a0</p> ";

    expect(await compile(body)).toBe(body);
  });

  test("of MJML becomes HTML without a trace of MJML", async () => {
    const html = await compileApart(inColumn('<mj-text>Grüße</mj-text><mj-image src="a.png" />'));

    expect(html).toStartWith("<!doctype html>");
    expect(html).toContain(">Grüße</div>");
    expect(html).toContain('src="a.png"');
    expect(html).not.toMatch(/<\/?mj|NaN|undefined/);
  });

  test("of MJML links no font that it does not ask for", async () => {
    const text = '<mj-text font-family="Roboto, Arial">a</mj-text><mj-text>b</mj-text>';
    const font = '<mj-font name="Roboto" href="https://shop.example/roboto.css" />';

    expect(await compile(inColumn(text))).not.toMatch(/googleapis|<link|@import/);
    expect(await compile(inColumn(text, font))).toContain('href="https://shop.example/roboto.css"');
  });

  test("is refused together with what is wrong elsewhere, which comes first", async () => {
    const elsewhere = { field: "subject", code: "custom", message: "no" } as const;
    for (const body of ["<p>{{#if a}}</p>", "<mjml>", "<p>fine</p>"]) {
      const problem = (await compile(body, [elsewhere]).catch((error) => error)) as Problem;
      const fields = problem.extras.errors!.map((error) => error.field);

      expect(fields).toEqual(body.includes("fine") ? ["subject"] : ["subject", "body"]);
    }
  });
});

describe("expressions", () => {
  const places: [string, string, string][] = [
    ["in a text", "<mj-text>Hi {{name}}!</mj-text>", "Hi Ada!"],
    ["without escaping", "<mj-text>{{{html}}} {{& html}}</mj-text>", "<b>bold</b> <b>bold</b>"],
    [
      "with quotes and HTML in a literal",
      `<mj-text>{{plan ?? "R&amp;D <b>"}}</mj-text>`,
      "R&amp;D &lt;b&gt;",
    ],
    [
      "in an address",
      `<mj-button href="{{{url}}}&z=1">Go</mj-button>`,
      'href="https://a.example/?x=1&y=2&z=1"',
    ],
    ["in quotes in quotes", `<mj-image src="x.png" alt="{{default plan "Free"}}" />`, 'alt="Free"'],
    ["with less and more", `<mj-text>{{#if (lt 1 2)}}a<b>{{/if}}</b></mj-text>`, "a<b></b>"],
    ["over several lines", `<mj-text>{{#if\n yes\n}}yes{{/if}}</mj-text>`, ">yes<"],
    ["escaped", `<mj-text>\\{{name}}</mj-text>`, "{{name}}"],
    [
      "as a colour and a position",
      `<mj-text color="{{color}}" align="{{name}}">x</mj-text>`,
      "text-align:Ada;color:#123456;",
    ],
    ["as a class", `<mj-text css-class="a-{{name}}">x</mj-text>`, 'class="a-Ada"'],
    [
      "in a table",
      "<mj-table>{{#each items}}<tr><td>{{name}}</td></tr>{{/each}}</mj-table>",
      "<tr><td>Pen</td></tr><tr><td>Ink</td></tr>",
    ],
    ["in a comment", "<!-- {{name}} --><mj-text>x</mj-text>", "<!-- Ada -->"],
  ];

  test.each(places)("%s are rendered as in HTML", async (_, content, expected) => {
    expect(await render(inColumn(content))).toContain(expected);
  });

  test.each([
    ["styles", "<mj-style>.a { color: {{color}} }</mj-style>", ".a { color: #123456 }"],
    ["inlined styles", `<mj-style inline="inline">.a i { color: {{color}} }</mj-style>`, "color: #123456"],
    ["the preview", "<mj-preview>Dear {{name}}</mj-preview>", ">Dear Ada</div>"],
    ["the title", "<mj-title>Dear {{name}}</mj-title>", "<title>Dear Ada</title>"],
    ["attributes for all", `<mj-attributes><mj-text color="{{color}}" /></mj-attributes>`, "color:#123456;"],
    [
      "HTML attributes",
      `<mj-html-attributes><mj-selector path="td"><mj-html-attribute name="data-x">{{name}}</mj-html-attribute></mj-selector></mj-html-attributes>`,
      'data-x="Ada"',
    ],
  ])("in %s are rendered too", async (_, head, expected) => {
    const text = `<mj-text css-class="a">{{#if (eq name "Ada")}}<i title='{{name ?? "x"}}'>&amp;</i>{{/if}}</mj-text>`;
    const mail = await render(inColumn(text, head));

    expect(mail).toContain(expected);
    expect(mail).toMatch(/<i [^>]*title=["']Ada["'][^>]*>&amp;<\/i>/);
  });

  test("a comment is gone, with the elements in it", async () => {
    const html = await compile(inColumn("{{!-- <mj-text>old</mj-text> --}}<mj-text>new</mj-text>{{! x }}"));

    expect(html).toContain("new");
    expect(html).not.toMatch(/old|\{\{/);
  });

  const section = (content: string) => `<mj-section><mj-column>${content}</mj-column></mj-section>`;
  const text = "<mj-text>{{name}}</mj-text>";
  const loop = (content: string) => `\n{{#each items}}\n${content}\n{{else}}{{/each}}\n`;
  const loops: Record<string, string> = {
    "mj-body": loop(section(text)),
    "mj-wrapper": `<mj-wrapper>${loop(section(text))}</mj-wrapper>`,
    "mj-section": `<mj-section>${loop(`<mj-column>${text}</mj-column>`)}</mj-section>`,
    "mj-group": `<mj-section><mj-group>${loop(`<mj-column>${text}</mj-column>`)}</mj-group></mj-section>`,
    "mj-column": section(loop(text)),
    "mj-hero": `<mj-hero>${loop(text)}</mj-hero>`,
    "mj-navbar": section(
      `<mj-navbar>${loop('<mj-navbar-link href="#">{{name}}</mj-navbar-link>')}</mj-navbar>`,
    ),
    "mj-social": section(
      `<mj-social>${loop('<mj-social-element name="x" href="#">{{name}}</mj-social-element>')}</mj-social>`,
    ),
    "mj-accordion": section(
      `<mj-accordion>${loop("<mj-accordion-element><mj-accordion-title>{{name}}</mj-accordion-title></mj-accordion-element>")}</mj-accordion>`,
    ),
  };

  test.each([...BLOCK_PARENTS])("a loop around the elements in %s repeats them", async (parent) => {
    const mail = await render(inBody(loops[parent]!));

    expect(mail.match(/\bPen\b/g)).toHaveLength(1);
    expect(mail.indexOf("Pen")).toBeLessThan(mail.indexOf("Ink"));
  });

  test("a loop in mj-raw is the same", async () => {
    const html = inColumn(`<mj-raw>{{#each items}}</mj-raw>${text}<mj-raw>{{/each}}</mj-raw>`);

    expect((await render(html)).match(/>(Pen|Ink)</g)).toEqual([">Pen<", ">Ink<"]);
  });

  test("a body may hold what looks like the words that stand for expressions", async () => {
    const html = await compile(inColumn("<mj-text>q0a1b2c3dx0z {{name}} q0a1b2c3dx1 z</mj-text>"));

    expect(html).toContain("q0a1b2c3dx0z {{name}} q0a1b2c3dx1 z");
  });
});

test("our list of the elements whose content is not MJML is that of the compiler", () => {
  const known = Object.values(components as object) as { endingTag?: boolean; getTagName(): string }[];
  const ending = known.filter((component) => component.endingTag).map((component) => component.getTagName());

  expect(ending.sort()).toEqual([...ENDING_TAGS].sort());
});

describe("errors say where", () => {
  const unit = "has invalid value: 3 for type Unit, only accepts (px, %) units and 1 to 4 value(s)";
  const cases: [string, string, string[]][] = [
    [
      "an element is unknown",
      inColumn("<mj-foo />"),
      ["<mj-foo>: Element mj-foo doesn't exist or is not registered (line 5, column 1)"],
    ],
    [
      "HTML stands between elements",
      inColumn("a<div>x</div>"),
      ["<div>: Element div doesn't exist or is not registered (line 5, column 2)"],
    ],
    [
      "an attribute is unknown",
      inColumn('<mj-text>a</mj-text> <mj-text foo="x">b</mj-text>'),
      ["<mj-text>: Attribute foo is illegal (line 5, column 22)"],
    ],
    [
      "a value is of the wrong type",
      inColumn('\n  <mj-text padding="3">b</mj-text>'),
      [`<mj-text>: Attribute padding ${unit} (line 6, column 3)`],
    ],
    [
      "a length is an expression",
      inColumn('<mj-text padding="{{name}}">b</mj-text>'),
      [`<mj-text>: Attribute padding ${unit.replace("3", "{{name}}")} (line 5, column 1)`],
    ],
    [
      "an expression stands in a tag",
      inColumn('<mj-text {{#if a}}color="red"{{/if}}>b</mj-text>'),
      ["<mj-text>: Attributes {{#if a}}color, {{/if}} are illegal (line 5, column 1)"],
    ],
    [
      "an element stands in the wrong place",
      inBody("<mj-text>x</mj-text>"),
      [
        "<mj-text>: mj-text cannot be used inside mj-body, only inside: mj-attributes, mj-column, mj-hero (line 4, column 1)",
      ],
    ],
    [
      "a tag is never closed",
      inColumn('<mj-text css-class="a>b</mj-text>'),
      ['The tag "<mj-text" is never closed by ">" (line 5, column 1)'],
    ],
    [
      "an element is never closed",
      inColumn("<mj-text>x"),
      ['"<mj-text>" is never closed by "</mj-text>" (line 5, column 1)'],
    ],
    [
      "the outermost element is never closed",
      "<mjml><mj-body></mj-body>",
      ['"<mjml>" is never closed by "</mjml>" (line 1, column 1)'],
    ],
    [
      "elements cross",
      "<mjml><mj-body>\n<mj-section></mj-body></mj-section></mjml>",
      ['"</mj-body>" found where "</mj-section>" is expected (line 2, column 13)'],
    ],
    [
      "an end has no beginning",
      inBody("") + "\n</mj-body>",
      ['"</mj-body>" closes nothing (line 7, column 1)'],
    ],
    ["something follows", inBody("") + "<mjml></mjml>", ["Nothing can follow </mjml> (line 6, column 8)"]],
    [
      "a comment is never closed",
      inBody("<!-- x"),
      ['A comment is never closed by "-->" (line 4, column 1)'],
    ],
    [
      "there is no body",
      "\n<mjml><mj-head></mj-head></mjml>",
      ["<mjml> needs an <mj-body> (line 2, column 1)"],
    ],
    [
      "a value stands between elements",
      inColumn("{{name}}"),
      ['"{{name}}" cannot be placed directly inside <mj-column>: MJML would drop it (line 5, column 1)'],
    ],
    [
      "text stands in a block between elements",
      inColumn("{{#if a}} x{{/if}}"),
      ["Text cannot be placed directly inside <mj-column>: MJML would drop it (line 5, column 11)"],
    ],
    [
      "a block stands in the head",
      inBody("", "{{#if a}}<mj-title>x</mj-title>{{/if}}"),
      ['"{{#if a}}" cannot be placed directly inside <mj-head>: MJML would drop it (line 2, column 10)'],
    ],
    [
      "a block stands outside",
      `<mjml>{{#if a}}<mj-body></mj-body>{{/if}}</mjml>`,
      ['"{{#if a}}" cannot be placed directly inside <mjml>: MJML would drop it (line 1, column 7)'],
    ],
    [
      "a block would be lost",
      inColumn('<mj-spacer mj-class="{{#if a}}b{{/if}}" />'),
      ["MJML drops this block: it would be in no mail (line 5, column 22)"],
    ],
    [
      "a helper is unknown",
      inColumn('<mj-text>{{shout "x"}}</mj-text>'),
      [expect.stringMatching(/^"shout" is unknown.*\(line 5, column 12\)$/)] as never,
    ],
    [
      "a block is never closed",
      inColumn("<mj-text>{{#if a}}</mj-text>"),
      ['"{{#if}}" is never closed by "{{/if}}" (line 5, column 10)'],
    ],
    [
      "MJML moves a block out of its order",
      "<mjml><mj-body><mj-raw>{{#if a}}</mj-raw></mj-body>\n<mj-head><mj-title>{{/if}}</mj-title></mj-head></mjml>",
      ['In the compiled HTML: "{{/if}}" closes nothing (line 2, column 20)'],
    ],
  ];

  test.each(cases)("%s", async (_, body, expected) => {
    expect(await errorsOf(body)).toEqual(expected);
  });

  test("all of them, in their order", async () => {
    const body = inColumn(
      '<mj-text a="1">x</mj-text>\n<mj-foo />\n<mj-text padding="3" b="1" c="2">x</mj-text>',
    );

    expect((await errorsOf(body)).map((message) => message.slice(-20))).toEqual([
      expect.stringContaining("(line 5, column 1)"),
      expect.stringContaining("(line 6, column 1)"),
      expect.stringContaining("(line 7, column 1)"),
      expect.stringContaining("(line 7, column 1)"),
    ]);
  });

  test("at most 20, and short ones", async () => {
    const messages = await errorsOf(
      inColumn(`<mj-text padding="${"x".repeat(5000)}">x</mj-text>`.repeat(30)),
    );

    expect(messages).toHaveLength(20);
    expect(Math.max(...messages.map((message) => message.length))).toBeLessThan(600);
  });
});

describe("files", () => {
  const SECRET = "the secret of a file";
  const folder = mkdtempSync(join(tmpdir(), "mjml-"));
  const absolute = join(folder, "secret.mjml");
  // To the compiler its own folder is the root.
  const paths = [absolute, relative("/", absolute)];

  beforeAll(() => writeFileSync(absolute, `p { content: "${SECRET}" }`));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ["plain", (path: string) => inBody(`<mj-include path="${path}" />`)],
    ["as HTML", (path: string) => inBody(`<mj-include path="${path}" type="html" />`)],
    ["as CSS", (path: string) => inBody("", `<mj-include path="${path}" type="css" css-inline="inline" />`)],
    ["in capitals", (path: string) => inBody(`<MJ-INCLUDE PATH="${path}" path='${path}'></MJ-INCLUDE>`)],
    ["over lines", (path: string) => inBody(`<mj-include\n\tpath=${path}\n>`)],
    ["in a text", (path: string) => inColumn(`<mj-text><mj-include path="${path}" /></mj-text>`)],
    ["in raw HTML", (path: string) => inBody(`<mj-raw><p><mj-include path="${path}" /></p></mj-raw>`)],
    [
      "in a style",
      (path: string) => inBody("", `<mj-style><mj-include path="${path}" type="css" /></mj-style>`),
    ],
    [
      "behind a comment in a comment",
      (path: string) => inBody(`<!-- <!-- --><mj-include path="${path}" /> -->`),
    ],
    ["with an expression", (path: string) => inBody(`<mj-include path="${path}{{name}}" />`)],
  ])("an include is refused: %s", async (_, make) => {
    for (const path of paths) {
      const messages = await errorsOf(make(path));
      expect(messages).toEqual([
        expect.stringMatching(
          /^"<mj-include>" is not possible: put its content here \(line \d, column \d+\)$/,
        ),
      ]);
    }
  });

  test.each([
    ["an include in a comment", (path: string) => [`<!-- <mj-include path="${path}" /> -->`]],
    ["an include made by a value", (path: string) => [`<mj-raw>{{{include}}} ${path}</mj-raw>`]],
    [
      "a style sheet that is inlined",
      (path: string) => [
        `<mj-raw><link rel="stylesheet" href="${path}"></mj-raw>`,
        `<mj-style inline="inline">@import url(${path}); p { color: red }</mj-style>`,
      ],
    ],
    [
      "an image",
      (path: string) => [`<mj-section><mj-column><mj-image src="${path}" /></mj-column></mj-section>`],
    ],
    ["a font", (path: string) => ["", `<mj-font name="x" href="${path}" />`]],
  ])("%s reads no file", async (_, make) => {
    const parts = paths.map(make);
    const [content, head] = [0, 1].map((place) => parts.map((part) => part[place] ?? "").join("\n"));
    const template = compileTemplate(await compileApart(inBody(content!, head)), "html");
    for (const path of paths) {
      expect(template({ include: `<mj-include path="${path}" />` })).not.toContain(SECRET);
    }
  });
});

describe("a body that is made to hurt", () => {
  const MEGA = 1_000_000;
  const fill = (part: string) => part.repeat(Math.floor(MEGA / part.length));

  test.each([
    ["nested elements", `<mjml>${fill("<mj-section>")}`, "More than 30 elements are nested"],
    ["elements without an end", `<mjml>${fill("<mj-text>")}`, '"<mj-text>" is never closed'],
    ["tags without an end", `<mjml>${fill("<mj-text ")}`, 'The tag "<mj-text" is never closed'],
    ["tags without an end in raw HTML", `<mjml><mj-raw>${fill("<mj-raw ")}`, '"<mj-raw>" is never closed'],
    ["quotes", `<mjml><a ${fill(`"'`)}`, 'The tag "<a" is never closed'],
    ["comments without an end", `<mjml>${fill("<!--")}`, "A comment is never closed"],
    ["angle brackets", `<mjml>${fill("<")}`, '"<mjml>" is never closed'],
    ["many elements", inBody(fill("<mj-section></mj-section>")), "There are more than 3000 elements"],
    ["many elements of HTML", inBody(fill("<p>")), "There are more than 3000 elements"],
    [
      "many images",
      inColumn(`<mj-carousel>${'<mj-carousel-image src="x" />'.repeat(51)}</mj-carousel>`),
      "Carousels have more than 50 images",
    ],
    [
      "attributes for all",
      inColumn(
        "<mj-text>x</mj-text>",
        `<mj-attributes><mj-all css-class="${"x".repeat(20_001)}" /></mj-attributes>`,
      ),
      "<mj-attributes> holds more than 20000 characters",
    ],
    [
      "much HTML",
      inBody(`<mj-raw>${fill("x")}</mj-raw>`),
      "The compiled HTML has more than 1000000 characters",
    ],
    [
      "more HTML than source",
      inBody("<mj-section><mj-column></mj-column></mj-section>".repeat(1200)),
      "The compiled HTML has more than 1000000 characters",
    ],
    [
      "expressions",
      inColumn(`<mj-text>${"{{a}}".repeat(50_000)}</mj-text>`),
      "The expressions have more than 10000 characters together",
    ],
  ])("is refused: %s", async (_, body, expected) => {
    expect(await errorsOf(body, compiler)).toEqual([expect.stringContaining(expected)]);
  });

  test("is given up when it has had its time", async () => {
    const ended = runMjml("project", "<mjml>", async () => null);
    await expect(ended).rejects.toThrow("Compiling this MJML takes too long");
  });
});
