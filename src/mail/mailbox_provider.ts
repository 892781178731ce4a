// Who keeps the mailboxes of a domain: the domain of its first mail server, so that all domains hosted by one provider are one.
import { getDomain } from "tldts";

/** Registrable domains that belong to the same provider. */
const ALSO: Record<string, string> = {
  "googlemail.com": "google.com",
  "gmail.com": "google.com",
  "hotmail.com": "outlook.com",
  "mx.microsoft": "outlook.com",
  "olc.protection.outlook.com": "outlook.com",
  "yahoo.com": "yahoodns.net",
  "messagingengine.com": "fastmail.com",
  "me.com": "icloud.com",
  "mail.protection.outlook.com": "outlook.com",
};

/** The provider that runs a mail server, such as `google.com`; the address itself for a host that is none. */
export function providerOfHost(host: string): string {
  const registrable = getDomain(host) ?? host;
  return ALSO[registrable] ?? registrable;
}
