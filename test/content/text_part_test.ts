import { describe, expect, test } from "bun:test";
import { compileTemplate, plainText } from "../../src/content/handlebars/mod.ts";
import { compileTextPart } from "../../src/content/handlebars/text_part.ts";

const scope = {
  name: "Ada & Bob",
  url: "https://a.b/?x=1&y=2",
  yes: true,
  items: [
    { name: "Pen", price: 2, gift: true },
    { name: "Ink", price: 9 },
  ],
  html: "<b>bold</b>",
};

/** The long way, for each mail. */
const fromMail = (html: string) => plainText(compileTemplate(html, "html")(scope));

describe("the text part reads like the text of the mail", () => {
  test.each([
    ["values", "<h1>Hi {{name}}</h1><p>Your plan: {{plan ?? Free}}.</p>", "Hi Ada & Bob\n\nYour plan: Free."],
    [
      "an address",
      `<a href="{{url}}">Go</a> <a href="{{url}}">{{url}}</a>`,
      "Go (https://a.b/?x=1&y=2) https://a.b/?x=1&y=2",
    ],
    ["no address", `<p>a <a href="{{nothing}}">Go</a></p>`, "a Go"],
    ["no value", "<p>Dear {{nothing}} friend</p>", "Dear friend"],
    [
      "a list",
      "<ul>\n{{#each items}}\n<li>{{name}}{{#if gift}} (gift){{/if}}</li>\n{{/each}}\n</ul>",
      "- Pen (gift)\n- Ink",
    ],
    [
      "a table",
      "<table>{{#each items}}<tr><td>{{name}}</td><td>{{price}} €</td></tr>{{/each}}</table>",
      "Pen 2 €\nInk 9 €",
    ],
    ["numbered items are counted", "<ol>{{#each items}}<li>{{name}}</li>{{/each}}</ol>", "1. Pen\n 2. Ink"],
    [
      "paragraphs in blocks",
      "{{#if yes}}<p>a</p>{{else}}<p>b</p>{{/if}}{{#if no}}<p>c</p>{{/if}}<p>d</p>",
      "a\n\nd",
    ],
    ["HTML in values", "<p>{{{html}}} {{name}}</p>", "bold Ada & Bob"],
    ["HTML in fallbacks", "<p>{{plan ?? R&amp;D}}</p>", "R&D"],
    ["a block that hides", `<div {{#if yes}}style="display:none"{{/if}}>a</div>b`, "b"],
    ["a block across a tag that is dropped", "<style>{{#if no}}</style>a{{/if}}b", ""],
    ["braces made of character references", "<p>&#123;&#123;name}} {{name}}</p>", "{{name}} Ada & Bob"],
    [
      "a brace and a backslash before a value",
      "<p>{{{'x'}}}{<b>{{name}}</b>\\<i>{{name}}</i></p>",
      "{Ada & Bob\\Ada & Bob",
    ],
    ["an escaped expression", "<p>\\{{name}} {{name}}</p>", "{{name}} Ada & Bob"],
    ["no expressions", "<p>a</p><p>b</p>", "a\n\nb"],
    ["the private signs of the conversion", "<p>\uE0000\uE001{{name}}</p>", "\uE0000\uE001Ada & Bob"],
    ["a template that is broken", "<p>{{name}} {{> x}}</p>", "Ada & Bob"],
  ])("%s", (_, html, expected) => {
    expect(compileTextPart(html)(scope)).toBe(expected);
    expect(fromMail(html)).toBe(expected);
  });
});

test("values are not read as HTML or as a template", () => {
  const odd = { x: "<b>1 < 2</b> &amp; {{name}}", name: "Ada" };
  expect(compileTextPart("<p>{{x}}</p>")(odd)).toBe(odd.x);
});

test("is made once for a template", () => {
  const html = `${"<p>Hello {{name}}, <a href='https://a.b'>look</a>.</p>".repeat(100)}`;

  expect(compileTextPart(html)).toBe(compileTextPart(html));
});
