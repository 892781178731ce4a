import { describe, expect, test } from "bun:test";
import { plainText } from "../../src/content/plain_text.ts";
import { type Language, PHRASES } from "../../src/content/languages/mod.ts";
import { footerOf } from "../../src/sending/compose/footer.ts";

const given = {
  projectName: "Fjord & Finch",
  postalAddress: null,
  language: "en" as Language,
  unsubscribeUrl: "https://mail.example.com/unsubscribe/abc",
  manageUrl: "https://mail.example.com/manage/abc",
};

describe("the footer of a mail", () => {
  test.each(Object.keys(PHRASES) as Language[])(
    "in %s says whose mail it is, why it came and the way out",
    (language) => {
      const { unsubscribe, manage, reason } = PHRASES[language].footer;
      const { html, text } = footerOf({ ...given, language });

      const why = reason.replace("{project}", given.projectName);
      expect(text).toBe(
        `\n\n---\n${why}\n${unsubscribe}: ${given.unsubscribeUrl}\n${manage}: ${given.manageUrl}\n`,
      );
      expect(html).toContain(`lang="${language}"`);
      expect(html).toContain(`<a href="${given.unsubscribeUrl}"`);
      expect(html).toContain(`<a href="${given.manageUrl}"`);
      expect(plainText(html).replace(/\s+/g, " ")).toContain(why);
      expect(html).not.toMatch(/<style|class=|\{\w+\}/);
    },
  );

  test("a name and an address are text in HTML, and stay on their line in the text part", () => {
    const { html, text } = footerOf({
      ...given,
      projectName: `<i>A</i> "B"\n & {address} $&`,
      unsubscribeUrl: `https://e.io/a"b&c/unsubscribe/t`,
    });

    expect(html).toContain("&lt;i&gt;A&lt;/i&gt; &quot;B&quot; &amp; {address} $&amp;");
    expect(html).toContain('href="https://e.io/a&quot;b&amp;c/unsubscribe/t"');
    expect(text).toContain('<i>A</i> "B" & {address} $&.\n');
    expect(text).toContain('https://e.io/a"b&c/unsubscribe/t\n');
  });

  test("is grey enough on white and on black (WCAG 2.2, 1.4.3)", () => {
    const colours = [...footerOf(given).html.matchAll(/[;"]color:#(\w{6})/g)].map((match) => match[1]!);

    expect(colours).toHaveLength(3);
    for (const colour of colours) {
      const luminance = luminanceOf(colour);
      expect(1.05 / (luminance + 0.05)).toBeGreaterThan(4.5);
      expect((luminance + 0.05) / 0.05).toBeGreaterThan(4.5);
    }
  });

  test("is that of its own project and language, however many there were", () => {
    for (let i = 0; i < 2500; i++) {
      const projectName = `Shop ${i}`;
      expect(footerOf({ ...given, projectName }).text).toContain(`from ${projectName}.`);
      expect(footerOf({ ...given, projectName, language: "nl" }).text).toContain(`van ${projectName}.`);
    }
  });
});

function luminanceOf(colour: string): number {
  const [red, green, blue] = [0, 2, 4]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
