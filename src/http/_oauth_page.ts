// What a person sees who could not be signed in at a provider. Plain HTML: no script, nothing to fetch.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { escapeHtml, OWN_PAGE_HEADERS, page } from "./_html.ts";

// In the page itself, and the same as of the other pages that people see.
const STYLE = `${readFileSync(new URL("assets/subscription.css", import.meta.url), "utf8")}
p { margin-block: 0 1rem; }
a { color: inherit; }
`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Nothing runs, nothing is fetched, and the address, which may hold a code, is told to nobody. */
export const SIGN_IN_PAGE_HEADERS = {
  ...OWN_PAGE_HEADERS,
  "content-security-policy":
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; form-action 'none'; ` +
    "base-uri 'none'; frame-ancestors 'none'",
  "x-robots-tag": "noindex",
} as const;

const HEADING = "You are not signed in";

/** Why somebody is not signed in. All is text but `again`, an address of ours. */
interface Refusal {
  message: string;
  advice?: string | undefined;
  again: string;
}

/** Says why, and leads to the beginning. */
export function signInPage({ message, advice, again }: Refusal): string {
  return page({
    title: HEADING,
    head: `<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<style>${STYLE}</style>`,
    body: `<main>
<h1>${HEADING}</h1>
<p>${escapeHtml(message)}.</p>${advice ? `\n<p>${escapeHtml(advice)}.</p>` : ""}
<p><a href="${escapeHtml(again)}">Begin again</a></p>
</main>`,
  });
}
