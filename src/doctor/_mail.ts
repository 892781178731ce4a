import { isProduction } from "../config/mod.ts";
import { q } from "../db/queries.ts";
import { isDirect } from "../mail/direct_url.ts";
import { probeSmtp, type SmtpProbe } from "../mail/smtp_probe.ts";
import { pingSpamFilter, SPAM_FILTER_MS } from "../mail/spam_filter.ts";
import { examineDirect } from "./_direct.ts";
import { hasSchema } from "./_database.ts";
import { type Check, failure, type Finding, ok, skipped, warning } from "./_findings.ts";

const SMTP_MS = 10_000;

/** The SMTP server, as far as it can be tried without a mail: connection, encryption, login. */
export const smtp: Check = {
  name: "smtp",
  limitMs: SMTP_MS + 2_000,
  async look({ config, dns }) {
    if (config.SMTP_URL === undefined) {
      const report = isProduction(config) ? failure : warning;
      const advice =
        "Set SMTP_URL, such as smtp://user:password@mail.example.com:587, to send mail; then `bun run admin release` " +
        "sends what was captured.";
      return report("smtp", "Mails are captured and shown at /inbox; none are sent", advice);
    }
    if (isDirect(config.SMTP_URL)) return await examineDirect(config.SMTP_URL, dns);
    // Without user and password: the message may be shown to others.
    const { host, hostname } = new URL(config.SMTP_URL);
    return judge(await probeSmtp(config.SMTP_URL, SMTP_MS), host, hostname);
  },
};

/** Who sends the mails of the installation itself. */
export const platformFrom: Check = {
  name: "platform_from",
  limitMs: 1_000,
  async look({ config }) {
    if (config.SMTP_URL === undefined) return skipped("platform_from", "Only needed once mails are sent");
    if (config.PLATFORM_FROM)
      return ok("platform_from", `Platform mails are sent from ${config.PLATFORM_FROM}`);
    const message =
      "Mails of the installation itself are not sent: nobody can verify an address, reset a password or be invited, or " +
      "is notified of lost domains and bad reputation";
    const advice =
      "Set PLATFORM_FROM to an address that may send through SMTP_URL, such as Postrider <postrider@example.com>.";
    return warning("platform_from", message, advice);
  },
};

/** The spam filter that scores campaigns. Nothing depends on it. */
export const spamFilter: Check = {
  name: "spam_filter",
  limitMs: SPAM_FILTER_MS + 2_000,
  async look({ config: { SPAM_FILTER_URL } }) {
    if (SPAM_FILTER_URL === undefined) return skipped("spam_filter", "SPAM_FILTER_URL is not set");
    const { host } = new URL(SPAM_FILTER_URL);
    const reason = await pingSpamFilter(SPAM_FILTER_URL, SPAM_FILTER_MS);
    if (reason === null) return ok("spam_filter", `${host} answers`);
    const advice =
      "Check SPAM_FILTER_URL: it leads to the normal worker of rspamd, whose usual port is 11333. Until it answers, " +
      "campaigns are checked without a spam score.";
    return warning("spam_filter", `The spam filter at ${host} gives no scores: ${reason}`, advice);
  },
};

/** Whether there are mails left that were captured before there was a server. */
export const oldCapturedMails: Check = {
  name: "captured_mails",
  limitMs: 8_000,
  needsDatabase: true,
  async look(patient) {
    const { sql, config } = patient;
    if (config.SMTP_URL === undefined) return skipped("captured_mails", "Only needed once mails are sent");
    if (!sql) return skipped("captured_mails", "The database cannot be reached");
    if (!(await hasSchema(patient))) return skipped("captured_mails", "The database is not migrated");
    const { total } = await q.doctor.captured({ sql }, { limit: MANY + 1 });
    if (total === 0) return ok("captured_mails", "None is waiting to be released");
    const mails = total === 1 ? "1 mail was" : `${total > MANY ? `More than ${MANY}` : total} mails were`;
    const message = `${mails} captured while SMTP_URL was not set, and have not been delivered`;
    const advice =
      "`bun run admin release` counts those that can still be sent, and with --all --yes sends them.";
    return warning("captured_mails", message, advice);
  },
};

const MANY = 10_000;

const ADVICE: Record<NonNullable<SmtpProbe["failedAt"]>, string> = {
  connect:
    "Check that the server is up and that no firewall blocks this machine; many hosting providers block port 25. " +
    "The usual ports are 587 with smtp:// and 465 with smtps://.",
  tls:
    "Use the name in the server's certificate in SMTP_URL, and renew the certificate if it has expired. " +
    "For a self-signed one add ?tls.rejectUnauthorized=false.",
  login:
    "Check the user and password in SMTP_URL. Special characters in them are percent-encoded: @ is %40, : is %3A, / is %2F.",
};

const BY_CODE: Record<string, string> = {
  ECONNREFUSED: "Nothing is listening there: check the host and port in SMTP_URL, and that the server is up.",
  EDNS: "The server's name cannot be resolved: check SMTP_URL for a typo, and DNS_SERVERS.",
  ENOTFOUND: "The server's name cannot be resolved: check SMTP_URL for a typo.",
};

function judge(probe: SmtpProbe, host: string, hostname: string): Finding[] {
  if (probe.failedAt) {
    const said = probe.words;
    const refused = /ECONNREFUSED/.test(said) ? "ECONNREFUSED" : probe.code;
    const what = { connect: "reach", tls: "encrypt the connection to", login: "log in to" }[probe.failedAt];
    const advice =
      probe.failedAt === "connect" ? (BY_CODE[refused] ?? ADVICE.connect) : ADVICE[probe.failedAt];
    return [failure("smtp", `Cannot ${what} ${host}: ${said}`, advice)];
  }
  const login = loginOf(probe);
  const found: Finding[] = [];
  if (!probe.isEncrypted && !isLocal(hostname)) {
    const message = probe.offersTls
      ? `The connection to ${host} is not encrypted, although the server offers STARTTLS`
      : `${host} offers no STARTTLS: mails${probe.hasLogin ? " and the password" : ""} are sent unencrypted`;
    const advice = probe.offersTls
      ? "Remove ignoreTLS from SMTP_URL."
      : "Use the submission port of the server (587), or smtps:// with port 465.";
    found.push(warning("smtp", message, advice));
  }
  if (probe.hasLogin && !probe.offersLogin) {
    const advice =
      "Remove the user and password from SMTP_URL, or use the port on which the server requires them.";
    found.push(warning("smtp", `${host} requires no login: the one in SMTP_URL is not used`, advice));
  }
  if (found.length > 0) return found;
  const line = probe.isEncrypted ? "encrypted" : "not encrypted, and local";
  return [ok("smtp", `${host} answers; the connection is ${line}; ${login}`)];
}

function loginOf({ hasLogin, offersLogin }: SmtpProbe): string {
  if (hasLogin) return "the login is accepted";
  return offersLogin ? "SMTP_URL has no login" : "no login is required";
}

/** What stays on this machine cannot be read on the way. */
function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
