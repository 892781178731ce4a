// The frame of our own pages.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** Nothing from elsewhere, nothing inline that is a script, no framing by others. */
export const OWN_PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

/** What pages with their own style have in common. */
interface Styled {
  headers: Readonly<Record<string, string>>;
  /** HTML. */
  head: string;
}

/**
 * For pages that people open through a link: nothing runs and nothing is fetched, nobody can frame or index them. The
 * style, from these files of `assets/` and `more`, is part of the page: a page that is complete or absent is worth more
 * than a kilobyte. `forms` says where forms may lead.
 */
export function styled(
  files: string[],
  { more = "", forms = "'self'" }: { more?: string; forms?: "'self'" | "'none'" } = {},
): Styled {
  const texts = files.map((file) => readFileSync(new URL(`assets/${file}`, import.meta.url), "utf8"));
  const style = [...texts, more].join("\n");
  const hash = createHash("sha256").update(style).digest("base64");
  return {
    headers: {
      ...OWN_PAGE_HEADERS,
      "content-security-policy":
        `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action ${forms}; ` +
        "base-uri 'none'; frame-ancestors 'none'",
      "x-robots-tag": "noindex",
    },
    head: `<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<style>${style}</style>`,
  };
}

/** What a page consists of. */
interface PageParts {
  /** Text. */
  title: string;
  /** The language of the page's text, as in `lang`. */
  lang?: string;
  /** An address; left out, a page has none, and no browser asks for one. */
  icon?: string;
  /** HTML. */
  head?: string;
  /** HTML. */
  body: string;
}

/** One page, in English unless stated otherwise. */
export function page({ title, lang = "en", icon = "data:,", head = "", body }: PageParts): string {
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${icon}">
${head}
</head>
<body>
${body}
</body>
</html>
`;
}

/** Text as HTML. */
export function escapeHtml(text: string): string {
  return Bun.escapeHTML(text);
}
