// The transports beside `SMTP_URL`: of the installation, and of projects.
import { directAddresses } from "../config/mod.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
import { mailServerAddresses } from "../guard.ts";
import { probeSmtp } from "../mail/smtp_probe.ts";
import { reasonForbidden, urlInUse } from "../sending/transports/direct.ts";
import { INSTALLATION } from "../sending/transports/routes.ts";
import { openUrl } from "../sending/transports/sealed.ts";
import { examineAbsent, examineDirect } from "./_direct.ts";
import { hasSchema } from "./_database.ts";
import { type Check, failure, type Finding, ok, type Patient, skipped, warning } from "./_findings.ts";

type Row = Awaited<ReturnType<Queries["transportSettings"]["addresses"]>>[number];

const SMTP_MS = 10_000;
const MAX_TRANSPORTS = 200;
const MAX_SHOWN = 20;

/** Whether each can be reached, and lets us in. No mail is sent. */
export const transports: Check = {
  name: "transports",
  limitMs: SMTP_MS + 8_000,
  needsDatabase: true,
  async look(patient) {
    const { config, sql } = patient;
    if (!sql) return skipped("transports", "The database cannot be reached");
    if (!(await hasSchema(patient))) return skipped("transports", "The database is not migrated");
    const all = await q.transportSettings.addresses({ sql }, { limit: MAX_TRANSPORTS });
    const used = all.filter(({ kind, pausedAt }) => kind !== "CAPTURE" && pausedAt === null);
    const where = "ALLOW_DIRECT_TRANSPORTS";
    const absent = await examineAbsent(directAddresses(config) ?? [], { check: "transports", where });
    if (used.length === 0) return [skipped("transports", "All mail leaves by SMTP_URL"), ...absent];
    const faults = await Promise.all(used.map((row) => faultsOf(patient, row)));
    const found = faults.flat();
    const left = faults.filter(({ length }) => length === 0).length;
    const answers = `${left} of ${used.length} can be reached and accept the log-in, or deliver directly from addresses in order`;
    const more =
      found.length > MAX_SHOWN ? [skipped("transports", `${found.length - MAX_SHOWN} more have faults`)] : [];
    return [
      ...(left > 0 ? [ok("transports", answers)] : []),
      ...absent,
      ...found.slice(0, MAX_SHOWN),
      ...more,
    ];
  },
};

const STEPS = { connect: "reach", tls: "encrypt the connection to", login: "log in to" };

/** What is wrong with one. Of a project it is the business of its owners. */
async function faultsOf({ config, dns }: Patient, row: Row): Promise<Finding[]> {
  const isOwn = row.projectId !== INSTALLATION;
  const report = isOwn ? warning : failure;
  const whose = `the transport ${row.name}${isOwn ? ` of the project ${row.projectName ?? row.projectId}` : ""}`;
  const advice = isOwn
    ? "The owners of the project see this in the console, and can change the address there."
    : `Change the address with \`bun run admin transport set ${row.id} --url …\`, or pause it.`;
  const forbidden = reasonForbidden({ config }, { ...row, isOwn });
  if (forbidden) return [report("transports", `No mail takes ${whose}: ${forbidden}`, advice)];
  const url = urlInUse({ config }, row.url && openUrl({ config }, row, row.url), { kind: row.kind, isOwn });
  if (!url) {
    const message = `The address of ${whose} cannot be decrypted with this SECRET_KEY`;
    return [report("transports", message, advice)];
  }
  if (row.kind === "DIRECT") {
    const found = await examineDirect(url, dns, { check: "transports", where: whose });
    const faults = found.filter(({ status }) => status !== "ok");
    return isOwn ? faults.map((fault) => ({ ...fault, status: "warning" as const })) : faults;
  }
  const addressesOf = isOwn ? (host: string) => mailServerAddresses({ config, dns }, host) : undefined;
  const { failedAt, words } = await probeSmtp(url, SMTP_MS, addressesOf);
  if (!failedAt) return [];
  const { host } = new URL(url);
  return [report("transports", `Cannot ${STEPS[failedAt]} ${host}, ${whose}: ${words}`, advice)];
}
