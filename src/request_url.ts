// The address of a request, in the form that Elysia reads its path from.

/** Elysia looks for the path from here on: behind `http://` and a host of four characters. */
const PATH_FROM = 11;
const HOST_FROM = "http://".length;

/**
 * Gives a handler requests whose address it can route, whatever their `Host`. Bun makes the address of it: one of less
 * than four characters (`Host: x`) leaves the path where Elysia passes over its first slash, and would take the second
 * one for the beginning of the path; where there is none, or one that cannot be, the address is the path alone. The
 * request stays the same object: the server knows the peer's address by it.
 */
export function routable<In extends [Request, ...unknown[]], Out>(
  handle: (...request: In) => Out,
): (...request: In) => Out {
  return (...args) => {
    const { url } = args[0];
    const slash = url.indexOf("/", HOST_FROM);
    if (slash < PATH_FROM || url.charCodeAt(0) === SLASH) {
      Object.defineProperty(args[0], "url", { value: lengthened(url) });
    }
    return handle(...args);
  };
}

const SLASH = "/".charCodeAt(0);

/** The same address with a longer authority. */
function lengthened(url: string): string {
  // A name that nobody has (RFC 2606).
  if (url.startsWith("/")) return `http://host.invalid${url}`;
  const [, host, port, rest] = /^http:\/\/([^:/?#]*):?(\d*)(.*)$/s.exec(url) ?? [];
  if (rest === undefined) return url;
  return `http://${host}:${(port || "80").padStart(3, "0")}${rest.startsWith("/") ? rest : `/${rest}`}`;
}
