// What the URL of a transport may be, and when its password may be left out because it is known already.
import { wrongInSmtp } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { mailServerAddresses } from "../../guard.ts";
import { Refused } from "../../net/checked_addresses.ts";
import type { FieldError } from "../../problem/mod.ts";
import { MASKED_USER } from "./sealed.ts";

/** Longest URL of a transport. */
export const MAX_URL = 2_000;

const EXPECTED =
  "Expected an address such as smtp://user:password@smtp.example.com:587, or smtps://user:password@smtp.example.com:465";
/**
 * The options of a project's own: how its server is spoken to. Others would lead elsewhere (`tls.host`, `tls.path`, `localAddress`),
 * or let it take more than its share (`maxConnections`, timeouts).
 */
const OWN_OPTIONS = [
  "requireTLS",
  "ignoreTLS",
  "opportunisticTLS",
  "secure",
  "name",
  "servername",
  "authMethod",
  "provider",
  "tls.rejectUnauthorized",
  "tls.servername",
  "tls.minVersion",
  "tls.maxVersion",
  "tls.ciphers",
];
const USUAL_PORTS: Record<string, string> = { "smtp:": "587", "smtps:": "465" };

/** What is wrong with a URL; values are not repeated, for they may be part of a password. `isOwn`: it is of a project. */
export async function urlErrors(ctx: Context, text: string, isOwn: boolean): Promise<FieldError[]> {
  const url = URL.parse(text);
  if (!url || !(url.protocol in USUAL_PORTS)) return [errorOf(EXPECTED)];
  const wrong = [...wrongInSmtp(url), ...(isOwn ? wrongInOwn(url) : [])];
  if (wrong.length > 0) return wrong.map(errorOf);
  return isOwn ? await hostErrors(ctx, url.hostname) : [];
}

/** Whether a URL names a user and no password: it is meant to be the one that is known. */
export function lacksPassword(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.username !== "" && url.password === "";
}

/**
 * A URL with the password of the one before, where it leads to the same server, as the same user, and is no less safe: a password
 * never goes to a server that it was not given for. Null otherwise.
 */
export function withKnownPassword(text: string, before: string | null): string | null {
  const [url, old] = [URL.parse(text), before === null ? null : URL.parse(before)];
  if (!url || !old || serverOf(url) !== serverOf(old)) return null;
  const isMasked = url.username === MASKED_USER && old.username === old.password;
  if (!isMasked && decoded(url.username) !== decoded(old.username)) return null;
  url.username = old.username;
  url.password = old.password;
  return url.href;
}

/** All that decides who gets to see a password. */
function serverOf({ protocol, hostname, port, searchParams }: URL): string {
  const options = [...searchParams].map((pair) => pair.join("=")).sort();
  return JSON.stringify([protocol, hostname.toLowerCase(), port || USUAL_PORTS[protocol], ...options]);
}

function wrongInOwn(url: URL): string[] {
  const others = [...url.searchParams.keys()].filter((name) => !OWN_OPTIONS.includes(name));
  if (others.length === 0) return [];
  return [
    `Only these options may follow the ?: ${OWN_OPTIONS.join(", ")}. How many connections there are is said by \`connections\``,
  ];
}

/** A name that cannot be looked up now may be there tomorrow; it is looked up for each connection. */
async function hostErrors(ctx: Context, host: string): Promise<FieldError[]> {
  try {
    await mailServerAddresses(ctx, host);
    return [];
  } catch (error) {
    if (!(error instanceof Refused)) return [];
    return [errorOf(`${error.message}: transports of projects must be reachable from the internet`)];
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function errorOf(message: string): FieldError {
  return { field: "url", code: "invalid_string", message };
}
