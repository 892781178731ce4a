// The operator's command that sends captured mails, or gives them up.
import { asId } from "./ids.ts";
import { assertProject } from "../accounts/projects/mod.ts";
import type { Context } from "../context.ts";
import { discardCaptured, type DiscardReport } from "../sending/captured/discard.ts";
import { releaseCaptured, type ReleaseReport } from "../sending/captured/release.ts";

/** The options of `release`. */
export interface ReleaseOptions {
  project?: string | undefined;
  since?: string | undefined;
  all?: boolean | undefined;
  yes?: boolean | undefined;
  /** Gives them up instead. */
  discard?: boolean | undefined;
}

const HOW_TO = "Add --yes, and say which mails: their ids, --project, --since or --all";

type Report = ReleaseReport | DiscardReport;

/** Sends or discards captured mails, or with neither `--yes` nor any word about which ones only counts them. */
export async function release(
  ctx: Context,
  args: string[],
  { project, since, all, yes, discard }: ReleaseOptions,
): Promise<Report | { wouldBe: Report; toRelease: string } | { wouldBe: Report; toDiscard: string }> {
  const scope = {
    ids: args.length > 0 ? args.map((given) => asId(given, "mail")) : undefined,
    projectId: project === undefined ? undefined : asId(project, "project", ": see `project list`"),
    since: since === undefined ? undefined : instant(since),
  };
  if (scope.projectId !== undefined) await assertProject(ctx, scope.projectId);
  const isSaid = all || Object.values(scope).some((value) => value !== undefined);
  const verb = discard ? "discard" : "release";
  if (yes && !isSaid) throw new Error(`Cannot ${verb} mails without knowing which. ${HOW_TO}`);
  const run = discard ? discardCaptured : releaseCaptured;
  if (yes) return await run(ctx, scope);
  const wouldBe = await run(ctx, scope, { dryRun: true });
  return discard ? { wouldBe, toDiscard: HOW_TO } : { wouldBe, toRelease: HOW_TO };
}

function instant(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new Error("Cannot read --since: give a time such as 2026-11-22T08:00Z");
  return at;
}
