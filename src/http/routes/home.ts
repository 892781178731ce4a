// What is at the root: the console for browsers, a short description for everybody else, and the icon.
import { Elysia } from "elysia";
import type { Context } from "../../context.ts";
import { VERSION } from "../../version.ts";
import { isForBrowser } from "../entry/browser.ts";
import { pathOf } from "../pages/form_pages.ts";
import { ICON } from "../pages/home_page.ts";

const ICON_HEADERS = { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" };

/** `GET /` and `GET /favicon.ico`. */
export function homeRoutes(ctx: Context) {
  const { config } = ctx;
  const toConsole = { location: pathOf(ctx, "/app"), vary: "Accept", "cache-control": "no-store" };
  const description = {
    name: "Postrider",
    version: VERSION,
    docs: `${config.BASE_URL}/docs`,
    openapi: `${config.BASE_URL}/openapi.json`,
  };
  return new Elysia({ detail: { hide: true } })
    .get("/", ({ request }) =>
      isForBrowser(request) ? new Response(null, { status: 302, headers: toConsole }) : description,
    )
    .get("/favicon.ico", () => new Response(ICON, { headers: ICON_HEADERS }));
}
