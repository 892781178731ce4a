// /users/@me: the account of the logged-in user, its address and its sessions. Bare resources. Open to those whose address
// still has to be verified: here they see that it has, and can correct it.
import { Elysia, t } from "elysia";
import { deleteAccount, deletionConsequences } from "../../accounts/people/deletion.ts";
import { requestEmailChange, withdrawEmailChange } from "../../accounts/people/email_change.ts";
import { getUser, setName } from "../../accounts/people/mod.ts";
import { assertProvenAgain, assertRecentProof } from "../../accounts/people/recent_proof.ts";
import { endOtherSessions, endOwnSession, listSessions } from "../../accounts/people/sessions.ts";
import { MAX_NAME, nameErrors } from "../../accounts/names.ts";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateUser } from "../entry/authenticate.ts";
import { clientNetwork } from "../entry/client_network.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import { twoFactorRoutes } from "./two_factor.ts";
import { clearSessionCookie } from "../entry/session.ts";
import { answers, EmailAddress, isUuid, Nullable, PathId, Text, Timestamp, Uuid } from "../entry/schemas.ts";

const User = t.Object(
  {
    id: Uuid,
    email: t.String(),
    name: Nullable(t.String({ description: "The name shown to others." })),
    emailVerified: t.Boolean(),
    emailProven: t.Boolean({
      description:
        "Whether the address was verified by the holder of the account, in one of its sessions or by a password reset. Required to invite people and to join projects.",
    }),
    pendingEmail: Nullable(
      t.String({
        description: "The new address, once the link in the mail to it is followed, within an hour.",
      }),
    ),
    hasPassword: t.Boolean({
      description: "False for people who only sign in with a provider; a password reset sets one.",
    }),
    createdAt: Timestamp,
  },
  { title: "User" },
);

const UserSession = t.Object(
  {
    id: Uuid,
    device: t.String({ examples: ["Firefox on Windows"] }),
    userAgent: t.String({ description: "The `User-Agent` of the browser, up to 200 characters." }),
    createdAt: Timestamp,
    lastUsedAt: t.Unsafe<Date>({ ...Timestamp, description: "To the minute." }),
    expiresAt: Timestamp,
    current: t.Boolean({ description: "The session of this request." }),
  },
  { title: "UserSession" },
);

const PatchUserBody = withRules(
  t.Object(
    {
      name: t.Optional(
        documented(Nullable(Text({ maxLength: 1_000 })), {
          description: `1 to ${MAX_NAME} characters in one line; no web address. Null: none.`,
          anyOf: [{ type: "string", minLength: 1, maxLength: MAX_NAME, pattern: "\\S" }, { type: "null" }],
        }),
      ),
    },
    { title: "PatchUserBody" },
  ),
  ({ name }) => (name === undefined || name === null ? [] : nameErrors(name)),
);

const EmailChangeBody = t.Object({ email: EmailAddress }, { title: "EmailChangeBody" });

const NamedProjects = (description: string) =>
  t.Array(t.Object({ id: Uuid, name: t.String() }), { description });

const Consequences = t.Object(
  {
    deleted: NamedProjects("Nobody else is in them: they are deleted with everything in them."),
    left: NamedProjects("They go on without you."),
    bound: NamedProjects(
      "Others are in them, and you are their only owner: your account cannot be deleted before there is another one.",
    ),
  },
  { title: "AccountDeletion" },
);

const BY_SESSION = { detail: { tags: ["Account"], security: [{ session: [] }] } };

/** The account, without the projects. */
export function accountRoutes(ctx: Context) {
  return new Elysia().use(meRoutes(ctx)).use(sessionsRoutes(ctx)).use(twoFactorRoutes(ctx));
}

function meRoutes(ctx: Context) {
  return new Elysia({ prefix: "/users/@me", ...BY_SESSION })
    .use(authenticateUser(ctx, { unverified: true }))
    .get("/", async ({ user }) => await getUser(ctx, user.id), {
      response: answers(User),
      detail: {
        operationId: "getCurrentUser",
        summary: "Get the logged-in user",
        description: "The account of the session.",
      },
    })
    .patch(
      "/",
      async ({ user, body }) => {
        if (body.name !== undefined) await setName(ctx, user.id, body.name);
        return await getUser(ctx, user.id);
      },
      {
        body: PatchUserBody,
        response: answers(User, { refusals: [400, 413, 415, 422] }),
        detail: {
          operationId: "updateCurrentUser",
          summary: "Change your name",
          description:
            "The address is changed with `POST /users/@me/email`, the password with `POST /auth/change-password`.",
        },
      },
    )
    .delete(
      "/",
      async ({ session, query, set }) => {
        await assertProvenAgain(ctx, session);
        await deleteAccount(ctx, session.user, { withProjects: query.deleteProjects === "true" });
        clearSessionCookie(ctx, set);
        set.status = 204;
      },
      {
        query: t.Object({
          deleteProjects: t.Optional(
            t.Union([t.Literal("true"), t.Literal("false")], {
              description: "Whether projects without other members are deleted too, with everything in them.",
            }),
          ),
        }),
        response: answers(t.Void(), { status: 204, refusals: [400, 409] }),
        detail: {
          operationId: "deleteCurrentUser",
          summary: "Delete your account",
          description:
            "This cannot be undone, so it requires `POST /auth/reauthenticate` with the password or a factor within the ten minutes before; people who have neither log in again. Refused with 409 while you are the only owner of a project with other members, and while there are projects without other members, unless `deleteProjects` is true: `details.projects` names them. You leave all other projects. A mail confirms the deletion.",
        },
      },
    )
    .get("/deletion", async ({ user }) => await deletionConsequences(ctx, user.id), {
      response: answers(Consequences),
      detail: {
        operationId: "previewAccountDeletion",
        summary: "See what deleting your account would do to your projects",
        description: "Nothing is deleted. Each of your projects is in exactly one of the lists.",
      },
    })
    .post(
      "/email",
      async ({ session, body, request, server }) => {
        assertRecentProof(ctx, session);
        const { email } = parseAddress(body.email)!;
        await requestEmailChange(ctx, session.user, email, clientNetwork(ctx, request, server));
        return { message: `A mail to ${email} is on its way: its link changes the address.` };
      },
      {
        body: EmailChangeBody,
        response: answers(t.Object({ message: t.String() }), { refusals: [400, 413, 415, 422, 429] }),
        detail: {
          operationId: "changeEmail",
          summary: "Request a change of your address",
          description:
            "The address changes when the link in the mail to the new address is followed (`POST /auth/change-email`), within an hour; the old address is notified. The response is the same if the new address already has an account. Needs a recent proof: see `POST /auth/reauthenticate`.",
        },
      },
    )
    .delete(
      "/email",
      async ({ user, set }) => {
        await withdrawEmailChange(ctx, user.id);
        set.status = 204;
      },
      {
        response: answers(t.Void(), { status: 204 }),
        detail: {
          operationId: "withdrawEmailChange",
          summary: "Withdraw the change of your address",
          description:
            "The link in the mail to the new address stops working. If there is no pending change, nothing happens.",
        },
      },
    );
}

function sessionsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/users/@me/sessions", ...BY_SESSION })
    .use(authenticateUser(ctx, { unverified: true }))
    .get("/", async ({ user }) => ({ sessions: await listSessions(ctx, user) }), {
      response: answers(t.Object({ sessions: t.Array(UserSession) })),
      detail: {
        operationId: "listSessions",
        summary: "List where you are logged in, last used first",
        description:
          "Each session with its device and when it was last used. At most 200, without those that have ended.",
      },
    })
    .delete(
      "/",
      async ({ user, set }) => {
        await endOtherSessions(ctx, user);
        set.status = 204;
      },
      {
        response: answers(t.Void(), { status: 204 }),
        detail: {
          operationId: "endOtherSessions",
          summary: "End all sessions but this one",
          description: "Takes effect immediately. You are notified by mail if there were any.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ user, params: { id }, set }) => {
        if (!isUuid(id)) throw problems.notFound("session", id);
        await endOwnSession(ctx, user, id.toLowerCase());
        if (id.toLowerCase() === user.sessionId) clearSessionCookie(ctx, set);
        set.status = 204;
      },
      {
        params: t.Object({ id: PathId }),
        response: answers(t.Void(), { status: 204, refusals: [404] }),
        detail: {
          operationId: "endSession",
          summary: "End one session",
          description: "Takes effect immediately. If it is this session, its cookie is cleared.",
        },
      },
    );
}
