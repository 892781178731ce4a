import { parseConnectionUrl } from "nodemailer/lib/shared";
import { handoverOf, oneLine, sourceOf, unfitAddress, wordsOf } from "./_handover.ts";
import type { Failure } from "./_smtp_dialogue.ts";
import { createSmtpPool, type SmtpPoolOptions } from "./_smtp_pool.ts";
import type { AddressesOf } from "./_smtp_session.ts";
import type { Mailer } from "./mailer.ts";
import { isProvider, marked, providerBehind, providerIdIn } from "./provider_marks.ts";

const DEFAULTS = {
  // What is claimed and not settled is never more than this, and the wait for a commit is part of it.
  maxConnections: 40,
  maxMessages: Infinity,
  connectionTimeout: 15_000,
  greetingTimeout: 15_000,
  // A server that is silent for so long is given up. After the end of a message RFC 5321 (4.5.3.2.6) would wait ten
  // minutes; a shorter wait costs a mail in doubt now and then, a longer one would hold a connection hostage.
  socketTimeout: 120_000,
  // A server that continues, however slowly, has so long for one message.
  messageTimeout: 600_000,
};

interface SmtpMailerOptions {
  /** How many connections at most, whatever the URL says. */
  connections?: number | null;
  /** The addresses of a host that may be called, asked for each connection. Left out: those that the mail library finds. */
  addressesOf?: AddressesOf | undefined;
}

/**
 * Hands mail to the SMTP server of `url` over a pool of connections. The query of the URL takes `maxConnections`,
 * `maxMessages` (of a connection), `messageTimeout` (milliseconds for one message, however it continues) and what the
 * mail library knows of a connection, such as `socketTimeout` (milliseconds without progress), `requireTLS`,
 * `authMethod` and `tls.rejectUnauthorized`. Mails to a known provider, by its host or by `provider`, are marked for its
 * webhooks.
 */
export function createSmtpMailer(
  url: string,
  { connections = null, addressesOf }: SmtpMailerOptions = {},
): Mailer {
  const given = parseConnectionUrl(url) as ReturnType<typeof parseConnectionUrl> & { provider?: unknown };
  const maxConnections = connections ?? countOf(given.maxConnections, DEFAULTS.maxConnections);
  const counts = {
    maxConnections,
    maxMessages: countOf(given.maxMessages, DEFAULTS.maxMessages),
    socketTimeout: countOf(given.socketTimeout, DEFAULTS.socketTimeout),
    messageTimeout: countOf(given.messageTimeout, DEFAULTS.messageTimeout),
  };
  const pool = createSmtpPool({ ...DEFAULTS, ...given, ...counts, addressesOf } as SmtpPoolOptions);
  const provider = isProvider(given.provider) ? given.provider : providerBehind(String(given.host));
  return {
    connections: maxConnections,
    async send(mail, mayEnd) {
      const unfit = unfitAddress(mail.envelope);
      if (unfit) return unfit;
      try {
        const source = sourceOf(mail);
        const message = provider && mail.origin ? marked(source, provider, mail.origin) : source;
        const response = oneLine(await pool.deliver(mail.envelope, message, mayEnd));
        const providerId = provider && providerIdIn(provider, response);
        return { state: "accepted", response, ...(providerId && { providerId }) };
      } catch (error) {
        return handoverOf(error as Failure);
      }
    },
    async reach() {
      try {
        await pool.reach();
        return null;
      } catch (error) {
        return wordsOf(error as Failure);
      }
    },
    close: () => pool.close(),
  };
}

/** A number, 1 or more, that a timer can wait for; otherwise the default. */
function countOf(given: unknown, usual: number): number {
  return typeof given === "number" && given >= 1 ? Math.min(Math.floor(given), 2 ** 31 - 1) : usual;
}
