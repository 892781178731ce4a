// The tables of guides/compat.md, made from what the code goes by. Run this file to write them into the guide.
import type { FieldTable } from "../../src/http/compat/_fields.ts";
import { MAILGUN_FIELDS } from "../../src/http/compat/_mailgun_fields.ts";
import { POSTMARK_FIELDS } from "../../src/http/compat/_postmark_fields.ts";
import { RESEND_FIELDS } from "../../src/http/compat/_resend_fields.ts";
import { SENDGRID_FIELDS } from "../../src/http/compat/_sendgrid_fields.ts";

/** By the heading that each has in the guide. */
export const FIELD_TABLES: Readonly<Record<string, FieldTable>> = {
  "Fields of a message to Resend": RESEND_FIELDS,
  "Fields of a message to SendGrid": SENDGRID_FIELDS,
  "Fields of a message to Postmark": POSTMARK_FIELDS,
  "Fields of a message to Mailgun": MAILGUN_FIELDS,
};

export const HEAD = ["Field", "Becomes", "How"];

/** The cells of a table. */
export function fieldRows(table: FieldTable): string[][] {
  return Object.entries(table).map(([field, { becomes, how }]) => [`\`${field}\``, becomes, how]);
}

const markdown = (table: FieldTable) =>
  [HEAD, HEAD.map(() => "---"), ...fieldRows(table)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

if (import.meta.main) {
  const guide = new URL("../../src/http/pages/guides/compat.md", import.meta.url).pathname;
  let text = await Bun.file(guide).text();
  for (const [heading, table] of Object.entries(FIELD_TABLES)) {
    const place = new RegExp(`(### ${heading}\n\n)(?:\\|.*\n)*`);
    text = text.replace(place, (_all, above: string) => `${above}${markdown(table)}\n`);
  }
  await Bun.write(guide, text);
}
