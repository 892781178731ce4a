import { createCache } from "../../cache.ts";
import { fill, type Language, PHRASES } from "../../content/languages/mod.ts";

/** The end of a MARKETING mail, for its HTML body and for its text part. */
export interface Footer {
  html: string;
  text: string;
}

/** What a footer is made of. */
export interface FooterInput {
  projectName: string;
  /** Where the sender is; null if nobody has said. It may have several lines. */
  postalAddress: string | null;
  language: Language;
  unsubscribeUrl: string;
  manageUrl: string;
}

/** A footer without its links: the same for every mail of a project in one language. */
interface Frame {
  html: readonly [string, string, string];
  text: readonly [string, string, string];
}

const MAX_FRAMES = 1000;

const frames = createCache<Frame>({ maxEntries: MAX_FRAMES });

/** The footer of one mail: whose mail it is, why it comes, the two links, and where the sender is. */
export function footerOf(input: FooterInput): Footer {
  const { unsubscribeUrl, manageUrl } = input;
  const { html, text } = frameOf(input);
  return {
    html: html[0] + Bun.escapeHTML(unsubscribeUrl) + html[1] + Bun.escapeHTML(manageUrl) + html[2],
    text: text[0] + unsubscribeUrl + text[1] + manageUrl + text[2],
  };
}

function frameOf({ language, projectName, postalAddress }: FooterInput): Frame {
  const key = `${language} ${projectName}\0${postalAddress ?? ""}`;
  const known = frames.get(key);
  if (known) return known;
  const frame = makeFrame(language, projectName, postalAddress);
  frames.set(key, frame);
  return frame;
}

// A grey in the middle has a contrast of 4.5 on white and on black alike, and a mail program that turns colours round
// leaves it readable. No background: the footer is on that of the mail. A table, because Outlook knows no other
// way to keep a distance.
const CELL =
  "padding:32px 16px 24px;text-align:center;color:#767676;" +
  "font:13px/1.6 -apple-system,BlinkMacSystemFont,'Segoe UI',Helvetica,Arial,sans-serif";
const LINK = "color:#767676;text-decoration:underline";

function makeFrame(language: Language, projectName: string, postalAddress: string | null): Frame {
  const { reason, unsubscribe, manage } = PHRASES[language].footer;
  const link = (name: string) => `" style="${LINK}">${Bun.escapeHTML(name)}</a>`;
  // Header lines are made of a name elsewhere; in text too it stays on its line.
  const name = projectName.replace(/\s+/g, " ").trim();
  const lines = (postalAddress ?? "").split("\n").map((line) => line.trim());
  const address = lines.filter((line) => line !== "");
  return {
    html: [
      `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" lang="${language}" dir="ltr">` +
        `<tr><td align="center" style="${CELL}">` +
        `${fill(Bun.escapeHTML(reason), { project: `<bdi>${Bun.escapeHTML(name)}</bdi>` })}<br><a href="`,
      `${link(unsubscribe)} &nbsp;·&nbsp; <a href="`,
      `${link(manage)}${address.map((line) => `<br><bdi>${Bun.escapeHTML(line)}</bdi>`).join("")}</td></tr></table>`,
    ],
    text: [
      `\n\n---\n${fill(reason, { project: name })}\n${unsubscribe}: `,
      `\n${manage}: `,
      ["", ...address, ""].join("\n"),
    ],
  };
}
