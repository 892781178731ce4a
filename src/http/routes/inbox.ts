// The page of the inbox, what it loads, and its API below /inbox/mails.
import { Elysia } from "elysia";
import type { Context } from "../../context.ts";
import { projectsWithCapturedMails } from "../../sending/captured/mod.ts";
import { OWN_PAGE_HEADERS } from "../pages/html.ts";
import { isOperator, inboxVisitorOf } from "../pages/inbox_login.ts";
import { inboxPage } from "../pages/inbox_page.ts";
import { problems } from "../../problem/mod.ts";
import { inboxMailsRoutes } from "./inbox_mails.ts";

const ASSETS = {
  "inbox.css": "text/css; charset=utf-8",
  "inbox_list.css": "text/css; charset=utf-8",
  "inbox_mail.css": "text/css; charset=utf-8",
  "inbox.js": "text/javascript; charset=utf-8",
  "inbox_api.js": "text/javascript; charset=utf-8",
  "inbox_filter.js": "text/javascript; charset=utf-8",
  "inbox_list.js": "text/javascript; charset=utf-8",
  "inbox_mail.js": "text/javascript; charset=utf-8",
  "inbox_views.js": "text/javascript; charset=utf-8",
} as const;

/** `GET /inbox` and what is below it. The page does not exist when mail is sent for real. */
export function inboxRoutes(ctx: Context) {
  const app = new Elysia();
  return (ctx.config.SMTP_URL ? app : app.use(pageRoutes(ctx))).use(inboxMailsRoutes(ctx));
}

function pageRoutes(ctx: Context) {
  const app = new Elysia({ detail: { hide: true } });
  app
    .onTransform(({ set }) => void (set.headers["cache-control"] = "no-store"))
    .get("/inbox", async ({ request }) => {
      const visitor = await inboxVisitorOf(ctx, request);
      return new Response(inboxPage(ctx.config, visitor), { headers: OWN_PAGE_HEADERS });
    })
    .get("/inbox/projects", async ({ request }) => {
      if (!isOperator(ctx, request)) throw problems.inboxPasswordRequired();
      return { data: await projectsWithCapturedMails(ctx) };
    });
  for (const [name, type] of Object.entries(ASSETS)) {
    app.get(`/inbox/${name}`, async ({ request }) => {
      await inboxVisitorOf(ctx, request);
      const headers = {
        "content-type": type,
        "x-content-type-options": "nosniff",
        "cache-control": "no-cache",
      };
      return new Response(Bun.file(new URL(`../pages/assets/${name}`, import.meta.url)), { headers });
    });
  }
  return app;
}
