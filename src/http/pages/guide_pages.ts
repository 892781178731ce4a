// The guides: the Markdown of `guides/`, which is also readable in the repository, as pages in our own style. HTML in it is
// shown as text; its comments, which only the tests read, are left out. Bun's own parser reads it: no package is needed.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { escapeHtml, page, styled } from "./html.ts";

/** A page that is ready to be sent. */
interface GuidePage {
  body: string;
  headers: Readonly<Record<string, string>>;
}

/** A guide, as the index lists it. */
interface Guide {
  /** The name of its file, without the extension. */
  name: string;
  title: string;
}

const INDEX_PATH = "/docs";
const PATH = "/docs/guides";
const INDEX = "README";
const LISTED = /^- \[([^\]]+)\]\(([a-z-]+)\.md\)/gm;
const COMMENT = /^<!-- .* -->\n\n?/gm;
/** A link to another guide, as it works in the repository. */
const TO_GUIDE = /^([A-Za-z-]+)\.md(#.*)?$/;

/** A link to a file for Prometheus or Grafana. */
const FILE = /^\.\.\/monitoring\/[a-z.]+$/;

const { headers, head: HEAD } = styled(["guides.css"]);
const pages = new Map<string, GuidePage>();

/** Every guide, in the order of the index. */
export const GUIDES: readonly Guide[] = [...sourceOf(INDEX).matchAll(LISTED)].map(([, title, name]) => ({
  name: name!,
  title: title!,
}));

/** The list of all guides. */
export function guideIndex(): GuidePage {
  return pageOf(INDEX);
}

/** One guide. It is made when it is first asked for. */
export function guidePage(name: string): GuidePage {
  return pageOf(name);
}

/** A guide as Markdown. */
export function guideText(name: string): string {
  return sourceOf(name).replace(COMMENT, "");
}

function pageOf(name: string): GuidePage {
  const made = pages.get(name) ?? makePage(name);
  pages.set(name, made);
  return made;
}

function makePage(name: string): GuidePage {
  const { title, html } = toHtml(sourceOf(name));
  const body = page({
    title: `${title} · Postrider`,
    head: HEAD,
    body: `<a class="skip" href="#guide">Skip to content</a>
<header><a class="home" href="${INDEX_PATH}">Postrider</a> <a href="#guides">All guides</a> <a href="/docs/api">API reference</a></header>
<main id="guide">
${html}${nextLink(name)}
</main>
${guideList(name)}`,
  });
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { body, headers: { ...headers, "cache-control": "public, max-age=300", etag } };
}

function sourceOf(name: string): string {
  return readFileSync(new URL(`guides/${name}.md`, import.meta.url), "utf8");
}

/** The text of a guide with its headings to link to, and its title. */
function toHtml(source: string): { title: string; html: string } {
  const text = source.replace(COMMENT, "");
  const title = /^# (.+)$/m.exec(text)![1]!.replaceAll("`", "");
  const rendered = Bun.markdown.html(text, { noHtmlBlocks: true, noHtmlSpans: true, headings: true });
  const contents = contentsOf(rendered);
  const html = new HTMLRewriter()
    .on("table", {
      element(table) {
        table.before('<div class="table" role="region" aria-label="Table" tabindex="0">', { html: true });
        table.after("</div>", { html: true });
      },
    })
    .on("pre", { element: (pre) => void pre.setAttribute("tabindex", "0") })
    .on("a", {
      element: (link) => void link.setAttribute("href", addressOf(link.getAttribute("href") ?? "")),
    })
    .on("h1", { element: (heading) => void heading.after(contents, { html: true }) })
    .transform(rendered);
  return { title, html };
}

/** What a link of a guide leads to here. Throws for an address that would not work in both places. */
function addressOf(link: string): string {
  if (/^(#|https?:\/\/)/.test(link)) return link;
  if (FILE.test(link)) return link.replace("../", "/docs/");
  const [, name, anchor = ""] = TO_GUIDE.exec(link) ?? [];
  if (name === undefined) throw new Error(`Cannot follow the link of a guide to ${link}`);
  return `${name === INDEX ? INDEX_PATH : `${PATH}/${name}`}${anchor}`;
}

/** The chapters of a guide that has several. */
function contentsOf(rendered: string): string {
  const chapters = [...rendered.matchAll(/<h2 id="([^"]+)"><a [^>]*>(.*?)<\/a><\/h2>/g)];
  if (chapters.length < 3) return "";
  const links = chapters.map(([, id, text]) => `<li><a href="#${id}">${text}</a></li>`);
  return `\n<details class="contents"><summary>On this page</summary><ul>${links.join("")}</ul></details>`;
}

function nextLink(name: string): string {
  const at = GUIDES.findIndex((guide) => guide.name === name);
  const next = at === -1 ? undefined : GUIDES[at + 1];
  return next ? `<p class="next">Next: <a href="${PATH}/${next.name}">${escapeHtml(next.title)}</a></p>` : "";
}

function guideList(current: string): string {
  const links = GUIDES.map(({ name, title }) => {
    const mark = name === current ? ' aria-current="page"' : "";
    return `<li><a href="${PATH}/${name}"${mark}>${escapeHtml(title)}</a></li>`;
  });
  return `<nav id="guides" aria-label="Guides"><p>Guides</p><ul>${links.join("")}</ul></nav>`;
}
