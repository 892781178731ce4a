// /t: the open pixel and the links of mails. For people and their mail programs: no key, no limit (the proxies of a
// mail provider ask for thousands of people), and a response whatever happens to us.
import { Elysia } from "elysia";
import type { Context } from "../../context.ts";
import { recordClick, recordOpen } from "../../sending/feedback/engagement.ts";
import { openClickToken, openMailToken } from "../../sending/compose/followed_mail.ts";
import { OWN_PAGE_HEADERS, page } from "../pages/html.ts";

/** Nobody waits longer for our database. Whatever it completes later is still recorded. */
const PATIENCE_MS = 1_500;

/** One transparent point. */
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const PIXEL_HEADERS = {
  "content-type": "image/gif",
  "cache-control": "no-store, no-cache, must-revalidate, max-age=0",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

const REDIRECT_HEADERS = {
  "cache-control": "no-store",
  // The address holds the token of the mail.
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
};

const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** `GET /t/o/:token`: the pixel. `GET /t/c/:token`: on to where the link leads. */
export function tRoutes(ctx: Context) {
  return new Elysia({ prefix: "/t", detail: { hide: true } })
    .get("/o/:token", async ({ params, request }) => {
      const mail = await openMailToken(ctx, params.token);
      if (mail && request.method === "GET") await inTime(recordOpen(ctx, mail, request.headers));
      return new Response(PIXEL, { headers: PIXEL_HEADERS });
    })
    .get("/c/:token", async ({ params, request, set }) => {
      const click = await openClickToken(ctx, params.token);
      const location = click && locationOf(click.target);
      if (!location) {
        set.status = 404;
        return new Response(BROKEN_LINK, { status: 404, headers: OWN_PAGE_HEADERS });
      }
      if (click.mail && request.method === "GET") {
        await inTime(recordClick(ctx, click.mail, request.headers, click.target));
      }
      set.status = 302;
      return new Response(null, { status: 302, headers: { ...REDIRECT_HEADERS, location } });
    });
}

/** The address for the header, where a browser may be sent to it. */
function locationOf(target: string): string | null {
  const url = URL.parse(target);
  return url && SCHEMES.has(url.protocol) ? url.href : null;
}

/** Waits for the recording, but not for long; that it failed is in the log already. */
async function inTime(recording: Promise<void>): Promise<void> {
  let timer: Timer | undefined;
  const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
  await Promise.race([recording.catch(() => {}), patience]);
  clearTimeout(timer);
}

const BROKEN_LINK = page({
  title: "This link is broken",
  body: `<main>
<h1>This link is broken</h1>
<p>Part of its address is missing or was changed on the way. Open the message again and follow the link from there.</p>
</main>`,
});
