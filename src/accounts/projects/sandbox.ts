// The sandbox of a project: what its test keys open. It is a project of its own, so that everything that is kept apart by
// project is apart, without another condition in any statement. What differs stands where it belongs, behind `isSandbox`:
// its mails are captured and answered by the simulator, any sender may be used, and it has no reputation. Members and
// settings are those of its project.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { type Actor, recordAudit } from "../audit.ts";
import { generateKeys } from "./keys.ts";
import { isSandbox, sandboxIdOf } from "./sandbox_id.ts";

/** A sandbox, as the members of its project see it. */
export interface Sandbox {
  id: string;
  /** Its public key: `pk_test_…`. */
  public: string;
  /** The end of its secret key. */
  secretHint: string;
  createdAt: Date;
}

/** Mails a month of each kind: more than any test, and no place to keep a mailing list. */
export const SANDBOX_MAILS = 10_000;

/** Makes the sandbox of a project. Its secret key is told only now. Throws not-found, and 409 where there is one. */
export async function createSandbox(
  ctx: Context,
  projectId: string,
  actor: Actor,
): Promise<Sandbox & { secret: string }> {
  const id = sandboxIdOf(projectId);
  const { secretKey, ...keys } = generateKeys(id);
  return await inTransaction(ctx, async (tx) => {
    if ((await q.projects.hold(tx, { projectId })) === 0) throw problems.notFound("project", projectId);
    const sandbox = await q.projects.insertSandbox(tx, { projectId, id, ...keys, now: tx.now() });
    if (!sandbox) throw problems.sandboxExists(id);
    await q.usage.limitAll(tx, { projectId: id, monthlyLimit: SANDBOX_MAILS });
    await recordAudit(tx, { projectId, actor, action: "sandbox.created", details: { sandboxId: id } });
    return { ...sandbox, secret: secretKey };
  });
}

/** What a sandbox has not, or has from its project: by route, in words for the refusal. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "PATCH /users/@me/projects/:id": "change these settings",
  "DELETE /users/@me/projects/:id": "delete a sandbox",
  "POST /projects/:id/sandbox": "create a sandbox",
  "POST /projects/:id/members": "change members",
  "PATCH /projects/:id/members/:userId": "change members",
  "DELETE /projects/:id/members/:userId": "change members",
  "POST /domains": "add a domain",
  "POST /transports": "add a transport",
  "PUT /routes": "set routes",
  "POST /warmup-plans": "add a warm-up plan",
  "POST /users/@me/projects/:id/checkout": "subscribe",
  "POST /users/@me/projects/:id/billing-portal": "open the billing portal",
  "PUT /users/@me/projects/:id/billing-limits": "set limits",
};

/** Throws 409 for what is done in the project and not in its sandbox, by method and pattern of the route. */
export function assertInPlace(projectId: string, method: string, route: string): void {
  if (!isSandbox(projectId)) return;
  const what = ELSEWHERE[`${method} ${route.replace(/(.)\/$/, "$1")}`];
  if (what) throw problems.notInSandbox(what);
}
