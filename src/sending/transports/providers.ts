// Who operates the mailboxes of a recipient domain.

/** Domains that mailbox providers give to people. What is hosted for companies is known by its MX. */
const DOMAINS: Record<string, readonly string[]> = {
  google: ["gmail.com", "googlemail.com"],
  microsoft: [
    "outlook.com",
    "hotmail.com",
    "live.com",
    "msn.com",
    "outlook.de",
    "hotmail.co.uk",
    "hotmail.fr",
    "live.nl",
  ],
  yahoo: [
    "yahoo.com",
    "ymail.com",
    "rocketmail.com",
    "aol.com",
    "yahoo.co.uk",
    "yahoo.fr",
    "yahoo.de",
    "yahoo.co.in",
    "myyahoo.com",
  ],
  apple: ["icloud.com", "me.com", "mac.com"],
  gmx: ["gmx.de", "gmx.net", "gmx.at", "gmx.ch", "web.de"],
  proton: ["proton.me", "protonmail.com", "pm.me"],
  mailru: ["mail.ru", "inbox.ru", "bk.ru", "list.ru"],
  yandex: ["yandex.ru", "yandex.com", "ya.ru"],
};

/** Those that a rule may name. */
export const MAILBOX_PROVIDERS: readonly string[] = Object.keys(DOMAINS);

const BY_DOMAIN = new Map(
  Object.entries(DOMAINS).flatMap(([provider, domains]) =>
    domains.map((domain) => [domain, provider] as const),
  ),
);

/** The provider, or the domain itself where it is not known. */
export function providerOf(domain: string): string {
  return BY_DOMAIN.get(domain) ?? domain;
}
