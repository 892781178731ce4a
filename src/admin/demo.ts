// The operator's command that fills a project with a shop to look at.
import { assertProject } from "../accounts/projects/mod.ts";
import { isProduction } from "../config/mod.ts";
import type { Context } from "../context.ts";
import { createDemo, type Demo } from "../demo/mod.ts";
import { asId } from "./ids.ts";

/** The options of `demo`. */
export interface DemoWords {
  project?: string | undefined;
  contacts?: string | undefined;
  seed?: string | undefined;
  yes?: boolean | undefined;
}

const CONTACTS = 20_000;
const MAX_CONTACTS = 1_000_000;
const MAX_SEED = 2_000;

/** Makes the demo. Throws without `--yes` in production, and where its workflows could send mail from the machine. */
export async function demo(ctx: Context, { project, contacts, seed, yes = false }: DemoWords): Promise<Demo> {
  const size = numberOf("--contacts", contacts, CONTACTS, MAX_CONTACTS);
  const drawn = numberOf("--seed", seed, 1, MAX_SEED);
  if (isProduction(ctx.config) && !yes) {
    throw new Error(
      "Cannot create a demo in production without --yes: it adds a project with invented people",
    );
  }
  if (ctx.config.SMTP_URL !== undefined && !yes) {
    throw new Error(
      "Cannot create a demo where mail is really sent (SMTP_URL) without --yes: what its workflows and its scheduled " +
        "campaign do in the days to come is sent, to addresses that belong to nobody",
    );
  }
  const projectId = project === undefined ? undefined : asId(project, "project", ": see `project list`");
  if (projectId !== undefined) await assertProject(ctx, projectId);
  return await createDemo(ctx, { projectId, contacts: size, seed: drawn });
}

function numberOf(option: string, given: string | undefined, otherwise: number, max: number): number {
  if (given === undefined) return otherwise;
  const number = Number(given);
  if (/^\d+$/.test(given) && number >= 1 && number <= max) return number;
  throw new Error(`Cannot read ${option}: give a whole number from 1 to ${max}`);
}
