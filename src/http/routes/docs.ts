// The OpenAPI document, the guides and the reference. All that the pages need comes from here: they work without the
// internet.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Elysia } from "elysia";
import { problems } from "../../problem/mod.ts";
import { guideIndex, guidePage, GUIDES } from "../pages/guide_pages.ts";
import { referencePages } from "../pages/reference_pages.ts";

/** Something that is sent again only if it is not known. */
interface Known {
  body: string;
  headers: Readonly<Record<string, string>>;
}

/** What Prometheus and Grafana are given, as files to load from here: see the guide on operating. */
const MONITORING = { "dashboard.json": "application/json", "alerts.yml": "application/yaml" } as const;

const ASSETS = { "reference.css": "text/css", "reference.js": "text/javascript" } as const;

/**
 * `GET /openapi.json`; `GET /docs`, the guides; `GET /docs/api`, the reference, with a page for each operation below it and
 * what these load.
 */
export function docsRoutes(document: () => object) {
  // Kept as text: writing it again would cost a stranger's request some milliseconds.
  let text: Known | undefined;
  const documentText = () => (text ??= tagged(JSON.stringify(document()), "application/json"));
  let pages: ReturnType<typeof referencePages> | undefined;
  const reference = () => (pages ??= referencePages(document()));
  const app = new Elysia({ detail: { hide: true } })
    .use(guideRoutes())
    .get("/openapi.json", ({ request }) => answer(request, documentText()))
    .get("/docs/api", ({ request }) => answer(request, reference().index()))
    .get("/docs/api/:operationId", ({ request, params: { operationId } }) => {
      const page = reference().operation(operationId);
      if (!page) throw problems.routeNotFound("GET", `/docs/api/${operationId}`);
      return answer(request, page);
    });
  for (const [name, type] of Object.entries(ASSETS)) {
    const file = tagged(readFileSync(new URL(`../pages/assets/${name}`, import.meta.url), "utf8"), type);
    app.get(`/docs/${name}`, ({ request }) => answer(request, file));
  }
  for (const [name, type] of Object.entries(MONITORING)) {
    const file = tagged(readFileSync(new URL(`../pages/monitoring/${name}`, import.meta.url), "utf8"), type);
    app.get(`/docs/monitoring/${name}`, ({ request }) => answer(request, file));
  }
  return app;
}

/** A route for each guide: anything else is not found, as everywhere. */
function guideRoutes() {
  const app = new Elysia({ detail: { hide: true } })
    .get("/docs", ({ request }) => answer(request, guideIndex()))
    .get("/docs/guides", () => new Response(null, { status: 301, headers: { location: "/docs" } }));
  for (const { name } of GUIDES)
    app.get(`/docs/guides/${name}`, ({ request }) => answer(request, guidePage(name)));
  return app;
}

function tagged(body: string, type: string): Known {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { body, headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "no-cache", etag } };
}

function answer(request: Request, { body, headers }: Known): Response {
  const isKnown = request.headers.get("if-none-match") === headers.etag;
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
}
