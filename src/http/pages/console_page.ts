// The page of the console, which loads everything else, and the frame that mails are shown in.
import { escapeHtml } from "./html.ts";
import { ICON_ADDRESS } from "./home_page.ts";

const PRIVATE = {
  "content-type": "text/html; charset=utf-8",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

/** Which files the page names. */
interface Files {
  script: string;
  /** In this order. */
  styles: string[];
}

/**
 * Nothing from elsewhere but the pictures of mails and uploads, which may be kept in a bucket. Styles that libraries make at run
 * time carry the nonce; style attributes are refused.
 */
const csp = (nonce: string, pictures: string[]) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; ` +
  `img-src ${["'self'", "data:", "blob:", ...pictures].join(" ")}; font-src 'self'; connect-src 'self'; ` +
  "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** What else the page is told. */
interface PageOptions {
  nonce: string;
  /** The path below which the service is served, such as `/mail`; empty at the root. */
  base: string;
  /** Origins whose pictures are shown besides our own. */
  pictures: string[];
  /** The page that does the same without a script, if there is one. */
  withoutScript: string | null;
}

/** The page, at every address of the console. */
export function consolePage(
  { script, styles }: Files,
  { nonce, base, pictures, withoutScript }: PageOptions,
): Response {
  const assets = escapeHtml(`${base}/app/assets/`);
  const hosted = withoutScript === null ? "" : escapeHtml(base + withoutScript);
  const links = styles.map((name) => `<link rel="stylesheet" href="${assets}${name}">`);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="csp-nonce" content="${escapeHtml(nonce)}">
<meta name="base" content="${escapeHtml(base)}">
<title>Postrider</title>
<link rel="icon" href="${ICON_ADDRESS}">
${links.join("\n")}
<script type="module" src="${assets}${script}"></script>${hosted && `\n<noscript><meta http-equiv="refresh" content="0; url=${hosted}"></noscript>`}
</head>
<body><div id="app"></div><noscript>${hosted ? `<a href="${hosted}">Continue without JavaScript</a>` : "The console needs JavaScript."}</noscript></body>
</html>
`;
  return new Response(html, {
    headers: { ...PRIVATE, "content-security-policy": csp(nonce, pictures), "x-robots-tag": "noindex" },
  });
}

/**
 * An empty page that the console writes a mail into. Nothing runs there, whatever is written; with `withPictures`, pictures
 * from elsewhere are loaded, which tells their sender that somebody looked.
 */
export function framePage({ withPictures }: { withPictures: boolean }): Response {
  const remote = withPictures ? " https: http:" : "";
  const policy =
    `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:${remote}; font-src data:; ` +
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'";
  return new Response("<!doctype html><title>Mail</title>", {
    headers: { ...PRIVATE, "referrer-policy": "no-referrer", "content-security-policy": policy },
  });
}
