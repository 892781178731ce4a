// /oauth: signing in at a provider. Addresses for browsers, so errors on the way end on a page.
import { Elysia, t } from "elysia";
import { beginSignIn, finishSignIn, TRANSACTION_S } from "../../accounts/people/oauth/mod.ts";
import {
  authProvidersOf,
  createProviders,
  type Provider,
  type ProviderSurroundings,
  type ProviderName,
  PROVIDERS,
} from "../../accounts/people/oauth/providers.ts";
import type { Context } from "../../context.ts";
import { isDatabaseAway } from "../../database_errors.ts";
import { describeError } from "../../log.ts";
import { Problem, problems } from "../../problem/mod.ts";
import type { KnowsAddress } from "../entry/client_network.ts";
import { askForPassword, linkRoutes } from "../pages/oauth_link.ts";
import { SIGN_IN_PAGE_HEADERS, signInPage } from "../pages/oauth_page.ts";
import { letIn } from "../pages/two_factor_page.ts";
import { takePublicRequest } from "../entry/public_limits.ts";
import { note } from "../entry/requests.ts";
import { returnAddress } from "./_return_to.ts";
import { answers } from "../entry/schemas.ts";
import { addCookie, ownCookie, visitorOf } from "../entry/session.ts";

const HOW_TO_SET_UP: Record<ProviderName, string> = {
  github: "Set GITHUB_OAUTH_CLIENT and GITHUB_OAUTH_SECRET",
  google: "Set GOOGLE_OAUTH_CLIENT and GOOGLE_OAUTH_SECRET",
  oidc: "Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET",
};

const REDIRECT_HEADERS = {
  "cache-control": "no-store",
  // The address of the callback holds a code.
  "referrer-policy": "no-referrer",
};

interface SignIn {
  request: Request;
  server: KnowsAddress | null;
  set: {
    status?: number | string;
    headers: Record<string, string | number> & { "set-cookie"?: string | string[] };
  };
}

/** The providers, and the way there and back. `surroundings` is for tests. */
export function oauthRoutes(ctx: Context, surroundings: Partial<ProviderSurroundings> = {}) {
  const providers = createProviders(ctx, surroundings);
  const providerOf = (name: string): Provider => {
    const known = PROVIDERS.find((provider) => provider === name);
    if (!known) throw problems.notFound("sign-in provider", name);
    const provider = providers[known];
    if (!provider) throw problems.notConfigured(`sign-in with ${known}`, HOW_TO_SET_UP[known]);
    return provider;
  };
  return new Elysia()
    .get("/auth/oauth-config", () => ({ success: true as const, data: authProvidersOf(ctx.config) }), {
      response: answers(ProvidersAnswer, { refusals: [400, 500], isOpen: true }),
      detail: {
        tags: ["Account"],
        operationId: "listSignInProviders",
        summary: "List the providers that people can sign in with",
        description:
          "A browser signs in by going to `/oauth/{provider}/outbound`, with `github`, `google` or `oidc`. `?returnTo=` says where to go afterwards: a path of this service, or an address of one of the DASHBOARD_ORIGINS.",
        security: [],
      },
    })
    .get(
      "/oauth/:provider/outbound",
      async ({ params, query, request, server, set }) => {
        const provider = providerOf(params.provider);
        const returnTo = returnAddress(ctx.config, query.returnTo);
        if (returnTo === null) {
          throw problems.badRequest(
            "Cannot go on to this address after signing in",
            "Give a path, or an address of one of the DASHBOARD_ORIGINS",
          );
        }
        return await visited(ctx, { request, server, set }, provider, () =>
          sendOut(ctx, set, provider, returnTo),
        );
      },
      { query: t.Object({ returnTo: t.Optional(t.String()) }), detail: { hide: true } },
    )
    .get(
      "/oauth/:provider/callback",
      async ({ params, request, server, set }) => {
        const provider = providerOf(params.provider);
        return await visited(ctx, { request, server, set }, provider, () =>
          takeBack(ctx, set, provider, { request, server }),
        );
      },
      { detail: { hide: true } },
    )
    .use(linkRoutes(ctx, providerOf));
}

/** One for each provider. */
function cookieName(ctx: Context, { name }: Provider): string {
  return ownCookie(ctx, `postrider_oauth_${name}`);
}

/** Gives the browser what it has to bring back, and returns where the provider is. */
async function sendOut(
  ctx: Context,
  set: SignIn["set"],
  provider: Provider,
  returnTo: string,
): Promise<string> {
  const { address, transaction } = await beginSignIn(ctx, provider, returnTo);
  addCookie(ctx, set, cookieName(ctx, provider), transaction, TRANSACTION_S);
  return address;
}

/** Gives the browser a session, and returns where it wanted to go; or where it is asked for a password first. */
async function takeBack(
  ctx: Context,
  set: SignIn["set"],
  provider: Provider,
  { request, server }: Pick<SignIn, "request" | "server">,
): Promise<string> {
  const cookies = request.headers.get("cookie") ?? "";
  const name = cookieName(ctx, provider);
  const finished = await finishSignIn(ctx, provider, {
    transaction: new Bun.CookieMap(cookies).get(name),
    answer: new URL(request.url).searchParams,
    visitor: await visitorOf(ctx, request, server),
  });
  addCookie(ctx, set, name, "", 0);
  if ("link" in finished) return askForPassword(ctx, set, provider, finished.link);
  return await letIn(ctx, set, finished, finished.returnTo);
}

/** Redirects the browser to where `work` says, or shows why not. */
async function visited(
  ctx: Context,
  { request, server, set }: SignIn,
  provider: Provider,
  work: () => Promise<string>,
): Promise<string> {
  try {
    const wait = takePublicRequest(ctx, request, server);
    if (wait !== null) throw problems.publicLimitExceeded(wait);
    const location = await work();
    set.status = 302;
    Object.assign(set.headers, REDIRECT_HEADERS, { location });
    return "";
  } catch (error) {
    const problem = toProblem(error);
    const cause = problem === error ? problem.cause : error;
    if (cause !== undefined) note(request, { error: describeError(cause) });
    set.status = problem.status;
    Object.assign(set.headers, SIGN_IN_PAGE_HEADERS, problem.extras.headers);
    const again = `${new URL(ctx.config.BASE_URL).pathname.replace(/\/$/, "")}/oauth/${provider.name}/outbound`;
    return signInPage({ message: problem.message, advice: problem.extras.suggestion, again });
  }
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return isDatabaseAway(error) ? problems.unavailable() : problems.unexpected();
}

const ProvidersAnswer = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({ github: t.Boolean(), google: t.Boolean(), oidc: t.Boolean() }),
  },
  { title: "SignInProviders" },
);
