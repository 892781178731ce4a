import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { MAX_NAME } from "../../accounts/names.ts";
import { MAX_BIND_ADDRESSES } from "../../mail/direct_url.ts";
import { FEEDBACK_SOURCES } from "../../mail/provider_marks.ts";
import { MAX_SECRET } from "../../mail/provider_secrets.ts";
import type { TransportFeedback } from "../../sending/transports/feedback.ts";
import { TRANSPORT_STATES, type TransportState } from "../../sending/transports/records.ts";
import { MAX_URL } from "../../sending/transports/urls.ts";
import { documented } from "../entry/document.ts";
import { IdOf, Int, Nullable, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";

/** How mail leaves. */
export const Kind = Words(["SMTP", "DIRECT", "CAPTURE"], {
  description:
    "`SMTP`: by a mail server or a provider. `CAPTURE`: into the inbox, and to nobody. `DIRECT`: to the servers of the recipients, from addresses of this machine; a project may add one where its operator allows it (`ALLOW_DIRECT_TRANSPORTS`).",
});
/** How a transport stands. */
export const State = Words(TRANSPORT_STATES, {
  description:
    "`HEALTHY`: it takes mail. `SLOW`: it was asked for fewer mails a second, and becomes faster by itself. `PAUSED`: by a person. `HELD`: its provider refused the account or the log-in; it is tried again at `stateUntil`. `OUT_OF_QUOTA`: the mails of the day have been sent, by its own limit or its provider's.",
});

const Warmup = t.Object(
  {
    planId: Uuid,
    since: t.Unsafe<Date>({ ...Timestamp, description: "The first day of the plan." }),
    day: Type.Integer({ description: "Of the plan, counted from 1." }),
    limitToday: Nullable(Type.Integer({ description: "Null: the plan is over." })),
  },
  { title: "TransportWarmup" },
);

const Feedback = t.Object(
  {
    provider: Words(FEEDBACK_SOURCES, {
      description: "`arf`: complaint reports (RFC 5965) that a mail server passes on.",
    }),
    url: t.String({
      description: "Where the webhook of the provider has to lead.",
      examples: ["https://mail.example.com/webhooks/incoming/postmark/019ab3f8-5d30-7c3e-9a01-2f5b8c7d6e10"],
    }),
    hasSecret: t.Boolean({
      description: "Whether `feedbackSecret` is set. Without it, webhooks are refused (404).",
    }),
  },
  { title: "TransportFeedback" },
);

/** A transport as its owners see it. */
export const Transport = t.Object(
  {
    id: Uuid,
    name: t.String(),
    kind: Kind,
    url: Nullable(
      t.String({
        description:
          "Without the password, which is never shown. Where a provider takes one token as user and password, the user is shown as `***`.",
        examples: ["smtp://postmaster@smtp.example.com:587"],
      }),
    ),
    heloName: Nullable(
      t.String({ description: "Of kind DIRECT: the name of this machine.", examples: ["mail.example.com"] }),
    ),
    bindAddresses: Nullable(
      t.Array(t.String({ examples: ["203.0.113.7"] }), {
        description: "Of kind DIRECT: the addresses that it sends from. Null: the system chooses.",
      }),
    ),
    priority: Type.Integer({ description: "Lower ones are used first." }),
    weight: Type.Integer({ description: "Transports of one priority share the mails by their weights." }),
    ratePerSecond: Nullable(Type.Number({ description: "Most mails a second. Null: no limit." })),
    perDay: Nullable(Type.Integer({ description: "Most mails a day (UTC). Null: no limit." })),
    connections: Nullable(Type.Integer({ description: "Most connections at once. Null: 40." })),
    warmup: Nullable(Warmup),
    state: State,
    stateReason: Nullable(t.String({ description: "In the words of a person, or of its server." })),
    stateUntil: Nullable(
      t.Unsafe<Date>({ ...Timestamp, description: "When it takes mail again by itself." }),
    ),
    sentToday: Nullable(
      Type.Integer({
        description: "Mails of today (UTC). Counted where something limits the day; else null.",
      }),
    ),
    feedback: Nullable(
      t.Unsafe<TransportFeedback>({
        ...Feedback,
        description: "How its provider tells what became of mails. Null for kind CAPTURE.",
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: "Transport" },
);

/** A transport of the installation. */
export const SharedTransport = t.Object(
  {
    id: t.String({ description: "As rules of routes name it. `default`: the installation's mail server." }),
    name: t.String(),
    kind: Kind,
    state: Nullable(t.Unsafe<TransportState>({ ...State, description: "Null for `default`." })),
    inUse: t.Boolean({
      description:
        "Whether mails of this project may take it: no, where it has transports of its own and no rule names this one.",
    }),
  },
  { title: "SharedTransport" },
);

export const TransportList = t.Object(
  {
    transports: t.Array(Transport),
    installation: t.Array(SharedTransport),
    directAddresses: Nullable(
      t.Array(t.String({ examples: ["203.0.113.7"] }), {
        description:
          "From which addresses of the machine a transport of the project may deliver directly, as the operator says (`ALLOW_DIRECT_TRANSPORTS`). Null: from any. Empty: a project has no transport of the kind DIRECT.",
      }),
    ),
  },
  { title: "TransportList" },
);

/** The name of a transport or a plan. */
export const Name = Text({ maxLength: MAX_NAME, description: "One line.", examples: ["Amazon SES"] });
const Url = Text({
  maxLength: MAX_URL,
  description:
    "`smtp://user:password@host:587`, or `smtps://` for TLS from the beginning (465); special characters are percent-encoded. It is encrypted before it is stored.",
  examples: ["smtp://postmaster:secret@smtp.example.com:587"],
});
const limits = {
  priority: t.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: "Lower ones are used first. Left out: 100.",
    }),
  ),
  weight: t.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: "Its share among those of one priority. Left out: 1.",
    }),
  ),
  ratePerSecond: t.Optional(
    Nullable(Type.Number({ minimum: 0.001, maximum: 1_000_000, description: "Most mails a second." })),
  ),
  perDay: t.Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: 2_000_000_000, description: "Most mails a day (UTC)." })),
  ),
  connections: t.Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: 100, description: "Most connections at once. Null: 40." })),
  ),
  warmup: t.Optional(
    Nullable(
      t.Object({
        planId: IdOf("a warm-up plan"),
        since: t.Optional(
          documented(t.String({ maxLength: 40 }), {
            type: "string",
            format: "date-time",
            description:
              "The first day of the plan; before it, the plan limits nothing. Left out: today, or as before.",
          }),
        ),
      }),
    ),
  ),
};

const feedbackSecret = t.Optional(
  Nullable(
    Text({
      maxLength: MAX_SECRET,
      description:
        "Of the webhook of its provider, as the guide lists it. It is encrypted, and never shown. Null removes it; so does a `url` of another provider.",
      examples: ["hook:a-long-password"],
    }),
  ),
);

const direct = {
  heloName: t.Optional(
    Text({
      maxLength: 253,
      description:
        "Of kind DIRECT: the name by which this machine greets others. Left out: as in `SMTP_URL` where that is `direct:`, else the host of `BASE_URL`.",
      examples: ["mail.example.com"],
    }),
  ),
  bindAddresses: t.Optional(
    Nullable(
      t.Array(Text({ maxLength: 45, examples: ["203.0.113.7"] }), {
        maxItems: MAX_BIND_ADDRESSES,
        description:
          "Of kind DIRECT: addresses of this machine to send from, in turn: `GET /transports` says which. Null: all of these, or, where it names none, what the system chooses.",
      }),
    ),
  ),
};

export const transportBody = {
  name: Name,
  kind: Kind,
  ...direct,
  url: t.Optional(Url),
  ...limits,
  feedbackSecret,
};

export const transportChange = {
  name: t.Optional(Name),
  url: t.Optional(
    Text({
      maxLength: MAX_URL,
      description:
        "Without a password, the known one is kept, but only for the same server, user and options: otherwise 422.",
      examples: ["smtp://postmaster:secret@smtp.example.com:587"],
    }),
  ),
  kind: t.Optional(
    Words(["SMTP", "DIRECT", "CAPTURE"], {
      description:
        "Stays as it is: another one is refused (422). Add another transport, and remove this one.",
    }),
  ),
  ...direct,
  ...limits,
  feedbackSecret,
  paused: t.Optional(
    t.Boolean({ description: "`true`: no mail takes it, within seconds. `false`: mails take it again." }),
  ),
  pauseReason: t.Optional(Text({ maxLength: 200, format: "header-text", description: "Why it is paused." })),
};

export const TestBody = t.Object(
  {
    to: t.Optional(
      t.String({
        format: "email",
        description: "The address of a member. Left out: your own; required with an API key.",
        examples: ["ada@example.com"],
      }),
    ),
    from: t.Optional(
      t.String({
        format: "email",
        description: "An address of a verified domain. Left out: `test@` the first of them.",
        examples: ["hello@shop.example"],
      }),
    ),
  },
  { title: "TestTransportBody" },
);

export const TransportTest = t.Object(
  {
    success: t.Boolean(),
    failedAt: Nullable(
      Words(["CONNECT", "TLS", "LOGIN", "MAIL"], {
        description: "The step that failed. `MAIL`: the server let us in, but did not accept the mail.",
      }),
    ),
    response: t.String({ description: "What the server said last, or what happened." }),
    isEncrypted: Nullable(t.Boolean({ description: "Null where nothing was connected." })),
    from: t.String(),
    to: t.String(),
    tookMs: Int,
  },
  { title: "TransportTest" },
);
