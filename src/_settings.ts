// The schema of the settings. The table of guides/settings.md is generated from it.
import { Type as t } from "@sinclair/typebox";

const HOST_PATTERN =
  "^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$";

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
      description: "The one Postgres, 15 or newer. Left out: a Postgres of our own is started in `DATA_DIR`.",
    }),
  ),
  DATABASE_DIRECT_URL: t.Optional(
    t.String({
      pattern: "^postgres(ql)?://",
      expected: "an address such as postgres://user:password@host:5432/database",
      secret: true,
      description:
        "The same database past a pooler: where `DATABASE_URL` leads to PgBouncer in transaction mode, this is the address of Postgres itself, for locks, notifications, the queue and migrations. Left out: there is no pooler.",
    }),
  ),
  DATABASE_WAIT_SECONDS: t.Integer({
    minimum: 0,
    maximum: 86_400,
    default: 60,
    description:
      "How long the service waits at its start for a database that cannot be reached. Meanwhile `/health` is 200 and everything else 503.",
  }),
  DATA_DIR: t.String({
    minLength: 1,
    default: ".data",
    description: "Folder of the embedded Postgres and of the generated development secret.",
  }),
  SMTP_URL: t.Optional(
    t.String({
      pattern: "^smtps?://",
      expected: "an address such as smtp://user:password@host:587, or smtps://user:password@host:465",
      secret: true,
      description:
        "Where mail goes, such as `smtp://user:password@mail.example.com:587?maxConnections=20`. Left out: mails are captured, shown on `/inbox`, and can be sent later with `bun run admin release`.",
    }),
  ),
  PLATFORM_FROM: t.Optional(
    t.String({
      description:
        "Sender of mails of the installation itself, such as `Postrider <postrider@example.com>`: verification, invitations, notices about domains and reputation. Left out: `Postrider <postrider@sandbox.example>` while mails are captured, and with `SMTP_URL` they are not sent.",
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
  RETENTION_EVENTS_DAYS: t.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 0,
    description:
      "How long events and the ledger of mails are kept: a month (UTC) goes when all of it is older. What is counted stays. 0: for ever.",
  }),
  RETENTION_BODIES_DAYS: t.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 90,
    description:
      "How long bodies and attachments of mails are kept, but never longer than the mails. What has yet to be sent keeps them; captured mails cannot be sent any more from then on. 0: as long as the mails.",
  }),
  RETENTION_LOGS_DAYS: t.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 90,
    description:
      "How long it is kept what an execution of a workflow did step by step, once it has ended, and the reports of imports and bulk operations. 0: for ever.",
  }),
  METRICS_TOKEN: t.Optional(
    t.String({
      pattern: "^[!-~]{16,}$",
      expected: "at least 16 characters, without spaces and with nothing beyond ASCII",
      secret: true,
      description:
        "What Prometheus sends as a bearer token to read `/metrics`. Left out: anybody can read them, and in production nobody.",
    }),
  ),
  DISABLE_SIGNUPS: t.Boolean({
    default: false,
    description: "Whether nobody but those who are invited can sign up.",
  }),
  REQUIRE_EMAIL_VERIFICATION: t.Boolean({
    default: false,
    description: "Whether people have to verify their address before they may do anything else.",
  }),
  LOGIN_LIMIT_PER_EMAIL: t.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 10,
    description:
      "Failed log-ins for one address in 15 minutes; beyond them it is locked, also for the right password. 0: no limit.",
  }),
  LOGIN_LIMIT_PER_NETWORK: t.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 100,
    description:
      "Failed log-ins from one network (an IPv4 address, or the /64 of an IPv6 one) in 15 minutes. 0: no limit.",
  }),
  SIGNUP_LIMIT_PER_NETWORK: t.Integer({
    minimum: 0,
    maximum: 10_000,
    default: 20,
    description:
      "Accounts that are made from one network in an hour, each with a mail to its address; those who are invited do not count. 0: no limit.",
  }),
  TRUSTED_PROXIES: t.String({
    default: "",
    description:
      "Whose `X-Forwarded-For` says where a request came from, for limits by network: the addresses or networks of the proxies before this service, such as `10.0.0.2,2001:db8::/32`, or how many there are in a row. Empty: nobody's, and whoever sends it is named in the log and by `doctor`. 0: nobody's, and nothing is said, for a service that is reached directly.",
  }),
  DASHBOARD_ORIGINS: t.String({
    default: "",
    description:
      "Origins of dashboards that act with the session cookie, such as `https://app.example.com`, separated by commas; on the site of `BASE_URL`, else browsers keep the cookie back. Links of account mails lead to the first one. Empty: only our own pages.",
  }),
  SPF_INCLUDE: t.Optional(
    t.String({
      pattern: HOST_PATTERN,
      expected: "a host name such as amazonses.com",
      description:
        "What the SPF record of a sender domain has to include, such as `amazonses.com`: the name that the provider behind `SMTP_URL` gives.",
    }),
  ),
  INBOUND_HOST: t.Optional(
    t.String({
      pattern: HOST_PATTERN,
      expected: "a host name such as mail.example.com",
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
  GITHUB_OAUTH_CLIENT: t.Optional(
    t.String({
      description:
        "Client id of an OAuth app of GitHub, for signing in with it. Its callback is `<BASE_URL>/oauth/github/callback`.",
    }),
  ),
  GITHUB_OAUTH_SECRET: t.Optional(t.String({ secret: true, description: "The client secret of that app." })),
  GOOGLE_OAUTH_CLIENT: t.Optional(
    t.String({
      description:
        "Client id of an OAuth client of Google, for signing in with it. Its callback is `<BASE_URL>/oauth/google/callback`.",
    }),
  ),
  GOOGLE_OAUTH_SECRET: t.Optional(
    t.String({ secret: true, description: "The client secret of that client." }),
  ),
  OIDC_ISSUER: t.Optional(
    t.String({
      description:
        "An OpenID Connect issuer of your own for signing in, such as `https://login.example.com/realms/main`; the callback is `<BASE_URL>/oauth/oidc/callback`. Whoever it gives a verified address is the user with that address here.",
    }),
  ),
  OIDC_CLIENT_ID: t.Optional(t.String({ description: "Client id at that issuer." })),
  OIDC_CLIENT_SECRET: t.Optional(t.String({ secret: true, description: "Client secret at that issuer." })),
  S3_BUCKET: t.Optional(
    t.String({
      minLength: 1,
      description:
        "Bucket for uploaded images, at Amazon or anything that speaks S3. Left out: Postgres keeps them.",
    }),
  ),
  S3_ENDPOINT: t.Optional(
    t.String({
      pattern: "^https?://[^\\s/?#]+$",
      expected: "an address such as https://minio.example.com, without anything behind the host",
      description: "Address of another S3 than Amazon's, such as `https://minio.example.com`.",
    }),
  ),
  S3_REGION: t.String({ minLength: 1, default: "us-east-1", description: "Region of the bucket." }),
  S3_ACCESS_KEY_ID: t.Optional(t.String({ minLength: 1, description: "Access key of the bucket." })),
  S3_SECRET_ACCESS_KEY: t.Optional(
    t.String({ minLength: 1, secret: true, description: "The secret that belongs to it." }),
  ),
  S3_PUBLIC_URL: t.Optional(
    t.String({
      pattern: "^https?://[^\\s/?#]+(/[^\\s?#]*[^\\s/?#])?$",
      expected: "an address such as https://images.example.com, without a slash at the end",
      description:
        "Where everybody can read what is in the bucket, such as a CDN. Left out: images are served here, from `<BASE_URL>/uploads/`.",
    }),
  ),
  UPLOADS_MB_PER_PROJECT: t.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
    description: "Uploaded images that are kept for one project, all together.",
  }),
  STRIPE_SECRET_KEY: t.Optional(
    t.String({
      minLength: 1,
      secret: true,
      description: "Secret or restricted key of a Stripe account. Left out: nothing is charged.",
    }),
  ),
  STRIPE_WEBHOOK_SECRET: t.Optional(
    t.String({
      minLength: 1,
      secret: true,
      description:
        "Signing secret of the webhook that is set up there for `<BASE_URL>/webhooks/incoming/stripe`.",
    }),
  ),
  STRIPE_PRICES: t.String({
    default: "",
    description:
      "Prices of the subscription that a project is offered, separated by commas; one with a quantity is charged as often, such as `price_base:1,price_mails`, one without is metered.",
  }),
  STRIPE_METERS: t.String({
    default: "",
    description:
      "Event names of the meters that usage is reported to, such as `transactional=mails,campaigns=mails,workflows=mails,inbound=received`. A category that is left out is not reported.",
  }),
  STRIPE_API_BASE: t.String({
    pattern: "^https?://",
    expected: "an address such as https://api.stripe.com",
    default: "https://api.stripe.com",
    description: "Where Stripe's API is; another one for tests.",
  }),
  NODE_ENV: t.Union([t.Literal("development"), t.Literal("production"), t.Literal("test")], {
    default: "development",
    description:
      "`development`, `test` or `production`, which asks for `SECRET_KEY` and protects `/inbox` with it.",
  }),
});
