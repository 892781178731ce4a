// Who keeps the mailboxes of a domain: what people's addresses say, and what companies' mail servers say.
import { getDomain } from "tldts";

interface MailboxProvider {
  /** Domains that it gives to people. What is hosted for companies is known by its mail servers. */
  domains: readonly string[];
  /** Registrable domains of its mail servers. */
  hosts: readonly string[];
}

/** Its name, the domains that it gives to people, and its mail servers. */
const PROVIDERS: Record<string, MailboxProvider> = {
  google: known("gmail.com googlemail.com", "google.com googlemail.com gmail.com"),
  microsoft: known(
    "outlook.com hotmail.com live.com msn.com outlook.de outlook.fr hotmail.co.uk hotmail.de hotmail.fr hotmail.it live.nl live.co.uk live.fr",
    "outlook.com hotmail.com mx.microsoft",
  ),
  yahoo: known(
    "yahoo.com ymail.com rocketmail.com aol.com yahoo.co.uk yahoo.fr yahoo.de yahoo.it yahoo.es yahoo.co.in yahoo.com.br myyahoo.com att.net",
    "yahoodns.net yahoo.com",
  ),
  apple: known("icloud.com me.com mac.com", "icloud.com me.com"),
  gmx: known("gmx.de gmx.net gmx.at gmx.ch web.de", "gmx.net web.de"),
  proton: known("proton.me protonmail.com pm.me", "protonmail.ch"),
  mailru: known("mail.ru inbox.ru bk.ru list.ru", "mail.ru"),
  yandex: known("yandex.ru yandex.com ya.ru", "yandex.ru yandex.net"),
  comcast: known("comcast.net", "comcast.net"),
  fastmail: known("fastmail.com fastmail.fm", "messagingengine.com fastmail.com"),
  zoho: known("zoho.com zohomail.com", "zoho.com zoho.eu"),
  tonline: known("t-online.de", "t-online.de"),
  orange: known("orange.fr wanadoo.fr", "orange.fr"),
  libero: known("libero.it", "libero.it"),
  tencent: known("qq.com foxmail.com", "qq.com"),
  netease: known("163.com 126.com", "163.com netease.com"),
};

function known(domains: string, hosts: string): MailboxProvider {
  return { domains: domains.split(" "), hosts: hosts.split(" ") };
}

/** Those that have a name here. */
export const MAILBOX_PROVIDERS: readonly string[] = Object.keys(PROVIDERS);

/** Who keeps the mailboxes of all other domains. */
export const OTHER_PROVIDERS = "other";

const BY_DOMAIN = indexed("domains");
const BY_HOST = indexed("hosts");

/** Who keeps the mailboxes of a domain, such as `google`; the domain itself where that cannot be told from it. */
export function providerOf(domain: string): string {
  return BY_DOMAIN.get(domain) ?? domain;
}

/**
 * Who runs a mail server, such as `google`; of one without a name its registrable domain, so that all domains that it hosts
 * are one, and the address itself for a host that is none.
 */
export function providerOfHost(host: string): string {
  const registrable = getDomain(host) ?? host;
  return BY_HOST.get(registrable) ?? registrable;
}

/**
 * Who keeps the mailboxes of a domain with these mail servers: a provider only where it runs all of them, the domain itself where
 * not. Anybody can name the servers of somebody else beside their own, and what their own say is not said by the other one.
 */
export function providerOfHosts(domain: string, hosts: readonly string[]): string {
  const [provider, ...others] = new Set(hosts.filter((host) => !NOWHERE.test(host)).map(providerOfHost));
  return provider === undefined || others.length > 0 ? domain : provider;
}

/** Names that lead nowhere (RFC 6761): some stay behind from when a provider verified the domain. */
const NOWHERE = /(^|\.)invalid$/;

/** Who keeps the mailboxes, among those that have a name; `host`: the provider behind the mail server, where it was seen. */
export function namedProvider(domain: string, host: string | null = null): string {
  const named = BY_DOMAIN.get(domain) ?? host ?? OTHER_PROVIDERS;
  return Object.hasOwn(PROVIDERS, named) ? named : OTHER_PROVIDERS;
}

function indexed(names: keyof MailboxProvider): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(PROVIDERS).flatMap(([provider, { [names]: all }]) =>
      all.map((name) => [name, provider] as const),
    ),
  );
}
