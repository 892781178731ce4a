import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import Handlebars from "handlebars";
import {
  checkTemplate,
  compileTemplate,
  mailScope,
  newBudget,
  type Scope,
} from "../../src/content/handlebars/mod.ts";
import { effortOf } from "../support/effort.ts";

/** Ten times what it is at most, in times of what is known; without bounds it would be thousands. */
const BOUNDED = 40;
const PATIENCE_MS = 60_000;

const render = (source: string, scope: Scope = {}) => compileTemplate(source, "html")(scope);
const renderText = (source: string, scope: Scope = {}) => compileTemplate(source, "text")(scope);

const scope: Scope = {
  name: "Ada",
  "first name": "Ada L.",
  html: `<b class='x'>"R&D"</b>`,
  data: { plan: "pro", "first name": "Ada D.", address: { "zip code": "0150" } },
  none: null,
  no: false,
  yes: true,
  empty: "",
  zero: 0,
  five: 5,
  "date of birth": "1815",
  tags: ["red", "blue"],
  items: [
    { name: "Pen", price: 2 },
    { name: "Ink", price: 9.5 },
  ],
  customer: { name: "Bob", city: "Oslo" },
  when: "2026-03-05T09:04:07Z",
};

describe("values", () => {
  test.each([
    ["a variable", "Hi {{name}}!", "Hi Ada!"],
    ["a path", "{{data.plan}}", "pro"],
    ["a key with spaces", "{{first name}}", "Ada L."],
    ["a key with spaces, deeper", "{{data.first name}} {{data.address.zip code}}", "Ada D. 0150"],
    ["a key with spaces, in brackets and as text", `{{[first name]}} {{"first name"}}`, "Ada L. Ada L."],
    ["a key with spaces that begins like a helper", "{{date of birth}}", "1815"],
    [
      "a key with spaces in a block and in parentheses",
      "{{#if first name}}{{upper (first name)}}{{/if}}",
      "ADA L.",
    ],
    ["an unknown variable is empty", "[{{nobody}}{{data.nobody.there}}{{no one}}]", "[]"],
    ["null is empty, false and 0 are printed", "{{none}},{{no}},{{zero}}", ",false,0"],
    ["a list of plain values has commas", "{{tags}}", "red,blue"],
    ["an object is JSON", "{{{customer}}}", `{"name":"Bob","city":"Oslo"}`],
    ["a list of objects is JSON", "{{{items}}}", `[{"name":"Pen","price":2},{"name":"Ink","price":9.5}]`],
    ["HTML is escaped", "{{html}}", "&lt;b class&#x3D;&#x27;x&#x27;&gt;&quot;R&amp;D&quot;&lt;/b&gt;"],
    ["three braces are raw", "{{{html}}}", `<b class='x'>"R&D"</b>`],
    ["an ampersand is raw", "{{& html}}", `<b class='x'>"R&D"</b>`],
    ["an escaped expression is text", "\\{{name}} \\\\{{name}}", "{{name}} \\Ada"],
    ["a comment is nothing", "a{{! {x} }}b{{!-- {{name}} --}}c", "abc"],
    ["braces of CSS and JavaScript are text", "<style>a{color:red}</style>}} {x: {y: 1}}", undefined],
    ["a brace may touch an expression", "a{color:{{name}}} {{{name}}}}", "a{color:Ada} Ada}"],
  ])("%s", (_, source, expected) => {
    expect(checkTemplate(source)).toBeNull();
    expect(render(source, scope)).toBe(expected ?? source);
  });

  test("a text part and a subject are not escaped", () => {
    expect(renderText("{{html}}", scope)).toBe(`<b class='x'>"R&D"</b>`);
    expect(compileTemplate("{{html}}", "subject")(scope)).toBe(`<b class='x'>"R&D"</b>`);
  });

  test("a subject is one line, whatever is in the values and in the template", () => {
    const value = "a\r\nBcc: evil@example.com\0b\u2028c\nd";
    expect(compileTemplate("Hi\n{{value}}\r\n", "subject")({ value })).toBe(
      "Hi a Bcc: evil@example.com b c d",
    );
    expect(compileTemplate("no\r\nbraces", "subject")({})).toBe("no braces");
    expect(compileTemplate("{{value}}", "subject")({ value: "x".repeat(100_000) })).toHaveLength(998);
  });

  test("a value that looks like a template is text", () => {
    const value = "{{name}} {{{html}}} {{#if x}}";
    expect(render("{{value}} {{{value}}}", { ...scope, value })).toBe(`${value} ${value}`);
  });
});

describe("fallbacks", () => {
  test.each([
    ["a word", "{{plan ?? Free}}", "Free"],
    ["quoted", `{{plan ?? "Free trial"}} {{plan ?? 'Free trial'}}`, "Free trial Free trial"],
    ["several words", "{{plan ?? Free trial}}", "Free trial"],
    ["without blanks", "{{plan??Free}}", "Free"],
    ["for null, false and an empty string", "{{none ?? a}}{{no ?? b}}{{empty ?? c}}", "abc"],
    ["not for 0", "{{zero ?? a}}", "0"],
    ["not for a value", "{{name ?? a}} {{first name ?? b}}", "Ada Ada L."],
    ["for a key with spaces", "{{last name ?? friend}}", "friend"],
    [
      "with signs of the language",
      "{{plan ?? it's 100% (really), a=b.}}",
      "it&#x27;s 100% (really), a&#x3D;b.",
    ],
    ["quoted, with braces and quotes", `{{plan ?? "a }} \\" b"}}`, "a }} &quot; b"],
    ["in three braces", `{{{plan ?? <i>Free</i>}}}{{{html ?? x}}}`, `<i>Free</i><b class='x'>"R&D"</b>`],
    ["is HTML of the author", "{{plan ?? R&amp;D & <b>}}", "R&amp;D &amp; &lt;b&gt;"],
    ["of a helper", `{{upper plan ?? none}}`, "none"],
    ["in parentheses", `{{upper (plan ?? free)}} {{#if (plan ?? "x)")}}y{{/if}}`, "FREE y"],
    ["with whitespace control", "a {{~plan ?? Free~}} b", "aFreeb"],
    ["nothing", "[{{plan ??}}]", "[]"],
    ["in a loop", "{{#each items}}{{color ?? no color}};{{/each}}", "no color;no color;"],
  ])("%s", (_, source, expected) => {
    expect(checkTemplate(source)).toBeNull();
    expect(render(source, scope)).toBe(expected);
  });
});

describe("blocks", () => {
  test.each([
    ["if", "{{#if yes}}a{{else}}b{{/if}}{{#if no}}a{{else}}b{{/if}}", "ab"],
    [
      "0, an empty list and a missing value are false",
      "{{#if zero}}a{{/if}}{{#if none}}b{{/if}}{{#if x.y}}c{{/if}}",
      "",
    ],
    ["includeZero", "{{#if zero includeZero=true}}a{{/if}}", "a"],
    ["else if", "{{#if no}}a{{else if zero}}b{{else if five}}c{{else}}d{{/if}}", "c"],
    ["unless", "{{#unless no}}a{{/unless}}{{#unless yes}}b{{else}}c{{/unless}}", "ac"],
    [
      "each",
      "{{#each items}}{{@index}}{{name}}{{price}}{{#if @last}}.{{else}},{{/if}}{{/each}}",
      "0Pen2,1Ink9.5.",
    ],
    [
      "each over plain values",
      "{{#each tags}}{{#if @first}}>{{/if}}{{this}}{{.}};{{/each}}",
      ">redred;blueblue;",
    ],
    ["each over an object", "{{#each customer}}{{@key}}={{this}};{{/each}}", "name=Bob;city=Oslo;"],
    [
      "each with a name",
      "{{#each items as |item i|}}{{i}}{{item.name}}{{../name}}{{/each}}",
      "0PenAda1InkAda",
    ],
    ["each over nothing", "{{#each nothing}}a{{else}}b{{/each}}{{#each name}}a{{else}}b{{/each}}", "bb"],
    [
      "the outer loop",
      "{{#each items}}{{#each ../tags}}{{@../index}}{{@index}}{{../name}} {{/each}}{{/each}}",
      "00Pen 01Pen 10Ink 11Ink ",
    ],
    ["with", "{{#with customer}}{{name}} {{../name}} {{@root.data.plan}}{{/with}}", "Bob Ada pro"],
    ["with nothing", "{{#with nothing}}a{{else}}b{{/with}}", "b"],
    [
      "a line of its own leaves no empty line",
      "a\n{{#each tags}}\n- {{this}}\n{{/each}}\nb",
      "a\n- red\n- blue\nb",
    ],
  ])("%s", (_, source, expected) => {
    expect(checkTemplate(source)).toBeNull();
    expect(render(source, scope)).toBe(expected);
  });
});

describe("helpers", () => {
  test.each([
    [`{{eq data.plan "pro"}} {{eq five "5"}} {{eq nothing ""}} {{eq five 6}}`, "true true true false"],
    [`{{ne data.plan "pro"}}`, "false"],
    [`{{gt five 4}} {{gt "10" "9"}} {{gt nothing 1}} {{gt when "2026-01-01"}}`, "true true false true"],
    [`{{lt five 4}} {{lt nothing 1}}`, "false false"],
    [`{{and yes name}} {{and yes zero name}}`, "Ada 0"],
    [`{{or nothing name}} {{or nothing zero}}`, "Ada 0"],
    [`{{not name}} {{not nothing}}`, "false true"],
    [`{{#if (and (eq data.plan "pro") (gt five 4))}}yes{{/if}}`, "yes"],
    [`{{upper name}} {{lower name}} {{upper (lower name)}}`, "ADA ada ADA"],
    [`{{default nothing "there"}} {{default name "there"}} {{default zero 7}}`, "there Ada 0"],
    [
      `{{truncate "Hello world" 7}} {{truncate "Hello world" 8 "..."}} {{truncate name 10}}`,
      "Hello… Hello... Ada",
    ],
    [
      `{{number 1234.5}} {{number 1234.5 2}} {{number "1234.5" decimals=0 locale="de"}}`,
      "1,234.5 1,234.50 1.235",
    ],
    [`{{number name}} {{number nothing}}.`, "Ada ."],
    [
      `{{date when}} | {{date when "long"}} | {{date when "d.M.yy HH:mm"}}`,
      "Mar 5, 2026 | March 5, 2026 | 5.3.26 09:04",
    ],
    [
      `{{date when "EEEE, d MMMM yyyy 'at' h:mm a" locale="nl" timeZone="Asia/Tokyo"}}`,
      "donderdag, 5 maart 2026 at 6:04 PM",
    ],
    [
      `{{date "2026-03-05" format="full"}} {{date "2026-03-05 23:30" "time"}}`,
      "Thursday, March 5, 2026 11:30 PM",
    ],
    [
      `{{date "tomorrow"}} {{date nothing}} {{date when locale="?" timeZone="Moon"}}`,
      "tomorrow  Mar 5, 2026",
    ],
  ])("%s", (source, expected) => {
    expect(checkTemplate(source)).toBeNull();
    expect(renderText(source, scope)).toBe(expected);
  });

  test("a helper's name without values is a variable", () => {
    expect(
      render("{{date}} {{number}} {{#if default}}{{default}}{{/if}}", { date: "a", number: 1, default: "x" }),
    ).toBe("a 1 x");
  });
});

describe("what is refused", () => {
  test.each([
    ["braces that are not closed", "Hi\n  {{name", 2, 3, "never closed"],
    ["braces within braces", "{{name and {{email}}", 1, 1, "never closed"],
    ["three braces closed by two", "{{{name}} x", 1, 1, "never closed"],
    ["a string that is not closed", 'a {{eq name "x}}', 1, 13, "never closed"],
    ["a comment that is not closed", "a {{!-- x }}", 1, 3, "never closed"],
    ["a block that is not closed", "a\r\nb {{#if x}} c", 2, 3, '"{{#if}}" is never closed'],
    ["a block closed by another", "{{#if x}}{{/each}}", 1, 10, "{{/if}}"],
    ["an end of nothing", "x{{/if}}", 1, 2, "closes nothing"],
    ["an else of nothing", "{{else}}", 1, 1, "outside"],
    ["two elses", "{{#if x}}{{else}}{{else}}{{/if}}", 1, 18, "{{else}}"],
    ["an unknown block", "{{#list items}}{{/list}}", 1, 1, "{{#list}}"],
    ["an inverse section", "{{^x}}{{/x}}", 1, 1, "unless"],
    ["a block as a value", "{{if x}}", 1, 3, "{{#if"],
    ["a block without a value", "{{#if}}{{/if}}", 1, 1, "one value"],
    ["a partial", "a {{> header}}", 1, 3, "Partials"],
    ["a partial block", "{{#> header}}{{/header}}", 1, 1, "Partials"],
    ["a decorator", "{{* x}}", 1, 1, "Decorators"],
    ["a decorator block", "{{#*inline 'x'}}{{/inline}}", 1, 1, "Decorators"],
    ["a raw block", "{{{{raw}}}}{{{{/raw}}}}", 1, 1, "Raw"],
    ["an unknown helper with a string", 'a\n{{shout "x"}}', 2, 3, '"shout" is unknown'],
    ["an unknown helper with an option", "{{shout x y=1}}", 1, 3, '"shout" is unknown'],
    ["an unknown helper within", '{{upper (shout "x")}}', 1, 10, '"shout" is unknown'],
    ["a helper with too many values", "{{upper first name}}", 1, 3, "takes 1 value"],
    ["a helper with too few", "{{#if (eq x)}}{{/if}}", 1, 8, "takes 2 values"],
    ["an unknown option", "{{date x size=1}}", 1, 10, '"size"'],
    ["a second fallback", "{{a ?? b ?? c}}", 1, 5, "twice"],
    ["a fallback of a block", "{{#if a ?? b}}{{/if}}", 1, 9, "parentheses"],
    ["an empty expression", "a {{}}", 1, 5, "Unexpected"],
    ["a sign that is nothing", "{{a %}}", 1, 5, "Unexpected"],
    [
      "an error behind a fallback is where the author sees it",
      "{{a ?? Free trial}}\n{{b ?? x}} {{c=}}",
      2,
      15,
      "Unexpected",
    ],
    ["an error behind a comment is where the author sees it", "{{!-- a\nb --}} {{c=}}", 2, 11, "Unexpected"],
    ["an error behind a line separator too", "a\u2028{{b ?? x}} {{c=}}", 1, 17, "Unexpected"],
    ["blocks in blocks, too deep", "{{#if a}}".repeat(51) + "{{/if}}".repeat(51), 1, 451, "nested"],
    ["else ifs, too many", `{{#if a}}${"{{else if b}}".repeat(50)}{{/if}}`, 1, 647, "nested"],
    [
      "parentheses in parentheses, too deep",
      `{{not ${"(not ".repeat(21)}a${")".repeat(21)}}}`,
      1,
      107,
      "nested",
    ],
    ["expressions without end", "{{x}}".repeat(2_001), 1, 10_001, "10000"],
    ["a source without end", "{{x}}" + " ".repeat(1_000_000), 1, 1, "longer"],
  ])("%s", (_, source, line, column, message) => {
    const error = checkTemplate(source);
    expect(error).toEqual({ message: expect.stringContaining(message), line, column });
    expect(() => render(source, scope)).not.toThrow();
  });

  test("what was saved when more was accepted is still sent as it is", () => {
    const saved = "{{#if name}}{{name}}{{else}}nobody{{/if}} ".repeat(500);

    expect(checkTemplate(saved)?.message).toContain("10000");
    expect(render(saved, scope)).toBe("Ada ".repeat(500));
    expect(render("{{name}} ".repeat(20_000), scope)).toBe("Ada ".repeat(20_000));
  });

  test("content that was never checked still has its plain variables", () => {
    expect(render("Hi {{name}} {{> header}} {{#shout}}!{{/shout}} {{name", scope)).toBe("Hi Ada  ! {{name");
  });
});

describe("what is out of reach", () => {
  test.each([
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "name.constructor",
    "tags.map",
    "items.0.__proto__",
  ])("%s is empty", (path) => {
    expect(render(`{{${path}}}{{#with ${path}}}x{{/with}}{{#each ${path}}}x{{/each}}`, scope)).toBe("");
  });

  test("an own property of such a name is a value", () => {
    const own = JSON.parse(`{"constructor": "a", "toString": "b", "__proto__": {"c": "d"}}`);
    const inMail = mailScope({ contact: { id: null, email: "a@b.c", subscribed: true, data: own }, urls });
    expect(render("{{constructor}}{{toString}}{{__proto__.c}}{{data.constructor}}", inMail)).toBe("abda");
  });

  test("functions and getters that throw are nothing", () => {
    const odd = { run: () => "x", list: [() => "x"], deep: { toJSON: () => "x" } };
    expect(render("[{{run}}{{#each list}}{{this}}{{/each}}]{{{deep}}}", odd)).toBe('[]{"toJSON":null}');
    const throwing = Object.defineProperty({}, "x", { enumerable: true, get: () => JSON.parse("?") });
    expect(render("a{{x}}b", throwing)).toBe("a");
  });
});

const urls = { unsubscribeUrl: "https://m/u", subscribeUrl: "https://m/s", manageUrl: "https://m/m" };

describe("mailScope", () => {
  const contact = {
    id: "c1",
    email: "ada@example.com",
    subscribed: false,
    data: {
      plan: "free",
      city: "Oslo",
      email: "evil@example.com",
      unsubscribeUrl: "https://evil",
      locale: "de",
    },
  };

  test("the request goes over the contact, and the reserved names over both", () => {
    const made = mailScope({ contact, data: { plan: "pro", id: "evil", data: "evil" }, urls });
    expect(made).toMatchObject({ plan: "pro", city: "Oslo", id: "c1", email: "ada@example.com", ...urls });
    expect(made).toMatchObject({ subscribed: false, locale: "de", data: { plan: "pro", city: "Oslo" } });
  });

  test("an event is there only when there is one", () => {
    expect(mailScope({ contact, urls })).not.toHaveProperty("event");
    expect(render("{{event.name}}", mailScope({ contact, urls, event: { name: "paid" } }))).toBe("paid");
  });
});

test("the variables of a template are its paths from the top, in order", () => {
  const source =
    "{{name}} {{data.plan ?? x}} {{#if first name}}{{name}}{{/if}} {{#each items as |item i|}}{{price}} {{item.vat}} {{i}} " +
    "{{../city}} {{@index}}{{/each}} {{#with customer}}{{upper (company ?? y)}}{{@root.total}}{{/with}}";
  expect(compileTemplate(source, "html").variables).toEqual([
    "name",
    "data.plan",
    "first name",
    "items",
    "items.price",
    "items.vat",
    "city",
    "customer",
    "customer.company",
    "total",
  ]);
});

function nest(depth: number, wrap: (inner: unknown) => unknown): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => wrap(inner), 1);
}

describe("a rendering is bounded", () => {
  const long = "'".repeat(65_536);
  const many = Array.from({ length: 2_000 }, (_, i) => i);
  const words = Array.from({ length: 9_000 }, (_, i) => `de-x-a${i}`);
  const hostile = {
    long,
    other: `${long}x`,
    many,
    words,
    list: nest(30_000, (inner) => [inner]),
    tree: nest(10_000, (a) => ({ a })),
    wide: Object.fromEntries(many.map((i) => [`key${i}`, { i }])),
  };

  test.each([
    ["long values, again and again", "{{long}}".repeat(1_200)],
    [
      "loops in loops",
      "{{#each many}}{{#each ../many}}{{#each ../../many}}{{this}}{{/each}}{{/each}}{{/each}}",
    ],
    ["many expressions in a loop", `{{#each many}}${"{{../other.x}}".repeat(600)}{{/each}}`],
    ["long text in a loop", `{{#each many}}${"x".repeat(900_000)}{{/each}}`],
    ["long values in helpers", "{{#if (eq (upper long) (lower other))}}{{/if}}".repeat(200)],
    ["long comparisons in a loop", `{{#each many}}${"{{gt ../long ../other}}".repeat(400)}{{/each}}`],
    ["deep lists", "{{list}}{{#if (eq list 1)}}{{/if}}".repeat(250)],
    ["deep objects", "{{tree}}".repeat(1_000)],
    ["deep paths", `{{#each many}}{{@root.tree${".a".repeat(4_900)}}}{{/each}}`],
    ["wide objects", "{{#if (eq wide 1)}}{{/if}}".repeat(350)],
    ["loops over wide objects, empty", "{{#each wide}}{{/each}}".repeat(400)],
    ["many locales", `{{#each words}}{{date 0 "EEEE MMM" locale=this}}{{number 1 locale=this}}{{/each}}`],
    ["many dates", `{{#each many}}${'{{date this "EEEE MMM d yyyy HH:mm:ss"}}'.repeat(20)}{{/each}}`],
    ["many levels", `${"{{#each many}}".repeat(50)}x${"{{/each}}".repeat(50)}`],
  ])(
    "%s",
    (_, source) => {
      expect(checkTemplate(source)).toBeNull();
      const template = compileTemplate(source, "html");
      let length = 0;
      const effort = effortOf(() => void (length = template(hostile).length));

      expect(length).toBeLessThanOrEqual(5_000_000);
      expect(effort).toBeLessThan(BOUNDED);
    },
    PATIENCE_MS,
  );

  test("what follows loops that were cut off is still there", () => {
    const source = "{{#each many}}{{#each ../many}}x{{/each}}{{/each}}<footer>";
    expect(render(source, hostile)).toEndWith("x<footer>");
  });

  test("a template without expressions is returned as it is", () => {
    const source = "}} <style>a{b:c}</style>".repeat(400_000);
    expect(render(source)).toBe(source);
  });

  describe("together with others", () => {
    const loop = compileTemplate("{{#each many}}{{#if x}}{{/if}}{{/each}}.", "text");
    const word = compileTemplate("{{word}}", "text");

    test("by one budget: what is left writes nothing when it is spent", () => {
      const budget = newBudget({ steps: 30_000 });
      const texts = Array.from({ length: 5 }, () => loop(hostile, budget));

      expect(texts).toEqual([".", ".", "", "", ""]);
      expect(budget.steps).toBeLessThan(0);
      expect(word({ word: "x" }, budget)).toBe("");
      expect(word({ word: "x" })).toBe("x");
    });

    test("rounds count, though nothing is in them", () => {
      const budget = newBudget({ steps: 10_000 });
      const empty = compileTemplate("{{#each many}}{{/each}}", "text");
      for (let i = 0; i < 5; i++) empty(hostile, budget);

      expect(budget.steps).toBeLessThan(0);
    });

    test("by the characters that they write", () => {
      const budget = newBudget({ chars: 5 });
      const texts = Array.from({ length: 3 }, () => word({ word: "abc" }, budget));

      expect(texts).toEqual(["abc", "ab", ""]);
      expect(budget).toMatchObject({ room: 0 });
    });
  });
});

describe("for any template and any data", () => {
  const key = fc.constantFrom("a", "b", "c", "first name", "constructor", "__proto__", "length", "date");
  const json = fc.jsonValue({ maxDepth: 4 });
  const anyScope = fc.dictionary(key, json, { noNullPrototype: true });
  const piece = fc.constantFrom(
    ..."{{ }} {{{ }}} {{#if {{#each {{#with {{/if}} {{/each}} {{else}} {{^}} ?? ( ) [ ] a b.c ../ @index this as |x| = 1 eq upper date \" ' \\ ~ & ! -- > * / { } \n".split(
      " ",
    ),
    " ",
  );

  test("a value in a URL stays one part of it, however it is named", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (x) => {
        const part = encodeURIComponent(x.toWellFormed());
        const template = compileTemplate(
          `/{{x}}/{{[o'x]}}/{{a.[o"x]}}{{#each list}}/{{this}}{{/each}}/{{no ?? "a/b"}}/{{{raw}}}`,
          "url",
        );
        const values = { x, "o'x": x, a: { 'o"x': x }, list: [x], raw: "a/b" };
        expect(template(values)).toBe(`/${part}/${part}/${part}/${part}/a%2Fb/a/b`);
      }),
    );
  });

  test("plain data comes out escaped and is never run", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (x) => {
        const expected = Handlebars.escapeExpression(x);
        expect(render("<p title={{x}}>{{x}}</p>", { x })).toBe(`<p title=${expected}>${expected}</p>`);
        expect(renderText("{{x}}", { x })).toBe(x);
      }),
    );
  });

  test(
    "nothing throws, and what is wrong has a place in the source",
    () => {
      const anySource = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(""));
      fc.assert(
        fc.property(anySource, anyScope, (source, data) => {
          const error = checkTemplate(source);
          for (const kind of ["html", "text", "subject"] as const) {
            expect(typeof compileTemplate(source, kind)(data)).toBe("string");
          }
          if (!error) return;
          const line = source.split("\n")[error.line - 1];
          expect(line).toBeDefined();
          expect(error.column).toBeWithin(1, line!.length + 2);
          expect(error.message).not.toMatch(/\n|node_modules|Expecting/);
        }),
        { numRuns: 2_000 },
      );
    },
    PATIENCE_MS,
  );

  test(
    "what Handlebars can do comes out as Handlebars does it",
    () => {
      const path = fc.constantFrom(
        "a",
        "b.c",
        "../a",
        "this",
        "@index",
        "@key",
        "@first",
        "@root.a",
        "[first name]",
        "x",
        "x.a",
      );
      // Handlebars hands plain values on as objects, so that "" is true within an if; it takes a list within itself for
      // one level; and it adds two raw numbers. None of it is copied, nor tried here.
      const list = fc.constantFrom("a", "b.c", "x.a", "nothing");
      const { template } = fc.letrec<{ template: string; part: string }>((tie) => ({
        template: fc.array(tie("part"), { maxLength: 5 }).map((parts) => parts.join("")),
        part: fc.oneof(
          { maxDepth: 4 },
          fc.constantFrom("text ", "\n", " \n  ", "{{! c }}", "\\{{a}}", "<"),
          path.map((p) => `{{${p}}}`),
          path.map((p) => `<{{{${p}}}} >`),
          path.map((p) => `{{~${p}~}}`),
          fc
            .tuple(path, tie("template"), tie("template"))
            .map(([p, a, b]) => `{{#if ${p}}}${a}{{else}}${b}{{/if}}`),
          fc.tuple(path, tie("template")).map(([p, a]) => `{{#unless ${p}}}\n${a}\n{{/unless}}\n`),
          fc
            .tuple(list, tie("template"), tie("template"))
            .map(([p, a, b]) => `{{#each ${p}}}${a}{{else}}${b}{{/each}}`),
          fc.tuple(list, tie("template")).map(([p, a]) => `{{#each ${p} as |x|}}${a}{{/each}}`),
        ),
      }));
      const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
      const record = fc.record(
        { a: value, b: fc.record({ c: value }), "first name": value },
        { requiredKeys: [] },
      );
      const records = fc.array(record, { maxLength: 3 });
      const top = fc
        .record({ a: fc.oneof(records, value), b: fc.record({ c: records }), "first name": value })
        .map((made) => JSON.parse(JSON.stringify(made)) as Scope);
      fc.assert(
        fc.property(template, top, (source, data) => {
          const theirs = Handlebars.compile(source)(data);
          fc.pre(!theirs.includes("[object Object]"));
          expect(checkTemplate(source)).toBeNull();
          expect(render(source, data)).toBe(theirs);
        }),
        { numRuns: 1_000 },
      );
    },
    PATIENCE_MS,
  );
});
