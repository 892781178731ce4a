// Whose mails the page shows, which of them, and what it asks the service for.

const TIMEOUT_MS = 10_000;
const { as, credentials } = document.getElementById("main").dataset;

/** Whether a member of projects looks, and not the operator of the installation. */
export const isMember = as === "member";

/** Which mails are listed; the address of the page says it too, so that reload and a copied link keep it. */
export const filter = Object.fromEntries(
  ["projectId", "search", "to", "read"].map((name) => [
    name,
    new URLSearchParams(location.search).get(name) ?? "",
  ]),
);

/** Whether some mails of the inbox are left out. The project is no choice of a member's who looks at one. */
export function isNarrowed() {
  return Boolean(filter.search || filter.to || filter.read || (filter.projectId && !isMember));
}

/** Sets some of the filter, and the address. */
export function narrow(part) {
  Object.assign(filter, part);
  history.replaceState(null, "", location.pathname + query(filter) + location.hash);
}

function query(parts) {
  const given = Object.entries(parts).filter(([, value]) => value);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

/** The list: all that the filter says, or with `all` the whole of the project. */
export function listAddress({ all = false } = {}) {
  return `/inbox/mails${query(all ? { projectId: filter.projectId } : { ...filter, limit: "500" })}`;
}

/** One mail, or a part of it. The operator's is found without its project. */
export function mailAddress(id, part = "") {
  return `/inbox/mails/${encodeURIComponent(id)}${part}${query(isMember ? { projectId: filter.projectId } : {})}`;
}

/** Asks for an address; a body is sent as JSON. */
export async function ask(address, { method = "GET", headers = {}, body } = {}) {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  return await fetch(address, {
    method,
    headers: { ...headers, ...json },
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: "no-store",
    credentials,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

/** The projects to choose from: the member's own, or those that have captured mails. */
export async function listProjects() {
  const response = await ask(isMember ? "/users/@me/projects" : "/inbox/projects");
  if (!response.ok) return [];
  const answer = await response.json();
  return (Array.isArray(answer) ? answer : answer.data).map(({ id, name }) => ({ id, name }));
}
