// Somebody who has signed in at a provider, in the provider's terms.
import {
  type Configuration,
  fetchProtectedResource,
  fetchUserInfo,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from "openid-client";
import { parseAddress } from "../../../mail/address.ts";
import type { Profile } from "./identities.ts";
import type { Provider } from "./providers.ts";

/** What a provider gives for a code. */
export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

type Person = Omit<Profile, "provider">;

/** OpenID Connect allows 255 characters. */
const MAX_SUBJECT_BYTES = 1_000;

const GITHUB_HEADERS = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };

/** The profile as received. */
interface Told {
  sub?: string;
  email?: unknown;
  email_verified?: unknown;
}

/** Reads the profile. Throws if the provider cannot give it, or gives it for somebody else. */
export async function readProfile(
  provider: Provider,
  configuration: Configuration,
  tokens: Tokens,
): Promise<Profile> {
  const profile = await (provider.api === null
    ? openIdProfile(configuration, tokens)
    : githubProfile(provider.api, configuration, tokens));
  if (Buffer.byteLength(profile.subject) > MAX_SUBJECT_BYTES) throw new Error("an id that is too long");
  return { provider: provider.title, ...profile };
}

async function openIdProfile(configuration: Configuration, tokens: Tokens): Promise<Person> {
  const claims = tokens.claims()!;
  const identity = { issuer: claims.iss, subject: claims.sub };
  // Many issuers give the address only by a separate request. Address and "verified" are taken from the same response.
  const needsAsking = !isVerified(claims) && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const asked: Told = needsAsking ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
  const told = asked.email === undefined ? claims : asked;
  return { ...identity, email: emailOf(told), emailVerified: isVerified(told) };
}

function isVerified({ email, email_verified }: Told): boolean {
  // Some issuers write the word.
  return email !== undefined && (email_verified === true || email_verified === "true");
}

function emailOf({ email }: Told): string | null {
  return typeof email === "string" ? (parseAddress(email)?.email ?? null) : null;
}

interface GithubEmail {
  email: string;
  primary: boolean;
  verified: boolean;
}

/** Its accounts are known by their number: names can be given up there and taken by others. */
async function githubProfile(api: string, configuration: Configuration, tokens: Tokens): Promise<Person> {
  const get = async (path: string): Promise<unknown> => {
    const url = new URL(api + path);
    const headers = new Headers(GITHUB_HEADERS);
    const answer = await fetchProtectedResource(
      configuration,
      tokens.access_token,
      url,
      "GET",
      undefined,
      headers,
    );
    if (answer.status !== 200) throw new Error(`${url.pathname} answers ${answer.status}`);
    return await answer.json();
  };
  const account = (await get("/user")) as { id?: unknown } | null;
  if (typeof account?.id !== "number") throw new Error("/user returned no id");
  const emails = (await get("/user/emails?per_page=100")) as GithubEmail[];
  const main = Array.isArray(emails) ? emails.find(({ primary }) => primary === true) : undefined;
  return {
    issuer: configuration.serverMetadata().issuer,
    subject: String(account.id),
    email: main ? emailOf(main) : null,
    emailVerified: main?.verified === true,
  };
}
