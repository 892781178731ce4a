// The providers of mailboxes that a fleet consists of, each with faults of its own, and what has to become of the mails to it.
import { makeCertificate } from "../support/certificates.ts";
import type { Behaviour, Try } from "./fleet_servers.ts";

/** A provider, and what has to become of the mails to it. */
export interface Provider {
  /** Its domains are `d0.<name>.test` and so on. */
  name: string;
  /** Of a hundred mails. */
  share: number;
  behaviour?: () => Behaviour;
  /** Left out: one server that has an address. `{mx}` is that server. */
  hosts?: string[];
  /** The status that a mail ends with. Left out: DELIVERED. */
  outcome?: (address: string) => string;
  /** How long so many mails take it at best, in seconds. Left out: as long as the machine takes. */
  leastSeconds?: (mails: number) => number;
  /** How many of a hundred mails it wants to see twice. */
  repeats?: number;
}

/** What those with limits allow. */
export interface FleetLimits {
  /** What the transport of `paced` allows. */
  ratePerSecond: number;
  /** What the transport of `daily` allows. */
  perDay: number;
  /** What `throttle` takes a second. */
  throttle: number;
  /** How long `grey` lets a mail wait for its second try. */
  greyMs: number;
}

const TARPIT_MS = 700;
/** As many as two processes may have to one provider. */
const TARPIT_CONNECTIONS = 40;

const third = (address: string) => Number(/^r(\d+)@/.exec(address)![1]) % 3 === 0;
const every = (status: string) => (address: string) => (third(address) ? status : "DELIVERED");
const thirdOf =
  (reply: string) =>
  ({ to }: Try) =>
    third(to) ? reply : undefined;
const once =
  (reply: string) =>
  ({ to, tries }: Try) =>
    third(to) && tries === 1 ? reply : undefined;

const cutOnce =
  (cut: ReturnType<NonNullable<Behaviour["cut"]>>) =>
  ({ to, tries }: Try) =>
    third(to) && tries === 1 ? cut : undefined;

/** Takes so many recipients a second, and asks for patience beyond. */
function throttled(perSecond: number): Behaviour {
  let [second, count] = [0, 0];
  return {
    rcpt() {
      const now = Math.floor(Date.now() / 1_000);
      count = now === second ? count + 1 : 1;
      second = now;
      return count > perSecond ? "421 4.7.0 Too many mails, slow down" : undefined;
    },
  };
}

/** Takes a mail when it has been seen for so long. */
function greylisting(waitMs: number): Behaviour {
  const seen = new Map<string, number>();
  return {
    rcpt({ to }) {
      const first = seen.get(to) ?? Date.now();
      seen.set(to, first);
      const isSoon = Date.now() - first < waitMs;
      return isSoon ? "450 4.2.0 Greylisted, come back later" : undefined;
    },
  };
}

/** Every provider. */
export const providers = ({ ratePerSecond, throttle, greyMs }: FleetLimits): Provider[] => [
  { name: "fast", share: 31 },
  {
    name: "encrypted",
    share: 6,
    behaviour: () => ({ certificate: makeCertificate({ name: "mx.encrypted.test" }) }),
  },
  {
    name: "elsewhere",
    share: 3,
    behaviour: () => ({ certificate: makeCertificate({ name: "another.example" }) }),
  },
  {
    name: "paced",
    share: 10,
    outcome: () => "SENT",
    leastSeconds: (mails) => mails / ratePerSecond,
  },
  { name: "daily", share: 10 },
  {
    name: "tarpit",
    share: 1,
    leastSeconds: (mails) => (mails * TARPIT_MS) / 1_000 / TARPIT_CONNECTIONS,
    behaviour: () => ({ rcpt: () => Bun.sleep(TARPIT_MS).then(() => undefined) }),
  },
  {
    name: "throttle",
    share: 5,
    behaviour: () => throttled(throttle),
    leastSeconds: (mails) => mails / throttle,
  },
  {
    name: "grey",
    share: 5,
    behaviour: () => greylisting(greyMs),
    leastSeconds: () => greyMs / 1_000,
    repeats: 100,
  },
  { name: "moody", share: 3, behaviour: () => ({ data: once("451 4.3.0 Local error") }), repeats: 33 },
  {
    name: "fewmails",
    share: 4,
    behaviour: () => ({
      rcpt: ({ ofConnection }) =>
        ofConnection > 3 ? "421 4.4.5 Too many mails on this connection" : undefined,
    }),
  },
  {
    name: "fewlines",
    share: 4,
    behaviour: () => ({ greet: (open) => (open > 2 ? "421 4.7.0 Too many connections" : undefined) }),
  },
  {
    name: "content",
    share: 3,
    behaviour: () => ({ data: thirdOf("550 5.7.1 Message rejected because of its content") }),
    outcome: every("FAILED"),
  },
  {
    name: "full",
    share: 2,
    behaviour: () => ({ rcpt: thirdOf("452 4.2.2 Mailbox full") }),
    outcome: every("FAILED"),
  },
  {
    name: "overfull",
    share: 2,
    behaviour: () => ({ rcpt: thirdOf("552 5.2.2 Over quota") }),
    outcome: every("BOUNCED"),
  },
  {
    name: "nobody",
    share: 3,
    behaviour: () => ({ rcpt: thirdOf("550 5.1.1 No such user") }),
    outcome: every("BOUNCED"),
  },
  {
    name: "hang",
    share: 1,
    behaviour: () => ({ cut: cutOnce("after a while without an answer") }),
    repeats: 33,
  },
  {
    name: "drop",
    share: 2,
    behaviour: () => ({ cut: cutOnce("in the message") }),
    repeats: 33,
  },
  {
    name: "dane",
    share: 0.5,
    behaviour: () => ({ certificate: makeCertificate({ name: "mx.dane.test" }) }),
    outcome: () => "FAILED",
  },
  { name: "second", share: 3, hosts: ["10 dead.second.test", "20 {mx}"] },
  { name: "refuses", share: 1.5, hosts: ["0 ."], outcome: () => "BOUNCED" },
];
