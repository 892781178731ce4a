// PATCH where PUT is specified, and the other way round: clients mix them up, and both are taken as a merge.
interface Route {
  method: string;
  path: string;
}

const OTHER: Record<string, string> = { PUT: "PATCH", PATCH: "PUT" };

/**
 * A function that returns the request as a route takes it: with PATCH in place of PUT, or the other way round, where
 * only that one has a route. Everything else comes back as it is.
 */
export function withTheOtherMethod(routes: () => Route[]): (request: Request) => Request {
  let patterns: { method: string; pattern: RegExp }[] | undefined;
  return (request) => {
    const other = OTHER[request.method];
    if (other === undefined) return request;
    patterns ??= routes()
      .filter(({ method }) => method in OTHER)
      .map(({ method, path }) => ({ method, pattern: patternOf(path) }));
    const { pathname } = new URL(request.url);
    const takes = (method: string) =>
      patterns!.some((route) => route.method === method && route.pattern.test(pathname));
    return takes(request.method) || !takes(other) ? request : new Request(request, { method: other });
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\/$/, "").replace(/:\w+/g, "[^/]+")}/?$`);
}
