// Files that strangers have made. A browser saves them, and never draws or runs them.

/** For no cache, no guess of a type and no address that tells where it was read. */
export const PRIVATE = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

/** For a file that is opened after all: nothing in it runs. */
export const FILE_CSP = "default-src 'none'; sandbox";

/** The file as a download, of whatever kind it is. */
export function downloadResponse(filename: string, bytes: Uint8Array): Response {
  const headers = {
    ...PRIVATE,
    "content-type": "application/octet-stream",
    "content-disposition": contentDisposition("attachment", filename),
    "content-security-policy": FILE_CSP,
  };
  return new Response(new Uint8Array(bytes), { headers });
}

/** The header of RFC 6266: plain ASCII for old browsers, UTF-8 for the others, and no path in either. */
export function contentDisposition(disposition: "inline" | "attachment", filename: string): string {
  const name = filename
    .replace(/[\p{Cc}/\\]/gu, "_")
    .slice(-200)
    .toWellFormed();
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, "_");
  const utf8 = encodeURIComponent(name).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${utf8}`;
}
