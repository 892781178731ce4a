import { isProduction, snsTopics, trustedProxies } from "../config/mod.ts";
import { q } from "../db/queries.ts";
import { isSes } from "../mail/dkim.ts";
import { proxyMatcher } from "../proxies.ts";
import { hasSchema } from "./_database.ts";
import { type Check, failure, type Finding, ok, type Patient, skipped, warning } from "./_findings.ts";

const FETCH_MS = 5_000;
const DAY_MS = 24 * 3_600_000;
const MAX_PROXIES = 5;
/** How many of those seen are checked: some may have been added to the setting in the meantime. */
const MAX_SEEN = 1_000;
const MIN_ENTROPY_BITS = 80;
/** Placeholders of examples that were never replaced, and what people type when asked for a long secret. */
const PLACEHOLDER = /change.?me|replace.?(me|this)|your.?secret|example|password|01234567|12345678|qwerty/i;

/** The address in links and pages: its form, and who responds there. */
export const baseUrl: Check = {
  name: "base_url",
  limitMs: FETCH_MS + 1_000,
  async look(patient) {
    const reached = await reach(patient);
    const found = isProduction(patient.config) ? shape(patient.config.BASE_URL) : [];
    return reached.status === "ok" && found.length > 0 ? found : [...found, reached];
  },
};

/** The secret that signs links and seals keys. */
export const secretKey: Check = {
  name: "secret_key",
  limitMs: 1_000,
  async look({ config }) {
    if (!isProduction(config)) return skipped("secret_key", "Only needed in production");
    if (!isGuessable(config.SECRET_KEY)) return ok("secret_key", "It is long and looks random");
    const advice =
      "Create one with `openssl rand -hex 32`. Links in mails already sent stop working with the new one, and domains " +
      "need new DKIM keys, so the earlier the better.";
    return failure(
      "secret_key",
      "It is easy to guess, which would let an attacker unsubscribe people and read stored keys",
      advice,
    );
  },
};

/** Whether there is a proxy in front of the service that is not configured. */
export const namedProxies: Check = {
  name: "trusted_proxies",
  limitMs: 8_000,
  needsDatabase: true,
  async look(patient) {
    const { config, sql, now } = patient;
    const isReadable = sql !== null && (await hasSchema(patient));
    if (!isReadable) return skipped("trusted_proxies", "The database cannot be read");
    const since = new Date(now().getTime() - DAY_MS);
    const seen = await q.unnamedProxies.since({ sql }, { since, limit: MAX_SEEN });
    const isNamed = typeof trustedProxies(config) === "number" ? () => true : proxyMatcher(config);
    const peers = seen
      .map(({ peer }) => peer)
      .filter((peer) => !isNamed(peer, 0))
      .slice(0, MAX_PROXIES);
    if (peers.length === 0) {
      return ok("trusted_proxies", "No untrusted X-Forwarded-For was received recently");
    }
    const message = `X-Forwarded-For came from ${peers.join(", ")}, and is not trusted: all clients behind it share one limit`;
    const advice =
      "List those that are your own proxies in TRUSTED_PROXIES, such as " +
      `TRUSTED_PROXIES=${peers[0]}. The others have forged the header; if there is no proxy at all, set ` +
      "TRUSTED_PROXIES=0.";
    return warning("trusted_proxies", message, advice);
  },
};

/** Whose notifications of bounces and complaints are believed. */
export const snsTopicArns: Check = {
  name: "sns_topic_arns",
  limitMs: 8_000,
  needsDatabase: true,
  async look(patient) {
    const { config, sql } = patient;
    if (!isProduction(config)) return skipped("sns_topic_arns", "Only needed in production");
    if (snsTopics(config).length > 0)
      return ok("sns_topic_arns", "Only notifications of these topics are accepted");
    const isReadable = sql !== null && (await hasSchema(patient));
    const hasCome = isReadable && (await q.doctor.takesNotifications({ sql })).hasCome;
    if (!hasCome && !isSes(config.SMTP_URL))
      return skipped("sns_topic_arns", "Amazon SES is not the mail server");
    const report = hasCome ? failure : warning;
    const message =
      "Notifications of any Amazon account are accepted: strangers can report mails as bounced, or inject mail";
    const advice =
      "Set SNS_TOPIC_ARNS to your own topics. Without Amazon SES, use one that does not exist, such as " +
      "arn:aws:sns:us-east-1:000000000000:none.";
    return report("sns_topic_arns", message, advice);
  },
};

function shape(given: string): Finding[] {
  const { protocol, hostname } = new URL(given);
  const address = shown(given);
  if (isLocal(hostname)) {
    const message = `Links in mails point to ${address}, which nobody else can open`;
    return [warning("base_url", message, "Set BASE_URL to the public address of this service.")];
  }
  if (protocol === "https:") return [];
  const message = `${address} is not encrypted`;
  const advice =
    "Put the service behind HTTPS and set BASE_URL to it: only then do mailbox providers offer one-click unsubscribe.";
  return [warning("base_url", message, advice)];
}

async function reach({ config }: Patient): Promise<Finding> {
  const { BASE_URL } = config;
  const address = shown(BASE_URL);
  const report = isProduction(config) ? failure : warning;
  try {
    const answer = await fetch(`${BASE_URL}/health`, {
      redirect: "manual",
      signal: AbortSignal.timeout(FETCH_MS),
    });
    const { location } = Object.fromEntries(answer.headers) as { location?: string };
    if (location) {
      const message = `${address} redirects to ${location}`;
      return warning(
        "base_url",
        message,
        "Set BASE_URL to the final address: some mail programs do not follow redirects.",
      );
    }
    const body: unknown = await answer.json().catch(() => null);
    if (answer.ok && (body as { status?: unknown } | null)?.status === "ok") {
      return ok("base_url", `This service responds at ${address}`);
    }
    const message = `Something else responds at ${address} (${answer.status} for /health)`;
    return report(
      "base_url",
      message,
      "Check BASE_URL, and that the proxy in front of the service forwards every path.",
    );
  } catch (error) {
    const reason = reasonOf(error as Error).replaceAll(BASE_URL, address);
    const message = `Nothing responds at ${address}: ${reason}`;
    const advice = isProduction(config)
      ? "Check that the service runs, the name resolves to it, the certificate is valid and no firewall blocks this machine."
      : "Start the service with `bun run start`, or set BASE_URL (or PORT) to where it listens.";
    return report("base_url", message, advice);
  }
}

/** Without user and password: the message may be shown to others. */
function shown(address: string): string {
  const url = new URL(address);
  [url.username, url.password] = ["", ""];
  return url.href.replace(/\/$/, "");
}

function reasonOf(error: Error & { code?: string }): string {
  if (error.name === "TimeoutError") return `no response within ${FETCH_MS / 1000} s`;
  if (/refused/i.test(`${error.code} ${error.message}`)) return "the connection is refused";
  return error.message;
}

function isLocal(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\])$/.test(hostname);
}

/** Whether somebody could find it out: few different characters, a piece repeated, or words of an example. */
function isGuessable(secret: string): boolean {
  return entropyBits(secret) < MIN_ENTROPY_BITS || /^(.{1,16})\1+/.test(secret) || PLACEHOLDER.test(secret);
}

/** Shannon's, by how often each character comes: 32 random hex digits have some 115. */
function entropyBits(text: string): number {
  const counts = [...Map.groupBy(text, (letter) => letter).values()].map((same) => same.length);
  return counts.reduce((sum, count) => sum - count * Math.log2(count / text.length), 0);
}
