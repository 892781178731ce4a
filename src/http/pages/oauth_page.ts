// The page for a person who could not be signed in through a provider. Plain HTML: no script, nothing to fetch.
import { escapeHtml, page, styled } from "./html.ts";

// The same style as the other pages that people see.
const { headers, head } = styled(["subscription.css"], {
  more: "p { margin-block: 0 1rem; }\na { color: inherit; }\n",
  forms: "'none'",
});

/** The address, which may contain a code, is sent to nobody. */
export const SIGN_IN_PAGE_HEADERS = headers;

const HEADING = "You are not signed in";

/** Why somebody is not signed in. All of it is text except `again`, an address of ours. */
interface Refusal {
  message: string;
  advice?: string | undefined;
  again: string;
}

/** Says why, and links to where the sign-in starts. */
export function signInPage({ message, advice, again }: Refusal): string {
  return page({
    title: HEADING,
    head,
    body: `<main>
<h1>${HEADING}</h1>
<p>${escapeHtml(message)}.</p>${advice ? `\n<p>${escapeHtml(advice)}.</p>` : ""}
<p><a href="${escapeHtml(again)}">Start again</a></p>
</main>`,
  });
}
