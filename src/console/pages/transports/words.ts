// What transports and rules are, in words.
import type { RouteRule, Transport } from "../../api.gen.ts";
import type { Tone } from "../../parts/status.tsx";

/** What a state means. */
export const STATES: Record<Transport["state"], { tone: Tone; word: string }> = {
  HEALTHY: { tone: "fine", word: "Ready" },
  SLOW: { tone: "warn", word: "Slowed down" },
  PAUSED: { tone: "quiet", word: "Paused" },
  HELD: { tone: "bad", word: "Refused by its provider" },
  OUT_OF_QUOTA: { tone: "warn", word: "No mails left for today" },
};

/** Mailbox providers that rules may name. */
export const PROVIDERS: Record<string, string> = {
  google: "Google",
  microsoft: "Microsoft",
  yahoo: "Yahoo",
  apple: "Apple",
  gmx: "GMX and WEB.DE",
  proton: "Proton",
  mailru: "Mail.ru",
  yandex: "Yandex",
};

type Reporter = NonNullable<Transport["feedback"]>["provider"];

/** Those who report what became of mails. */
export const FEEDBACK: Record<Reporter, string> = {
  postmark: "Postmark",
  mailgun: "Mailgun",
  sendgrid: "SendGrid",
  resend: "Resend",
  brevo: "Brevo",
  mailjet: "Mailjet",
  arf: "Complaint reports",
};

const LOG_IN = "user:password. Write both into the address of the webhook, too: https://user:password@…";

/** What the secret of their webhooks is. */
export const FEEDBACK_SECRETS: Record<Reporter, string> = {
  postmark: LOG_IN,
  mailgun: "The HTTP webhook signing key.",
  sendgrid: "The verification key of the signed event webhook.",
  resend: "The signing secret, which begins with whsec_.",
  brevo: "The token, or user:password.",
  mailjet: LOG_IN,
  arf: "Any, of 8 characters or more.",
};

/** `google` as `Google`; a domain as it is. */
export const providerName = (provider: string): string => PROVIDERS[provider] ?? provider;

/** Where a transport leads. */
export function addressOf({
  kind,
  url,
  heloName,
  bindAddresses,
}: Pick<Transport, "kind" | "url" | "heloName" | "bindAddresses">): string {
  if (kind === "CAPTURE") return "To the inbox of this project, and to nobody";
  if (kind === "SMTP") return url ?? "";
  return `Direct, as ${heloName ?? ""}${bindAddresses ? ` from ${bindAddresses.join(", ")}` : ""}`;
}

/** Which mails a rule is for: `Marketing mail from news.shop.example to Google`. */
export function mailsOf({ type, senderDomains, providers }: RouteRule): string {
  const mail =
    type === "MARKETING" ? "Marketing mail" : type === "TRANSACTIONAL" ? "Transactional mail" : "All mail";
  const from = senderDomains ? ` from ${listed(senderDomains)}` : "";
  const to = providers ? ` to ${listed(providers.map(providerName))}` : "";
  return mail + from + to;
}

/** Where a rule leads: `Provider, then the installation`. */
export function waysOf({ transports, whenFull }: RouteRule, nameOf: (id: string) => string): string {
  const ordered = [...transports].sort((a, b) => (a.priority ?? 100) - (b.priority ?? 100));
  const groups = Map.groupBy(ordered, ({ priority }) => priority ?? "own");
  const ways = [...groups.values()].map((group) =>
    group
      .map(({ id, weight }) => nameOf(id) + (weight === undefined ? "" : ` (weight ${weight})`))
      .join(" and "),
  );
  return ways.join(", then ") + (whenFull === "WAIT" ? "; waits for tomorrow when its day is full" : "");
}

function listed(names: string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
