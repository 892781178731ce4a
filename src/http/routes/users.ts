// /users/@me: the logged-in user, and their projects. Bare resources.
import { Elysia, t } from "elysia";
import {
  createOwnProject,
  listOwnProjects,
  patchOwnProject,
  regenerateKeys,
} from "../../accounts/projects/own.ts";
import { requestDeletion, requestReset } from "../../accounts/projects/removal.ts";
import {
  LANGUAGES,
  MAX_POSTAL_ADDRESS,
  patchErrors,
  RESENDABLE,
  TRACKING,
} from "../../accounts/projects/mod.ts";
import { assertRole, type Role } from "../../accounts/projects/roles.ts";
import type { SessionUser } from "../../accounts/people/sessions.ts";
import { problems } from "../../problem/mod.ts";
import { MAX_NAME } from "../../accounts/names.ts";
import type { Context } from "../../context.ts";
import { securityOf } from "../../sending/feedback/reputation.ts";
import { authenticateMember, authenticateUser } from "../entry/authenticate.ts";
import { boundedText } from "../entry/body_bounds.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import { accountRoutes } from "./account.ts";
import { Project, ProjectWithSecret, Security } from "./_project_schemas.ts";
import { answers, Nullable, PathId, Words, ZONE_PATTERN } from "../entry/schemas.ts";

const BY_SESSION = { detail: { tags: ["Account"], security: [{ session: [] }] } };

const MAX_SETTING_LENGTH = 1_000;
const NAME = {
  minLength: 1,
  maxLength: MAX_NAME,
  pattern: "\\S",
  description: `1 to ${MAX_NAME} characters in one line; no web address.`,
};

// The values are checked by the module, so that all errors are reported together.
const PatchBody = withRules(
  t.Object(
    {
      name: setting(NAME),
      tracking: setting({ enum: [...TRACKING] }),
      language: setting({ enum: [...LANGUAGES] }),
      timezone: setting({
        pattern: ZONE_PATTERN,
        examples: ["Europe/Berlin"],
        description: "An IANA time zone name.",
      }),
      postalAddress: t.Optional(
        Nullable(
          boundedText(
            t.String({
              description: `The postal address of the sender, in lines: shown in the footer of \`MARKETING\` mail. At most ${MAX_POSTAL_ADDRESS} characters; null shows none.`,
            }),
            MAX_SETTING_LENGTH,
          ),
        ),
      ),
      requiresTwoFactor: t.Optional(
        t.Boolean({
          description:
            "Whether members need two-factor log-in. For an OWNER, who must use it to switch this on.",
        }),
      ),
      resendInDoubt: t.Optional(
        t.Array(documented(boundedText(t.String(), MAX_SETTING_LENGTH), Words(RESENDABLE)), {
          maxItems: RESENDABLE.length,
          description: `Kinds of mail that are resent if it is unknown whether they were sent. A mail may then arrive twice.`,
        }),
      ),
    },
    { title: "PatchBody" },
  ),
  patchErrors,
);

/** What an owner asks of others, they ask of themselves first: nobody locks themselves out. */
function assertMayRequire(required: boolean | undefined, role: Role, { twoFactor }: SessionUser): void {
  if (required === undefined) return;
  assertRole(role, "OWNER");
  if (required && !twoFactor) throw problems.ownTwoFactorFirst();
}

/** Text that the module checks, and what it has to be, for the document. */
function setting(document: Record<string, unknown>) {
  return t.Optional(settingText(document));
}

function settingText(document: Record<string, unknown>) {
  return documented(boundedText(t.String(), MAX_SETTING_LENGTH), { type: "string", ...document });
}

const one = { params: t.Object({ id: PathId }) };

/** The user and their projects, in the order of the specification's table. */
export function usersRoutes(ctx: Context) {
  return new Elysia().use(accountRoutes(ctx)).use(ownProjectsRoutes(ctx)).use(ownProjectRoutes(ctx));
}

function ownProjectsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/users/@me/projects", ...BY_SESSION })
    .use(authenticateUser(ctx))
    .get("/", async ({ user }) => await listOwnProjects(ctx, user.id), {
      response: answers(t.Array(Project)),
      detail: {
        operationId: "listProjects",
        summary: "List your projects, oldest first",
        description: "Each with your role in it.",
      },
    })
    .post(
      "/",
      async ({ user, body, set }) => {
        set.status = 201;
        return await createOwnProject(ctx, body.name, user);
      },
      {
        body: t.Object({ name: settingText({ ...NAME, examples: ["Shop"] }) }),
        response: answers(ProjectWithSecret, { status: 201, refusals: [400, 409, 413, 415, 422] }),
        detail: {
          operationId: "createProject",
          summary: "Create a project; the secret key is shown only in this response",
          description: "You are its owner. A person may own up to 100 projects (409).",
        },
      },
    );
}

function ownProjectRoutes(ctx: Context) {
  return new Elysia({ prefix: "/users/@me/projects", ...BY_SESSION })
    .use(authenticateMember(ctx, { sessionOnly: true }))
    .patch(
      "/:id",
      async ({ user, project, body }) => {
        assertMayRequire(body.requiresTwoFactor, project.role!, user!);
        return await patchOwnProject(ctx, project.id, body, user!);
      },
      {
        ...one,
        body: PatchBody,
        response: answers(Project, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "updateProject",
          summary: "Change settings of a project",
          description:
            "Changes only the given settings: name, tracking, language, time zone, the postal address of the footer, whether members need two-factor log-in (for an OWNER), and which mails in doubt are resent. Once two-factor log-in is required, members without it get 403 `TWO_FACTOR_SETUP_REQUIRED` everywhere in the project; keys are not affected.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, actor, set }) => {
        await requestDeletion(ctx, project.id, actor);
        set.status = 204;
      },
      {
        ...one,
        response: answers(t.Void(), { status: 204, refusals: [404] }),
        detail: {
          operationId: "deleteProject",
          summary: "Delete a project with everything in it",
          description: "This cannot be undone.",
        },
      },
    )
    .post("/:id/regenerate-keys", async ({ user, project }) => await regenerateKeys(ctx, project.id, user!), {
      ...one,
      response: answers(ProjectWithSecret, { refusals: [404] }),
      detail: {
        operationId: "regenerateKeys",
        summary: "Create two new keys; the old ones stop working at once",
        description: "The secret key is shown only in this response.",
      },
    })
    .get("/:id/security", async ({ project }) => await securityOf(ctx, project.id), {
      ...one,
      response: answers(Security, { refusals: [404] }),
      detail: {
        operationId: "getProjectReputation",
        summary: "See bounce and complaint rates, and suspensions",
        description:
          "For the last seven days and all time, with the levels that are exceeded. The same as `GET /projects/{id}/security`, without its envelope.",
      },
    })
    .post(
      "/:id/reset",
      async ({ project, actor }) => {
        await requestReset(ctx, project.id, actor);
        return { success: true as const };
      },
      {
        ...one,
        response: answers(t.Object({ success: t.Literal(true) }), { refusals: [404] }),
        detail: {
          operationId: "resetProject",
          summary: "Delete the contents of a project",
          description:
            "Its members, domains, keys and settings stay. This cannot be undone. It takes a while; what is created in the meantime stays.",
        },
      },
    );
}
