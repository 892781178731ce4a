// An account was removed by the owner of its address: the members of its projects are notified.
import { listMembers } from "../../accounts/projects/members.ts";
import { NO_OWNER } from "../../accounts/projects/mod.ts";
import { dashboardAddress } from "../../config/mod.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type MemberNotice, notifyMembers, sendPlatformMail, shown } from "./mod.ts";

/** The removed account. */
interface Departure {
  email: string;
  /** Whether they owned the project. */
  owned: boolean;
}

/**
 * Tells the owners and admins of a project what has changed, and what to do. If there are none the project is
 * disabled, and all members are notified. A deleted project notifies nobody.
 */
export async function sendDepartureMail(ctx: Context, projectId: string, gone: Departure): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const project = await q.projects.presented(tx, { projectId });
    if (!project) return;
    const members = (await listMembers(tx, projectId)).filter(({ status }) => status === "ACTIVE");
    const owners = members.filter(({ role }) => role === "OWNER").map(({ email }) => email);
    if (owners.length > 0) {
      return await notifyMembers(tx, projectId, passedOn(tx, project.name, gone, owners));
    }
    const notice = standing(tx, project.name, gone);
    for (const { email } of members) await sendPlatformMail(tx, { to: email, projectId, ...notice });
  });
}

function passedOn(ctx: Context, name: string, gone: Departure, owners: string[]): MemberNotice {
  const ended = gone.owned
    ? [
        "The person who used that account may know the secret key of the project, so the key has been revoked: requests " +
          "that use it are refused with 401. Create new keys in the settings of the project and give them to your servers.",
      ]
    : [];
  return {
    subject: `An owner or admin of ${shown(name)} was removed`,
    paragraphs: [
      what(name, gone),
      `The project continues, and belongs to ${owners.join(", ")}.`,
      ...ended,
      "Check what the audit log says about that account, and whether there are members or invitations you do not know.",
    ],
    link: { label: "Open the project", url: dashboardAddress(ctx.config) },
  };
}

function standing(ctx: Context, name: string, gone: Departure): MemberNotice {
  return {
    subject: `${shown(name)} is disabled: its owner was removed`,
    paragraphs: [
      what(name, gone),
      `No owner or admin is left, so the project is disabled (${NO_OWNER}): its requests are refused, its mails are held, and ` +
        "the secret key is revoked.",
      "Ask the operator of this installation to make one of you its owner (bun run admin member set-role) and to enable it " +
        "again. Nothing is deleted.",
    ],
    link: { label: "Open the dashboard", url: dashboardAddress(ctx.config) },
  };
}

function what(name: string, { email, owned }: Departure): string {
  const as = owned ? "an owner" : "a member";
  return (
    `The account of ${email}, ${as} of the project ${shown(name)}, was removed: the owner of that address says that ` +
    "they did not create it, so somebody else had."
  );
}
