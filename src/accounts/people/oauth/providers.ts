// Those whose word counts for who somebody is, as the settings name them.
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from "openid-client";
import type { Config } from "../../../config/mod.ts";
import type { Context } from "../../../context.ts";
import { createDiscovery } from "./_discovery.ts";
import { boundedFetch } from "./_fetch.ts";

/** The providers, by their names in our addresses. */
export const PROVIDERS = ["github", "google", "oidc"] as const;

/** One of {@linkcode PROVIDERS}. */
export type ProviderName = (typeof PROVIDERS)[number];

/** A provider with which this installation is registered. */
export interface Provider {
  name: ProviderName;
  /** For people. */
  title: string;
  scope: string;
  /** Where the provider sends people back to; they are registered with it. */
  redirectUri: string;
  /** Where its accounts are read; null for OpenID Connect, which has them in a token. */
  api: string | null;
  /** Endpoints, keys and credentials. Throws if the provider cannot be reached to ask for them. */
  configuration(): Promise<Configuration>;
}

/** Where the providers are, and how long they may take. Only tests say something else. */
export interface ProviderSurroundings {
  github: string;
  githubApi: string;
  google: string;
  /** For each request, from its start to the last byte. */
  timeoutS: number;
}

const SURROUNDINGS: ProviderSurroundings = {
  github: "https://github.com",
  githubApi: "https://api.github.com",
  google: "https://accounts.google.com",
  timeoutS: 10,
};

/** Which of the providers people can sign in with here. */
export function authProvidersOf(config: Config): Record<ProviderName, boolean> {
  return {
    github: config.GITHUB_OAUTH_CLIENT !== undefined,
    google: config.GOOGLE_OAUTH_CLIENT !== undefined,
    oidc: config.OIDC_ISSUER !== undefined,
  };
}

/** The providers of this installation; null for those that are not configured. Their metadata is cached. */
export function createProviders(
  ctx: Context,
  surroundings: Partial<ProviderSurroundings> = {},
): Record<ProviderName, Provider | null> {
  const { config } = ctx;
  const isSetUp = authProvidersOf(config);
  const around = { ...SURROUNDINGS, ...surroundings };
  return {
    github: isSetUp.github ? githubOf(config, around) : null,
    google: isSetUp.google
      ? openId(ctx, "google", "Google", around, {
          issuer: around.google,
          clientId: config.GOOGLE_OAUTH_CLIENT!,
          clientSecret: config.GOOGLE_OAUTH_SECRET!,
        })
      : null,
    oidc: isSetUp.oidc
      ? openId(ctx, "oidc", new URL(config.OIDC_ISSUER!).hostname, around, {
          issuer: config.OIDC_ISSUER!,
          clientId: config.OIDC_CLIENT_ID!,
          clientSecret: config.OIDC_CLIENT_SECRET!,
        })
      : null,
  };
}

function redirectUri({ BASE_URL }: Config, name: ProviderName): string {
  return `${BASE_URL}/oauth/${name}/callback`;
}

/** GitHub is plain OAuth 2: no discovery, and no ID token. */
function githubOf(config: Config, around: ProviderSurroundings): Provider {
  const configuration = new Configuration(
    {
      issuer: `${around.github}/login/oauth`,
      authorization_endpoint: `${around.github}/login/oauth/authorize`,
      token_endpoint: `${around.github}/login/oauth/access_token`,
    },
    config.GITHUB_OAUTH_CLIENT!,
    undefined,
    ClientSecretPost(config.GITHUB_OAUTH_SECRET!),
  );
  configuration[customFetch] = boundedFetch;
  configuration.timeout = around.timeoutS;
  if (isPlainHttp(around.github)) allowInsecureRequests(configuration);
  return {
    name: "github",
    title: "GitHub",
    scope: "user:email",
    redirectUri: redirectUri(config, "github"),
    api: around.githubApi,
    configuration: async () => configuration,
  };
}

interface Registration {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

function openId(
  ctx: Context,
  name: ProviderName,
  title: string,
  { timeoutS }: ProviderSurroundings,
  registration: Registration,
): Provider {
  return {
    name,
    title,
    scope: "openid email",
    redirectUri: redirectUri(ctx.config, name),
    api: null,
    configuration: createDiscovery({ find: () => discover(registration, timeoutS), now: ctx.now }),
  };
}

async function discover(
  { issuer, clientId, clientSecret }: Registration,
  timeoutS: number,
): Promise<Configuration> {
  const configuration = await discovery(
    new URL(issuer),
    clientId,
    undefined,
    (server, client, body, headers) => {
      // The default of client registration, so it comes first where both are accepted.
      const taken = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
      const prove = taken.includes("client_secret_basic") ? ClientSecretBasic : ClientSecretPost;
      return prove(clientSecret)(server, client, body, headers);
    },
    {
      [customFetch]: boundedFetch,
      timeout: timeoutS,
      execute: isPlainHttp(issuer) ? [allowInsecureRequests] : [],
    },
  );
  // Signatures are checked though the token comes from the provider itself: the connection is not all that is trusted.
  enableNonRepudiationChecks(configuration);
  return configuration;
}

/** An issuer on this machine, which the settings allow outside of production. */
function isPlainHttp(address: string): boolean {
  return address.startsWith("http:");
}
