// Who is connected to one of our SMTP servers, by networks: nobody takes the places of everybody else.
import ipaddr from "ipaddr.js";
import { smtpReply } from "./smtp_reply.ts";

/** How many connections a network may have. */
export interface CrowdLimits {
  connectionsOfNetwork: number;
  newConnectionsOfNetworkPerMinute: number;
}

/** A connection, as the SMTP library describes it. */
interface Visitor {
  id: string;
  remoteAddress: string;
}

/** Connected clients, by their networks. */
export interface Crowd {
  /** Throws a reply when there are enough of them. */
  enter(visitor: Visitor): void;
  leave(visitor: Pick<Visitor, "id">): void;
}

const MAX_NETWORKS = 10_000;

/** A crowd with nobody in it. */
export function createCrowd(limits: CrowdLimits): Crowd {
  const inside = new Map<string, string>();
  const present = new Map<string, number>();
  const seen = new Map<string, number>();
  let minute = 0;
  return {
    enter({ id, remoteAddress }) {
      const network = networkOf(remoteAddress);
      const now = Math.floor(performance.now() / 60_000);
      if (now !== minute || seen.size > MAX_NETWORKS) seen.clear();
      minute = now;
      const [count, visits] = [(present.get(network) ?? 0) + 1, (seen.get(network) ?? 0) + 1];
      seen.set(network, visits);
      if (count > limits.connectionsOfNetwork) {
        throw smtpReply(421, "4.7.0", "Too many connections from your network");
      }
      if (visits > limits.newConnectionsOfNetworkPerMinute) {
        throw smtpReply(421, "4.7.0", "Too many connections, try again later");
      }
      present.set(network, count);
      inside.set(id, network);
    },
    leave({ id }) {
      const network = inside.get(id);
      if (network === undefined) return;
      inside.delete(id);
      const count = present.get(network)! - 1;
      if (count === 0) present.delete(network);
      else present.set(network, count);
    },
  };
}

/** An IPv4 address, or the first half of an IPv6 one. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const ip = ipaddr.process(address);
  return ip instanceof ipaddr.IPv6 ? ip.parts.slice(0, 4).join(":") : ip.toString();
}

/** Whether a client is on this machine. */
export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
}
