// The settings of the service: one schema, read once. The README's table is generated from it.
import { type Static, Type as t } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { parseMailbox } from "./mail/address.ts";
import { createDns } from "./mail/dns.ts";
import { parseDomain } from "./mail/domain_name.ts";

/** The options of the mail library that are numbers; it takes whatever it is given, and then hangs or opens nothing. */
const SMTP_NUMBERS = [
  "maxConnections",
  "maxMessages",
  "messageTimeout",
  "connectionTimeout",
  "greetingTimeout",
  "socketTimeout",
  "dnsTimeout",
];

const HOST_PATTERN =
  "^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$";

const TOPIC_ARN = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w.-]{1,256}$/;

/** Every setting with its meaning. `secret` ones are never shown; `production` says what production changes. */
export const Settings = t.Object({
  PORT: t.Integer({ minimum: 0, maximum: 65535, default: 3000, description: "Port of the HTTP service." }),
  HOST: t.Optional(
    t.String({
      minLength: 1,
      description: "Address to listen on. Left out: `127.0.0.1`, and `0.0.0.0` in production.",
    }),
  ),
  BASE_URL: t.Optional(
    t.String({
      pattern: "^https?://[^\\s/?#]+(/[^\\s?#]*[^\\s/?#])?$",
      description:
        "Address of this service in links and pages, without a slash at the end. Left out: `http://localhost:<PORT>`.",
    }),
  ),
  DATABASE_URL: t.Optional(
    t.String({
      pattern: "^postgres(ql)?://",
      secret: true,
      description: "The one Postgres, 15 or newer. Left out: a Postgres of our own is started in `DATA_DIR`.",
    }),
  ),
  DATA_DIR: t.String({
    minLength: 1,
    default: ".data",
    description: "Folder of the embedded Postgres and of the generated development secret.",
  }),
  SMTP_URL: t.Optional(
    t.String({
      pattern: "^smtps?://",
      secret: true,
      description:
        "Where mail goes, such as `smtp://user:password@mail.example.com:587?maxConnections=20`. Left out: mails are captured and shown on `/inbox`.",
    }),
  ),
  PLATFORM_FROM: t.Optional(
    t.String({
      description:
        "Sender of mails of the installation itself, such as `Postrider <postrider@example.com>`: notices about domains and reputation. Left out: they are not sent.",
    }),
  ),
  SECRET_KEY: t.Optional(
    t.String({
      minLength: 32,
      secret: true,
      description:
        "At least 32 random characters: signs links and encrypts stored keys. Required in production; elsewhere one is generated in `DATA_DIR`.",
    }),
  ),
  MODE: t.Union([t.Literal("all"), t.Literal("http"), t.Literal("worker")], {
    default: "all",
    description:
      "Which halves of the service this process runs: `all`, `http`, or `worker`, which answers `/health` and `/ready` only.",
  }),
  LOG_LEVEL: t.Union([t.Literal("debug"), t.Literal("info"), t.Literal("warn"), t.Literal("error")], {
    default: "info",
    description: "`debug`, `info`, `warn` or `error`.",
  }),
  RATE_LIMIT_PER_MINUTE: t.Integer({
    minimum: 0,
    default: 1000,
    description: "Requests a minute for one project, over all processes. 0 turns the limit off.",
  }),
  SEND_RATE_PER_SECOND: t.Number({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description: "Mails a second that leave the installation, over all processes. 0: as many as can.",
  }),
  AUTO_PROJECT_DISABLE: t.Boolean({
    default: false,
    description:
      "Whether a project with too many bounces or complaints (over 10 % or 0.3 % in 7 days) is disabled until `bun run admin project enable`. Else its members are warned.",
  }),
  IDEMPOTENCY_KEY_TTL_HOURS: t.Number({
    exclusiveMinimum: 0,
    maximum: 8760,
    default: 24,
    description: "How long an `Idempotency-Key` is remembered, 8760 (a year) at most.",
  }),
  MAX_ATTACHMENT_SIZE_MB: t.Number({
    exclusiveMinimum: 0,
    maximum: 30,
    default: 10,
    description: "All attachments of one mail together.",
  }),
  SPF_INCLUDE: t.Optional(
    t.String({
      pattern: HOST_PATTERN,
      description:
        "What the SPF record of a sender domain has to include, such as `amazonses.com`: the name that the provider behind `SMTP_URL` gives.",
    }),
  ),
  INBOUND_HOST: t.Optional(
    t.String({
      pattern: HOST_PATTERN,
      description:
        "Host name under which other mail servers reach this installation: bounces are directed there. Left out: the host of `BASE_URL`.",
    }),
  ),
  INBOUND_SMTP_PORT: t.Optional(
    t.Integer({
      minimum: 0,
      maximum: 65535,
      description:
        "Port on which bounces and complaint reports are taken, as mail; the same in every process. Left out: they are not taken, and mails name their sender's own address for them.",
    }),
  ),
  DNS_SERVERS: t.String({
    default: "",
    description:
      "Name servers as `host` or `host:port` (`[IPv6]:port`), separated by commas. Empty: the system's.",
  }),
  SNS_TOPIC_ARNS: t.String({
    default: "",
    description:
      "Topics of Amazon SNS whose notifications count on `/webhooks/sns`, separated by commas. Empty: any topic's, of any account of Amazon's: set it in production.",
  }),
  ALLOW_PRIVATE_WEBHOOKS: t.Boolean({
    default: false,
    description:
      "Whether webhooks of workflows may go to private and loopback addresses, for a closed network. Where clouds keep metadata they never go.",
  }),
  NODE_ENV: t.String({
    default: "development",
    description: "`production` asks for `SECRET_KEY` and protects `/inbox` with it.",
  }),
});

/** The settings of one process. Read once, by `main.ts` and `admin.ts`; nothing else looks at the environment. */
export type Config = Readonly<Omit<Static<typeof Settings>, "BASE_URL" | "HOST" | "SECRET_KEY">> & {
  readonly BASE_URL: string;
  readonly HOST: string;
  /** Empty until `openService` has generated one, in development. */
  readonly SECRET_KEY: string;
};

/** Reads the settings, or throws one error that names every wrong one. An empty variable counts as left out. */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const settings = Value.Convert(Settings, Value.Default(Settings, Value.Clean(Settings, given)));
  const wrong = [...Value.Errors(Settings, settings)].map((e) => `${e.path.slice(1)}: ${e.message}`);
  const named = new Set(wrong.map((line) => line.split(":")[0]));
  wrong.push(
    ...unusable(settings as Static<typeof Settings>).filter((line) => !named.has(line.split(":")[0])),
  );
  if (wrong.length > 0) throw new Error(`Cannot read the settings\n  ${[...new Set(wrong)].join("\n  ")}`);
  return Object.freeze(withDefaults(settings as Static<typeof Settings>));
}

/** What the schema cannot tell. Values are not repeated: an address may hold a password. */
function unusable(settings: Static<typeof Settings>): string[] {
  const { SECRET_KEY, BASE_URL, DATABASE_URL, SMTP_URL, PLATFORM_FROM, DNS_SERVERS, SNS_TOPIC_ARNS } =
    settings;
  const lines: string[] = [];
  if (isProduction(settings) && !SECRET_KEY) {
    lines.push("SECRET_KEY: required in production; make one with `openssl rand -hex 32`");
  }
  if (BASE_URL && !parseUrl(BASE_URL))
    lines.push("BASE_URL: expected an address such as https://example.com");
  if (DATABASE_URL && !parseUrl(DATABASE_URL)) {
    lines.push("DATABASE_URL: expected an address such as postgres://user:password@host:5432/database");
  }
  if (SMTP_URL) lines.push(...wrongInSmtp(SMTP_URL).map((reason) => `SMTP_URL: ${reason}`));
  if (PLATFORM_FROM && !parseMailbox(PLATFORM_FROM)) {
    lines.push("PLATFORM_FROM: expected an address such as Postrider <postrider@example.com>");
  }
  if (!snsTopics({ SNS_TOPIC_ARNS }).every((topic) => TOPIC_ARN.test(topic))) {
    lines.push(
      "SNS_TOPIC_ARNS: expected topics such as arn:aws:sns:eu-west-1:123456789012:mail, separated by commas",
    );
  }
  try {
    createDns({ servers: dnsServers({ DNS_SERVERS }) });
  } catch {
    lines.push('DNS_SERVERS: expected "host" or "host:port", separated by commas');
  }
  return lines;
}

function wrongInSmtp(text: string): string[] {
  const url = parseUrl(text);
  if (!url?.hostname || url.port === "0") {
    return [
      "expected an address such as smtp://user:password@host:587, with special characters percent-encoded",
    ];
  }
  return [...url.searchParams]
    .filter(([name, value]) => SMTP_NUMBERS.includes(name) && !/^0*[1-9]\d{0,8}$/.test(value))
    .map(([name]) => `${name} must be a whole number from 1 on`);
}

/** Null for what is no URL, and for one whose name or password nobody could decode. */
function parseUrl(text: unknown): URL | null {
  try {
    const url = new URL(String(text));
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return null;
  }
}

/** The name servers to ask, in order. Empty means the system's. */
export function dnsServers(config: { DNS_SERVERS: string }): string[] {
  return config.DNS_SERVERS.split(",")
    .map((server) => server.trim())
    .filter((server) => server !== "");
}

/** The host that bounces come back to, or null where this installation has no name that others could find. */
export function inboundHost(config: Pick<Config, "BASE_URL" | "INBOUND_HOST">): string | null {
  return config.INBOUND_HOST?.toLowerCase() ?? parseDomain(new URL(config.BASE_URL).hostname);
}

/** The topics of SNS that count. Empty means every one. */
export function snsTopics(config: { SNS_TOPIC_ARNS: string }): string[] {
  return config.SNS_TOPIC_ARNS.split(",")
    .map((topic) => topic.trim())
    .filter((topic) => topic !== "");
}

/** True where mistakes cost something: no generated secrets, a guarded inbox. */
export function isProduction(config: { NODE_ENV: string }): boolean {
  return config.NODE_ENV === "production";
}

function withDefaults(settings: Static<typeof Settings>): Config {
  return {
    ...settings,
    BASE_URL: settings.BASE_URL ?? `http://localhost:${settings.PORT}`,
    HOST: settings.HOST ?? (isProduction(settings) ? "0.0.0.0" : "127.0.0.1"),
    SECRET_KEY: settings.SECRET_KEY ?? "",
  };
}
