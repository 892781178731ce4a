import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createLinkFollower } from "../../src/content/links.ts";
import { compileTemplate, type Scope } from "../../src/content/handlebars/mod.ts";

const PREFIX = "https://m.example/t/c/";

const follower = createLinkFollower({
  prefix: PREFIX,
  sign: (target) => (target.includes("unsigned") ? null : Buffer.from(target).toString("base64url")),
});

/** The secret of this process, as it stands in a rewritten template. */
const SECRET = follower
  .rewrite('<a href="https://x.example">', "shop")
  .slice(`<a href="${PREFIX}`.length)
  .slice(0, 32);

/** What is sent to whom this scope belongs, with every followed address shown as `[target]`. */
function sent(source: string, scope: Scope = {}): string {
  const rendered = compileTemplate(follower.rewrite(source, "shop"), "html")(scope);
  return follower
    .complete(rendered, "MAIL", "shop")
    .replace(/https:\/\/m\.example\/t\/c\/MAIL\.([\w-]+)/g, (_, token: string) => {
      return `[${Buffer.from(token, "base64url").toString()}]`;
    });
}

describe("a link that is written out", () => {
  test.each([
    ["in double quotes", '<a href="https://x.example/a">x</a>', '<a href="[https://x.example/a]">x</a>'],
    ["in single quotes", "<a href='http://x.example'>x</a>", "<a href='[http://x.example]'>x</a>"],
    ["without quotes", "<a href=https://x.example/a>x</a>", "<a href=[https://x.example/a]>x</a>"],
    [
      "among other attributes",
      `<a class=b title='>"'href = "https://x.example" id>`,
      `<a class=b title='>"'href = "[https://x.example]" id>`,
    ],
    ["over several lines", '<a\n\thref="https://x.example"\n>', '<a\n\thref="[https://x.example]"\n>'],
    ["in capitals", '<A HREF="HTTPS://X.example/">', '<A HREF="[HTTPS://X.example/]">'],
    [
      "of an area",
      '<area shape=rect href="https://x.example">',
      '<area shape=rect href="[https://x.example]">',
    ],
    ["behind a slash", '<a/href="https://x.example"/>', '<a/href="[https://x.example]"/>'],
    ["with blanks around it", '<a href=" https://x.example\n">', '<a href="[https://x.example]">'],
    ["with a line break in it", '<a href="https://x.example/\na">', '<a href="[https://x.example/a]">'],
    [
      "with data-track of another value",
      '<a data-track="true" href="https://x.example">',
      '<a data-track="true" href="[https://x.example]">',
    ],
    ["of other letters", '<a href="https://x.example/ü?q=日本">', '<a href="[https://x.example/ü?q=日本]">'],
    [
      "beside a link that is none",
      '<a href="#a"></a><a href="https://x.example">',
      '<a href="#a"></a><a href="[https://x.example]">',
    ],
    [
      "behind letters of two units",
      'é😀\u2028<a href="https://x.example">😀',
      'é😀\u2028<a href="[https://x.example]">😀',
    ],
    ["behind half a letter", '\ud83d<a href="https://x.example">', '\ud83d<a href="[https://x.example]">'],
    [
      "behind control characters",
      '\u0002<a href="https://x.example">\u0002',
      '\u0002<a href="[https://x.example]">\u0002',
    ],
  ])("%s is followed", (_, source, expected) => {
    expect(sent(source)).toBe(expected);
  });

  test.each([
    ["&amp;", "https://x.example/?a=1&amp;b=2", "https://x.example/?a=1&b=2"],
    ["a bare &", "https://x.example/?a=1&b=2", "https://x.example/?a=1&b=2"],
    ["&amp without a semicolon", "https://x.example/?a&amp", "https://x.example/?a&"],
    [
      "a name that only begins like a reference",
      "https://x.example/?a=1&lt=2&ampere=3",
      "https://x.example/?a=1&lt=2&ampere=3",
    ],
    ["numbers", "https://x.example/&#39;&#x2F;&#X2f", "https://x.example/'//"],
    ["quotes", "https://x.example/?q=&quot;a&apos;", "https://x.example/?q=\"a'"],
  ])("has its references read as a browser reads them: %s", (_, href, target) => {
    expect(sent(`<a href="${href}">`)).toBe(`<a href="[${target}]">`);
  });

  test("keeps everything around it byte for byte", () => {
    const around =
      "<!DOCTYPE html >\r\n<P  Class = 'a'  >&nbsp;&copy<br/><IMG src=a.png  ALT=\"\"></p ><!-- c --><td<b>";

    expect(sent(`${around}<a href="https://x.example">x</a >${around}`)).toBe(
      `${around}<a href="[https://x.example]">x</a >${around}`,
    );
  });
});

describe("not followed is", () => {
  test.each([
    "mailto:a@b.io",
    "tel:+4712345678",
    "sms:+47",
    "#top",
    "",
    "/relative",
    "page.html",
    "//x.example/a",
    "?q=1",
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://x.example",
    "https://",
    "http://[",
    "https://x y/",
    "https://x.example/&eacute;",
    "https://x.example/&#0;",
    "https://x.example/&#xD800;",
    "https://x.example/&#128;",
    "https://x.example/\u0007a",
    "https://x.example/unsigned",
  ])("%j", (href) => {
    const source = `<a href="${href}">x</a>`;

    expect(sent(source)).toBe(source);
  });

  test.each([
    ['a link with data-track="false"', '<a href="https://x.example" data-track="false">'],
    ["the same in other words", "<a DATA-TRACK=False href='https://x.example'>"],
    ["a link without an address", "<a href><a href=><a name=b>"],
    [
      "another element",
      '<link href="https://x.example"><base href="https://x.example"><abbr href="https://x.example">',
    ],
    ["a comment", '<!-- <a href="https://x.example"> -->'],
    ["a comment for Outlook", '<!--[if mso]><a href="https://x.example"><![endif]-->'],
    ["a style", '<style><a href="https://x.example"></style>'],
    ["a script", '<script>"<a href=https://x.example>"</script>'],
    ["a title", '<title><a href="https://x.example"></title>'],
    ["another attribute", `<p title='<a href="https://x.example">'>`],
    ["a tag without an end", '<a href="https://x.example"'],
    ["a value without an end", '<a href="https://x.example>x</a>'],
    ["a tag that is closed", '</a href="https://x.example">'],
    ["text", "&lt;a href=https://x.example>"],
  ])("%s", (_, source) => {
    expect(sent(source)).toBe(source);
  });

  test.each(["unsubscribeUrl", "subscribeUrl", "manageUrl"])("the page behind {{%s}}", (name) => {
    const url = `https://m.example/own/${name}`;
    const source = `<a href="{{${name}}}">a</a><a href='{{@root.${name}}}?x=1'>b</a><a href="{{#if a}}{{${name}}}{{/if}}">`;

    expect(sent(source, { [name]: url, a: true })).toBe(
      `<a href="${url}">a</a><a href='${url}?x&#x3D;1'>b</a><a href="${url}">`.replace("&#x3D;", "="),
    );
  });
});

test("the 2,001st link of a mail leads on directly, written out or made by a loop", () => {
  const link = "https://x.example/";
  const followed = `<a href="[${link}]">`;
  const all = Array.from({ length: 2_001 }, () => link);
  const once = sent(`<a href="${link}">`.repeat(2_001));
  const looped = sent('{{#each all}}<a href="{{this}}">{{/each}}', { all });

  expect(once).toBe(`${followed.repeat(2_000)}<a href="${link}">`);
  expect(looped).toBe(once);
});

describe("a link with expressions", () => {
  const address = "https://y.example/?a=1&b='c'";

  test.each([
    ["as its value", '<a href="{{url}}">x</a>', `<a href="[${address}]">x</a>`],
    ["in single quotes", "<a href='{{url}}'>", `<a href='[${address}]'>`],
    ["without quotes", "<a href={{url}}>", `<a href=[${address}]>`],
    [
      "in a part of it",
      '<a href="https://x.example/u?id={{id}}&amp;x">',
      '<a href="[https://x.example/u?id=7&x]">',
    ],
    [
      "with a fallback in quotes",
      '<a href="{{none ?? "https://f.example"}}">',
      '<a href="[https://f.example]">',
    ],
    ["not escaped", '<a href="{{{url}}}">', `<a href="[${address}]">`],
    [
      "in a list",
      '{{#each list}}<a href="{{this}}">{{@index}}</a>{{/each}}',
      '<a href="[https://1.example]">0</a><a href="[https://2.example]">1</a>',
    ],
    [
      "written out in a list",
      '{{#each list}}<a href="https://x.example">{{/each}}',
      '<a href="[https://x.example]"><a href="[https://x.example]">',
    ],
    [
      "with a block in it",
      '<a href="{{#if no}}http://n.example{{else}}{{url}}{{/if}}">',
      `<a href="[${address}]">`,
    ],
    [
      "chosen by a block",
      '<a {{#if id}}href="http://a.example"{{else}}href="http://b.example"{{/if}} class="{{id}}">',
      '<a href="[http://a.example]" class="7">',
    ],
    [
      "in a tag with expressions",
      '<a {{attributes}} title="{{#if id}}>{{/if}}" href="http://a.example">',
      '<a  title=">" href="[http://a.example]">',
    ],
    ["without blanks around it", '<a href=" {{~url~}} ">', `<a href="[${address}]">`],
    [
      "beside a comment",
      '{{!-- <a href="http://c.example"> " --}}<a {{! " }}href="http://a.example">',
      '<a href="[http://a.example]">',
    ],
    ["that is text", String.raw`<a href="https://x.example/\{{x}}">`, '<a href="[https://x.example/{{x}}]">'],
  ])("%s is followed", (_, source, expected) => {
    const scope = { url: address, id: 7, list: ["https://1.example", "https://2.example"] };

    expect(sent(source, scope)).toBe(expected);
  });

  test.each([
    ["nothing", undefined],
    ["no web address", "mailto:a@b.io"],
    ["a script", "javascript:alert(1)"],
    ["a relative address", "/a"],
    ["an address that may not be signed", "https://x.example/unsigned"],
    ["an expression of its own", "{{url}}"],
  ])("that becomes %s is left as it is", (_, url) => {
    const source = '<a href="{{url}}">x</a>';

    expect(sent(source, { url })).toBe(compileTemplate(source, "html")({ url }));
  });

  test.each([
    ['<a href="{{{url}}}">', 'https://x.example/" onclick="a'],
    ["<a href='{{{url}}}'>", "https://x.example/'><a href='b"],
    ["<a href={{{url}}}>", "https://x.example/ onclick=a"],
    ["<a href={{url}}>", "https://x.example/ b"],
  ])("whose value ends the attribute is left as it is: %s", (source, url) => {
    expect(sent(source, { url })).toBe(compileTemplate(source, "html")({ url }));
  });

  test.each([
    '<a href="{{#if id}}http://a.example">a</a>{{else}}http://b.example">b</a>{{/if}}',
    '<a href="{{#if id}}http://a.example" class="{{/if}}b">',
    "<a href={{#if id}}http://a.example{{/if}}>",
    '{{#each list}}<a href="http://a.example/{{/each}}{{#each list}}b">{{/each}}',
    '{{#each list}}<a href="http://a.example/{{else}}b">{{/each}}',
    "<a href=http://a.example/{{#if id}}b{{/if}}>",
  ])("whose block goes beyond it is left as it is: %s", (source) => {
    for (const scope of [{ id: 7 }, { list: [1, 2] }, {}])
      expect(sent(source, scope)).toBe(compileTemplate(source, "html")(scope));
  });

  test("in a template that cannot be read is left as it is", () => {
    for (const source of [
      '<a href="https://x.example">{{#if}}',
      '<a href="https://x.example">{{> p}}',
      '<a href="{{a">',
    ]) {
      expect(follower.rewrite(source, "shop")).toBe(source);
    }
  });
});

describe("the marks of a template", () => {
  test("are never imitated by a mark of another process", () => {
    const other = Bun.randomUUIDv7().replaceAll("-", "");
    const data = `${other}dhttps://evil.example${other}c`;

    expect(sent("<p>{{{data}}}</p>", { data })).toBe(`<p>${data}</p>`);
  });

  test("are gone, with every part of them, from a mail that is cut off", () => {
    const source = '{{pad}}<a href="{{url}}">';
    for (let left = 1; left < 120; left += 3) {
      const pad = "x".repeat(5_000_000 - left);
      const rendered = compileTemplate(
        follower.rewrite(source, "shop"),
        "html",
      )({ pad, url: "https://x.example" });
      expect(follower.complete(rendered, "MAIL", "shop").indexOf(SECRET.slice(0, 8), 4_999_000)).toBe(-1);
    }
  });

  test("leave a template of a megabyte readable", () => {
    const source = `{{name}}${'<a href="https://x.example">x</a>'.repeat(29_000)}`;
    const text = sent(source, { name: "Ada" });

    expect(source.length).toBeLessThan(1_000_000);
    expect(text).toStartWith("Ada<a href=");
    expect(text).not.toContain(SECRET);
  });
});

const PIECES = [
  '<a href="https://x.example/a">',
  "<a href='{{url}}'>",
  "<a href={{url}} >",
  "</a>",
  "<area href=https://x.example>",
  '<a href="{{#if a}}',
  '<a href="',
  '"',
  "'",
  ">",
  "<",
  "href=",
  "{{#if a}}",
  "{{else}}",
  "{{/if}}",
  "{{#each list}}",
  "{{/each}}",
  '<a href="{{this}}" data-track=false>',
  '<a class="{{a}}"href="{{url}}">',
  "{{a}}",
  "{{{html}}}",
  "{{",
  "{{! x }}",
  "<!--",
  "-->",
  "<script>",
  "</script>",
  "<p>",
  " ",
  "\n",
  "\\",
  "text",
  "&amp;",
  "{{~a~}}",
  "{{unsubscribeUrl}}",
];
const SCOPES: Scope[] = [
  {
    a: true,
    url: "https://y.example/b",
    list: ["https://z.example", "/r"],
    html: '<a href="https://raw.example">"',
  },
  { a: "https://w.example", url: "javascript:1", list: [], html: "'\">" },
  {},
];

describe("whatever the template is", () => {
  test("its mails are those of the template itself, but for the addresses, and hold no mark", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }),
        fc.constantFrom(...SCOPES),
        (pieces, scope) => {
          const source = pieces.join("");
          const mail = sent(source, scope);
          expect(mail).not.toContain(SECRET);
          expect(mail.replace(/\[(http[^\]]*)\]/g, "$1")).toBe(compileTemplate(source, "html")(scope));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test("without links it stays as it is", () => {
    const pieces = PIECES.filter((piece) => !/href/.test(piece));
    const word = fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (words) => {
        const source = words.join("");
        fc.pre(!/href/i.test(source));
        expect(follower.rewrite(source, "shop")).toBe(source);
        expect(follower.complete(source, "MAIL", "shop")).toBe(source);
      }),
    );
  });
});
