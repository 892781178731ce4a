/** Whether somebody has opened the address in a browser: pages and programs ask for other types. */
export function isForBrowser({ method, headers }: Request): boolean {
  return method === "GET" && (headers.get("accept") ?? "").includes("text/html");
}
