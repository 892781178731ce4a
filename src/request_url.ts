// The address of a request, in the form that Elysia reads its path from.

/** Elysia looks for the path from here on: behind `http://` and a host of four characters. */
const PATH_FROM = 11;
const HOST_FROM = "http://".length;

/**
 * Gives a handler requests whose address it can route, whatever their `Host`. Bun builds the address from it: one of
 * less than four characters (`Host: x`) leaves the path where Elysia skips its first slash, and would take the second
 * one for the beginning of the path; if there is none, or an impossible one, the address is the path alone; and one
 * like `x:99999` makes an unreadable address. The request stays the same object: the server knows the peer's address by
 * it.
 */
export function routable<In extends [Request, ...unknown[]], Out>(
  handle: (...request: In) => Out,
): (...request: In) => Out {
  /** The last valid one: nearly all requests have the same. */
  let known = "";
  return (...args) => {
    const { url } = args[0];
    const slash = url.indexOf("/", HOST_FROM);
    const origin = url.slice(0, slash);
    if (origin !== known) {
      if (slash >= PATH_FROM && url.charCodeAt(0) !== SLASH && URL.canParse(origin)) known = origin;
      else Object.defineProperty(args[0], "url", { value: readable(url) });
    }
    return handle(...args);
  };
}

const SLASH = "/".charCodeAt(0);

/** The same path with an authority that is long enough, or another one. */
function readable(url: string): string {
  const longer = lengthened(url);
  if (URL.canParse(longer)) return longer;
  // A name that belongs to nobody (RFC 2606).
  const slash = url.startsWith("/") ? 0 : url.indexOf("/", HOST_FROM);
  return `http://host.invalid${slash === -1 ? "/" : url.slice(slash)}`;
}

/** The same address with a longer authority. */
function lengthened(url: string): string {
  const [, host, port, rest] = /^http:\/\/([^:/?#]*):?(\d*)(.*)$/s.exec(url) ?? [];
  if (rest === undefined || /^[^/?#]/.test(rest)) return url;
  return `http://${host}:${(port || "80").padStart(3, "0")}${rest.startsWith("/") ? rest : `/${rest}`}`;
}
