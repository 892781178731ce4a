// Direct delivery, as servers of recipients see it: does the name of this one lead to its address and back, and does a block
// list have that address.
import { isIPv4 } from "node:net";
import { sameAddress } from "../config/mod.ts";
import { readDirectUrl } from "../mail/direct_url.ts";
import type { Dns } from "../mail/dns.ts";
import { canSendFrom } from "../mail/own_addresses.ts";
import { reversed, reverseNamesOf } from "../mail/reverse_names.ts";
import { failure, type Finding, ok, warning } from "./_findings.ts";

/** Lists that large providers, or many small ones, ask. */
const BLOCK_LISTS = ["zen.spamhaus.org", "bl.spamcop.net", "b.barracudacentral.org"];
/** They answer so to those who may not ask, as public name servers. */
const NOT_ANSWERED = /^127\.255\.255\./;
const MAX_ADDRESSES = 20;

/** Whose addresses they are: the check that asks, and where its name is said. */
interface About {
  check: "smtp" | "transports";
  /** Such as `SMTP_URL`. */
  where: string;
}

const OF_SETTINGS: About = { check: "smtp", where: "SMTP_URL" };

/** What is wrong with the name and the addresses of this server; one finding that all is well otherwise. */
export async function examineDirect(url: string, dns: Dns, about: About = OF_SETTINGS): Promise<Finding[]> {
  const { check, where } = about;
  const { name, bindAddresses, ipv6 = true } = readDirectUrl(url);
  const [four, six] = await Promise.all([dns.lookup(name, "A"), dns.lookup(name, "AAAA")]);
  if (four.state === "failed" && six.state === "failed") {
    const advice = "Check DNS_SERVERS: recipients' servers are looked up there, too.";
    return [failure(check, `${name} could not be looked up (${four.reason})`, advice)];
  }
  const named = [four, six].flatMap((answer) => (answer.state === "found" ? answer.records : []));
  if (named.length === 0) {
    const advice = `Publish the public address of this server as an A record of ${name}, or put its true name into ${where}: many servers take no mail from a name that leads nowhere.`;
    return [failure(check, `${name}, the name in ${where}, has no address`, advice)];
  }
  const used = bindAddresses ?? named.filter((address) => ipv6 || isIPv4(address));
  const known = named.map(sameAddress);
  const strangers = used.filter((address) => !known.includes(sameAddress(address)));
  const shown = used.slice(0, MAX_ADDRESSES);
  const found = await Promise.all(shown.map((address) => examineAddress(name, address, { dns, check })));
  const missing = await examineAbsent(bindAddresses ?? [], about);
  const all = [...strangers.map((address) => unnamed(name, address, check)), ...missing, ...found.flat()];
  if (all.length > 0) return all;
  return [
    ok(check, `Mail is delivered directly, as ${name} from ${used.join(", ")}; no block list has them`),
  ];
}

/** Those of the addresses that `where` names which this machine does not have. */
export async function examineAbsent(addresses: readonly string[], about: About): Promise<Finding[]> {
  return (await Promise.all(addresses.map((address) => absenceOf(address, about)))).flat();
}

/** Another machine of the installation may have it. */
async function absenceOf(address: string, { check, where }: About): Promise<Finding[]> {
  if (await canSendFrom(address)) return [];
  const advice = `Give it to the machine that sends, or take it out of ${where}: a process without any of its addresses sends nothing there. Not so, where this command runs on another machine.`;
  return [warning(check, `This machine does not have the address ${address}`, advice)];
}

function unnamed(name: string, address: string, check: About["check"]): Finding {
  const advice = `Publish it as an address of ${name}.`;
  return warning(check, `Mail is sent from ${address}, which is no address of ${name}`, advice);
}

async function examineAddress(
  name: string,
  address: string,
  { dns, check }: { dns: Dns; check: About["check"] },
): Promise<Finding[]> {
  const [names, ...lists] = await Promise.all([
    reverseNamesOf(dns, address),
    ...BLOCK_LISTS.map((list) => dns.lookup(`${reversed(address)}.${list}`, "A")),
  ]);
  const found: Finding[] = [];
  if (names && !names.includes(name)) {
    const said = names.length > 0 ? `is ${names.join(", ")}` : "is missing";
    const advice = `Have whoever gave you the address set it to ${name} (a PTR record): Gmail, Outlook and others refuse mail without it.`;
    found.push(failure(check, `The reverse name of ${address} ${said}, and not ${name}`, advice));
  }
  for (const [i, answer] of lists.entries()) {
    if (answer.state !== "found" || answer.records.every((code) => NOT_ANSWERED.test(code))) continue;
    const advice = `Look the address up on the list's website, fix the cause, and ask to be removed: mail from there is refused or taken for spam.`;
    found.push(failure(check, `${address} is on the block list ${BLOCK_LISTS[i]}`, advice));
  }
  return found;
}
