// `direct://mail.example.com?…`: the address of no server, but of the way to all of them.
import { isIP } from "node:net";
import { parseDomain } from "./domain_name.ts";

/** What such an address says. */
export interface DirectSettings {
  name: string;
  port?: number;
  maxConnections?: number;
  maxPerProvider?: number;
  bindAddresses?: string[];
  ipv6?: boolean;
  dane?: boolean;
}

/** Addresses to send from. */
export const MAX_BIND_ADDRESSES = 20;

const NUMBERS = ["maxConnections", "maxPerProvider"] as const;
const FLAGS = ["ipv6", "dane"] as const;

/** Whether mail goes to the servers of its recipients, and not through one that `SMTP_URL` names. */
export function isDirect(smtpUrl: string | undefined): smtpUrl is string {
  return smtpUrl !== undefined && /^direct:/i.test(smtpUrl);
}

/** Reads an address that {@linkcode wrongInDirect} has nothing against. */
export function readDirectUrl(text: string): DirectSettings {
  const { hostname, port, searchParams } = new URL(text);
  const numbers = NUMBERS.flatMap((name) =>
    searchParams.has(name) ? [[name, Number(searchParams.get(name))]] : [],
  );
  const flags = FLAGS.flatMap((name) =>
    searchParams.has(name) ? [[name, searchParams.get(name) === "true"]] : [],
  );
  const bindAddresses = listed(searchParams.get("bindAddresses") ?? "");
  return {
    name: hostname.toLowerCase(),
    ...(port !== "" && { port: Number(port) }),
    ...(bindAddresses.length > 0 && { bindAddresses }),
    ...(Object.fromEntries([...numbers, ...flags]) as Partial<DirectSettings>),
  };
}

/** The address that {@linkcode readDirectUrl} reads so. */
export function directUrl({ name, port, bindAddresses = [], ...options }: DirectSettings): string {
  const given = [
    ...(bindAddresses.length > 0 ? [`bindAddresses=${bindAddresses.join(",")}`] : []),
    ...[...NUMBERS, ...FLAGS].flatMap((option) =>
      options[option] === undefined ? [] : [`${option}=${options[option]}`],
    ),
  ];
  return `direct://${name}${port === undefined ? "" : `:${port}`}${given.length > 0 ? `?${given.join("&")}` : ""}`;
}

/** The reasons why such an address is of no use. */
export function wrongInDirect(url: URL | null): string[] {
  const expected = "expected the host name of this server, such as direct://mail.example.com";
  if (!url || parseDomain(url.hostname) === null || url.username + url.password !== "") return [expected];
  if (!/^\/?$/.test(url.pathname) || url.hash !== "") return [`${expected}: only options may follow it`];
  return [...url.searchParams].flatMap(([name, value]) => wrongInOption(name, value));
}

function wrongInOption(name: string, value: string): string[] {
  if ((NUMBERS as readonly string[]).includes(name)) {
    return /^[1-9]\d{0,3}$/.test(value) ? [] : [`${name} must be a whole number from 1 to 9999`];
  }
  if ((FLAGS as readonly string[]).includes(name)) {
    return /^(true|false)$/.test(value) ? [] : [`${name} must be true or false`];
  }
  if (name !== "bindAddresses") {
    return [
      `the option after the ? is unknown: there are ${[...NUMBERS, "bindAddresses", ...FLAGS].join(", ")}`,
    ];
  }
  const addresses = listed(value);
  const isSound = addresses.length > 0 && addresses.every((address) => isIP(address) > 0);
  return isSound ? [] : ["bindAddresses must be addresses such as 203.0.113.7, separated by commas"];
}

function listed(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
