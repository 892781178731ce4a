// What a platform mail looks like: tables and inline styles, which every mail program knows.

/** What a platform mail says. All of it is text. */
export interface PlatformWords {
  subject: string;
  paragraphs: string[];
  /** Shown as a button, and below it in full. */
  link?: { label: string; url: string } | undefined;
}

const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Helvetica,Arial,sans-serif";
const TABLE = 'role="presentation" cellpadding="0" cellspacing="0" border="0"';
const PARAGRAPH = "margin:0 0 16px";
const BUTTON =
  "display:inline-block;padding:12px 24px;border-radius:6px;background:#1f4fd8;color:#ffffff;" +
  "font-weight:600;text-decoration:none";

/** The HTML part, with `reason`, why it comes, at its end. */
export function platformHtml({ subject, paragraphs, link }: PlatformWords, reason: string): string {
  const text = Bun.escapeHTML;
  const body = paragraphs.map((paragraph) => `<p style="${PARAGRAPH}">${text(paragraph)}</p>`).join("\n");
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${text(subject)}</title>
</head>
<body style="margin:0;padding:0;background:#f2f4f7">
<table ${TABLE} width="100%" style="background:#f2f4f7"><tr><td align="center" style="padding:32px 16px">
<table ${TABLE} width="100%" style="max-width:560px">
<tr><td style="padding:32px;background:#ffffff;border:1px solid #e1e5eb;border-radius:8px;color:#1c2430;font:16px/1.6 ${FONT}">
<h1 style="margin:0 0 16px;font:600 21px/1.35 ${FONT}">${text(subject)}</h1>
${body}
${link ? button(link) : ""}
</td></tr>
<tr><td style="padding:20px 32px;color:#6a7381;font:13px/1.6 ${FONT}">${text(reason)}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
}

/** The text part. */
export function platformText({ subject, paragraphs, link }: PlatformWords, reason: string): string {
  const parts = [subject, ...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), `--\n${reason}`];
  return `${parts.join("\n\n")}\n`;
}

/** Outlook ignores the padding of a link; the cell around it has the colour too, and so stays a button there. */
function button({ label, url }: { label: string; url: string }): string {
  const href = Bun.escapeHTML(url);
  return `<table ${TABLE} style="margin:8px 0 20px"><tr><td align="center" bgcolor="#1f4fd8" style="border-radius:6px">
<a href="${href}" style="${BUTTON}">${Bun.escapeHTML(label)}</a>
</td></tr></table>
<p style="margin:0;color:#6a7381;font-size:13px;word-break:break-all">Or open this address:<br><a href="${href}" style="color:#1f4fd8">${href}</a></p>`;
}
