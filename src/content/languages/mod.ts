// The languages in which recipients are addressed, and the texts.
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { nl } from "./nl.ts";
import { pt } from "./pt.ts";

/** Everything that we say in footers and on the hosted pages, by language. */
export const PHRASES = { en, nl, de, fr, es, pt, it } as const;

/** A language that we speak. */
export type Language = keyof typeof PHRASES;

/**
 * The language of a contact: that of its `data.locale`, such as `de`, `de-AT`, `pt_BR` or `DE`; else that of the
 * project; else English. An invalid locale, or one of another language, counts as none.
 */
export function languageOf(locale: unknown, fallback: string): Language {
  return spoken(locale) ?? spoken(fallback) ?? "en";
}

/** The language that a browser asks for first among those we speak (`Accept-Language`), else English. */
export function languageAccepted(header: string | null): Language {
  const ranges = (header ?? "").slice(0, 500).split(",");
  const wanted = ranges.map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { language: spoken(tag), quality: Number(quality ?? 1) };
  });
  const known = wanted.filter(({ language, quality }) => language !== null && quality > 0);
  // A sort keeps the order of equals.
  return known.sort((a, b) => b.quality - a.quality)[0]?.language ?? "en";
}

/** Puts values in the place of `{names}`. */
export function fill<Name extends string>(phrase: string, values: Record<Name, string>): string {
  return phrase.replace(/\{(\w+)\}/g, (_, name: Name) => values[name]);
}

function spoken(locale: unknown): Language | null {
  if (typeof locale !== "string") return null;
  const primary = /^\s*([a-z]{2})(?![a-z])/i.exec(locale)?.[1]?.toLowerCase();
  return primary !== undefined && Object.hasOwn(PHRASES, primary) ? (primary as Language) : null;
}
