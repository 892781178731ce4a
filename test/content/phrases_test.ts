import { describe, expect, test } from "bun:test";
import {
  fill,
  type Language,
  languageAccepted,
  languageOf,
  PHRASES,
} from "../../src/content/languages/mod.ts";

/** Every phrase by its path, such as `leave.heading`. */
function phrasesIn(value: object, path = ""): [string, string][] {
  return Object.entries(value).flatMap(([key, inner]: [string, string | object]) =>
    typeof inner === "string"
      ? [[`${path}${key}`, inner] as [string, string]]
      : phrasesIn(inner, `${path}${key}.`),
  );
}

const placeholders = (phrase: string) => [...phrase.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!).sort();
const english = new Map(phrasesIn(PHRASES.en));
const languages = Object.keys(PHRASES) as Language[];

describe("every language", () => {
  test("is one of the seven", () => {
    expect(languages.sort()).toEqual(["de", "en", "es", "fr", "it", "nl", "pt"]);
  });

  test.each(languages)(
    "%s says everything, about the same sender and reader, in words of its own",
    (language) => {
      const phrases = phrasesIn(PHRASES[language]);

      expect(phrases.map(([path]) => path).sort()).toEqual([...english.keys()].sort());
      for (const [path, phrase] of phrases) {
        expect([path, phrase.trim()]).toEqual([path, phrase]);
        expect([path, phrase]).not.toEqual([path, ""]);
        expect([path, placeholders(phrase)]).toEqual([path, placeholders(english.get(path)!)]);
        if (language !== "en") expect([path, phrase]).not.toEqual([path, english.get(path)!]);
        // HTML is made of them elsewhere; a straight apostrophe is a typewriter's.
        expect([path, phrase]).toEqual([path, phrase.replace(/[<>&"']/g, "")]);
      }
    },
  );
});

describe("the language of a contact", () => {
  test.each([
    ["de", "en", "de"],
    ["de-AT", "en", "de"],
    ["pt_BR", "en", "pt"],
    ["pt_BR.UTF-8", "en", "pt"],
    ["DE", "en", "de"],
    [" fr ", "en", "fr"],
    ["zh-Hant", "it", "it"],
    ["deutsch", "it", "it"],
    ["en-GB", "it", "en"],
    ["", "es", "es"],
    ["constructor", "es", "es"],
    [undefined, "NL-be", "nl"],
    [null, "nl", "nl"],
    [7, "nl", "nl"],
    [["de"], "nl", "nl"],
    [undefined, "xx", "en"],
    [undefined, "", "en"],
  ])("%p in a project that speaks %p: %p", (locale, fallback, language) => {
    expect(languageOf(locale, fallback)).toBe(language as Language);
  });
});

describe("the language of a browser", () => {
  test.each([
    [null, "en"],
    ["", "en"],
    ["*", "en"],
    ["de-CH,de;q=0.9,en;q=0.8", "de"],
    ["ja, fr;q=0.5, it;q=0.7", "it"],
    ["fr;q=0, nl;q=0.1", "nl"],
    ["es; q=0.4, pt-BR ; q=0.6", "pt"],
    ["it;q=x", "en"],
  ])("%p: %p", (header, language) => {
    expect(languageAccepted(header)).toBe(language as Language);
  });
});

test("only the beginning of a long list of languages is read", () => {
  expect(languageAccepted(`${"xx,".repeat(100_000)}de`)).toBe("en");
});

test("a value is put in its place as it is", () => {
  expect(fill("{a} and {b}, {a}", { a: "{b}", b: "$&" })).toBe("{b} and $&, {b}");
});
