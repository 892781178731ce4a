// The settings of the service, read once.
import { isIP } from "node:net";
import type { Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { readDirectAddresses } from "./_direct_transports.ts";
import { expectationOf } from "./_words.ts";
import { Settings } from "./_settings.ts";
import { wrongInSmtp } from "./_smtp.ts";
import { wrongInTelemetry } from "./_telemetry.ts";
import { parseMailbox } from "../mail/address.ts";
import { createDns } from "../mail/dns.ts";
import { parseDomain } from "../mail/domain_name.ts";
import { FEEDBACK_SOURCES, type FeedbackSource, isFeedbackSource } from "../mail/provider_marks.ts";

export { sameAddress } from "./_direct_transports.ts";
export { Settings } from "./_settings.ts";
export { wrongInSmtp } from "./_smtp.ts";
export { keyValues } from "./_telemetry.ts";

/** The sender of platform mails while they are captured: any will do, and this one belongs to nobody (RFC 2606). */
const CAPTURED_FROM = "Postrider <postrider@sandbox.example>";

/** Hosts of this machine, as URLs have them. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

const TOPIC_ARN = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w.-]{1,256}$/;

/** The settings of one process. Read once, by `main.ts` and `admin.ts`; nothing else reads the environment. */
export type Config = Readonly<Omit<Static<typeof Settings>, "BASE_URL" | "HOST" | "SECRET_KEY">> & {
  readonly BASE_URL: string;
  readonly HOST: string;
  /** Empty until `openService` has generated one, in development. */
  readonly SECRET_KEY: string;
};

/** Reads the settings, or throws one error that names every wrong one. An empty variable counts as left out. */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const settings = Value.Convert(Settings, Value.Default(Settings, Value.Clean(Settings, given)));
  const named = new Set([...Value.Errors(Settings, settings)].map(({ path }) => path.split("/")[1]!));
  const wrong = [...named].map((name) => `${name}: ${expectationOf(name)}`);
  wrong.push(
    ...unusable(settings as Static<typeof Settings>).filter((line) => !named.has(line.split(":")[0]!)),
  );
  if (wrong.length > 0) throw new Error(`Cannot read the settings\n  ${wrong.join("\n  ")}`);
  return Object.freeze(withDefaults(settings as Static<typeof Settings>));
}

/** What the schema cannot tell. Values are not repeated: an address may hold a password. */
function unusable(settings: Static<typeof Settings>): string[] {
  const {
    SECRET_KEY,
    BASE_URL,
    DATABASE_URL,
    DATABASE_DIRECT_URL,
    SMTP_URL,
    PLATFORM_FROM,
    DNS_SERVERS,
    SNS_TOPIC_ARNS,
  } = settings;
  const lines: string[] = [];
  if (isProduction(settings) && !SECRET_KEY) {
    lines.push("SECRET_KEY: required in production; make one with `openssl rand -hex 32`");
  }
  if (BASE_URL && !parseUrl(BASE_URL))
    lines.push("BASE_URL: expected an address such as https://example.com");
  if (DATABASE_URL && !parseUrl(DATABASE_URL)) {
    lines.push("DATABASE_URL: expected an address such as postgres://user:password@host:5432/database");
  }
  if (DATABASE_DIRECT_URL && !parseUrl(DATABASE_DIRECT_URL)) {
    lines.push(
      "DATABASE_DIRECT_URL: expected an address such as postgres://user:password@host:5432/database",
    );
  }
  if (DATABASE_DIRECT_URL && !DATABASE_URL) {
    lines.push("DATABASE_URL: missing, while DATABASE_DIRECT_URL is set");
  }
  if (SMTP_URL) lines.push(...wrongInSmtp(parseUrl(SMTP_URL)).map((reason) => `SMTP_URL: ${reason}`));
  if (settings.SPAM_FILTER_URL && !parseUrl(settings.SPAM_FILTER_URL)) {
    lines.push("SPAM_FILTER_URL: expected an address such as http://rspamd:11333");
  }
  if (PLATFORM_FROM && !parseMailbox(PLATFORM_FROM)) {
    lines.push("PLATFORM_FROM: expected an address such as Postrider <postrider@example.com>");
  }
  if (settings.REQUIRE_EMAIL_VERIFICATION && SMTP_URL && !PLATFORM_FROM) {
    lines.push("REQUIRE_EMAIL_VERIFICATION: requires PLATFORM_FROM, the sender of these mails");
  }
  if (!dashboardOrigins(settings).every(isOrigin)) {
    lines.push("DASHBOARD_ORIGINS: expected origins such as https://app.example.com, separated by commas");
  }
  const proxies = trustedProxies(settings);
  if (typeof proxies === "number" ? proxies > 20 : proxies.some((item) => !isNetwork(item))) {
    lines.push(
      "TRUSTED_PROXIES: expected a number up to 20, or networks such as 10.0.0.0/8, separated by commas",
    );
  }
  if (!snsTopics({ SNS_TOPIC_ARNS }).every((topic) => TOPIC_ARN.test(topic))) {
    lines.push(
      "SNS_TOPIC_ARNS: expected topics such as arn:aws:sns:eu-west-1:123456789012:mail, separated by commas",
    );
  }
  if (!isSafe(parseUrl(settings.STRIPE_API_BASE))) {
    lines.push("STRIPE_API_BASE: expected an https address (http: only on this machine)");
  }
  if (providerWebhooks(settings) === null) {
    lines.push(
      `PROVIDER_WEBHOOKS: expected a secret for each provider (${FEEDBACK_SOURCES.join(", ")}), such as postmark=user:password, separated by commas`,
    );
  }
  if (readDirectAddresses(settings.ALLOW_DIRECT_TRANSPORTS) === "unreadable") {
    lines.push(
      "ALLOW_DIRECT_TRANSPORTS: expected true, false, or addresses of this machine such as 203.0.113.7, separated by commas",
    );
  }
  if (stripePrices(settings) === null) {
    lines.push("STRIPE_PRICES: expected prices such as price_base:1,price_mails, separated by commas");
  }
  if (stripeMeters(settings) === null) {
    lines.push(
      "STRIPE_METERS: expected categories (workflows, campaigns, transactional, inbound) with the event names of meters, such as transactional=mails,campaigns=mails",
    );
  }
  lines.push(...wrongInTelemetry(settings), ...incomplete(settings));
  try {
    createDns({ servers: dnsServers({ DNS_SERVERS }) });
  } catch {
    lines.push('DNS_SERVERS: expected "host" or "host:port", separated by commas');
  }
  return lines;
}

/** What belongs together, as to one provider of sign-ins: all of it is there, or nothing. */
const TOGETHER = [
  ["SUBMISSION_CERT_FILE", "SUBMISSION_KEY_FILE"],
  ["S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"],
  ["GITHUB_OAUTH_CLIENT", "GITHUB_OAUTH_SECRET"],
  ["GOOGLE_OAUTH_CLIENT", "GOOGLE_OAUTH_SECRET"],
  ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"],
  ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_PRICES"],
] as const;

function incomplete(settings: Static<typeof Settings>): string[] {
  const lines = TOGETHER.filter((names) => names.some((name) => settings[name])).flatMap((names) =>
    names
      .filter((name) => !settings[name])
      .map(
        (name) => `${name}: missing, while ${names.filter((other) => settings[other]).join(" and ")} is set`,
      ),
  );
  if (settings.SUBMISSION_TLS_PORT !== undefined && !settings.SUBMISSION_CERT_FILE) {
    lines.push("SUBMISSION_TLS_PORT: requires SUBMISSION_CERT_FILE and SUBMISSION_KEY_FILE");
  }
  const { OIDC_ISSUER, S3_BUCKET, S3_ENDPOINT, S3_PUBLIC_URL } = settings;
  if ((S3_ENDPOINT || S3_PUBLIC_URL) && !S3_BUCKET) {
    lines.push("S3_BUCKET: missing, while S3_ENDPOINT or S3_PUBLIC_URL is set");
  }
  if (OIDC_ISSUER && !isIssuer(OIDC_ISSUER, isProduction(settings))) {
    lines.push(
      "OIDC_ISSUER: expected the issuer exactly as it names itself, such as https://login.example.com/realms/main (http: only on this machine, and not in production)",
    );
  }
  return lines;
}

/** What the issuer says decides who somebody is, so it must not be readable or changeable on the way. */
function isIssuer(text: string, isProductive: boolean): boolean {
  const url = parseUrl(text);
  if (!url || url.username + url.password + url.search + url.hash !== "") return false;
  if (url.pathname.includes("/.well-known/")) return false;
  if (url.protocol === "http:") return !isProductive && LOOPBACK.test(url.hostname);
  return url.protocol === "https:";
}

/** Nobody on the way can read what is sent there. */
function isSafe(url: URL | null): boolean {
  return url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
}

/** Null for anything that is not a URL, and for one whose name or password cannot be decoded. */
function parseUrl(text: unknown): URL | null {
  try {
    const url = new URL(String(text));
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return null;
  }
}

/** The name servers to ask, in order. Empty means the system's. */
export function dnsServers(config: { DNS_SERVERS: string }): string[] {
  return listed(config.DNS_SERVERS);
}

/** The host that bounces come back to, or null if this installation has no name that others could find. */
export function inboundHost(config: Pick<Config, "BASE_URL" | "INBOUND_HOST">): string | null {
  return config.INBOUND_HOST?.toLowerCase() ?? parseDomain(new URL(config.BASE_URL).hostname);
}

/** The topics of SNS that count. Empty means every one. */
export function snsTopics(config: { SNS_TOPIC_ARNS: string }): string[] {
  return listed(config.SNS_TOPIC_ARNS);
}

/** The secrets of providers' webhooks. Null for what cannot be read. */
export function providerWebhooks(config: {
  PROVIDER_WEBHOOKS: string;
}): Partial<Record<FeedbackSource, string>> | null {
  const secrets: Partial<Record<FeedbackSource, string>> = {};
  for (const item of listed(config.PROVIDER_WEBHOOKS)) {
    const [, name, secret] = /^(\w+)=(\S+)$/.exec(item) ?? [];
    if (!isFeedbackSource(name) || secrets[name] !== undefined) return null;
    secrets[name] = secret!;
  }
  return secrets;
}

/** From which addresses of this machine projects may deliver directly, written as by {@linkcode sameAddress}. Null: from any. */
export function directAddresses(config: { ALLOW_DIRECT_TRANSPORTS: string }): readonly string[] | null {
  const addresses = readDirectAddresses(config.ALLOW_DIRECT_TRANSPORTS);
  return addresses === "unreadable" ? [] : addresses;
}

/** The origins, besides our own, whose pages may act with the session cookie. */
export function dashboardOrigins(config: { DASHBOARD_ORIGINS: string }): string[] {
  return listed(config.DASHBOARD_ORIGINS);
}

/** Where people look after their projects: the first dashboard, or this service itself. */
export function dashboardAddress(config: Pick<Config, "BASE_URL" | "DASHBOARD_ORIGINS">): string {
  return dashboardOrigins(config)[0] ?? config.BASE_URL;
}

/** Who is trusted to say where a request came from: a number of proxies in a row, or those in these networks. */
export function trustedProxies(config: { TRUSTED_PROXIES: string }): number | string[] {
  const items = listed(config.TRUSTED_PROXIES);
  return items.length === 1 && /^\d+$/.test(items[0]!) ? Number(items[0]) : items;
}

function isNetwork(text: string): boolean {
  const [address = "", length, ...more] = text.split("/");
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  if (bits === undefined || more.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
}

/** The prices of a subscription; metered ones have no quantity. Null for what cannot be read. */
export function stripePrices(config: {
  STRIPE_PRICES: string;
}): { price: string; quantity?: number }[] | null {
  const items = listed(config.STRIPE_PRICES).map((item) => /^(\w{1,255})(?::([1-9]\d{0,5}))?$/.exec(item));
  if (items.some((item) => item === null)) return null;
  return items.map((item) => ({ price: item![1]!, ...(item![2] && { quantity: Number(item![2]) }) }));
}

const METERED = ["workflows", "campaigns", "transactional", "inbound"] as const;

/** The event names of meters, by category of usage. Null for what cannot be read. */
export function stripeMeters(config: {
  STRIPE_METERS: string;
}): Partial<Record<(typeof METERED)[number], string>> | null {
  const meters: Partial<Record<(typeof METERED)[number], string>> = {};
  for (const item of listed(config.STRIPE_METERS)) {
    const [, name, event] = /^(\w+)=([\w.-]{1,100})$/.exec(item) ?? [];
    const category = METERED.find((known) => known === name);
    if (category === undefined || meters[category] !== undefined) return null;
    meters[category] = event!;
  }
  return meters;
}

function listed(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function isOrigin(text: string): boolean {
  const url = parseUrl(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
}

/** True if mistakes cost something: no generated secrets, a guarded inbox. */
export function isProduction(config: { NODE_ENV: string }): boolean {
  return config.NODE_ENV === "production";
}

function withDefaults(settings: Static<typeof Settings>): Config {
  return {
    ...settings,
    BASE_URL: settings.BASE_URL ?? `http://localhost:${settings.PORT}`,
    HOST: settings.HOST ?? (isProduction(settings) ? "0.0.0.0" : "127.0.0.1"),
    SECRET_KEY: settings.SECRET_KEY ?? "",
    ...(!settings.SMTP_URL && { PLATFORM_FROM: settings.PLATFORM_FROM ?? CAPTURED_FROM }),
  };
}
