// What carries mail away: one server, the servers of the recipients, or nothing.
import { type Config, dnsServers } from "../config/mod.ts";
import type { Context } from "../context.ts";
import { createDirectMailer } from "../mail/direct_mailer.ts";
import { isDirect, readDirectUrl } from "../mail/direct_url.ts";
import { createDns, type DetailedDns } from "../mail/dns.ts";
import { mailServerAddresses } from "../guard.ts";
import type { Mailer, MailerOptions } from "../mail/mailer.ts";
import { createSmtpMailer } from "../mail/smtp.ts";
import type { TlsFailures } from "../mail/tls_failures.ts";
import { guardedRequest } from "../net/guarded_request.ts";
import { reasonAgainstAddress } from "../net/public_address.ts";
import { createInboxMailer } from "../sending/captured/mod.ts";

/** A minute, as RFC 8461 (3.3) has it, would hold up the first mail of every domain whose server hangs. */
const POLICY_MS = 10_000;

/** The mailer that `SMTP_URL` asks for; `keep` makes the one that keeps mails here. */
export function createMailer(
  config: Config,
  dns: DetailedDns,
  tlsFailures: TlsFailures,
  keep: () => Mailer,
): Mailer {
  const { SMTP_URL } = config;
  if (SMTP_URL === undefined) return keep();
  if (!isDirect(SMTP_URL)) return createSmtpMailer(SMTP_URL);
  return direct(SMTP_URL, dns, {
    allowPrivate: config.ALLOW_PRIVATE_TRANSPORTS,
    connections: null,
    tlsFailures,
  });
}

/**
 * What carries the mails of a transport away. Mails of CAPTURE come into the inbox. The server of a project's own transport is
 * called at public addresses only, whatever its name leads to at that moment.
 */
export function openMailer(
  on: Pick<Context, "sql" | "dns" | "config" | "tlsFailures">,
  { kind, url, connections, isOwn }: MailerOptions,
): Mailer {
  const { config, tlsFailures } = on;
  if (kind === "CAPTURE") return createInboxMailer(on);
  const addressesOf = isOwn ? (host: string) => mailServerAddresses(on, host) : undefined;
  if (kind === "SMTP") return createSmtpMailer(url!, { connections, addressesOf });
  const allowPrivate = config.ALLOW_PRIVATE_TRANSPORTS;
  return direct(url!, createDns({ servers: dnsServers(config) }), { allowPrivate, connections, tlsFailures });
}

/** Whose network it may reach into, and how many mails go at once; null: as the URL says. */
interface DirectLimits {
  allowPrivate: boolean;
  connections: number | null;
  tlsFailures: TlsFailures | undefined;
}

function direct(
  url: string,
  dns: DetailedDns,
  { allowPrivate, connections, tlsFailures }: DirectLimits,
): Mailer {
  const reasonAgainst = (address: string) => {
    const reason = reasonAgainstAddress(address, allowPrivate);
    const couldBeAllowed = reason !== null && reasonAgainstAddress(address, true) === null;
    return couldBeAllowed ? `${reason} (see ALLOW_PRIVATE_TRANSPORTS)` : reason;
  };
  const fetchPolicy = async (address: string): Promise<string | null> => {
    const request = { method: "GET", url: address, headers: { accept: "text/plain" }, body: null };
    const answer = await guardedRequest(request, {
      dns,
      reasonAgainst,
      timeoutMs: POLICY_MS,
      maxRedirects: 0,
    });
    if (answer.state !== "answered" || answer.status !== 200 || answer.isCut) return null;
    const isText = /^text\/plain\b/i.test(answer.headers.get("content-type") ?? "");
    return isText ? answer.body.toString() : null;
  };
  const limit = connections === null ? {} : { maxConnections: connections };
  return createDirectMailer({
    ...readDirectUrl(url),
    ...limit,
    dns,
    reasonAgainst,
    fetchPolicy,
    tlsFailures,
  });
}
