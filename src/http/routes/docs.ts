// The OpenAPI document with a page to read it, and the guides. All that the pages need comes from here: they work without
// the internet.
import { dirname } from "node:path";
import { Elysia } from "elysia";
import { guideIndex, guidePage, GUIDES } from "../pages/guide_pages.ts";
import { OWN_PAGE_HEADERS, page } from "../pages/html.ts";

const ASSETS = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
} as const;

const INIT = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, tryItOutEnabled: true });`;

// The package ships no types, and its folder is all that is needed of it.
const FOLDER = dirname(Bun.resolveSync("swagger-ui-dist/package.json", import.meta.dir));

/** `GET /openapi.json`, `GET /docs` and what that page loads, and the guides below `/docs/guides`. */
export function docsRoutes(document: () => object) {
  // Kept as text: writing it anew would cost a stranger's request some milliseconds.
  let made: { text: string; etag: string } | undefined;
  const documentText = () => {
    if (made) return made;
    const text = JSON.stringify(document());
    return (made = { text, etag: `"${Bun.hash(text).toString(36)}"` });
  };
  const app = new Elysia({ detail: { hide: true } })
    .use(guideRoutes())
    .get("/openapi.json", ({ request }) => {
      const { text, etag } = documentText();
      const headers = {
        "content-type": "application/json; charset=utf-8",
        "cache-control": "no-cache",
        etag,
      };
      const isKnown = request.headers.get("if-none-match") === etag;
      return isKnown ? new Response(null, { status: 304, headers }) : new Response(text, { headers });
    })
    .get("/docs", () => new Response(referencePage(), { headers: OWN_PAGE_HEADERS }))
    .get(
      "/docs/init.js",
      () => new Response(INIT, { headers: { "content-type": "text/javascript; charset=utf-8" } }),
    );
  for (const [name, type] of Object.entries(ASSETS)) {
    app.get(`/docs/${name}`, () => {
      const headers = { "content-type": type, "cache-control": "public, max-age=86400" };
      return new Response(Bun.file(`${FOLDER}/${name}`), { headers });
    });
  }
  return app;
}

/** A route for each guide: anything else is not found, as everywhere. */
function guideRoutes() {
  const answer = ({ body, headers }: ReturnType<typeof guideIndex>, known: string | null) =>
    known === headers.etag ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
  const app = new Elysia({ prefix: "/docs/guides", detail: { hide: true } });
  app.get("/", ({ request }) => answer(guideIndex(), request.headers.get("if-none-match")));
  for (const { name } of GUIDES) {
    app.get(`/${name}`, ({ request }) => answer(guidePage(name), request.headers.get("if-none-match")));
  }
  return app;
}

function referencePage(): string {
  return page({
    title: "Postrider API",
    head: '<link rel="stylesheet" href="/docs/swagger-ui.css">',
    body: `<nav style="padding: 12px 20px; font: 16px system-ui, sans-serif"><a href="/docs/guides">Guides</a></nav>
<main id="reference"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/init.js"></script>`,
  });
}
