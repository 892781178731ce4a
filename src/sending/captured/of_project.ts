// What the owner of a project does with its captured mails: sends them after all, or gives them up.
import { type Actor, type AuditAction, recordAudit } from "../../accounts/audit.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import type { ReleaseScope } from "./_pages.ts";
import { discardCaptured, type DiscardReport } from "./discard.ts";
import { CannotRelease, releaseCaptured, type ReleaseReport } from "./release.ts";

/** Which captured mails of the project. */
export interface OwnScope {
  ids?: string[] | undefined;
  since?: Date | undefined;
  /** Where the call before ended. */
  after?: CapturedPlace | undefined;
  /** Only counts them. */
  dryRun?: boolean | undefined;
}

/** A place in the order in which mails were captured. */
export interface CapturedPlace {
  capturedAt: Date;
  id: string;
}

/** A result, and where the next call continues; null at the end. */
type WithRest<Report> = Report & { rest: CapturedPlace | null };

/** How many in a call: some seconds at most. */
const MOST = 5_000;

/**
 * Sends captured mails of a project, up to 5,000, with the checks of the operator's command. Throws 501 if there is no mail
 * server, and 409 while a process would capture them again.
 */
export async function releaseOwn(
  ctx: Context,
  projectId: string,
  scope: OwnScope,
  actor: Actor,
): Promise<WithRest<ReleaseReport>> {
  try {
    return await within(ctx, projectId, scope, { actor, action: "captured.released" }, releaseCaptured);
  } catch (error) {
    if (!(error instanceof CannotRelease)) throw error;
    throw error.why === "no server"
      ? problems.notConfigured("mail server", "Have the operator set SMTP_URL: until then mails are captured")
      : problems.capturedAgain();
  }
}

/** Gives captured mails of a project up permanently, up to 5,000. */
export async function discardOwn(
  ctx: Context,
  projectId: string,
  scope: OwnScope,
  actor: Actor,
): Promise<WithRest<DiscardReport>> {
  return await within(ctx, projectId, scope, { actor, action: "captured.discarded" }, discardCaptured);
}

async function within<Report>(
  ctx: Context,
  projectId: string,
  { ids, since, after, dryRun = false }: OwnScope,
  deed: { actor: Actor; action: AuditAction },
  run: (ctx: Context, scope: ReleaseScope, options: { dryRun: boolean }) => Promise<Report>,
): Promise<WithRest<Report>> {
  let rest: CapturedPlace | null = null;
  const scope: ReleaseScope = {
    projectId,
    ids,
    since,
    after: after && { ...after, projectId },
    limit: MOST,
    reached: ({ capturedAt, id }, count) => (rest = count === MOST ? { capturedAt, id } : null),
    note: (tx, mails) => recordAudit(tx, { projectId, ...deed, details: { mails } }),
  };
  const report = await run(ctx, scope, { dryRun });
  return { ...report, rest };
}
