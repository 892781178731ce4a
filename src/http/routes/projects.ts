// /projects/:id: what the members of a project see of it, and the members. In an envelope, except for the audit log.
import { type TSchema } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { countAudit, listAudit } from "../../accounts/audit.ts";
import { changeRole, listMembers, removeMember } from "../../accounts/projects/members.ts";
import { setupStateOf } from "../../accounts/projects/setup_state.ts";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import { inviteMember } from "../../sending/platform/invitations.ts";
import { securityOf } from "../../sending/feedback/reputation.ts";
import { getProject } from "../../accounts/projects/own.ts";
import { authenticateMember } from "../entry/authenticate.ts";
import { clampLimit, CursorList, CursorQuery, readIdCursor, toIdPage } from "./_lists.ts";
import { AuditLine, Member, RoleWord, Security, SetupState, ProjectDetails } from "./_project_schemas.ts";
import { answers, EmailAddress, isUuid, PathId } from "../entry/schemas.ts";

const Wrapped = <T extends TSchema>(data: T) => t.Object({ success: t.Literal(true), data });

const wrap = <T>(data: T) => ({ success: true as const, data });

const READ = { security: [{ session: [] }, { secretKey: [] }] };
const WRITE = { security: [{ session: [] }] };

const one = { params: t.Object({ id: PathId }) };
const oneMember = { params: t.Object({ id: PathId, userId: PathId }) };

/** The views of a project, and its members. */
export function projectsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/projects", detail: { tags: ["Projects"] } })
    .use(authenticateMember(ctx))
    .get("/:id", async ({ project, user }) => await getProject(ctx, project.id, user?.id ?? null), {
      ...one,
      response: answers(ProjectDetails, { refusals: [404] }),
      detail: {
        operationId: "getProject",
        summary: "Get a project with its settings",
        description: "With your role in it. With an API key, the role is null.",
        ...READ,
      },
    })
    .get("/:id/setup-state", async ({ project }) => wrap(await setupStateOf(ctx, project.id)), {
      ...one,
      response: answers(Wrapped(SetupState), { refusals: [404] }),
      detail: {
        operationId: "getSetupState",
        summary: "Get the set-up progress of a project",
        description:
          "What a new project still needs: a verified domain, contacts, a template, a first mail, a campaign, a workflow.",
        ...READ,
      },
    })
    .get("/:id/security", async ({ project }) => wrap(await securityOf(ctx, project.id)), {
      ...one,
      response: answers(Wrapped(Security), { refusals: [404] }),
      detail: {
        operationId: "getProjectSecurity",
        summary: "See bounce and complaint rates, and suspensions",
        description:
          "For the last seven days and all time, with the levels that are exceeded, and when the project was suspended.",
        ...READ,
      },
    })
    .get("/:id/members", async ({ project }) => wrap(await listMembers(ctx, project.id)), {
      ...one,
      response: answers(Wrapped(t.Array(Member)), { refusals: [404] }),
      detail: {
        operationId: "listMembers",
        summary: "List members and invitations, oldest first",
        description: "Invited people are at the end, with the status `INVITED`.",
        ...READ,
      },
    })
    .post(
      "/:id/members",
      async ({ project, actor, body, set }) => {
        const { email } = parseAddress(body.email)!;
        set.status = 201;
        return wrap(await inviteMember(ctx, project.id, { email, role: body.role ?? "MEMBER" }, actor));
      },
      {
        ...one,
        body: t.Object({ email: EmailAddress, role: t.Optional(RoleWord) }),
        response: answers(Wrapped(Member), {
          status: 201,
          refusals: [400, 404, 409, 413, 415, 422, 501],
        }),
        detail: {
          operationId: "addMember",
          summary: "Add a member",
          description:
            "A person with an account and a verified address becomes a member immediately, and is notified by mail. Anybody else is invited by mail, and joins by signing up or by verifying the address. Inviting by mail requires that your own address is verified. Inviting a person again sends a new mail.",
          ...WRITE,
        },
      },
    )
    .patch(
      "/:id/members/:userId",
      async ({ project, actor, params: { userId }, body }) =>
        wrap(await changeRole(ctx, project.id, memberId(userId), body.role, actor)),
      {
        ...oneMember,
        body: t.Object({ role: RoleWord }),
        response: answers(Wrapped(Member), { refusals: [400, 404, 409, 413, 415, 422] }),
        detail: {
          operationId: "updateMember",
          summary: "Change the role of a member",
          description:
            "Only an OWNER can grant or revoke that role. To hand over a project, make somebody else OWNER first, then leave or change your own role.",
          ...WRITE,
        },
      },
    )
    .delete(
      "/:id/members/:userId",
      async ({ project, actor, params: { userId }, set }) => {
        await removeMember(ctx, project.id, memberId(userId), actor);
        set.status = 204;
      },
      {
        ...oneMember,
        response: answers(t.Void(), { status: 204, refusals: [404, 409] }),
        detail: {
          operationId: "removeMember",
          summary: "Remove a member, or withdraw an invitation",
          description: "Everybody may remove themselves, except the last OWNER.",
          ...WRITE,
        },
      },
    )
    .get(
      "/:id/audit",
      async ({ project, query: { limit, cursor } }) => {
        const page = { limit: clampLimit(limit), afterId: readIdCursor(cursor) };
        const lines = await listAudit(ctx, project.id, page);
        return toIdPage(lines, page.limit, cursor === undefined ? await countAudit(ctx, project.id) : 0);
      },
      {
        ...one,
        query: t.Object({ ...CursorQuery }),
        response: answers(CursorList(AuditLine), { refusals: [400, 404] }),
        detail: {
          operationId: "listAuditLog",
          summary: "List the audit log of a project, newest first",
          description: "A cursor list of changes to settings, members, keys and domains.",
          ...READ,
        },
      },
    );
}

function memberId(id: string): string {
  if (!isUuid(id)) throw problems.notFound("member", id);
  return id.toLowerCase();
}
