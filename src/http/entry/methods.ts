// Which methods a path has, so that another one is 405 and not 404, also where a route with an id would take the last word
// of the path for one: there is no segment with the id `preview`.

interface Route {
  method: string;
  path: string;
}

/** The methods that a path has; none if there is no such path. */
export function allowedMethods(routes: Route[], path: string): string[] {
  const segments = segmentsOf(path);
  const matches = routes.filter((route) => isMatch(segmentsOf(route.path), segments));
  const own = matches.filter(
    (route) => !matches.some((other) => takesWordForId(segmentsOf(route.path), segmentsOf(other.path))),
  );
  const methods = new Set(own.map((route) => route.method));
  if (methods.has("PATCH") || methods.has("PUT")) methods.add("PATCH").add("PUT");
  // Elysia answers HEAD wherever there is a GET.
  return [...methods, ...(methods.has("GET") ? ["HEAD"] : [])];
}

/** A function that says whether the router would take the last word of this path for an id. */
export function wordsTakenForIds(routes: () => Route[]): (method: string, path: string) => boolean {
  let taken: Set<string> | undefined;
  return (method, path) => {
    taken ??= new Set(takenBy(routes()));
    return taken.has(`${method === "HEAD" ? "GET" : method} ${withoutSlash(path)}`);
  };
}

function takenBy(routes: Route[]): string[] {
  const fixed = [
    ...new Set(routes.map(({ path }) => withoutSlash(path)).filter((path) => !path.includes(":"))),
  ];
  const ofIds = routes.filter(({ path }) => path.includes(":"));
  return fixed.flatMap((path) => {
    const own = new Set(
      routes.filter((route) => withoutSlash(route.path) === path).map(({ method }) => method),
    );
    return ofIds
      .filter(({ method }) => !own.has(method))
      .filter((route) => takesWordForId(segmentsOf(route.path), segmentsOf(path)))
      .map(({ method }) => `${method} ${path}`);
  });
}

function isMatch(pattern: string[], segments: string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => isParameter(part) || part === segments[i])
  );
}

/** True if a word of `other` is in the place of an id. Names, such as those of events, may be any word. */
function takesWordForId(pattern: string[], other: string[]): boolean {
  const places = pattern.flatMap((part, i) =>
    isParameter(part) && !isParameter(other[i] ?? ":") ? [part] : [],
  );
  return isMatch(pattern, other) && places.length > 0 && places.every((part) => /^:(id|\w+Id)$/.test(part));
}

function isParameter(part: string): boolean {
  return part.startsWith(":");
}

function segmentsOf(path: string): string[] {
  return withoutSlash(path).split("/");
}

function withoutSlash(path: string): string {
  return path.replace(/(.)\/$/, "$1");
}
