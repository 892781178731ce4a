// Pages with one form each, for those who came by a link. Plain HTML, no script. GET changes nothing, because mail scanners
// open every link; what the form sends goes to the same path with `/page` behind it.
import { Elysia } from "elysia";
import type { Context } from "../context.ts";
import { Problem, problems } from "../problem.ts";
import { readBytes } from "./_body.ts";
import type { KnowsAddress } from "./_client_network.ts";
import { escapeHtml, page, styled } from "./_html.ts";
import { takePublicRequest } from "./_public_limits.ts";
import { assertNoOtherPage } from "./_session.ts";

const { headers, head } = styled(["subscription.css", "account.css"]);

/** No other site is told the address, which holds the token. */
const HEADERS = { ...headers, "referrer-policy": "same-origin" };

const FORM_LIMIT_BYTES = 16_384;

/** Who asks for a page, and the answer that is being made. */
export interface FormVisit {
  request: Request;
  server: KnowsAddress | null;
  params: Record<string, string>;
  set: {
    status?: number | string;
    headers: Record<string, string | number> & { "set-cookie"?: string | string[] };
  };
}

/** What one page asks, and what its form does. Text, where nothing else is said. */
export interface Form {
  title: string;
  text: string;
  /** HTML. */
  fields: string;
  button: string;
  /** What else may be done. HTML. */
  aside?: string;
  act(ctx: Context, given: URLSearchParams, visit: FormVisit): Promise<void>;
  /** What is said when it is done, and below it. */
  done: string;
  /** HTML. */
  afterwards?: string;
}

/** The form that a visit gets, from what the address brings or the form has sent. Throws where there is none for it. */
type FormOf = (ctx: Context, given: URLSearchParams, visit: FormVisit) => Form | Promise<Form>;

/** `GET` of a page with a form, and what the form sends. */
export function formRoutes(ctx: Context, path: string, formOf: FormOf) {
  return new Elysia({ detail: { hide: true } })
    .get(path, ({ request, server, params, set }) => {
      const visit: FormVisit = { request, server, params, set };
      return answer(ctx, visit, async () => {
        const form = await formOf(ctx, new URL(request.url).searchParams, visit);
        return formPage(ctx, form, visit);
      });
    })
    .post(
      `${path}/page`,
      ({ request, server, params, set }) => {
        const visit: FormVisit = { request, server, params, set };
        return answer(ctx, visit, () => submit(ctx, formOf, visit));
      },
      { parse: "none" },
    );
}

/** The path of an address of ours, also where the service lives below one. */
export function pathOf({ config }: Context, path: string): string {
  return new URL(config.BASE_URL).pathname.replace(/\/$/, "") + path;
}

async function submit(ctx: Context, formOf: FormOf, visit: FormVisit): Promise<string> {
  const bytes = await readBytes(visit.request, FORM_LIMIT_BYTES);
  const given = new URLSearchParams(Buffer.from(bytes).toString());
  const form = await formOf(ctx, given, visit);
  try {
    await form.act(ctx, given, visit);
    return frame(form.title, `<h1>${escapeHtml(form.done)}</h1>\n${form.afterwards ?? ""}`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    visit.set.status = error.status;
    return formPage(ctx, form, visit, error);
  }
}

/** The page that a visit gets: whoever came by a link cannot read JSON. What is no refusal is a bug, and goes on. */
async function answer(ctx: Context, visit: FormVisit, work: () => Promise<string>): Promise<string> {
  const { request, server, set } = visit;
  Object.assign(set.headers, HEADERS);
  try {
    const wait = takePublicRequest(ctx, request, server);
    if (wait !== null) throw problems.publicLimitExceeded(wait);
    if (request.method === "POST") assertNoOtherPage(ctx, request);
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    set.status = error.status;
    Object.assign(set.headers, error.extras.headers);
    return frame("Not now", `<h1>Not now</h1>\n${trouble(error)}`);
  }
}

function formPage(ctx: Context, form: Form, { request }: FormVisit, problem?: Problem): string {
  const path = new URL(request.url).pathname.replace(/\/page$/, "");
  return frame(
    form.title,
    `<h1>${escapeHtml(form.title)}</h1>
${problem ? trouble(problem) : `<p>${escapeHtml(form.text)}</p>`}
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
  return page({ title, head, body: `<header><p>Postrider</p></header>\n<main>\n${main}\n</main>` });
}
