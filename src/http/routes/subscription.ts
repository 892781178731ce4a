// The hosted pages of a subscription, and the one click of mail programs (RFC 8058). The token in the address is all
// the authority there is: no key and no cookie, so nothing that another site could borrow. GET changes nothing, because
// mail scanners open every link.
import { Elysia } from "elysia";
import { languageAccepted } from "../../content/languages/mod.ts";
import type { Context } from "../../context.ts";
import { isDatabaseAway } from "../../database_errors.ts";
import { describeError } from "../../log.ts";
import { Problem, problems } from "../../problem/mod.ts";
import {
  findSubscription,
  subscribe,
  type MailSubscription,
  unsubscribe,
} from "../../sending/subscription.ts";
import { readBytes } from "../entry/body.ts";
import type { KnowsAddress } from "../entry/client_network.ts";
import { readForm } from "../entry/form.ts";
import { takePublicRequest } from "../entry/public_limits.ts";
import { note } from "../entry/requests.ts";
import {
  managePage,
  noticePage,
  type Paths,
  SUBSCRIPTION_PAGE_HEADERS,
  subscribePage,
  unsubscribePage,
} from "../pages/subscription_pages.ts";

/** A form of one field. */
const FORM_LIMIT_BYTES = 16_384;

/** In the links of a mail that was sent as a test, and belongs to no contact. */
const PREVIEW = "preview";

interface PageRequest {
  request: Request;
  server: KnowsAddress | null;
  set: { status?: number | string; headers: Record<string, string | number> };
  params: { token: string };
}

/** What a page is for. */
interface Purpose {
  /** Does it, and returns the subscription afterwards; null if there is none. */
  act(ctx: Context, token: string, request: Request): Promise<MailSubscription | null>;
  page(subscription: MailSubscription, paths: Paths): string;
  /** RFC 8058: a few addresses of providers ask for many people, and get 200 whatever the token is. */
  oneClick?: boolean;
}

/** The pages, and what their forms do. Each responds with a page, without a redirect: mail programs follow none. */
export function subscriptionRoutes(ctx: Context) {
  const answer = (purpose: Purpose) => {
    return async ({ request, server, set, params }: PageRequest) =>
      await answerVisit(ctx, { request, server, set, params }, purpose);
  };
  // Elysia must not read the body: one click says nothing that the address does not, whatever its type and length.
  const unread = { parse: "none" } as const;
  return new Elysia({ detail: { hide: true } })
    .get("/unsubscribe/:token", answer({ act: findSubscription, page: unsubscribePage }))
    .post("/unsubscribe/:token", answer({ act: unsubscribe, page: unsubscribePage, oneClick: true }), unread)
    .get("/subscribe/:token", answer({ act: findSubscription, page: subscribePage }))
    .post("/subscribe/:token", answer({ act: subscribe, page: subscribePage }), unread)
    .get("/manage/:token", answer({ act: findSubscription, page: managePage }))
    .post("/manage/:token", answer({ act: choose, page: managedPage }), unread);
}

/** The page that a visit gets, whatever happens: people who follow a link cannot read JSON. */
async function answerVisit(ctx: Context, page: PageRequest, purpose: Purpose): Promise<string> {
  const { request, server, set } = page;
  Object.assign(set.headers, SUBSCRIPTION_PAGE_HEADERS);
  const language = languageAccepted(request.headers.get("accept-language"));
  const wait = purpose.oneClick ? null : takePublicRequest(ctx, request, server);
  if (wait !== null) {
    set.status = 429;
    set.headers["retry-after"] = String(wait);
    return noticePage(language, "busy");
  }
  const { token } = page.params;
  if (token === PREVIEW) return noticePage(language, "preview");
  try {
    const subscription = await purpose.act(ctx, token, request);
    if (subscription) return purpose.page(subscription, pathsOf(ctx, token));
  } catch (error) {
    set.status = statusOf(error);
    if (set.status >= 500) note(request, { error: describeError(error) });
    return noticePage(language, "trouble");
  }
  set.status = purpose.oneClick ? 200 : 404;
  return noticePage(language, "missing");
}

function pathsOf({ config }: Context, token: string): Paths {
  const base = new URL(config.BASE_URL).pathname.replace(/\/$/, "");
  return {
    unsubscribe: `${base}/unsubscribe/${token}`,
    subscribe: `${base}/subscribe/${token}`,
    manage: `${base}/manage/${token}`,
  };
}

function statusOf(error: unknown): number {
  if (error instanceof Problem) return error.status;
  return isDatabaseAway(error) ? 503 : 500;
}

async function choose(ctx: Context, token: string, request: Request): Promise<MailSubscription | null> {
  return (await readChoice(request)) ? await subscribe(ctx, token) : await unsubscribe(ctx, token);
}

function managedPage(subscription: MailSubscription, paths: Paths): string {
  return managePage(subscription, paths, { saved: true });
}

/** What the form of the manage page chose. Throws if it chose nothing. */
async function readChoice(request: Request): Promise<boolean> {
  const isMultipart = /^multipart\/form-data/i.test(request.headers.get("content-type") ?? "");
  const choice = isMultipart
    ? (await readForm(request, FORM_LIMIT_BYTES)).subscribed
    : new URLSearchParams(Buffer.from(await readBytes(request, FORM_LIMIT_BYTES)).toString()).get(
        "subscribed",
      );
  if (choice !== "true" && choice !== "false") {
    const message = "Expected true or false";
    throw problems.invalid([{ field: "subscribed", code: "invalid_enum_value", message }]);
  }
  return choice === "true";
}
