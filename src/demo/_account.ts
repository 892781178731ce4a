// Who looks after the project of the demo: members, an invitation, domains, a key, and what they did.
import { actorOf, OPERATOR, recordAudits } from "../accounts/audit.ts";
import { createUser } from "../accounts/people/mod.ts";
import { addVerifiedDomain } from "../accounts/projects/domains.ts";
import { addMember } from "../accounts/projects/members.ts";
import { createKey } from "../accounts/projects/named_keys.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { makeDkimKey } from "../sending/dkim_keys.ts";
import { addDomain } from "../sending/domains/mod.ts";
import { DOMAIN, INVITED, PENDING_DOMAIN, PEOPLE } from "./_words.ts";

const DAYS = 90;
const DAY_MS = 86_400_000;

/** Adds the members, with accounts that have no password yet, the domains, whom nobody asks the DNS about, and a key. */
export async function addAccount(tx: Context, projectId: string): Promise<void> {
  const madeAt = new Date(tx.now().getTime() - DAYS * DAY_MS);
  const before = { ...tx, now: () => madeAt };
  const { domainId } = await addVerifiedDomain(before, projectId, DOMAIN);
  await makeDkimKey(before, projectId, domainId);
  await addDomain(before, projectId, PENDING_DOMAIN, OPERATOR);
  await q.demo.restDomains(tx, { projectId, now: tx.now(), madeAt });
  for (const { email, role } of PEOPLE) {
    if (!(await q.users.byEmail(tx, { email }))) {
      await createUser(before, { email, passwordHash: null, emailVerified: true });
    }
    await addMember(before, projectId, { email, role }, OPERATOR);
  }
  await addMember(tx, projectId, INVITED, OPERATOR);
  await createKey(before, projectId, { name: "Shop backend", scopes: ["send", "track"] }, OPERATOR);
}

/** Lines of the audit log: the owner and the admin sent the campaigns in turn. */
export async function addHistory(
  tx: Context,
  projectId: string,
  campaigns: { id: string; name: string; at: Date }[],
): Promise<void> {
  const people = await Promise.all(PEOPLE.slice(0, 2).map(({ email }) => q.users.byEmail(tx, { email })));
  for (const [n, { id, name, at }] of campaigns.entries()) {
    const actor = actorOf(people[n % people.length]!);
    const deed = { projectId, action: "campaign.sent" as const, subject: name, details: { campaignId: id } };
    await recordAudits({ ...tx, now: () => at }, actor, [deed]);
  }
}
