import { q } from "../db/queries.ts";
import { hasSchema } from "./_database.ts";
import { type Check, ok, skipped, warning } from "./_findings.ts";

const MAX_PROJECTS = 100;

/** Whether campaigns of disabled projects would continue, wanted or not, when somebody enables the project. */
export const waitingCampaigns: Check = {
  name: "campaigns",
  limitMs: 8_000,
  needsDatabase: true,
  async look(patient) {
    const { sql } = patient;
    if (!sql) return skipped("campaigns", "The database cannot be reached");
    if (!(await hasSchema(patient))) return skipped("campaigns", "The database is not migrated");
    const held = await q.doctor.heldCampaigns({ sql }, { limit: MAX_PROJECTS });
    if (held.length === 0) return ok("campaigns", "No campaign is waiting for its project to be enabled");
    return held.map(({ projectId, projectName, total }) => {
      const waiting = total === 1 ? "1 campaign waits" : `${total} campaigns wait`;
      const advice =
        `They continue once it is enabled. \`bun run admin campaign list ${projectId}\` shows them, ` +
        `\`bun run admin campaign cancel ${projectId} <campaign id>\` ends one.`;
      return warning(
        "campaigns",
        `Project ${projectName} is disabled, and ${waiting} until it is enabled`,
        advice,
      );
    });
  },
};
