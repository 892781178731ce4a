// /projects/:id/keys and /projects/:id/webhook-secret: what opens a project, and what signs for it.
import { Elysia, t } from "elysia";
import { createKey, listKeys, MAX_KEYS, revokeKey, updateKey } from "../../accounts/projects/named_keys.ts";
import { MAX_NAME, nameErrors } from "../../accounts/names.ts";
import { createSandbox, SANDBOX_MAILS } from "../../accounts/projects/sandbox.ts";
import { SCOPES } from "../../accounts/projects/scopes.ts";
import { rotateWebhookSecret, webhookSecretHint } from "../../accounts/projects/webhook_secrets.ts";
import type { Context } from "../../context.ts";
import { readTime } from "../../insight/date_range.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { authenticateMember } from "../entry/authenticate.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import { answers, isUuid, Nullable, PathId, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";
import { SandboxWithSecret } from "./_project_schemas.ts";

const Scopes = t.Array(Words(SCOPES), {
  minItems: 1,
  maxItems: SCOPES.length,
  description:
    "`send`: `POST /v1/send` and `POST /v1/send/batch`. `track`: `POST /v1/track`, and `POST /events/track` with a key that begins with `sk_`. `read`: everything that changes nothing, except members and the audit log. `write`: create and change contacts, segments, templates, drafts of campaigns and disabled workflows; it sends, enables and deletes nothing. `all`: everything that keys may do.",
});
const Name = Text({ maxLength: MAX_NAME, description: "What it is for, in one line.", examples: ["Shop"] });
const ExpiresAt = t.Optional(
  documented(Nullable(t.String({ maxLength: 40 })), {
    anyOf: [{ type: "string", format: "date-time" }, { type: "null" }],
    description: "A time in ISO 8601, in the future; UTC if it has no zone. Null: the key never expires.",
  }),
);

const Key = {
  id: Uuid,
  name: t.String(),
  kind: Words(["public", "secret"], {
    description:
      "`public`: it begins with `pk_`, may be part of a web page, and may only `track`. `secret`: `sk_`.",
  }),
  scopes: Scopes,
  hint: t.String({ description: "The last characters of the key." }),
  createdBy: t.String({ description: "The address of the member who created it." }),
  createdAt: Timestamp,
  expiresAt: Nullable(Timestamp),
  lastUsedAt: Nullable(t.Unsafe<Date>({ ...Timestamp, description: "To the minute. Null: never." })),
};
const ProjectKey = t.Object(Key, { title: "ProjectKey" });
const NewProjectKey = t.Object(
  { ...Key, key: t.String({ description: "Shown only once." }) },
  { title: "NewProjectKey" },
);

const CreateBody = t.Object({ name: Name, scopes: Scopes, expiresAt: ExpiresAt }, { title: "CreateKeyBody" });
const PatchBody = t.Object(
  { name: t.Optional(Name), scopes: t.Optional(Scopes), expiresAt: ExpiresAt },
  { title: "PatchKeyBody" },
);

const BY_SESSION = { tags: ["Projects"], security: [{ session: [] }] };
const one = { params: t.Object({ id: PathId }) };
const oneKey = { params: t.Object({ id: PathId, keyId: PathId }) };

/** Keys with names, test keys, and the secret of webhooks. */
export function projectKeysRoutes(ctx: Context) {
  const rules = (given: Given) => keyErrors(ctx, given);
  return new Elysia({ prefix: "/projects", detail: BY_SESSION })
    .use(authenticateMember(ctx, { sessionOnly: true }))
    .get("/:id/keys", async ({ project }) => ({ keys: await listKeys(ctx, project.id) }), {
      ...one,
      response: answers(t.Object({ keys: t.Array(ProjectKey) }), { refusals: [404] }),
      detail: {
        operationId: "listProjectKeys",
        summary: "List the named keys, oldest first",
        description: "With their scopes and last use, but without the keys themselves.",
      },
    })
    .post(
      "/:id/keys",
      async ({ project, actor, body, set }) => {
        const errors = rules(body);
        if (errors.length > 0) throw problems.invalid(errors);
        set.status = 201;
        return await createKey(ctx, project.id, { ...body, expiresAt: timeOf(body.expiresAt) }, actor);
      },
      {
        ...one,
        body: withRules(CreateBody, rules),
        response: answers(NewProjectKey, { status: 201, refusals: [400, 404, 409, 413, 415, 422] }),
        detail: {
          operationId: "createProjectKey",
          summary: "Create a key with a name, scopes and an expiry",
          description: `For ADMIN and OWNER. A key with only the scope \`track\` begins with \`pk_\` and may be part of a web page; all others begin with \`sk_\`; those of a sandbox with \`pk_test_\` and \`sk_test_\`. It is shown only in this response. What its scopes do not allow is refused with 403 and \`details\`. A project has at most ${MAX_KEYS} (409).`,
        },
      },
    )
    .post(
      "/:id/sandbox",
      async ({ project, actor, set }) => {
        set.status = 201;
        return await createSandbox(ctx, project.id, actor);
      },
      {
        ...one,
        response: answers(SandboxWithSecret, { status: 201, refusals: [404, 409] }),
        detail: {
          operationId: "createSandbox",
          summary: "Create the sandbox of a project, with its test keys",
          description: `For ADMIN and OWNER. What \`sk_test_…\` and \`pk_test_…\` do happens in the sandbox: its contacts, events, templates and figures are apart from those of the project, and its mails are captured in the inbox and never sent. Addresses such as \`bounced@simulator.example\` make a mail bounce there; see the [guide](/docs/guides/sandbox). The secret key is shown only in this response. A project has one sandbox (409): named test keys and a new pair are made with the routes of keys, with the id of the sandbox as that of the project. It accepts ${SANDBOX_MAILS.toLocaleString("en")} mails of each kind a month, which count for nothing else.`,
        },
      },
    )
    .patch(
      "/:id/keys/:keyId",
      async ({ project, actor, params: { keyId }, body }) => {
        const errors = rules(body);
        if (errors.length > 0) throw problems.invalid(errors);
        const change = { ...body, expiresAt: timeOf(body.expiresAt) };
        return await updateKey(ctx, project.id, idOf(keyId), change, actor);
      },
      {
        ...oneKey,
        body: withRules(PatchBody, rules),
        response: answers(ProjectKey, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "updateProjectKey",
          summary: "Change the name, the scopes or the expiry of a key",
          description:
            "For ADMIN and OWNER. Changes only the given fields, with immediate effect. A key that begins with `pk_` cannot get other scopes than `track` (422).",
        },
      },
    )
    .delete(
      "/:id/keys/:keyId",
      async ({ project, actor, params: { keyId }, set }) => {
        await revokeKey(ctx, project.id, idOf(keyId), actor);
        set.status = 204;
      },
      {
        ...oneKey,
        response: answers(t.Void(), { status: 204, refusals: [404] }),
        detail: {
          operationId: "revokeProjectKey",
          summary: "Revoke a key",
          description: "For ADMIN and OWNER. Takes effect immediately; an open stream ends within 5 minutes.",
        },
      },
    )
    .get("/:id/webhook-secret", async ({ project }) => await webhookSecretHint(ctx, project.id), {
      ...one,
      response: answers(WebhookSecretHint, { refusals: [404] }),
      detail: {
        operationId: "getWebhookSecret",
        summary: "Get the last characters of the webhook secret",
        description:
          "Also says until when the previous secret signs as well. The secret is created when the first webhook is sent, or by rotating it: until then, `hint` is null.",
      },
    })
    .post(
      "/:id/webhook-secret/rotate",
      async ({ project, actor }) => {
        const { secret, previous } = await rotateWebhookSecret(ctx, project.id, actor);
        return { secret, previousUntil: previous?.until ?? null };
      },
      {
        ...one,
        response: answers(NewWebhookSecret, { refusals: [404] }),
        detail: {
          operationId: "rotateWebhookSecret",
          summary: "Create a new secret for webhooks",
          description:
            "For ADMIN and OWNER. It is shown only in this response. For one day, webhooks are signed with the previous secret as well, so that receivers can switch.",
        },
      },
    );
}

const WebhookSecretHint = t.Object(
  {
    hint: Nullable(t.String({ description: "Its last characters. Null if it cannot be decrypted." })),
    previousUntil: Nullable(Timestamp),
  },
  { title: "WebhookSecretHint" },
);

const NewWebhookSecret = t.Object(
  { secret: t.String({ examples: ["whsec_…"] }), previousUntil: Nullable(Timestamp) },
  { title: "NewWebhookSecret" },
);

interface Given {
  name?: string | undefined;
  expiresAt?: string | null | undefined;
}

/** What the schema of a key cannot say. */
function keyErrors(ctx: Context, { name, expiresAt }: Given): FieldError[] {
  const time = timeOf(expiresAt);
  const isOver = expiresAt !== undefined && expiresAt !== null && !(time && time > ctx.now());
  const message = "Expected a time in the future, such as 2030-01-31T09:00:00Z";
  return [
    ...(name === undefined ? [] : nameErrors(name)),
    ...(isOver
      ? [{ field: "expiresAt", code: "invalid_string" as const, message, received: expiresAt }]
      : []),
  ];
}

/** The time that is meant, in UTC where nothing is said; null for none, and for what cannot be read. */
function timeOf(text: string | null | undefined): Date | null | undefined {
  if (text === null || text === undefined) return text;
  const time = readTime(text);
  if (!time) return null;
  const instant = time instanceof Temporal.Instant ? time : time.toZonedDateTime("UTC").toInstant();
  return new Date(instant.epochMilliseconds);
}

function idOf(keyId: string): string {
  if (!isUuid(keyId)) throw problems.notFound("key", keyId);
  return keyId.toLowerCase();
}
