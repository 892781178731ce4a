// An OpenID provider on loopback, as real as they come; and one that lies, where a test wants it to.
import { afterAll, beforeAll } from "bun:test";
import { createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type Provider from "oidc-provider";

/** The client that the service is at every provider. */
export const CLIENT = { id: "postrider", secret: "a secret with -_.~ and %2D in it" };

type Fields = Record<string, unknown>;

/** What a provider tells of somebody. */
export interface Person {
  email?: string;
  email_verified?: boolean | string;
}

/** How a false token is made. */
export interface Forgery {
  alg?: "RS256" | "HS256" | "none";
  /** Signed with a key that the provider does not have. */
  otherKey?: boolean;
}

/** A provider, for one test file. */
export interface OpenIdProvider {
  issuer: string;
  /** By their ids. Somebody who is not here cannot sign in. */
  people: Map<string, Person>;
  /** The paths that were asked for. */
  requests: string[];
  /** Changes what a path answers, until the test ends with it. */
  lies: Map<string, (truth: Fields) => unknown>;
  /** Answers a path instead of the provider. */
  answers: Map<string, RequestListener>;
  /** The token with other claims. */
  forge(token: unknown, change: (claims: Fields) => Fields, forgery?: Forgery): string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** The header by which a browser of a test says who sits before it: `ada`, or `nobody` who declines. */
export const PERSON_HEADER = "x-person";

/** Gives the test file a provider that knows the service by these callbacks. */
export function useOpenIdProvider(callbacks: string[]): OpenIdProvider {
  const provider = {} as OpenIdProvider;

  beforeAll(async () => {
    const RealProvider = (await quietly(() => import("oidc-provider"))).default;
    const [key, otherKey] = [newKey(), newKey()];
    let listener: RequestListener = () => {};
    let server = createServer((req, res) => listener(req, res));
    const listen = (port: number) =>
      new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
    await listen(0);
    const { port } = server.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${port}`;
    Object.assign(provider, {
      issuer,
      people: new Map(),
      requests: [],
      lies: new Map(),
      answers: new Map(),
      forge: (token: unknown, change: (claims: Fields) => Fields, forgery: Forgery = {}) =>
        forge(String(token), change, { key: forgery.otherKey ? otherKey : key, ...forgery }),
      stop: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
      start: async () => {
        server = createServer((req, res) => listener(req, res));
        await listen(port);
      },
    } satisfies OpenIdProvider);
    const answer = (
      await quietly(async () => realProvider(RealProvider, provider, key, callbacks))
    ).callback();
    listener = (req, res) => {
      const path = new URL(req.url!, issuer).pathname;
      provider.requests.push(path);
      (provider.answers.get(path) ?? answer)(req, res);
    };
  });

  afterAll(async () => {
    await provider.stop();
  });

  return provider;
}

function realProvider(
  RealProvider: typeof Provider,
  stage: OpenIdProvider,
  key: KeyObject,
  callbacks: string[],
): Provider {
  const provider = new RealProvider(stage.issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: callbacks }],
    jwks: { keys: [{ ...key.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" }] },
    cookies: { keys: ["only the tests know"] },
    claims: { email: ["email", "email_verified"] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) =>
      stage.people.has(id) && { accountId: id, claims: () => ({ sub: id, ...stage.people.get(id) }) },
  });
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith("/interaction/")) {
      await next();
      const lie = stage.lies.get(ctx.path);
      if (lie) ctx.body = lie(ctx.body as Fields);
      return;
    }
    const { params } = await provider.interactionDetails(ctx.req, ctx.res);
    const person = String(ctx.req.headers[PERSON_HEADER]);
    ctx.respond = false;
    if (!stage.people.has(person)) {
      await provider.interactionFinished(ctx.req, ctx.res, { error: "access_denied" });
      return;
    }
    const grant = new provider.Grant({ accountId: person, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: person }, consent });
  });
  return provider;
}

function newKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

function forge(
  token: string,
  change: (claims: Fields) => Fields,
  { key, alg = "RS256" }: Forgery & { key: KeyObject },
): string {
  const [, payload] = token.split(".");
  const claims = change(JSON.parse(Buffer.from(payload!, "base64url").toString()) as Fields);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ alg, ...(alg !== "none" && { kid: "one" }) })}.${encode(claims)}`;
  if (alg === "none") return `${signed}.`;
  return `${signed}.${
    alg === "HS256"
      ? createHmac("sha256", CLIENT.secret).update(signed).digest("base64url")
      : createSign("RSA-SHA256").update(signed).sign(key, "base64url")
  }`;
}

/** It would say that it is meant for other runtimes and other places than a test. */
async function quietly<T>(make: () => Promise<T>): Promise<T> {
  const { info, warn } = console;
  console.info = console.warn = () => {};
  try {
    return await make();
  } finally {
    Object.assign(console, { info, warn });
  }
}
