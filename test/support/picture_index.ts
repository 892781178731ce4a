// The pictures of a test run, as one page to look at: `test/artefacts/console/index.html`.
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Where the console's tests keep their pictures. */
export const PICTURES = new URL("../artefacts/console/", import.meta.url).pathname;

const TOURED = /^(.+)-(light|dark)-(1280|390)$/;
const LOOKS = ["light-1280", "dark-1280", "light-390", "dark-390"] as const;

/** Begins a whole run with none. */
export function forgetPictures(): void {
  rmSync(PICTURES, { recursive: true, force: true });
}

/**
 * Writes the page again from the pictures that are there: called at the end of each file, by several processes at once, and
 * of the run. It needs nothing but the pictures beside it, and is put in its place in one step.
 */
export async function writePictureIndex(): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const names = readdirSync(PICTURES)
    .filter((file) => file.endsWith(".jpg"))
    .map((file) => file.slice(0, -".jpg".length))
    .toSorted();
  if (names.length === 0) return;
  const draft = join(PICTURES, `.index-${process.pid}.html`);
  await Bun.write(draft, pageOf(names));
  renameSync(draft, join(PICTURES, "index.html"));
}

/** `contacts--new` is a state of the page `contacts`. */
function pageOf(names: string[]): string {
  const views = Map.groupBy(names, (name) => TOURED.exec(name)?.[1] ?? name);
  const pages = Map.groupBy(views.keys(), (view) => view.split("--")[0]!);
  const links = [...pages.keys()].map((page) => `<a href="#${page}">${wordsOf(page)}</a>`);
  const sections = [...pages].map(
    ([page, its]) =>
      `<section id="${page}"><h2>${wordsOf(page)}</h2>${its.map((view) => viewOf(view, views.get(view)!)).join("")}</section>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The console in pictures</title>
<style>${STYLE}</style>
<header><h1>The console in pictures</h1><p>${names.length} pictures of ${pages.size} pages, made on ${new Date().toUTCString()}</p></header>
<nav aria-label="Pages">${links.join("")}</nav>
<main>${sections.join("\n")}</main>
</html>
`;
}

function viewOf(view: string, names: string[]): string {
  const state = view.split("--")[1];
  const known = LOOKS.map((look) => `${view}-${look}`).filter((name) => names.includes(name));
  const others = names.filter((name) => !known.includes(name));
  const figures = [...known, ...others].map(figureOf).join("");
  return `${state ? `<h3>${wordsOf(state)}</h3>` : ""}<div class="looks">${figures}</div>`;
}

function figureOf(name: string): string {
  const [, , scheme, width] = TOURED.exec(name) ?? [];
  const caption = scheme ? `${scheme}, ${width === "390" ? "phone" : "desktop"}` : wordsOf(name);
  const kind = width === "390" || name.endsWith("-390") ? "phone" : "desktop";
  return `<figure class="${kind}"><a href="${name}.jpg"><img loading="lazy" src="${name}.jpg" alt="${name}"></a><figcaption>${caption}</figcaption></figure>`;
}

function wordsOf(name: string): string {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { display: grid; grid-template: auto 1fr / 13rem minmax(0, 1fr); margin: 0; }
header { grid-column: 1 / -1; padding: 1.5rem 2rem 0.5rem; }
h1 { margin: 0; font-size: 1.4rem; }
header p { margin: 0; opacity: 0.7; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 1rem 0 2rem 2rem; }
nav a { display: block; padding: 0.15rem 0; color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
main { padding: 0 2rem 4rem; }
h2 { margin: 2.5rem 0 0.5rem; font-size: 1.1rem; }
h3 { margin: 1.25rem 0 0.5rem; font-size: 0.9rem; opacity: 0.7; }
.looks { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
figure { margin: 0; }
img { display: block; width: 100%; border: 1px solid #8886; border-radius: 6px; }
.desktop { width: min(100%, 34rem); }
.phone { width: 11rem; }
figcaption { padding-top: 0.25rem; font-size: 0.8rem; opacity: 0.7; }
@media (max-width: 50em) { body { display: block; } nav { display: none; } }
`;
