// What is known about a mail domain. The long lists come from maintained packages (disposable: mailchecker; providers:
// email-providers); those written out here are small, or corrections.

import { blacklist } from "mailchecker";
import providers from "email-providers/all.json";
import { parse } from "tldts";

/**
 * Services that hand out forwarding addresses: Apple's Hide My Email, Firefox Relay, DuckDuckGo, SimpleLogin and Proton
 * Pass, addy.io, 33mail, erine.email, IronVest, Cloaked. No kept list has them apart: the lists of disposable domains
 * hold most of them, and projects that know the difference each carry their own, from which these were compared
 * (forem's clean-up of its list, cal.com, Alos.Email.Validation; simplelogin.io/docs and clients of addy.io's API name theirs).
 * Aliases at a provider's ordinary domain (iCloud, Fastmail) cannot be told from mailboxes.
 */
const aliasDomains = new Set(
  `privaterelay.appleid.com relay.firefox.com mozmail.com duck.com
   simplelogin.com simplelogin.co simplelogin.fr simplelogin.io aleeas.com slmail.me slmails.com silomails.com
   8alias.com 8shield.net dralias.com passmail.net passmail.com passinbox.com passfwd.com
   addy.io anonaddy.com anonaddy.me addymail.com 4wrd.cc mailer.me 33mail.com erine.email opayq.com
   cloaked.id myclkd.email clkdmail.com`.split(/\s+/),
);

/** Large free providers that `email-providers` 2.26 lacks. */
const missingProviders = `fastmail.com hey.com kakao.com pm.me posteo.de proton.me skiff.com tuta.com tuta.io
   tutanota.com tutanota.de tutamail.com zohomail.com`.split(/\s+/);

/** Names on that list where nobody has a personal mailbox: reserved for documentation, or a company's own. */
const notProviders =
  `alibaba.com ancestry.com discovery.com dnsmadeeasy.com easypost.com example.com facebook.com
   mail-tester.com medscape.com mydomain.com name.com oath.com techspot.com test.com test.de www.com
   yourdomain.com`.split(/\s+/);

const personalDomains = new Set([...providers, ...missingProviders]);
for (const domain of notProviders) personalDomains.delete(domain);

/**
 * The domains that people mistype most, with invented names only: `orange.fr` or `live.com` are one letter away from
 * other people's real domains. A name here has five letters at least for the same reason.
 */
const mistypedDomains =
  `gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.fr yahoo.de yahoo.it yahoo.es yahoo.ca
   yahoo.co.in yahoo.com.br rocketmail.com hotmail.com hotmail.co.uk hotmail.fr hotmail.de hotmail.it hotmail.es
   outlook.com outlook.fr outlook.de outlook.es icloud.com protonmail.com rediffmail.com comcast.net verizon.net
   sbcglobal.net bellsouth.net btinternet.com optusnet.com.au wanadoo.fr laposte.net`.split(/\s+/);

/** Real companies one letter away from one of them. */
const rightAsTheyAre = new Set(["gail.com", "grail.com"]);

/** Endings that exist and yet are typed for another by accident: `gmail.co`. */
const slippedEndings: Record<string, string> = { cm: "com", co: "com", om: "com", ne: "net" };
const commonEndings = ["com", "net", "org"];

/** True for a domain (or a subdomain) of a forwarding service such as SimpleLogin or Firefox Relay. */
export function isAliasDomain(domain: string): boolean {
  return isListed(domain, aliasDomains);
}

/** True for a domain (or a subdomain) of a throw-away mail service. Forwarding services are none: a person reads them. */
export function isDisposableDomain(domain: string): boolean {
  return isListed(domain, blacklist()) && !isAliasDomain(domain);
}

/** True for a provider where anybody can have a mailbox: Gmail, Hotmail, an internet provider. */
export function isPersonalDomain(domain: string): boolean {
  return personalDomains.has(domain) && !isListed(domain, blacklist()) && !isAliasDomain(domain);
}

/** The domain that was probably meant, when this one is a slip of the finger away from it; else null. */
export function suggestDomain(domain: string): string | null {
  if (rightAsTheyAre.has(domain)) return null;
  const dot = domain.indexOf(".");
  const [name, ending] = [domain.slice(0, dot), domain.slice(dot + 1)];
  for (const meant of mistypedDomains) {
    if (meant === domain) return null;
    const meantDot = meant.indexOf(".");
    const isName = isSameOrSlip(name, meant.slice(0, meantDot));
    if (isName && isSameOrSlippedEnding(ending, meant.slice(meantDot + 1))) return meant;
  }
  const lastDot = domain.lastIndexOf(".");
  const meantEnding = commonEndings.find((common) => isSlippedEnding(domain.slice(lastDot + 1), common));
  // `acme.co` is as good a domain as `acme.com`; only an ending that does not exist is surely a slip.
  return meantEnding && !parse(domain).isIcann ? domain.slice(0, lastDot + 1) + meantEnding : null;
}

function isListed(domain: string, list: Set<string>): boolean {
  for (let rest = domain; ; rest = rest.slice(rest.indexOf(".") + 1)) {
    if (list.has(rest)) return true;
    if (!rest.includes(".")) return false;
  }
}

// A domain that differs in its first letter is usually somebody else's: ymail.com, cloud.com.
function isSameOrSlip(name: string, meant: string): boolean {
  const startsAlike = name[0] === meant[0] || (name[0] === meant[1] && name[1] === meant[0]);
  return name === meant || (startsAlike && isOneSlip(name, meant));
}

function isSameOrSlippedEnding(ending: string, meant: string): boolean {
  return ending === meant || isSlippedEnding(ending, meant);
}

function isSlippedEnding(ending: string, meant: string): boolean {
  return slippedEndings[ending] === meant || (isOneSlip(ending, meant) && !parse(`x.${ending}`).isIcann);
}

/** One letter too many, too few or wrong, or two neighbours swapped. */
function isOneSlip(typed: string, meant: string): boolean {
  let start = 0;
  while (start < typed.length && typed[start] === meant[start]) start++;
  let [typedEnd, meantEnd] = [typed.length, meant.length];
  while (typedEnd > start && meantEnd > start && typed[typedEnd - 1] === meant[meantEnd - 1]) {
    typedEnd--;
    meantEnd--;
  }
  const [wrong, right] = [typed.slice(start, typedEnd), meant.slice(start, meantEnd)];
  if (wrong.length === 2) return right.length === 2 && wrong[0] === right[1] && wrong[1] === right[0];
  return wrong.length + right.length > 0 && wrong.length < 2 && right.length < 2;
}
