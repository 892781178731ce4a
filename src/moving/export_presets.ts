// What the columns and the files of other services' CSV exports mean.

/** What the contacts of a file have in common. */
export type ContactState = "subscribed" | "unsubscribed" | "bounced" | "complained" | "blocked";

/** Each of them, in the order in which files are read: whoever must not get mail comes first. */
export const CONTACT_STATES = ["blocked", "complained", "bounced", "unsubscribed", "subscribed"] as const;

/** The services whose exports are known. */
export const EXPORTERS = ["mailchimp", "brevo", "sendgrid"] as const;

/** One of them. */
export type Exporter = (typeof EXPORTERS)[number];

/** How the export of a service is read. Columns are in lower case. */
export interface ExportPreset {
  /** Its name as people write it. */
  title: string;
  /** The keys of columns whose names would make others; null for what is of no use elsewhere. */
  keys: Record<string, string | null>;
  /** The time of the subscription, whichever is there. */
  created: string[];
  /** The tags of a contact. */
  tags: string | null;
  /** Columns that say whether a contact may get mail. */
  states: string[];
  /** Columns that no other service's files have together: each of these lists tells it. */
  signs: string[][];
  /** Whether those are subscribed who are in no file of unsubscribed ones: they are exported without their state. */
  isRestSubscribed: boolean;
  /** The state of a file, or why none of it comes; null where neither its name nor its columns say so. */
  stateOf(name: string, columns: string[]): ContactState | { leftOut: string } | null;
}

const NAMES = {
  first_name: "firstName",
  last_name: "lastName",
  firstname: "firstName",
  lastname: "lastName",
  "first name": "firstName",
  "last name": "lastName",
};
const PHONES = { sms: "phone", "phone number": "phone", phone_number: "phone" };

/** What has no use outside the service. */
const without = (...columns: string[]) => Object.fromEntries(columns.map((column) => [column, null]));

/** The state that the name of a file of suppressions says. */
function stateInName(name: string): ContactState | null {
  if (/spam|complain/i.test(name)) return "complained";
  if (/bounce|invalid/i.test(name)) return "bounced";
  if (/unsub/i.test(name)) return "unsubscribed";
  return null;
}

/** Each service. */
export const EXPORT_PRESETS: Record<Exporter, ExportPreset> = {
  mailchimp: {
    title: "Mailchimp",
    keys: {
      ...NAMES,
      ...PHONES,
      member_rating: "memberRating",
      cc: "country",
      ...without("optin_time", "optin_ip", "confirm_time", "confirm_ip", "latitude", "longitude", "gmtoff"),
      ...without("dstoff", "last_changed", "leid", "euid", "unsub_time", "unsub_campaign_title"),
      ...without("unsub_campaign_id", "unsub_reason", "unsub_reason_other", "clean_time"),
      ...without("clean_campaign_title", "clean_campaign_id"),
    },
    created: ["optin_time", "confirm_time"],
    tags: "tags",
    states: [],
    signs: [["leid", "euid"], ["member_rating"]],
    isRestSubscribed: false,
    stateOf(name, columns) {
      if (/^nonsubscribed_/i.test(name)) return "unsubscribed";
      if (columns.includes("clean_time") || /^cleaned_/i.test(name)) return "bounced";
      if (columns.includes("unsub_time") || /^unsubscribed_/i.test(name)) return "unsubscribed";
      return /^subscribed_/i.test(name) ? "subscribed" : null;
    },
  },
  brevo: {
    title: "Brevo",
    keys: {
      ...NAMES,
      ...PHONES,
      ...without("contact id", "contact_id", "opt_in", "double_opt-in", "modified_time"),
    },
    created: ["added_time", "createdat"],
    tags: null,
    states: [
      "email_marketing",
      "email marketing",
      "email_blacklisted",
      "emailblacklisted",
      "email_blocklisted",
    ],
    signs: [["email_blacklisted"], ["emailblacklisted"], ["contact id", "email"]],
    isRestSubscribed: true,
    stateOf(name) {
      return stateInName(name) ?? (/black[-_ ]?list|block/i.test(name) ? "unsubscribed" : null);
    },
  },
  sendgrid: {
    title: "SendGrid",
    keys: { ...NAMES, ...PHONES, ...without("contact_id", "created_at", "updated_at") },
    created: ["created_at", "created"],
    tags: null,
    states: [],
    signs: [["contact_id", "email", "created_at"]],
    isRestSubscribed: true,
    stateOf(name) {
      if (/block/i.test(name))
        return { leftOut: "blocks are refusals that pass, and SendGrid goes on sending" };
      return stateInName(name);
    },
  },
};

/** What a cell of a state column says. Whatever is not known to be a yes to mail is a no. */
export function stateInCell(column: string, cell: string): ContactState {
  const isNo = /black|block/.test(column) ? /^(false|0|no|n)$/i : /^(subscribed|true|1|yes|y)$/i;
  return isNo.test(cell) ? "subscribed" : "unsubscribed";
}

/** The key of a column: `First class`, `FIRST_CLASS` and `first-class` are `firstClass`. */
export function keyOf(column: string): string {
  const isShouted = column === column.toUpperCase();
  const words = column
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => (isShouted ? word.toLowerCase() : word));
  return words
    .map((word, n) => {
      const first = word.charAt(0);
      return `${n === 0 ? first.toLowerCase() : first.toUpperCase()}${word.slice(1)}`;
    })
    .join("");
}

/** `"VIP","Early bird"`, as Mailchimp writes the tags of a contact. */
export function tagsIn(cell: string): string[] {
  const tags = cell.match(/"(?:[^"]|"")*"|[^,"]+/g) ?? [];
  const plain = tags.map((tag) => tag.replace(/^"|"$/g, "").replaceAll('""', '"').trim());
  return [...new Set(plain.filter((tag) => tag !== ""))];
}

/** How a file of a service is imported as contacts without a move: what is of use elsewhere, and under which key. */
export interface ImportPreset {
  name: Exporter;
  title: string;
  signs: string[][];
  /** The key of each column, in lower case; null to leave it out. Others are mapped by their names. */
  columns: Record<string, string | null>;
}

/** Each service's. */
export function importPresets(): ImportPreset[] {
  return EXPORTERS.map((name) => {
    const { title, keys, created, tags, states, signs } = EXPORT_PRESETS[name];
    const unused = [...created, ...states, ...(tags === null ? [] : [tags])];
    const columns = { ...keys, ...Object.fromEntries(unused.map((column) => [column, null])) };
    return { name, title, signs, columns };
  });
}
