// The frame of our own pages.

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

/** What a page consists of. */
interface PageParts {
  /** Text. */
  title: string;
  /** Of the page's words, as `lang` has it. */
  lang?: string;
  /** HTML. */
  head?: string;
  /** HTML. */
  body: string;
}

/** One page, in English where nothing else is said. */
export function page({ title, lang = "en", head = "", body }: PageParts): string {
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
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
