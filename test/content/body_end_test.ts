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
