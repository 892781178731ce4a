import { SANDBOX_DOMAIN } from "../../accounts/projects/domains.ts";
import { type Config, isProduction } from "../../config/mod.ts";
import { escapeHtml, page } from "./html.ts";
import type { InboxVisitor } from "./inbox_login.ts";

// A pigeonhole with a letter; in the page itself, so that nothing asks for /favicon.ico.
const ICON =
  "data:image/svg+xml," +
  encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="2" y="6" width="28" height="20" rx="5" fill="#b5482f"/><path d="m7 12 9 7 9-7" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
  );

const HEAD = `<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="/inbox/inbox.css">
<link rel="stylesheet" href="/inbox/inbox_list.css">
<link rel="stylesheet" href="/inbox/inbox_mail.css">
<script type="module" src="/inbox/inbox.js"></script>`;

/** The page of the inbox, for the operator or for a member. It holds no mail: its script asks for them. */
export function inboxPage(config: Pick<Config, "BASE_URL" | "NODE_ENV">, visitor: InboxVisitor): string {
  const isLive = isProduction(config);
  // In development the operator needs no password: a session would make it a member's request.
  const credentials = visitor === "operator" && !isLive ? "omit" : "same-origin";
  return page({
    title: "Inbox · Postrider",
    icon: ICON,
    head: HEAD,
    body: `<header class="bar">
  <h1><img src="${ICON}" alt="" width="26" height="26"> Inbox <span id="count" class="count"></span></h1>
  <p id="state" class="state" role="status">Connecting</p>
  <button id="mark-all" class="button" type="button" hidden>Mark all read</button>
  <button id="clear" class="button" type="button" hidden>Clear</button>
${isLive ? `  <p id="kept" class="kept" role="status" hidden>${KEPT[visitor]}</p>\n` : ""}</header>
<main id="main" data-view="loading" data-as="${visitor}" data-credentials="${credentials}">
  <div class="list">
    <search class="filter">
      <p id="project-choice" hidden><label for="project">Project</label> <select id="project"></select></p>
      <p><input id="search" type="search" placeholder="Search" aria-label="Search subjects and addresses" aria-keyshortcuts="/" maxlength="254" autocomplete="off" spellcheck="false">
      <button id="unread" class="button" type="button" aria-pressed="false">Unread <span id="unread-count" class="count"></span></button></p>
      <p><button id="recipient" class="button chip" type="button" hidden><span class="unseen">Show mails to everybody, not only to </span><span id="recipient-name"></span> <span aria-hidden="true">×</span></button></p>
    </search>
    <nav aria-label="Captured mails">
      <ol id="list"></ol>
      <p id="more" class="none" hidden>Only the newest 500 are shown: search for others.</p>
      <p id="none" class="none" hidden><span id="none-text"></span> <button id="all" class="button" type="button">Show all</button></p>
    </nav>
    <p class="keys"><span><kbd>j</kbd> <kbd>k</kbd> next, previous</span> <span><kbd>1</kbd> – <kbd>4</kbd> views</span> <span><kbd>/</kbd> search</span> <span><kbd>u</kbd> unread</span> <span><kbd>#</kbd> delete</span></p>
  </div>
  <article id="mail" class="mail" aria-live="off" tabindex="-1"></article>
  <section class="empty" aria-labelledby="empty-title">
    <h2 id="empty-title">No mail yet</h2>
    <p>While <code>SMTP_URL</code> is not set, every mail is kept here instead of being sent. Send your first one, and it appears here:</p>
    <div class="command">
      <pre id="command" tabindex="0" aria-label="A command that sends a mail">${escapeHtml(firstMail(config.BASE_URL, isLive ? "your-domain.example" : SANDBOX_DOMAIN))}</pre>
      <button id="copy" class="button" type="button" hidden>Copy</button>
    </div>
    <p class="hint">The sender’s domain must be verified for your project${isLive ? "" : `; <code>${SANDBOX_DOMAIN}</code> is`}. All endpoints are in the <a href="/docs/api">reference</a>.</p>
  </section>
</main>
<p id="news" class="unseen" role="status"></p>
<noscript><p class="noscript">The inbox needs JavaScript to show the mails.</p></noscript>`,
  });
}

// What the list shows is a copy: the mails themselves are in the ledger.
const KEPT: Record<InboxVisitor, string> = {
  operator:
    "<code>bun run admin release</code> can still send them; with <code>--discard</code> it gives them up.",
  member: "The mails themselves stay: the operator of this installation can still send them.",
};

function firstMail(baseUrl: string, domain: string): string {
  return `curl ${baseUrl}/v1/send \\
  -H "Authorization: Bearer <secret key>" \\
  -H "Content-Type: application/json" \\
  -d '{"to": "ada@example.com", "from": "hello@${domain}",
       "subject": "Hello Ada", "body": "<h1>It works</h1>"}'`;
}
