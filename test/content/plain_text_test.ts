import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { plainText } from "../../src/content/handlebars/mod.ts";

test.each([
  ["paragraphs and line breaks", "<p>Hello\n   there</p><p>a<br>b</p>", "Hello there\n\na\nb"],
  ["blocks have a line of their own", "a<div>b<div>c</div></div>d", "a\nb\nc\nd"],
  [
    "headings stand by themselves, as they are written",
    "<h1>News</h1>x<h3>More</h3>y",
    "News\n\nx\n\nMore\n\ny",
  ],
  ["lists", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ol><li>d</li><li>e</li></ol>", undefined],
  [
    "a link has its address",
    '<a href="https://a.b/?x=1&amp;y=2">Go <b>on</b></a>!',
    "Go on (https://a.b/?x=1&y=2)!",
  ],
  ["an address as text is said once", '<a href="https://a.b">https://a.b</a>', "https://a.b"],
  ["a mail address too", '<a href="mailto:a@b.c">a@b.c</a>', "a@b.c"],
  ["a link within the mail has no address", '<a href="#top">Up</a> <a>x</a>', "Up x"],
  [
    "an image is its text",
    '<img src="a.png" alt="Logo"> <img src="b.png"><a href="https://a.b"><img alt="Ad"></a>',
    "Logo Ad (https://a.b)",
  ],
  [
    "a table has a line for a row",
    "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Pen</td><td>2 €</td></tr></table>",
    "Item Price\nPen 2 €",
  ],
  [
    "tables for the looks",
    "<table><tr><td><table><tr><td><p>a</p></td></tr></table></td></tr></table><p>b</p>",
    "a\n\nb",
  ],
  [
    "character references",
    "&lt;b&gt; &amp; &euro; &#8364; &hearts; &nbsp;&bogus;",
    "<b> & € € ♥ \u00a0&bogus;",
  ],
  ["preformatted text is kept", "<pre>a\n   b</pre>", "a\n   b"],
  ["quotations are marked", "<blockquote>a<br>b</blockquote>", "> a\n> b"],
  ["a rule", "a<hr>b", `a\n\n${"-".repeat(20)}\n\nb`],
  [
    "what is not shown",
    "<head><title>T</title><style>a{}</style></head><script>x</script><!-- c --><!--[if mso]>m<![endif]-->a",
    "a",
  ],
  [
    "the hidden preview text",
    '<div style="display:none">p</div><span style="color:red; display: none">q</span>a',
    "a",
  ],
  ["what stands behind the body", "<html><body>a</body></html><p>b</p>", "a\n\nb"],
  ["many empty lines are one", "a<br><br><br><br><p></p><p>b</p>", "a\n\nb"],
  ["plain text", "a < b, {{c}}", "a < b, {{c}}"],
  ["nothing", "", ""],
])("%s", (_, html, expected) => {
  expect(plainText(html)).toBe(expected ?? "- a\n- b\n  - c\n\n 1. d\n 2. e");
});

describe("whatever the HTML is", () => {
  test.each([
    ["deep blocks", "<div>".repeat(100_000)],
    ["deep lists", "<ul><li>".repeat(50_000)],
    ["deep tables", "<table><tr><td>".repeat(30_000)],
    ["deep quotations", "<blockquote>".repeat(90) + "x<br>".repeat(90_000)],
    ["many paragraphs", "<p>x".repeat(100_000)],
    ["many blanks", `<pre>${" ".repeat(400_000)}x</pre>`],
    ["many tags that never end", '<a href="'.repeat(50_000)],
    ["a long style", `<div style="${"display ".repeat(50_000)}">x</div>`],
    ["many that are open while others are closed", "<b>".repeat(33_000) + "</i>".repeat(25_000)],
    ["many blocks that are open while paragraphs are closed", "<div>".repeat(20_000) + "</p>".repeat(25_000)],
    ["many that are open while blocks are closed", "<b>".repeat(33_000) + "</div>".repeat(16_000)],
    ["blocks with ends of others", "<div></p>".repeat(22_000)],
    ["many that are open", "<b>".repeat(66_000)],
    ["many headings that are open", "<h1>".repeat(50_000)],
    ["comments that never end", "<!--".repeat(50_000)],
    ["beginnings of tags", "<a".repeat(100_000)],
  ])("%s", (_, html) => {
    const before = process.cpuUsage();
    const { length } = plainText(html);
    const { user, system } = process.cpuUsage(before);

    expect(length).toBeLessThanOrEqual(200_000);
    // Some 20 ms for the worst on a quiet machine, where seconds would be quadratic.
    expect((user + system) / 1_000).toBeLessThan(500);
  });

  // What is nested costs the square of its length.
  test("what stands behind the first 200,000 characters is neither read nor answered", () => {
    const head = "<p>a</p>".repeat(25_000);

    expect(plainText(head + "<p>b</p>".repeat(50_000))).toBe(plainText(head));
    expect(plainText(`${" ".repeat(199_990)}<p>seen</p><p>not seen</p>`)).toBe("seen");
  });

  test("nothing throws", () => {
    const pieces = fc.constantFrom(
      ..."< > </ <p> <table> <td> <li> <ul> </ul> <a href= \" ' & &amp; &#x; <!-- --> <pre> = x".split(" "),
      " ",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        expect(typeof plainText(parts.join(""))).toBe("string");
      }),
      { numRuns: 500 },
    );
  });
});
