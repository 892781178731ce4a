import { q } from "../db/queries.ts";
import { openDkimKey } from "../sending/dkim_keys.ts";
import { hasSchema } from "./_database.ts";
import { type Check, failure, ok, type Patient, skipped } from "./_findings.ts";

const PAGE = 1_000;
const MAX_NAMED = 10;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** Whether the keys that sign mails can be opened: mails whose key does not open wait, and are given up after a day. */
export const dkimKeys: Check = {
  name: "dkim_keys",
  limitMs: 30_000,
  needsDatabase: true,
  async look(patient) {
    if (!patient.sql) return skipped("dkim_keys", "The database cannot be reached");
    if (!(await hasSchema(patient))) return skipped("dkim_keys", "The database is not migrated");
    if (!patient.config.SECRET_KEY) {
      return skipped("dkim_keys", "SECRET_KEY is not set, and the service keeps its own in DATA_DIR");
    }
    const { total, lost } = await tryAll(patient);
    if (total === 0) return skipped("dkim_keys", "No domain has a key yet");
    if (lost.length === 0)
      return ok(
        "dkim_keys",
        total === 1 ? "The only key can be decrypted" : `All ${total} keys can be decrypted`,
      );
    const named = lost.slice(0, MAX_NAMED).map(({ domain }) => domain);
    const more = lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more` : "";
    const message =
      `${lost.length} of ${total} cannot be decrypted with this SECRET_KEY: mails wait, and are given up after a ` +
      `day, from ${named.join(", ")}${more}`;
    const advice = [
      "Set SECRET_KEY to the one they were encrypted with. If it is lost, create new ones and publish their records:",
      ...lost
        .slice(0, MAX_NAMED)
        .map(({ projectId, domain }) => `  bun run admin domain rekey ${projectId} ${domain}`),
    ].join("\n");
    return failure("dkim_keys", message, advice);
  },
};

/** How many keys there are, and whose do not open. */
async function tryAll({ sql, config }: Patient) {
  const lost: { projectId: string; domain: string }[] = [];
  let total = 0;
  let after = { afterProjectId: BEFORE_ALL, afterId: BEFORE_ALL };
  for (;;) {
    const rows = await q.doctor.dkimKeys({ sql: sql! }, { ...after, limit: PAGE });
    total += rows.length;
    lost.push(...rows.filter((row) => openDkimKey({ config }, row) === null));
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return { total, lost };
    after = { afterProjectId: last.projectId, afterId: last.id };
  }
}
