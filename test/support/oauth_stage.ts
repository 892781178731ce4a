// Everything that a sign-in takes: the service, two OpenID providers, GitHub, and people with browsers.
import { Elysia } from "elysia";
import { problemResponses } from "../../src/http/entry/problems.ts";
import type { Context } from "../../src/context.ts";
import type { KnowsAddress } from "../../src/http/entry/client_network.ts";
import { authRoutes } from "../../src/http/routes/auth.ts";
import { oauthRoutes } from "../../src/http/routes/oauth.ts";
import { usersRoutes } from "../../src/http/routes/users.ts";
import { type Browser, newBrowser, type Page } from "./browser.ts";
import { type Github, useGithub } from "./github.ts";
import { CLIENT, type OpenIdProvider, PERSON_HEADER, useOpenIdProvider } from "./openid_provider.ts";
import { type TestService, useService } from "./service.ts";

/** Where the service is for browsers. */
export const ORIGIN = "http://localhost:3000";

/** A service as browsers reach it. */
export interface App {
  origin: string;
  handle(request: Request): Promise<Response>;
  /** From then on requests come from where this says. */
  server(server: KnowsAddress): void;
}

/** What a test of sign-ins has. */
export interface OauthStage {
  service: TestService;
  oidc: OpenIdProvider;
  google: OpenIdProvider;
  github: Github;
  /** The service with other settings, and with a memory of its own of what the providers say. */
  newApp(
    config?: Partial<TestService["config"]>,
    surroundings?: { timeoutS?: number },
    context?: Partial<Context>,
  ): App;
  /** A browser with somebody before it. */
  browser(person: string, app?: Pick<App, "origin" | "handle">): Browser;
  /** From the button to where it ends. */
  signIn(browser: Browser, provider: string, returnTo?: string): Promise<Page>;
  /** From the button to the callback, which is not asked for yet. */
  comeBack(browser: Browser, provider: string): Promise<URL>;
  /** Who the session of a browser is; null without one. */
  whoIs(browser: Browser): Promise<{ id: string; email: string; emailVerified: boolean } | null>;
  /** An account by address and password, and a browser that is logged in with it. */
  signUp(email: string, password: string): Promise<Browser>;
}

/** Gives the test file all of it. */
export function useOauth(): OauthStage {
  const oidc = useOpenIdProvider([`${ORIGIN}/oauth/oidc/callback`]);
  const google = useOpenIdProvider([`${ORIGIN}/oauth/google/callback`]);
  const github = useGithub(`${ORIGIN}/oauth/github/callback`);
  const service = useService({
    BASE_URL: ORIGIN,
    GITHUB_OAUTH_CLIENT: CLIENT.id,
    GITHUB_OAUTH_SECRET: CLIENT.secret,
    GOOGLE_OAUTH_CLIENT: CLIENT.id,
    GOOGLE_OAUTH_SECRET: CLIENT.secret,
    // It is not known before the provider listens.
    get OIDC_ISSUER() {
      return oidc.issuer;
    },
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    DASHBOARD_ORIGINS: "https://app.example.com",
  });

  const newApp: OauthStage["newApp"] = (config = {}, surroundings = {}, context = {}) => {
    const ctx = { ...service, config: { ...service.config, ...config }, ...context };
    const places = { github: github.origin, githubApi: github.origin, google: google.issuer };
    const app = new Elysia()
      .use(problemResponses(() => []))
      .use(oauthRoutes(ctx, { ...places, ...surroundings }))
      .use(authRoutes(ctx))
      .use(usersRoutes(ctx));
    return {
      origin: ORIGIN,
      handle: async (request) => await app.handle(request),
      server: (server) => (app.server = server as never),
    };
  };

  let usual: App | undefined;
  const app = () => (usual ??= newApp());
  const browser: OauthStage["browser"] = (person, through = app()) =>
    newBrowser(through, { [PERSON_HEADER]: person });

  const outbound = (provider: string, returnTo?: string) =>
    `${ORIGIN}/oauth/${provider}/outbound${returnTo === undefined ? "" : `?returnTo=${encodeURIComponent(returnTo)}`}`;

  return {
    service,
    oidc,
    google,
    github,
    newApp,
    browser,
    signIn: async (who, provider, returnTo = "/done") =>
      await who.open(outbound(provider, returnTo), { until: ({ pathname }) => pathname === returnTo }),
    comeBack: async (who, provider) => {
      const { url } = await who.open(outbound(provider), {
        until: ({ pathname }) => pathname.endsWith("/callback"),
      });
      return url;
    },
    whoIs: async (who) => {
      const { status, text } = await who.request(`${ORIGIN}/users/@me`);
      return status === 200 ? JSON.parse(text) : null;
    },
    signUp: async (email, password) => {
      const who = browser("nobody");
      const response = await app().handle(
        new Request(`${ORIGIN}/auth/signup`, {
          method: "POST",
          headers: { "content-type": "application/json", origin: ORIGIN },
          body: JSON.stringify({ email, password }),
        }),
      );
      if (response.status !== 200) throw new Error(`sign-up answers ${response.status}`);
      for (const line of response.headers.getSetCookie()) who.keep(ORIGIN, line);
      return who;
    },
  };
}
