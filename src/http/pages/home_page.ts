// The page for a browser that opens an address where there is nothing, or where something failed; and the icon.
import { escapeHtml, page, styled } from "./html.ts";

const { headers, head } = styled(["subscription.css"], {
  more: "ul { padding-left: 1.2rem; line-height: 2; }\np + p, p + ul { margin-top: 1rem; }\na { color: inherit; }\n",
  forms: "'none'",
});

/** An envelope, in the terracotta of the other pages. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="3" y="7" width="26" height="18" rx="3" fill="#b5532f"/><path d="M5 10l11 8 11-8" fill="none" stroke="#fff" stroke-width="2.5" stroke-linejoin="round"/></svg>`;

/** As data in the page: these pages fetch nothing. */
export const ICON_ADDRESS = `data:image/svg+xml,${encodeURIComponent(ICON)}`;

/** What went wrong, for somebody who opened an address in a browser. All of it is text. */
interface Trouble {
  status: number;
  message: string;
  advice?: string | undefined;
  requestId: string;
}

/** The page of a refusal: what happened, what to do, and the id under which the log has it. */
export function troublePage({ status, message, advice, requestId }: Trouble): Response {
  const title = status === 404 ? "There is nothing here" : "Something went wrong";
  const body = `<main>
<h1>${title}</h1>
<p>${escapeHtml(message)}.</p>${advice ? `\n<p>${escapeHtml(advice)}.</p>` : ""}
<p><a href="/">Postrider</a> · request ${escapeHtml(requestId)}</p>
</main>`;
  return new Response(page({ title, icon: ICON_ADDRESS, head, body }), { status, headers });
}
