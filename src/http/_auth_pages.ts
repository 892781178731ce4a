// The pages that the links of account mails lead to, for installations without a dashboard. Plain HTML, no script. GET
// changes nothing, because mail scanners open every link.
import { Elysia } from "elysia";
import { resetPassword } from "../accounts/log_in.ts";
import { PASSWORD_LENGTH } from "../accounts/passwords.ts";
import { signUp, verifyEmail } from "../accounts/sign_up.ts";
import type { Context } from "../context.ts";
import { parseAddress } from "../mail/address.ts";
import { Problem, problems } from "../problem.ts";
import { readBytes } from "./_body.ts";
import { clientNetwork, type KnowsAddress } from "./_client_network.ts";
import { escapeHtml, page, styled } from "./_html.ts";
import { takePublicRequest } from "./_public_limits.ts";
import { type Answering, assertNoOtherPage, namedSession, setSessionCookie } from "./_session.ts";

const { headers, head } = styled(["subscription.css", "account.css"]);

/** No other site is told the address, which holds the token. */
const HEADERS = { ...headers, "referrer-policy": "same-origin" };

const FORM_LIMIT_BYTES = 16_384;

interface Visit {
  request: Request;
  server: KnowsAddress | null;
  set: Answering & { status?: number | string };
}

/** What one page asks, and what its form does. */
interface Form {
  path: string;
  title: string;
  text: string;
  /** HTML. */
  fields(given: URLSearchParams): string;
  button: string;
  /** Answers another form where that one has to follow. */
  act(ctx: Context, given: URLSearchParams, visit: Visit): Promise<Next | void>;
  done: string;
}

/** A form that follows, and what it is given. */
interface Next {
  form: Form;
  given: URLSearchParams;
}

const hidden = (name: string, given: URLSearchParams) =>
  `<input type="hidden" name="${name}" value="${escapeHtml(given.get(name) ?? "")}">`;

const { min: MIN, max: MAX } = PASSWORD_LENGTH;

const PASSWORD_FIELD = `<label class="field">Password, of ${MIN} characters or more
<input type="password" name="password" required minlength="${MIN}" maxlength="${MAX}" autocomplete="new-password"></label>`;

const RESET: Form = {
  path: "/auth/reset-password",
  title: "A new password",
  text: "It takes the place of the old one, and every session ends.",
  fields: (given) => `${hidden("token", given)}\n${PASSWORD_FIELD}`,
  button: "Set the password",
  act: (ctx, given, { request, server }) =>
    resetPassword(
      ctx,
      { token: given.get("token") ?? "", newPassword: passwordOf(given) },
      clientNetwork(ctx, request, server),
    ),
  done: "Your password is changed: log in with it.",
};

/** What follows where somebody else may have made the account. */
const AFTER_VERIFICATION: Form = {
  ...RESET,
  title: "Your address is verified",
  text: "You were not logged in here, so somebody else may have made this account. They are shut out: set a password of your own.",
};

const VERIFY: Form = {
  path: "/auth/verify-email",
  title: "Is this your address?",
  text: "Then say so, and the account that was made with it is yours.",
  fields: (given) => hidden("token", given),
  button: "Yes, it is mine",
  async act(ctx, given, { request }) {
    const token = given.get("token") ?? "";
    const { resetToken } = await verifyEmail(ctx, token, await namedSession(ctx, request));
    if (resetToken === null) return;
    return { form: AFTER_VERIFICATION, given: new URLSearchParams({ token: resetToken }) };
  },
  done: "Your address is verified.",
};

const SIGN_UP: Form = {
  path: "/auth/signup",
  title: "Sign up",
  text: "With the address that was invited you join the project at once.",
  fields: (given) => `${hidden("invitation", given)}
<label class="field">Address
<input type="email" name="email" required maxlength="254" autocomplete="username" value="${escapeHtml(given.get("email") ?? "")}"></label>
${PASSWORD_FIELD}`,
  button: "Sign up",
  async act(ctx, given, { request, server, set }) {
    const email = parseAddress(given.get("email") ?? "")?.email;
    if (!email) throw problems.badRequest("Cannot use this address");
    const origin = {
      network: clientNetwork(ctx, request, server),
      invitationToken: given.get("invitation") || undefined,
      replaces: await namedSession(ctx, request),
    };
    const { session } = await signUp(ctx, { email, password: passwordOf(given) }, origin);
    await setSessionCookie(ctx, set, session);
  },
  done: "You have an account now, and are logged in.",
};

/** `GET /auth/verify-email`, `/auth/reset-password` and `/auth/signup`, and what their forms send. */
export function authPageRoutes(ctx: Context) {
  const unread = { parse: "none" } as const;
  const app = new Elysia({ detail: { hide: true } });
  for (const form of [VERIFY, RESET, SIGN_UP]) {
    app
      .get(form.path, ({ request, server, set }) =>
        answer(ctx, { request, server, set }, () => {
          const given = new URL(request.url).searchParams;
          return Promise.resolve(formPage(ctx, form, given));
        }),
      )
      .post(
        `${form.path}/page`,
        ({ request, server, set }) => {
          const visit = { request, server, set };
          return answer(ctx, visit, () => submit(ctx, form, visit));
        },
        unread,
      );
  }
  return app;
}

async function submit(ctx: Context, form: Form, visit: Visit): Promise<string> {
  const bytes = await readBytes(visit.request, FORM_LIMIT_BYTES);
  const given = new URLSearchParams(Buffer.from(bytes).toString());
  try {
    const next = await form.act(ctx, given, visit);
    if (next) return formPage(ctx, next.form, next.given);
    return frame(form.title, `<h1>${form.done}</h1>`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    visit.set.status = error.status;
    return formPage(ctx, form, given, error);
  }
}

/** The page that a visit gets: whoever came by a link cannot read JSON. What is no refusal is a bug, and goes on. */
async function answer(ctx: Context, visit: Visit, work: () => Promise<string>): Promise<string> {
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
    return frame("Not now", `<h1>Not now</h1>\n${trouble(error)}`);
  }
}

function passwordOf(given: URLSearchParams): string {
  const password = given.get("password") ?? "";
  if (password.length >= MIN && password.length <= MAX) return password;
  throw problems.badRequest(`Cannot use this password: it has to have ${MIN} to ${MAX} characters`);
}

function formPage({ config }: Context, form: Form, given: URLSearchParams, problem?: Problem): string {
  const base = new URL(config.BASE_URL).pathname.replace(/\/$/, "");
  return frame(
    form.title,
    `<h1>${form.title}</h1>
${problem ? trouble(problem) : `<p>${form.text}</p>`}
<form method="post" action="${escapeHtml(`${base}${form.path}/page`)}">
${form.fields(given)}
<button>${form.button}</button>
</form>`,
  );
}

function trouble({ message, extras }: Problem): string {
  const said = [message, extras.suggestion].filter((text) => text !== undefined).join(". ");
  return `<p class="trouble" role="alert">${escapeHtml(said)}</p>`;
}

function frame(title: string, main: string): string {
  return page({ title, head, body: `<header><p>Postrider</p></header>\n<main>\n${main}\n</main>` });
}
