// The inbox of a service without an SMTP server: every mail it would have sent, as a page. Not part of the API.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { problems } from "../../problem.ts";
import {
  clearCapturedMails,
  getCapturedMail,
  listCapturedMails,
  readCapturedMail,
} from "../../sending/captured/mod.ts";
import { OWN_PAGE_HEADERS } from "../pages/html.ts";
import { assertMayRead } from "../pages/inbox_login.ts";
import { attachmentResponse, htmlResponse, sourceResponse, toMailJson } from "../pages/inbox_mail.ts";
import { inboxPage } from "../pages/inbox_page.ts";
import { isUuid, Uuid } from "../entry/schemas.ts";
import { assertNoOtherPage } from "../entry/session.ts";

const ASSETS = {
  "inbox.css": "text/css; charset=utf-8",
  "inbox_list.css": "text/css; charset=utf-8",
  "inbox_mail.css": "text/css; charset=utf-8",
  "inbox.js": "text/javascript; charset=utf-8",
  "inbox_mail.js": "text/javascript; charset=utf-8",
} as const;

/** `GET /inbox`, what that page loads, and `DELETE /inbox/mails`. None of them exists when mail is sent for real. */
export function inboxRoutes(ctx: Context) {
  const app = new Elysia({ detail: { hide: true } });
  if (ctx.config.SMTP_URL) return app;
  const open = async (id: string) => await readCapturedMail(ctx, idOf(id));
  app
    .onTransform(({ request, set }) => {
      assertMayRead(ctx, request);
      set.headers["cache-control"] = "no-store";
    })
    .get("/inbox", () => new Response(inboxPage(ctx.config), { headers: OWN_PAGE_HEADERS }))
    .get(
      "/inbox/mails",
      async ({ query, headers, set }) => {
        const mails = await listCapturedMails(ctx, query.after ?? null);
        const data = mails.map(({ id, fromAddress, toAddress, subject, capturedAt }) => {
          return { id, from: fromAddress, to: toAddress, subject, capturedAt };
        });
        // The page asks every second, and mostly nothing is new.
        const etag = `"${Bun.hash(JSON.stringify(data)).toString(36)}"`;
        set.headers.etag = etag;
        if (headers["if-none-match"] !== etag) return { data };
        set.status = 304;
        return;
      },
      { query: t.Object({ after: t.Optional(Uuid) }) },
    )
    .delete("/inbox/mails", async ({ request, set }) => {
      assertNoOtherPage(ctx, request);
      await clearCapturedMails(ctx);
      set.status = 204;
    })
    .get("/inbox/mails/:id", async ({ params }) => toMailJson(await open(params.id)))
    .get("/inbox/mails/:id/html", async ({ params }) => htmlResponse(await open(params.id)))
    .get("/inbox/mails/:id/source", async ({ params }) => {
      return sourceResponse((await getCapturedMail(ctx, idOf(params.id))).source);
    })
    .get("/inbox/mails/:id/attachments/:n", async ({ params: { id, n }, request }) => {
      const file = attachmentResponse(await open(id), n);
      if (!file) throw problems.routeNotFound(request.method, `/inbox/mails/${id}/attachments/${n}`);
      return file;
    });
  for (const [name, type] of Object.entries(ASSETS)) {
    app.get(`/inbox/${name}`, () => {
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

/** The id of a captured mail. One that can be none is simply not found. */
function idOf(id: string): string {
  if (!isUuid(id)) throw problems.notFound("captured mail", id);
  return id;
}
