// What is wrong with an `SMTP_URL`. The mail library accepts anything, and then hangs or opens nothing.
import { isProvider, MAIL_PROVIDERS } from "../mail/provider_marks.ts";
import { wrongInDirect } from "../mail/direct_url.ts";

/** The options of a connection that are numbers. */
const NUMBERS = [
  "maxConnections",
  "maxMessages",
  "messageTimeout",
  "connectionTimeout",
  "greetingTimeout",
  "socketTimeout",
  "dnsTimeout",
];

const FLAGS = [
  "ignoreTLS",
  "requireTLS",
  "opportunisticTLS",
  "secure",
  "pool",
  "allowInternalNetworkInterfaces",
];
const WORDS = ["name", "localAddress", "servername", "authMethod", "provider"];
const KNOWN = [...NUMBERS, ...FLAGS, ...WORDS];

const EXPECTED =
  "expected an address such as smtp://user:password@host:587, with special characters percent-encoded";
const CODES = "(# is %23, / is %2F, ? is %3F, @ is %40)";

/** The reasons why nothing can be sent to this address. Values are not repeated: it may hold a password. */
export function wrongInSmtp(url: URL | null): string[] {
  if (url?.protocol === "direct:") return wrongInDirect(url);
  if (!url?.hostname || url.port === "0") return [EXPECTED];
  // Behind a password with such a character in it stands the rest of it, and the true host.
  if (url.href.includes("#")) return [`${EXPECTED} ${CODES}: nothing may follow a #`];
  if (!/^\/?$/.test(url.pathname)) return [`${EXPECTED} ${CODES}: only options may follow the host`];
  return [...url.searchParams].flatMap(([name, value]) => wrongInOption(name, value));
}

function wrongInOption(name: string, value: string): string[] {
  if (NUMBERS.includes(name) && !/^0*[1-9]\d{0,8}$/.test(value))
    return [`${name} must be a whole number, 1 or more`];
  if (FLAGS.includes(name) && !/^(true|false)$/.test(value)) return [`${name} must be true or false`];
  if (name === "provider" && !isProvider(value))
    return [`provider must be one of ${MAIL_PROVIDERS.join(", ")}`];
  if (KNOWN.includes(name) || /^tls\.[A-Za-z]+$/.test(name)) return [];
  return [
    `${named(name)} after the ? is unknown: there are ${KNOWN.join(", ")}, and those of tls., such as tls.rejectUnauthorized`,
  ];
}

/** Anything that is not a word may be the rest of a password. */
function named(option: string): string {
  return /^[A-Za-z.]{1,40}$/.test(option) ? `the option ${option}` : "an option";
}
