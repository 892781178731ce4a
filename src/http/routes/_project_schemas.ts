// What is shown of a project, its members and its standing.
import { t } from "elysia";
import { LANGUAGES, RESENDABLE, TRACKING } from "../../accounts/projects/mod.ts";
import { ROLES, type Role } from "../../accounts/projects/roles.ts";
import { Data, Int, Nullable, Timestamp, Uuid, Words } from "../entry/schemas.ts";

/**
 * What each role may do: a member everything with content, an admin also settings, an owner also what cannot be undone.
 */
export const RoleWord = t.Unsafe<Role>({
  ...Words(ROLES),
  description:
    "MEMBER: all contents of the project. ADMIN: also settings, domains, members, billing and keys. OWNER: also deletion, reset and ownership.",
});

/** What its test keys open. */
const SandboxFields = {
  id: t.Unsafe<string>({
    ...Uuid,
    description: "To be used in place of the project's id, as in `X-Project-Id`: that is test mode.",
  }),
  public: t.String({ description: "The public test key: `pk_test_…`" }),
  secretHint: t.String({ description: "The last characters of the secret test key." }),
  createdAt: Timestamp,
};
const Sandbox = t.Object(SandboxFields, { title: "Sandbox" });

/** A sandbox that was just made. */
export const SandboxWithSecret = t.Object(
  {
    ...SandboxFields,
    secret: t.String({ description: "The secret test key: `sk_test_…`. Shown only once." }),
  },
  { title: "SandboxWithSecret" },
);

/** A project as a member sees it. */
export const Project = t.Object(
  {
    id: Uuid,
    name: t.String(),
    public: t.String({ description: "The public key: `pk_…`" }),
    secretHint: t.String({ description: "The last characters of the secret key." }),
    tracking: Words(TRACKING),
    language: t.String({
      description: `Language of footers and hosted pages: one of ${LANGUAGES.join(", ")}.`,
    }),
    timezone: t.String({ examples: ["Europe/Berlin"] }),
    resendInDoubt: t.Array(Words(RESENDABLE), {
      description: "Kinds of mail that are resent after 15 minutes if it is unknown whether they were sent.",
    }),
    sendRate: Nullable(
      t.Number({ description: "Mails per second, if the operator has set a limit for the project." }),
    ),
    postalAddress: Nullable(
      t.String({
        description: "The postal address of the sender: the last lines of the footer of `MARKETING` mail.",
      }),
    ),
    requiresTwoFactor: t.Boolean({ description: "Members need two-factor log-in." }),
    disabled: t.Boolean({ description: "Its requests are refused and its mail waits." }),
    disabledReason: Nullable(t.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    role: RoleWord,
    sandboxOf: Nullable(
      t.Unsafe<string>({ ...Uuid, description: "For a sandbox: its project. Null for every other project." }),
    ),
    sandbox: Nullable(Sandbox),
  },
  { title: "Project" },
);

/** A project with every setting of it. */
export const ProjectDetails = t.Object(
  {
    ...Project.properties,
    role: Nullable(RoleWord),
    webhookSecretHint: Nullable(
      t.String({
        description:
          "The last characters of the secret that signs webhooks. Null if there is none, or if it cannot be decrypted.",
      }),
    ),
  },
  { title: "ProjectDetails" },
);

/** A project whose keys were just made. */
export const ProjectWithSecret = t.Object(
  {
    ...Project.properties,
    secret: t.String({ description: "The secret key: `sk_…`. Shown only once." }),
  },
  { title: "ProjectWithSecret" },
);

/** Somebody who looks after a project, or was asked to. */
export const Member = t.Object(
  {
    userId: t.String({
      format: "uuid",
      description: "The id of the user, or for somebody INVITED, of the invitation.",
    }),
    email: t.String(),
    role: RoleWord,
    status: Words(["ACTIVE", "INVITED"]),
  },
  { title: "Member" },
);

const Rates = t.Object(
  {
    total: Int,
    bounces: Int,
    complaints: Int,
    bounceRate: t.Number({ description: "In percent." }),
    complaintRate: t.Number({ description: "In percent." }),
  },
  { title: "ReputationRates" },
);

const Threshold = t.Object({ warning: t.Number(), critical: t.Number() }, { title: "ReputationThreshold" });

/** What mailbox providers think of a project. */
export const Security = t.Object(
  {
    status: t.Object({
      sevenDay: Rates,
      allTime: Rates,
      isHealthy: t.Boolean({ description: "No critical level is exceeded." }),
      violations: t.Array(t.String()),
      warnings: t.Array(t.String()),
    }),
    levels: t.Object({
      minimumMails: t.Number({ description: "With fewer mails, no level applies." }),
      bounceRate: Threshold,
      complaintRate: Threshold,
    }),
    isDisabled: t.Boolean(),
    suspensions: t.Array(
      t.Object({ at: Timestamp, reason: Nullable(t.String()), liftedAt: Nullable(Timestamp) }),
    ),
  },
  { title: "Reputation" },
);

/** How far a project is set up. */
export const SetupState = t.Object(
  {
    hasVerifiedDomain: t.Boolean(),
    contactCount: Int,
    hasTemplate: t.Boolean(),
    hasMail: t.Boolean({ description: "A mail of any kind was accepted." }),
    lastCampaignSentAt: Nullable(Timestamp),
    hasEnabledWorkflow: t.Boolean(),
    hasSubscription: t.Boolean(),
  },
  { title: "SetupState" },
);

/** A line of the audit log. */
export const AuditLine = t.Object(
  {
    id: Uuid,
    at: Timestamp,
    actor: t.Object({
      kind: Words(["USER", "KEY", "OPERATOR", "SERVICE"]),
      userId: Nullable(Uuid),
      name: Nullable(
        t.String({
          description: "The address of a user, or the name (if any) and last characters of a key.",
        }),
      ),
    }),
    action: t.String({ examples: ["keys.regenerated"] }),
    subject: Nullable(t.String({ description: "What was changed." })),
    details: Data,
  },
  { title: "AuditLine" },
);
