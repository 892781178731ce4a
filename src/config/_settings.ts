// The schema of the settings. The table of guides/settings.md is generated from it.
import { Type as t } from "@sinclair/typebox";
import { HOST_PATTERN, MailServerSettings } from "./_mail_server_settings.ts";
import { OF_OTHER_SERVICES } from "./_settings_of_services.ts";
import { OF_TELEMETRY } from "./_telemetry.ts";

const TO_A_MILLION = { minimum: 0, maximum: 1_000_000 };
const DAYS = { minimum: 0, maximum: 36_500 };

/** Every setting with its meaning. Secret ones are never shown; `production` says what production changes. */
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
      expected: "an address such as https://mail.example.com, without a slash at the end",
      description:
        "Address of this service in links and pages, without a slash at the end. Left out: `http://localhost:<PORT>`.",
    }),
  ),
  DATABASE_URL: t.Optional(
    t.String({
      pattern: "^postgres(ql)?://",
      expected: "an address such as postgres://user:password@host:5432/database",
      secret: true,
      description:
        "The Postgres database, version 15 or newer. Left out: an embedded Postgres is started in `DATA_DIR`.",
    }),
  ),
  DATABASE_DIRECT_URL: t.Optional(
    t.String({
      pattern: "^postgres(ql)?://",
      expected: "an address such as postgres://user:password@host:5432/database",
      secret: true,
      description:
        "The address of Postgres itself, where `DATABASE_URL` leads to PgBouncer in transaction mode: for locks, notifications, the queue and migrations. Left out: `DATABASE_URL` leads to Postgres directly.",
    }),
  ),
  DATABASE_WAIT_SECONDS: t.Integer({
    minimum: 0,
    maximum: 86_400,
    default: 60,
    description:
      "How long the service waits at startup for a database that cannot be reached. Until then `/health` returns 200, and everything else 503.",
  }),
  DATA_DIR: t.String({
    minLength: 1,
    default: ".data",
    description: "Folder of the embedded Postgres and of the generated development secret.",
  }),
  SMTP_URL: t.Optional(
    t.String({
      pattern: "^(smtps?|direct)://",
      expected:
        "an address such as smtp://user:password@host:587, smtps://user:password@host:465, or direct://mail.example.com",
      secret: true,
      description:
        "The mail server to send through, such as `smtp://user:password@mail.example.com:587?maxConnections=20`; or `direct://mail.example.com`, with the name of this server, to deliver to the servers of recipients without one in between ([Direct delivery](direct.md)). Left out: mails are captured, shown on `/inbox`, and can be sent later with `bun run admin release`.",
    }),
  ),
  PLATFORM_FROM: t.Optional(
    t.String({
      description:
        "Sender of the installation's own mails, such as `Postrider <postrider@example.com>`: verification, invitations, notices about domains and reputation. Left out: `Postrider <postrider@sandbox.example>` while mails are captured; with `SMTP_URL`, these mails are not sent.",
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
      "Which parts of the service this process runs: `all`, `http`, or `worker`, which answers `/health` and `/ready` only.",
  }),
  LOG_LEVEL: t.Union([t.Literal("debug"), t.Literal("info"), t.Literal("warn"), t.Literal("error")], {
    default: "info",
    description: "`debug`, `info`, `warn` or `error`.",
  }),
  RATE_LIMIT_PER_MINUTE: t.Integer({
    minimum: 0,
    default: 1000,
    description: "Limit of requests per minute for one project, across all processes. 0: no limit.",
  }),
  SEND_RATE_PER_SECOND: t.Number({
    ...TO_A_MILLION,
    default: 0,
    description: "Limit of mails per second for the whole installation, across all processes. 0: no limit.",
  }),
  AUTO_PROJECT_DISABLE: t.Boolean({
    default: false,
    description:
      "Whether a project with too many bounces or complaints (over 10 % or 0.3 % in 7 days) is disabled until the operator runs `bun run admin project enable`. If `false`, its members are only warned.",
  }),
  IDEMPOTENCY_KEY_TTL_HOURS: t.Number({
    exclusiveMinimum: 0,
    maximum: 8760,
    default: 24,
    description: "How long an `Idempotency-Key` is remembered: at most 8760 (a year).",
  }),
  MAX_ATTACHMENT_SIZE_MB: t.Number({
    exclusiveMinimum: 0,
    maximum: 30,
    default: 10,
    description: "Limit of the total size of the attachments of one mail.",
  }),
  RETENTION_EVENTS_DAYS: t.Integer({
    ...DAYS,
    default: 0,
    description:
      "How long events and the ledger of mails are kept. They are dropped by the month (UTC), when all of it is older than this. Counts are kept. 0: forever.",
  }),
  RETENTION_BODIES_DAYS: t.Integer({
    ...DAYS,
    default: 90,
    description:
      "How long bodies and attachments of mails are kept, but never longer than the mails. Mails that are still to be sent keep theirs; captured mails can no longer be sent once theirs are gone. 0: as long as the mails.",
  }),
  RETENTION_LOGS_DAYS: t.Integer({
    ...DAYS,
    default: 90,
    description:
      "How long the step-by-step history of ended workflow executions is kept, and the reports of imports and bulk operations. 0: forever.",
  }),
  REQUEST_LOG_PER_MINUTE: t.Integer({
    ...TO_A_MILLION,
    default: 120,
    description:
      "How many requests per minute each process writes into the log of a project: up to this many that were answered, and up to this many that were refused, a tenth of those with their bodies. Bursts may be five times as large. The log is kept for 7 days. 0: no log.",
  }),
  METRICS_TOKEN: t.Optional(
    t.String({
      pattern: "^[!-~]{16,}$",
      expected: "at least 16 ASCII characters, without spaces",
      secret: true,
      description:
        "Bearer token with which Prometheus reads `/metrics`. Left out: open to everybody; closed in production.",
    }),
  ),
  DISABLE_SIGNUPS: t.Boolean({
    default: false,
    description: "Whether signing up requires an invitation.",
  }),
  REQUIRE_EMAIL_VERIFICATION: t.Boolean({
    default: false,
    description: "Whether people must verify their address before they can do anything else.",
  }),
  LOGIN_LIMIT_PER_EMAIL: t.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 10,
    description:
      "Limit of failed log-ins for one address in 15 minutes; after that the address is locked, even for the right password. 0: no limit.",
  }),
  LOGIN_LIMIT_PER_NETWORK: t.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 100,
    description:
      "Limit of failed log-ins from one network (an IPv4 address, or the /64 of an IPv6 one) in 15 minutes. 0: no limit.",
  }),
  SIGNUP_LIMIT_PER_NETWORK: t.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 20,
    description:
      "Limit of accounts created from one network in an hour. Each new account sends a mail to its address. Invited people do not count. 0: no limit.",
  }),
  TRUSTED_PROXIES: t.String({
    default: "",
    description:
      "Proxies whose `X-Forwarded-For` is trusted for the address that a request came from, which limits by network need: either their addresses or networks, such as `10.0.0.2,2001:db8::/32`, or the number of proxies in a row. Empty: none, and senders of the header are named in the log and by `doctor`. 0: none, without this warning, for a service that is reached directly.",
  }),
  DASHBOARD_ORIGINS: t.String({
    default: "",
    description:
      "Origins of dashboards that act with the session cookie, such as `https://app.example.com`, separated by commas; they must be on the same site as `BASE_URL`, or browsers do not send the cookie. Links in account mails lead to the first one. Empty: only the service's own pages.",
  }),
  SPF_INCLUDE: t.Optional(
    t.String({
      pattern: HOST_PATTERN,
      expected: "a host name such as amazonses.com",
      description:
        "What the SPF record of a sender domain has to include, such as `amazonses.com`: the name given by the provider behind `SMTP_URL`.",
    }),
  ),
  ...MailServerSettings,
  DNS_SERVERS: t.String({
    default: "",
    description:
      "Name servers as `host` or `host:port` (`[IPv6]:port`), separated by commas. Empty: the system's.",
  }),
  SNS_TOPIC_ARNS: t.String({
    default: "",
    description:
      "Amazon SNS topics whose notifications are accepted on `/webhooks/sns`, separated by commas. Empty: any topic of any Amazon account, so set it in production.",
  }),
  PROVIDER_WEBHOOKS: t.String({
    default: "",
    secret: true,
    description:
      "Secrets of the webhooks by which the provider behind `SMTP_URL` tells what became of mails, such as `postmark=user:password`, separated by commas: see [Domains](domains.md#other-providers). Their address is `<BASE_URL>/webhooks/incoming/<provider>/default`.",
  }),
  ALLOW_PRIVATE_WEBHOOKS: t.Boolean({
    default: false,
    description:
      "Whether webhooks of workflows, and the check of a campaign's links, may reach private and loopback addresses, for use in a closed network. The metadata addresses of cloud providers are always refused.",
  }),
  ALLOW_PRIVATE_TRANSPORTS: t.Boolean({
    default: false,
    description:
      "Whether transports of projects, and direct delivery, may connect to mail servers at private and loopback addresses, for use in a closed network. SMTP servers of the operator always may.",
  }),
  ALLOW_DIRECT_TRANSPORTS: t.String({
    default: "false",
    description:
      "Whether owners of projects may add transports that deliver directly (`kind: DIRECT`). `true`: from any address of this machine. Addresses, such as `203.0.113.7,2001:db8::7`: from these alone, so that the reputation of the others stays the operator's. Projects share the reputation of each.",
  }),
  SPAM_FILTER_URL: t.Optional(
    t.String({
      pattern: "^https?://[^\\s?#]+$",
      expected: "an address such as http://rspamd:11333",
      secret: true,
      description:
        "An rspamd that scores campaigns when they are checked, such as `http://rspamd:11333` (its normal worker). It sees the mail as one recipient would get it. Left out: no score.",
    }),
  ),
  ...OF_OTHER_SERVICES,
  ...OF_TELEMETRY,
  NODE_ENV: t.Union([t.Literal("development"), t.Literal("production"), t.Literal("test")], {
    default: "development",
    description:
      "`development`, `test` or `production`, which requires `SECRET_KEY` and protects `/inbox` with it.",
  }),
});
