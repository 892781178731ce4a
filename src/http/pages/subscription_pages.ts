// The pages on which a contact chooses which mail to receive. Plain HTML: no script, and nothing that has to be fetched.
import type { ActionPhrases, PagePhrases } from "../../content/languages/shape.ts";
import { fill, type Language, PHRASES } from "../../content/languages/mod.ts";
import type { MailSubscription } from "../../sending/subscription.ts";
import { escapeHtml, page, styled } from "./html.ts";

const { headers, head: HEAD } = styled(["subscription.css"]);

/** Not even a referrer reveals the token. */
export const SUBSCRIPTION_PAGE_HEADERS = headers;

const DONE = `<svg class="sign" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22.5"/><path d="m15 24.6 6.4 6.4L33.4 18"/></svg>`;

/** Where the forms of a contact are sent: paths without a host, so that they stay on the host of the page. */
export interface Paths {
  unsubscribe: string;
  subscribe: string;
  manage: string;
}

/** Asks whether to unsubscribe; or says that it is done, and offers the way back. */
export function unsubscribePage(subscription: MailSubscription, paths: Paths): string {
  const { leave, left } = PHRASES[subscription.language];
  return subscription.subscribed
    ? question(subscription, leave, paths.unsubscribe)
    : statement(subscription, left, paths.subscribe);
}

/** Asks whether to subscribe; or says that it is done, and offers the way back. */
export function subscribePage(subscription: MailSubscription, paths: Paths): string {
  const { join, joined } = PHRASES[subscription.language];
  return subscription.subscribed
    ? statement(subscription, joined, paths.unsubscribe)
    : question(subscription, join, paths.subscribe);
}

/** Shows both choices, with the one that was made. */
export function managePage(subscription: MailSubscription, paths: Paths, { saved = false } = {}): string {
  const { manage } = PHRASES[subscription.language];
  const choice = (value: boolean, text: string) =>
    `<label class="choice"><input type="radio" name="subscribed" value="${value}"${
      subscription.subscribed === value ? " checked" : ""
    }> <span>${escapeHtml(text)}</span></label>`;
  return frame(
    subscription,
    manage.heading,
    `<h1>${escapeHtml(manage.heading)}</h1>
${saved ? `<p class="saved" role="status">${DONE}<span>${escapeHtml(manage.saved)}</span></p>` : ""}
<form method="post" action="${escapeHtml(paths.manage)}">
<fieldset>
<legend>${sentence(manage.text, subscription)}</legend>
${choice(true, manage.yes)}
${choice(false, manage.no)}
</fieldset>
<button>${escapeHtml(manage.button)}</button>
</form>`,
  );
}

/** A page for no particular contact: it says what is wrong. */
export function noticePage(language: Language, kind: "missing" | "preview" | "busy" | "trouble"): string {
  const { heading, text }: PagePhrases = PHRASES[language][kind];
  return frame({ language }, heading, `<h1>${escapeHtml(heading)}</h1>\n<p>${escapeHtml(text)}</p>`);
}

function question(subscription: MailSubscription, phrases: ActionPhrases, path: string): string {
  return frame(
    subscription,
    phrases.heading,
    `<h1>${escapeHtml(phrases.heading)}</h1>
<p>${sentence(phrases.text, subscription)}</p>
${button(path, phrases.button)}
<p class="aside">${escapeHtml(phrases.note)}</p>`,
  );
}

function statement(subscription: MailSubscription, phrases: ActionPhrases, wayBack: string): string {
  return frame(
    subscription,
    phrases.heading,
    `${DONE}
<h1>${escapeHtml(phrases.heading)}</h1>
<p>${sentence(phrases.text, subscription)}</p>
<div class="back">
<p class="aside">${escapeHtml(phrases.note)}</p>
${button(wayBack, phrases.button, "quiet")}
</div>`,
  );
}

function button(path: string, text: string, look = ""): string {
  const kind = look && ` class="${look}"`;
  return `<form method="post" action="${escapeHtml(path)}"><button${kind}>${escapeHtml(text)}</button></form>`;
}

function sentence(phrase: string, { projectName, address }: MailSubscription): string {
  return fill(escapeHtml(phrase), {
    project: `<bdi translate="no">${escapeHtml(projectName)}</bdi>`,
    address: `<bdi translate="no" class="address">${escapeHtml(address)}</bdi>`,
  });
}

function frame(
  { language, projectName }: { language: Language; projectName?: string },
  heading: string,
  main: string,
): string {
  const sender =
    projectName && `<header><p translate="no"><bdi>${escapeHtml(projectName)}</bdi></p></header>\n`;
  return page({
    lang: language,
    title: projectName ? `${heading} · ${projectName}` : heading,
    head: HEAD,
    body: `${sender ?? ""}<main>\n${main}\n</main>`,
  });
}
