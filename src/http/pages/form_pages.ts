// Pages with one form each, opened through a link. Plain HTML, no script. GET changes nothing, because mail scanners
// open every link; the form posts to the same path with `/page` appended.
import { Elysia } from "elysia";
import type { Context } from "../../context.ts";
import { isDatabaseAway, mayHaveHappened } from "../../database_errors.ts";
import { Problem, problems } from "../../problem/mod.ts";
import { readBytes } from "../entry/body.ts";
import type { KnowsAddress } from "../entry/client_network.ts";
import { ICON } from "./home_page.ts";
import { escapeHtml, page, styled } from "./html.ts";
import { faultOf, toProblem } from "../entry/problems.ts";
import { takePublicRequest } from "../entry/public_limits.ts";
import { note } from "../entry/requests.ts";
import { assertNoOtherPage } from "../entry/session.ts";

const { headers, head } = styled(["subscription.css", "account.css"]);

/** Other sites are not sent the address, which contains the token. */
const HEADERS = { ...headers, "referrer-policy": "same-origin" };

const FORM_LIMIT_BYTES = 16_384;

/** The visitor of a page, and the response being built. */
export interface FormVisit {
  request: Request;
  server: KnowsAddress | null;
  params: Record<string, string>;
  set: {
    status?: number | string;
    headers: Record<string, string | number> & { "set-cookie"?: string | string[] };
  };
}

/** A page with nothing to press. */
export interface NoticePage {
  /** Text: its heading. */
  title: string;
  /** HTML. */
  more?: string;
  status?: number;
}

/** What a page asks, and what its form does. Text, unless stated otherwise. */
export interface FormPage {
  title: string;
  text: string;
  /** HTML. */
  fields: string;
  button: string;
  /** An alternative action. HTML. */
  aside?: string;
  /** Returns what is shown when it is done. */
  act(ctx: Context, given: URLSearchParams, visit: FormVisit): Promise<NoticePage>;
}

/** The page that a visit gets, from the parameters of its address or what the form has sent. Throws if there is none. */
type PageOf = (
  ctx: Context,
  given: URLSearchParams,
  visit: FormVisit,
) => FormPage | NoticePage | Promise<FormPage | NoticePage>;

/** `GET` of a page with a form, and what the form sends. */
export function formRoutes(ctx: Context, path: string, pageOf: PageOf) {
  return new Elysia({ detail: { hide: true } })
    .get(path, ({ request, server, params, set }) => {
      const visit: FormVisit = { request, server, params, set };
      return answer(ctx, visit, async () => {
        const found = await pageOf(ctx, new URL(request.url).searchParams, visit);
        return "act" in found ? formPage(ctx, found, visit) : noticePage(found, visit);
      });
    })
    .post(
      `${path}/page`,
      ({ request, server, params, set }) => {
        const visit: FormVisit = { request, server, params, set };
        return answer(ctx, visit, () => submit(ctx, pageOf, visit));
      },
      { parse: "none" },
    );
}

/** The path of one of our addresses, even where the service lives below a path. */
export function pathOf({ config }: Context, path: string): string {
  return new URL(config.BASE_URL).pathname.replace(/\/$/, "") + path;
}

async function submit(ctx: Context, pageOf: PageOf, visit: FormVisit): Promise<string> {
  const bytes = await readBytes(visit.request, FORM_LIMIT_BYTES);
  const given = new URLSearchParams(Buffer.from(bytes).toString());
  const found = await pageOf(ctx, given, visit);
  if (!("act" in found)) return noticePage(found, visit);
  try {
    return noticePage(await found.act(ctx, given, visit), visit);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    visit.set.status = error.status;
    return formPage(ctx, found, visit, error);
  }
}

/** The page that a visit gets, whatever happens: people who follow a link cannot read JSON. */
async function answer(ctx: Context, visit: FormVisit, work: () => Promise<string>): Promise<string> {
  const { request, server, set } = visit;
  Object.assign(set.headers, HEADERS);
  try {
    const wait = takePublicRequest(ctx, request, server);
    if (wait !== null) throw problems.publicLimitExceeded(wait);
    if (request.method === "POST") assertNoOtherPage(ctx, request);
    return await work();
  } catch (error) {
    const problem = await refusal(error, request);
    set.status = problem.status;
    Object.assign(set.headers, problem.extras.headers);
    return frame("Something went wrong", trouble(problem));
  }
}

/** Records internal errors, as for the API. */
async function refusal(error: unknown, request: Request): Promise<Problem> {
  const problem = await toProblem(error, request);
  if (problem.status >= 500) note(request, faultOf(problem, error));
  const isUnsure = isDatabaseAway(error) && mayHaveHappened(error) && request.method === "POST";
  return isUnsure ? problems.unsure("Open the link again, and check before you repeat it") : problem;
}

function noticePage({ title, more = "", status }: NoticePage, { set }: FormVisit): string {
  if (status !== undefined) set.status = status;
  return frame(title, more);
}

function formPage(ctx: Context, form: FormPage, { request }: FormVisit, problem?: Problem): string {
  const path = new URL(request.url).pathname.replace(/\/page$/, "");
  return frame(
    form.title,
    `${problem ? trouble(problem) : `<p>${escapeHtml(form.text)}</p>`}
<form method="post" action="${escapeHtml(`${pathOf(ctx, path)}/page`)}">
${form.fields}
<button>${escapeHtml(form.button)}</button>
</form>
${form.aside ?? ""}`,
  );
}

function trouble({ message, extras }: Problem): string {
  const said = [message, extras.suggestion].filter((text) => text !== undefined).join(". ");
  return `<p class="trouble" role="alert">${escapeHtml(said)}.</p>`;
}

function frame(title: string, main: string): string {
  return page({
    title,
    head,
    body: `<header><p>${ICON} Postrider</p></header>\n<main>\n<h1>${escapeHtml(title)}</h1>\n${main}\n</main>`,
  });
}
