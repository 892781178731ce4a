import { expect, test } from "bun:test";
import { addBeforeBodyEnd } from "../../src/content/body_end.ts";

test.each([
  ["<html><body><p>x</p></body></html>", "<html><body><p>x</p>+</body></html>"],
  ["<p>no body</p>", "<p>no body</p>+"],
  ["", "+"],
  ["<BODY>x</BODY></HTML>", "<BODY>x+</BODY></HTML>"],
  ["<body>x</Body >\n", "<body>x+</Body >\n"],
  ["<body>a</body><body>b</body>", "<body>a</body><body>b+</body>"],
  ["<body>x</body></html><!-- </body> end -->", "<body>x+</body></html><!-- </body> end -->"],
  ["<body>x<!--[if mso]></body><![endif]--> y", "<body>x<!--[if mso]></body><![endif]--> y+"],
  ["<body>x<!-- never closed </body>", "<body>x<!-- never closed </body>+"],
])("%p", (html, expected) => {
  expect(addBeforeBodyEnd(html, "+")).toBe(expected);
});

test("is found in time however many comments and ends there are", () => {
  const before = process.cpuUsage();
  for (const html of [
    "<!--" + "</body".repeat(150_000),
    "</body<!--".repeat(90_000),
    "<!--</body-->".repeat(70_000),
    "-->" + "</body>".repeat(140_000) + "<!--".repeat(1_000) + "</body>".repeat(1_000),
  ]) {
    expect(addBeforeBodyEnd(html, "+")).toHaveLength(html.length + 1);
  }
  const { user, system } = process.cpuUsage(before);

  expect((user + system) / 1_000).toBeLessThan(1_000);
});
