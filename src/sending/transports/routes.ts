// Which mails may take which transports: an ordered document, of a project or of the installation.

/** The transport that the settings describe (`SMTP_URL`); without one, the inbox. */
export const DEFAULT_TRANSPORT = "default";
/** What takes the mails of sandboxes: the inbox, whatever else there is. */
export const SANDBOX_TRANSPORT = "sandbox";
/** Whose the rows of the installation are. */
export const INSTALLATION = "00000000-0000-0000-0000-000000000000";

/** What decides, besides the recipient, where a mail goes. */
export interface RoutedKind {
  type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
  /** The domain of its sender. */
  senderDomain: string;
}

/** A rule counts for mails to which all of it applies; what is left out applies to all. */
export interface RouteRule {
  /** HEADLESS counts as MARKETING: it goes to the same people. */
  type?: "TRANSACTIONAL" | "MARKETING";
  senderDomains?: string[];
  /** Mailbox providers (`google`, `microsoft` …), or recipient domains. */
  providers?: string[];
  /** In the document of the installation only. */
  projectIds?: string[];
  /** The first of them that takes the mail; `priority` and `weight` replace those of the transport. */
  transports: { id: string; priority?: number; weight?: number }[];
  /** When a transport has sent its mails of the day: on to the `NEXT`, or `WAIT` for the next day. */
  whenFull: "NEXT" | "WAIT";
}

/** The document. The first rule that applies decides; without one, priority and weight of all transports. */
export interface Routes {
  rules: RouteRule[];
}

/** The routes in a stored document. One without rules says nothing. */
export function routesIn(document: unknown): Routes {
  const { rules } = (document ?? {}) as Partial<Routes>;
  return { rules: Array.isArray(rules) ? rules : [] };
}

/** The first rule that applies. */
export function ruleFor(
  { rules }: Routes,
  mail: {
    projectId: string;
    kind: RoutedKind | null;
    domain: string;
    /** Asked where a rule names providers. */
    providerOf: (domain: string) => string;
  },
): RouteRule | null {
  const { kind } = mail;
  const type = kind && (kind.type === "TRANSACTIONAL" ? "TRANSACTIONAL" : "MARKETING");
  const applies = (rule: RouteRule) =>
    (!rule.type || rule.type === type) &&
    (!rule.senderDomains || (kind !== null && rule.senderDomains.includes(kind.senderDomain))) &&
    (!rule.providers || isAmong(rule.providers, mail)) &&
    (!rule.projectIds || rule.projectIds.includes(mail.projectId));
  return rules.find(applies) ?? null;
}

/** A domain that is named is not asked about. */
function isAmong(
  providers: string[],
  { domain, providerOf }: { domain: string; providerOf: (domain: string) => string },
): boolean {
  return providers.includes(domain) || providers.includes(providerOf(domain));
}

/** Whether these routes ask what kind of mail it is, which has to be looked up. */
export function asksForKind({ rules }: Routes): boolean {
  return rules.some((rule) => rule.type || rule.senderDomains);
}
