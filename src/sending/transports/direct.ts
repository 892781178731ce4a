// Transports that deliver to the servers of recipients: each with addresses of its own to send from, and so with a reputation of
// its own.
import { isIP } from "node:net";
import { directAddresses, sameAddress, wrongInSmtp } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import {
  type DirectSettings,
  directUrl,
  isDirect,
  MAX_BIND_ADDRESSES,
  readDirectUrl,
} from "../../mail/direct_url.ts";
import { parseDomain } from "../../mail/domain_name.ts";
import type { FieldError } from "../../problem/mod.ts";

/** How such a transport is described, in place of a URL. */
export interface DirectInput {
  /** The name of this machine in EHLO. */
  heloName?: string | undefined;
  /** Addresses of this machine to send from, in turn. Null: the system chooses. */
  bindAddresses?: string[] | null | undefined;
}

/** The same as it is shown; null for transports of other kinds. */
export interface DirectShown {
  heloName: string | null;
  bindAddresses: string[] | null;
}

/** A transport, as far as its operator may forbid it. `shownUrl`: null where it has none. */
interface Forbiddable {
  kind: string;
  isOwn: boolean;
  shownUrl: string | null;
}

/**
 * Why a project's own is not used: its operator does not allow projects to deliver directly, or from one of its addresses, or not any
 * more. Null: it may be used.
 */
export function reasonForbidden(
  { config }: Pick<Context, "config">,
  { kind, isOwn, shownUrl }: Forbiddable,
): string | null {
  if (kind !== "DIRECT" || !isOwn) return null;
  const allowed = directAddresses(config);
  if (allowed === null) return null;
  if (allowed.length === 0) return FORBIDDEN;
  const { bindAddresses = [] } = shownUrl === null ? {} : readDirectUrl(shownUrl);
  const foreign = bindAddresses.find((address) => !allowed.includes(sameAddress(address)));
  if (foreign === undefined) return null;
  return `The operator of this installation does not allow projects to send from ${foreign}, only from ${allowed.join(", ")} (ALLOW_DIRECT_TRANSPORTS)`;
}

const FORBIDDEN =
  "The operator of this installation does not allow projects to deliver directly (ALLOW_DIRECT_TRANSPORTS)";

/** The URL that a transport is opened with: a project's own that names no addresses sends from those that it may use. */
export function urlInUse(
  { config }: Pick<Context, "config">,
  url: string | null,
  { kind, isOwn }: Pick<Forbiddable, "kind" | "isOwn">,
): string | null {
  if (url === null || kind !== "DIRECT" || !isOwn) return url;
  const { bindAddresses = directAddresses(config) ?? [], ...settings } = readDirectUrl(url);
  return directUrl({ ...settings, bindAddresses: [...bindAddresses] });
}

/** What is shown of a URL: who looks for an address should not have to read it out of one. */
export function directShown(kind: string, shownUrl: string | null): DirectShown {
  if (kind !== "DIRECT" || shownUrl === null) return { heloName: null, bindAddresses: null };
  const { name, bindAddresses = null } = readDirectUrl(shownUrl);
  return { heloName: name, bindAddresses };
}

/** Whether anything of this kind is given. */
export function isDirectGiven({ heloName, bindAddresses }: DirectInput): boolean {
  return heloName !== undefined || bindAddresses !== undefined;
}

/**
 * The URL after a change of one that is in use, or of a new transport. What is not given is as before; for a new one it is as in
 * `SMTP_URL` where that is `direct:`, with the host of `BASE_URL` as the last resort. Null where no name is known.
 */
export function urlOfDirect(
  { config }: Pick<Context, "config">,
  { heloName, bindAddresses }: DirectInput,
  before: string | null,
): string | null {
  const installed = isDirect(config.SMTP_URL) ? readDirectUrl(config.SMTP_URL) : null;
  // Of the machine, and not of one transport: all but the addresses.
  const common = { ...(installed ?? { name: ownName(config.BASE_URL) }), bindAddresses: [] };
  const settings: DirectSettings = before === null ? common : readDirectUrl(before);
  // As the DNS has it: a host name beyond ASCII would not survive in a URL of this kind.
  const name = heloName === undefined ? settings.name : (parseDomain(heloName.trim()) ?? "");
  const addresses = bindAddresses === undefined ? settings.bindAddresses : (bindAddresses ?? []);
  return name === "" ? null : directUrl({ ...settings, name, bindAddresses: addresses ?? [] });
}

/** Everything that is wrong with a description. `isOwn`: of a transport of a project. */
export function directErrors(
  { config }: Pick<Context, "config">,
  isOwn: boolean,
  { heloName, bindAddresses }: DirectInput,
): FieldError[] {
  const allowed = isOwn ? directAddresses(config) : null;
  const errors: FieldError[] = [];
  if (heloName !== undefined && parseDomain(heloName.trim()) === null) {
    errors.push(errorOf("heloName", "Expected the host name of this machine, such as mail.example.com"));
  }
  const addresses = bindAddresses ?? [];
  if (addresses.length > MAX_BIND_ADDRESSES) {
    errors.push(errorOf("bindAddresses", `Expected at most ${MAX_BIND_ADDRESSES} addresses`));
  }
  for (const [i, address] of addresses.slice(0, MAX_BIND_ADDRESSES).entries()) {
    const field = `bindAddresses.${i}`;
    // Of an address in one network only (fe80::1%eth0) no mail reaches anybody.
    if (isIP(address) === 0 || address.includes("%"))
      errors.push(errorOf(field, "Expected an address, such as 203.0.113.7"));
    else if (addresses.indexOf(address) < i) errors.push(errorOf(field, "It is named before"));
    else if (allowed && !allowed.includes(sameAddress(address))) {
      errors.push({ ...errorOf(field, notAllowed(allowed)), received: address });
    }
  }
  return errors;
}

/** What speaks against a new transport of this kind: of a project, that its operator has not allowed it. */
export function directRefusals(
  { config }: Pick<Context, "config">,
  isOwn: boolean,
  input: DirectInput & { url?: string | undefined },
): FieldError[] {
  if (isOwn && directAddresses(config)?.length === 0) return [NOT_ALLOWED];
  if (input.url !== undefined) {
    if (isOwn)
      return [errorOf("url", "A transport of the kind DIRECT has no URL: give heloName and bindAddresses")];
    const url = URL.parse(input.url);
    const wrong = isDirect(input.url)
      ? wrongInSmtp(url)
      : ["Expected direct:// and the name of this machine"];
    return wrong.map((message) => errorOf("url", message));
  }
  const errors = directErrors({ config }, isOwn, input);
  if (errors.length > 0 || urlOfDirect({ config }, input, null) !== null) return errors;
  return [{ ...errorOf("heloName", NAME_NEEDED), code: "required" }];
}

const NOT_ALLOWED: FieldError = {
  field: "kind",
  code: "custom",
  message:
    "Projects of this installation may not deliver directly: its operator can allow it (ALLOW_DIRECT_TRANSPORTS), or add a direct transport for all projects",
  received: "DIRECT",
};
/** What `ALLOW_DIRECT_TRANSPORTS` says of an address. */
function notAllowed(allowed: readonly string[]): string {
  return allowed.length === 0
    ? NOT_ALLOWED.message
    : `Expected one of ${allowed.join(", ")}: the operator of this installation allows projects no others (ALLOW_DIRECT_TRANSPORTS)`;
}

const NAME_NEEDED = "This field is required: the host name of this machine, such as mail.example.com";

function ownName(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  return parseDomain(hostname) ?? "";
}

function errorOf(field: string, message: string): FieldError {
  return { field, code: "custom", message };
}
