// Hands mail to the servers of its recipients: there is nobody in between, so what they accept is delivered.
import { domainToASCII } from "node:url";
import { isIP, isIPv6 } from "node:net";
import { type Cache, createCache } from "../cache.ts";
import { createDaneLookup, type DaneLookup } from "./_dane.ts";
import {
  createDirectLines,
  isTlsFailure,
  type DirectLines,
  type Route,
  type TlsDemand,
} from "./_direct_lines.ts";
import { createTrail, type Trail } from "./_direct_trail.ts";
import { handoverOf, oneLine, sourceOf, unfitAddress } from "./_handover.ts";
import { createMailHostLookup, inOrder, type MailHost, type MailHostLookup } from "./_mail_hosts.ts";
import {
  createStsPolicies,
  type FetchPolicy,
  isNamed,
  type StsPolicies,
  type StsPolicy,
} from "./_mta_sts.ts";
import { createPlaces, type Places } from "./_provider_places.ts";
import type { Failure } from "./_smtp_dialogue.ts";
import type { DetailedDns } from "./dns.ts";
import { providerOfHosts } from "./mailbox_provider.ts";
import { createOwnAddresses, type OwnAddresses } from "./own_addresses.ts";
import type {
  Handover,
  Mail,
  Mailer,
  MayEnd,
  ReadyMail,
  RetrySchedule,
  StreamedMail,
  Via,
} from "./mailer.ts";
import { replyMeaning } from "./reply_meaning.ts";
import type { TlsFailures } from "./tls_failures.ts";

/** What direct delivery needs. */
export interface DirectOptions {
  /** The name of this machine in EHLO. */
  name: string;
  dns: DetailedDns;
  /** What speaks against connecting to an address, such as `a private address`; null when nothing does. */
  reasonAgainst: (address: string) => string | null;
  /** Fetches MTA-STS policies. */
  fetchPolicy: FetchPolicy;
  /** Of recipients' servers; left out: 25. */
  port?: number | undefined;
  maxConnections?: number | undefined;
  /** Mails that are in progress at one provider of mailboxes. */
  maxPerProvider?: number | undefined;
  /** Addresses of this machine to send from, in turn. Left out: the system chooses. */
  bindAddresses?: string[] | undefined;
  /** Whether IPv6 may be used; left out: yes. */
  ipv6?: boolean | undefined;
  /** Whether the name servers validate, and the way to them is safe: then DANE is used. Left out: no. */
  dane?: boolean | undefined;
  /** Where connections are counted that could not be encrypted as they should. */
  tlsFailures?: TlsFailures | undefined;
  ca?: string | undefined;
  connectionTimeout?: number | undefined;
  now?: () => number;
  random?: () => number;
}

/** Servers ask strangers to come back later (greylisting), and stay away for a weekend. */
export const DIRECT_RETRIES: RetrySchedule = {
  firstMs: 120_000,
  longestMs: 3 * 3_600_000,
  giveUpMs: 5 * 86_400_000,
};

const USUAL = { connections: 40, perProvider: 20, port: 25 };
/** Ways that are tried for one mail at once. */
const MAX_TRIES = 6;
const MAX_HOSTS = 5;
/** An address that could not be reached is the last to be tried for so long. */
const AVOID_MS = 300_000;
const MAX_AVOIDED = 10_000;
/** No server was asked: the mail is another mailer's. */
const CLOSED: Handover = { state: "unreached", response: "The connections are being closed" };

type AnyMail = Mail | ReadyMail | StreamedMail;

/** A mailer that delivers to the servers of recipients. */
export function createDirectMailer(options: DirectOptions): Mailer {
  return new DirectMailer(options);
}

class DirectMailer implements Mailer {
  readonly connections: number;
  readonly retries = DIRECT_RETRIES;
  private readonly options: DirectOptions;
  private readonly hosts: MailHostLookup;
  private readonly policies: StsPolicies;
  private readonly dane: DaneLookup | null;
  private readonly lines: DirectLines;
  private readonly places: Places;
  private readonly avoided: Cache<true>;
  /** Addresses that have failed to encrypt: tried without, where no policy forbids it. */
  private readonly unencrypted: Cache<true>;
  private readonly random: () => number;
  private readonly own: OwnAddresses;
  private turn = 0;
  private isClosed = false;

  constructor(options: DirectOptions) {
    const { dns, ca, name, connectionTimeout, now = Date.now } = options;
    this.options = options;
    this.connections = options.maxConnections ?? USUAL.connections;
    this.random = options.random ?? Math.random;
    this.own = createOwnAddresses(options.bindAddresses ?? [], now);
    this.hosts = createMailHostLookup(dns, options.ipv6 ?? true, now);
    this.policies = createStsPolicies(dns, options.fetchPolicy, now);
    this.dane = options.dane ? createDaneLookup(dns, now) : null;
    const perProvider = options.maxPerProvider ?? Math.min(USUAL.perProvider, this.connections);
    this.lines = createDirectLines({ name, ca, connectionTimeout, maxConnections: perProvider, now });
    this.places = createPlaces(perProvider);
    const memory = { maxEntries: MAX_AVOIDED, keepMs: AVOID_MS, now };
    this.avoided = createCache(memory);
    this.unencrypted = createCache(memory);
  }

  async send(mail: AnyMail, mayEnd?: MayEnd): Promise<Handover> {
    const unfit = unfitAddress(mail.envelope);
    if (unfit) return unfit;
    const domain = domainToASCII(mail.envelope.to.slice(mail.envelope.to.lastIndexOf("@") + 1)).toLowerCase();
    if (domain === "") return { state: "refused", response: "501 5.1.3 There is no domain in the address" };
    try {
      const handover = await this.deliver(domain, mail, mayEnd);
      // Its connections were taken away before any server has said a word.
      return this.isClosed && handover.state === "deferred" && !handover.via ? CLOSED : handover;
    } catch (error) {
      return { state: "deferred", response: oneLine(String((error as Error).message)) };
    }
  }

  /** There is no server that all mails depend on: only addresses to send from, if they are named. */
  async reach(): Promise<string | null> {
    const { bindAddresses = [] } = this.options;
    if (bindAddresses.length === 0 || (await this.own.usable()).length > 0) return null;
    return `This machine has none of the addresses ${bindAddresses.join(", ")}`;
  }

  close(): void {
    this.isClosed = true;
    this.lines.close();
    this.places.close();
  }

  private async deliver(domain: string, mail: AnyMail, mayEnd?: MayEnd): Promise<Handover> {
    const lacking = await this.reach();
    if (lacking !== null) return { state: "unreached", response: lacking };
    if (this.isClosed) return CLOSED;
    const found = await this.hosts.hostsOf(domain);
    if (found.state === "never") return { state: "bounced", response: found.response, meaning: "permanent" };
    if (found.state === "unknown")
      return { state: "deferred", response: found.response, meaning: "transient" };
    const hosts = inOrder(found.hosts, this.random).slice(0, MAX_HOSTS);
    const provider = providerOfHosts(
      domain,
      found.hosts.map(({ name }) => name),
    );
    const policy = await this.policies.of(domain);
    const trail = createTrail(domain);
    const leave = await this.places.enter(provider);
    try {
      let tries = 0;
      if (this.isClosed) return CLOSED;
      for await (const route of this.routes({ domain, hosts, policy, isSigned: found.isAuthentic }, trail)) {
        const handover = await this.tryRoute(route, provider, { mail, mayEnd }, trail);
        if (handover) return handover;
        if (++tries === MAX_TRIES) break;
      }
      return trail.end();
    } finally {
      leave();
    }
  }

  /** The ways to a domain, from the best to the worst; what speaks against one is left on the trail. */
  private async *routes(
    { domain, hosts, policy, isSigned }: Destination,
    trail: Trail,
  ): AsyncGenerator<Route> {
    for (const { name: host } of hosts) {
      if (policy?.mode === "enforce" && !isNamed(host, policy)) {
        trail.forbidden(host, "it is not named by the MTA-STS policy of the domain");
        continue;
      }
      const found = isIP(host) > 0 ? null : await this.hosts.addressesOf(host);
      if (!found || found.state === "none") trail.lost(host);
      else if (found.state === "unknown") trail.failed(host, "its address could not be looked up");
      if (found?.state !== "found") continue;
      const demand = await this.demandOf(host, domain, { policy, isSigned: isSigned && found.isAuthentic });
      if (demand === null) {
        trail.failed(host, "its TLSA records could not be looked up (DANE)");
        continue;
      }
      for (const address of this.avoidingLast(found.addresses)) {
        const reason = this.options.reasonAgainst(address);
        const from = await this.sourceFor(address);
        if (reason !== null) trail.closed(host, reason);
        else if (from === undefined) trail.foreign(host, address);
        else yield this.routeTo(host, address, { from, demand });
      }
    }
  }

  private routeTo(host: string, address: string, way: Pick<Route, "from" | "demand">): Route {
    const isPlain = way.demand.kind === "opportunistic" && this.unencrypted.get(address) === true;
    const demand: TlsDemand = isPlain ? { kind: "plain" } : way.demand;
    return { host, address, port: this.options.port ?? USUAL.port, from: way.from, demand };
  }

  /** Null where nobody can tell. */
  private async demandOf(
    host: string,
    domain: string,
    { policy, isSigned }: { policy: StsPolicy | null; isSigned: boolean },
  ): Promise<TlsDemand | null> {
    if (this.dane && isSigned) {
      const { port = USUAL.port } = this.options;
      const found = await this.dane.of(host, port);
      if (found.state === "unknown") return null;
      if (found.state === "found") {
        const { records } = found;
        return records.length > 0 ? { kind: "dane", records, names: [host, domain] } : { kind: "encrypted" };
      }
    }
    return policy?.mode === "enforce" ? { kind: "mta-sts" } : { kind: "opportunistic" };
  }

  /** An answer about the mail, or null where the next way is to be tried. */
  private async tryRoute(
    route: Route,
    provider: string,
    way: { mail: AnyMail; mayEnd: MayEnd | undefined },
    trail: Trail,
  ): Promise<Handover | null> {
    const { host, address, demand } = route;
    const line = this.lines.to(route);
    const via = (): Via => ({ host, address, provider, tls: line.tls });
    try {
      const response = await line.pool.deliver(way.mail.envelope, sourceOf(way.mail), way.mayEnd);
      return { state: "accepted", isDelivered: true, response: oneLine(response), via: via() };
    } catch (error) {
      const failure = error as Failure;
      const isTls = failure.isAboutUs === "unreached" && isTlsFailure(failure);
      if (isTls) this.options.tlsFailures?.count(provider);
      if (isTls && demand.kind === "opportunistic") {
        this.unencrypted.set(address, true);
        return await this.tryRoute({ ...route, demand: { kind: "plain" } }, provider, way, trail);
      }
      if (!concernsServer(failure)) {
        const handover = handoverOf(failure);
        return {
          ...handover,
          meaning: replyMeaning(failure.responseCode ?? 0, handover.response),
          via: via(),
        };
      }
      this.avoided.set(address, true);
      if (isTls) trail.forbidden(host, handoverOf(failure).response);
      else trail.failed(`${host} [${address}]`, handoverOf(failure).response);
      if (failure.responseCode !== undefined) trail.answered(via());
      return null;
    }
  }

  private avoidingLast(addresses: readonly string[]): string[] {
    const isAvoided = (address: string) => Number(this.avoided.get(address) === true);
    return addresses.toSorted((a, b) => isAvoided(a) - isAvoided(b));
  }

  /** Null: any address of ours will do. Undefined: none can reach this one. */
  private async sourceFor(address: string): Promise<string | null | undefined> {
    const { bindAddresses = [], ipv6 = true } = this.options;
    if (isIPv6(address) && !ipv6) return undefined;
    if (bindAddresses.length === 0) return null;
    const fitting = (await this.own.usable()).filter((own) => isIPv6(own) === isIPv6(address));
    return fitting[this.turn++ % fitting.length];
  }
}

interface Destination {
  domain: string;
  hosts: MailHost[];
  policy: StsPolicy | null;
  /** The DNS has vouched for the names of the hosts. */
  isSigned: boolean;
}

/** Whether another server may take what this one did not: it says nothing about the mail, of which nothing has left. */
function concernsServer({ isAboutUs, sent, responseCode, command = "" }: Failure): boolean {
  if (isAboutUs !== undefined) return isAboutUs === "unreached";
  if (sent !== "nothing") return false;
  return responseCode === undefined || responseCode === 421 || !/^(MAIL FROM|RCPT TO|DATA)/.test(command);
}
