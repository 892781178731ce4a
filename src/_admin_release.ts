// The operator's command that sends what was captured.
import { assertProject } from "./accounts/projects.ts";
import type { Context } from "./context.ts";
import { releaseCaptured, type ReleaseReport } from "./sending/captured_release.ts";

/** The options of `release`. */
export interface ReleaseOptions {
  project?: string | undefined;
  since?: string | undefined;
  all?: boolean | undefined;
  yes?: boolean | undefined;
}

const HOW_TO = "Say --yes with it, and which mails are meant: their ids, --project, --since or --all";

/** Sends captured mails, or with neither `--yes` nor any word about which ones only counts them. */
export async function release(
  ctx: Context,
  args: string[],
  { project, since, all, yes }: ReleaseOptions,
): Promise<ReleaseReport | { wouldBe: ReleaseReport; toRelease: string }> {
  const scope = {
    ids: args.length > 0 ? args.map((given) => asId(given, "mail")) : undefined,
    projectId: project === undefined ? undefined : asId(project, "project", ": see `project list`"),
    since: since === undefined ? undefined : instant(since),
  };
  if (scope.projectId !== undefined) await assertProject(ctx, scope.projectId);
  const isSaid = all || Object.values(scope).some((value) => value !== undefined);
  if (yes && !isSaid) throw new Error(`Cannot release mails without knowing which. ${HOW_TO}`);
  if (yes) return await releaseCaptured(ctx, scope);
  return { wouldBe: await releaseCaptured(ctx, scope, { dryRun: true }), toRelease: HOW_TO };
}

/** An id as the ledger writes it. Throws for what can be none. */
export function asId(given: string | undefined, noun: string, hint = ""): string {
  const id = (given ?? "").toLowerCase();
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  throw new Error(`Cannot find a ${noun} without its id${hint}`);
}

function instant(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new Error("Cannot read --since: say a time such as 2026-11-22T08:00Z");
  return at;
}
