// `bun run admin`: what the operator of an installation does from a shell. Results are JSON on standard output.
import { parseArgs } from "node:util";
import { OPERATOR } from "./accounts/audit.ts";
import { requestDeletion, requestReset } from "./accounts/projects/removal.ts";
import {
  assertProject,
  createProject,
  disableProject,
  enableProject,
  LANGUAGES,
  RESENDABLE,
  listProjects,
  TRACKING,
  updateProject,
} from "./accounts/projects/mod.ts";
import { ROLES } from "./accounts/projects/roles.ts";
import { rotateWebhookSecret, webhookSecretsOf } from "./accounts/projects/webhook_secrets.ts";
import { loadConfig } from "./config/mod.ts";
import { type Context, inTransaction } from "./context.ts";
import { migrationNames } from "./db/migrate.ts";
import { recountProject, recountProjects } from "./insight/counts/audit.ts";
import { makePartitions, partitionSizes } from "./insight/partitions.ts";
import { Problem } from "./problem/mod.ts";
import { addVerifiedDomain, readDomain } from "./accounts/projects/domains.ts";
import { openService } from "./service/mod.ts";
import {
  addTo,
  createAccount,
  endTwoFactor,
  listAccounts,
  membersOf,
  type PeopleOptions,
  removeFrom,
  setRole,
} from "./admin/people.ts";
import type { DemoWords } from "./admin/demo.ts";
import { asId } from "./admin/ids.ts";
import type { ReleaseOptions } from "./admin/release.ts";

// What only some commands need is loaded by them: a command is over in a moment, and to load all takes twice as long.
const campaigns = () => import("./sending/campaigns/mod.ts");

const HELP = `Usage: bun run admin <command>

  project create --name N [--domain D --verified]   create a project; prints it with both keys
  project list                                      every project, without secrets
  project set <id> [--tracking T] [--language L] [--send-rate N] [--resend K]
                                                    change its settings:
                                                    T is one of ${TRACKING.join(", ")}
                                                    L is one of ${LANGUAGES.join(", ")}
                                                    N is mails a second, or none for no limit
                                                    K: which mails in doubt are sent again: none, or some of
                                                    ${RESENDABLE.join(",")}
  project disable <id> [--reason R]                 refuse its requests and hold its mail
  project enable <id>                               accept its requests again; its campaigns continue: first
                                                    cancel those that should not
  project webhook-secret <id> [--rotate]            show the secret that signs its webhooks, or create a new
                                                    one; the old one stays valid for a day
  project reset <id> --yes                          delete its contents, for good: members, domains, keys and
                                                    settings stay
  project delete <id> --yes                         delete it altogether, for good
  user create --email E [--password-from-stdin]     create an account with a verified address; without a
                                                    password its owner sets one by a password reset
  user two-factor-off --email E                     take all factors from somebody who has lost them, and end their
                                                    sessions; a mail tells them, and the audit log their projects
  user list                                         every account, with the number of its projects
  member list <project id>                          its members, and who was invited
  member add <project id> --email E [--role R]      add somebody with an account: R is one of
                                                    ${ROLES.join(", ")}; left out: ${ROLES[0]}
  member set-role <project id> --email E --role R   change the role of a member
  member remove <project id> --email E              remove a member, or withdraw an invitation
  domain add <project id> <domain> --verified       allow a project to send from a domain, without a DNS check
  domain rekey <project id> <domain>                create a new DKIM key where the old one was encrypted with
                                                    a lost SECRET_KEY; the domain is verified again
  campaign list <project id>                        campaigns that are being sent or are scheduled
  campaign cancel <project id> <campaign id>        cancel one of them, even while the project is disabled
  release [mail id…] [--project P] [--since T] [--all] [--discard] [--yes]
                                                    send mails that were captured while there was no SMTP server,
                                                    the oldest first: those with these ids, of a project, captured
                                                    since a time (such as 2026-11-22T08:00Z), or all; without
                                                    --yes they are only counted. Nothing is sent to people who
                                                    have unsubscribed or are suppressed by now, or whose mail
                                                    has expired; --discard gives the mails up instead, for good
  demo [--project P] [--contacts N] [--seed S] [--yes]
                                                    make a shop to look at: contacts, 90 days of events, campaigns
                                                    and workflows with their mails, none of which is sent; in a
                                                    project named Demo, or P, that has no contacts. --yes also in
                                                    production, and where mail leaves the machine (SMTP_URL)
  recount [project id]                              recount outcomes of mails and events by day, and correct
                                                    the counters that are wrong, of one project or of all
  partitions [--move]                               the months of events, and what else grows with time: rows
                                                    (estimated) and bytes; --move creates partitions that are
                                                    missing because they have too many events to move quickly:
                                                    everything that uses events waits until it is done
  migrate                                           migrate the database to the newest schema
  doctor [--json]                                   check everything the installation needs, and say what to do

The settings are those of the service (DATABASE_URL, or the embedded Postgres in DATA_DIR). Answers are JSON.
`;

/** The exit code of an unknown command: 1 is that of one that failed, and of a doctor that found an error. */
const MISUSED = 2;

interface Options extends PeopleOptions, ReleaseOptions, DemoWords {
  name?: string | undefined;
  domain?: string | undefined;
  verified?: boolean | undefined;
  reason?: string | undefined;
  tracking?: string | undefined;
  language?: string | undefined;
  "send-rate"?: string | undefined;
  resend?: string | undefined;
  rotate?: boolean | undefined;
  move?: boolean | undefined;
}

type Command = (ctx: Context, args: string[], options: Options) => Promise<unknown>;

/** Every command by its words. */
const COMMANDS: Record<string, Command> = {
  "project create": async (ctx, _args, { name, domain, verified }) => {
    if (name === undefined) throw new Error("Cannot create a project without --name");
    assertVerified(domain, verified);
    return await inTransaction(ctx, async (tx) => {
      const project = await createProject(tx, name);
      const added = domain === undefined ? {} : await trustDomain(tx, project.id, domain);
      return { ...project, ...added };
    });
  },
  "project list": (ctx) => listProjects(ctx),
  "project set": async (ctx, [given], { tracking, language, "send-rate": rate, resend }) => {
    if ([tracking, language, rate, resend].every((option) => option === undefined)) {
      throw new Error("Cannot set anything: give --tracking, --language, --send-rate or --resend");
    }
    const resendInDoubt =
      resend === "none" ? [] : resend?.split(",").map((kind) => kind.trim().toUpperCase());
    const settings = { tracking, language, sendRate: sendRate(rate), resendInDoubt };
    return await updateProject(ctx, projectId(given), settings);
  },
  "project disable": async (ctx, [given], { reason }) => {
    const id = await existingProject(ctx, given);
    return { id, disabled: true, changed: await disableProject(ctx, id, reason ?? null) };
  },
  "project enable": async (ctx, [given]) => {
    const id = await existingProject(ctx, given);
    const changed = await enableProject(ctx, id);
    const { campaignsUnderWay } = await campaigns();
    return { id, disabled: false, changed, campaignsUnderWay: await campaignsUnderWay(ctx, id) };
  },
  "project webhook-secret": async (ctx, [given], { rotate }) => {
    const id = projectId(given);
    const secrets = rotate ? await rotateWebhookSecret(ctx, id) : await webhookSecretsOf(ctx, id);
    if (secrets) return { id, ...secrets };
    throw new Error("Cannot decrypt the webhook secret with this SECRET_KEY: --rotate creates a new one");
  },
  "project reset": async (ctx, [given], { yes }) => {
    const id = projectId(given);
    if (!yes) throw new Error("Cannot reset a project without --yes: its contents are deleted permanently");
    await requestReset(ctx, id, OPERATOR);
    return { id, reset: true };
  },
  "project delete": async (ctx, [given], { yes }) => {
    const id = projectId(given);
    if (!yes) throw new Error("Cannot delete a project without --yes: this cannot be undone");
    await requestDeletion(ctx, id, OPERATOR);
    return { id, deleted: true };
  },
  "user create": (ctx, _args, options) => createAccount(ctx, options),
  "user two-factor-off": (ctx, _args, options) => endTwoFactor(ctx, options),
  "user list": (ctx) => listAccounts(ctx),
  "member list": async (ctx, [given]) => await membersOf(ctx, await existingProject(ctx, given)),
  "member add": async (ctx, [given], options) => await addTo(ctx, await existingProject(ctx, given), options),
  "member set-role": async (ctx, [given], options) =>
    await setRole(ctx, await existingProject(ctx, given), options),
  "member remove": async (ctx, [given], options) =>
    await removeFrom(ctx, await existingProject(ctx, given), options),
  "domain add": async (ctx, [given, domain = ""], { verified }) => {
    assertVerified(domain, verified);
    return await trustDomain(ctx, await existingProject(ctx, given), domain);
  },
  "domain rekey": async (ctx, [given, name = ""]) => {
    const id = await existingProject(ctx, given);
    const { replaceLostDkimKey } = await import("./sending/dkim_keys.ts");
    const { getDomain } = await import("./sending/domains/mod.ts");
    const { domainId, isReplaced } = await replaceLostDkimKey(ctx, id, readDomain(name));
    const { domain, status, records } = await getDomain(ctx, id, domainId);
    return { domain, status, changed: isReplaced, records };
  },
  "campaign list": async (ctx, [given]) =>
    await (await campaigns()).campaignsUnderWay(ctx, await existingProject(ctx, given)),
  "campaign cancel": async (ctx, [given, campaign]) => {
    const id = await existingProject(ctx, given);
    const { cancelCampaign } = await import("./sending/campaigns/status.ts");
    const { name, status } = await cancelCampaign(ctx, id, asId(campaign, "campaign"), OPERATOR);
    return { id: campaign, name, status };
  },
  release: async (ctx, args, options) =>
    await (await import("./admin/release.ts")).release(ctx, args, options),
  demo: async (ctx, _args, options) => await (await import("./admin/demo.ts")).demo(ctx, options),
  recount: async (ctx, [given]) =>
    given === undefined
      ? await recountProjects(ctx)
      : await recountProject(ctx, await existingProject(ctx, given)),
  partitions: async (ctx, _args, { move }) => ({
    ...(move && (await makePartitions(ctx, { patient: true }))),
    tables: await partitionSizes(ctx),
  }),
  // Opening the database has migrated it already.
  migrate: async () => ({ migrations: migrationNames() }),
};

/** Lets a project send from a domain; its mails are signed as soon as the DKIM record is published. */
async function trustDomain(ctx: Context, id: string, name: string) {
  const { makeDkimKey } = await import("./sending/dkim_keys.ts");
  const { getDomain } = await import("./sending/domains/mod.ts");
  const { domainId, domain } = await addVerifiedDomain(ctx, id, name);
  await makeDkimKey(ctx, id, domainId);
  return { domain, records: (await getDomain(ctx, id, domainId)).records };
}

function assertVerified(domain: string | undefined, verified: boolean | undefined): void {
  if (domain !== undefined && !verified) throw new Error("Cannot add a domain here without --verified");
}

function sendRate(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error("Cannot read --send-rate: give a number, or none");
  return Number(text);
}

function projectId(given: string | undefined): string {
  return asId(given, "project", ": see `project list`");
}

/** The id, when there is such a project. */
async function existingProject(ctx: Context, given: string | undefined): Promise<string> {
  const id = projectId(given);
  await assertProject(ctx, id);
  return id;
}

/** It works where next to nothing else does, so it opens everything it checks itself. Returns the exit code. */
async function doctor(asJson: boolean): Promise<number> {
  const { examine, toText } = await import("./doctor/mod.ts");
  const findings = await examine(() => loadConfig());
  const isWell = findings.every(({ status }) => status !== "error");
  await Bun.write(
    Bun.stdout,
    asJson ? `${JSON.stringify({ ok: isWell, findings }, null, 2)}\n` : toText(findings),
  );
  return isWell ? 0 : 1;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: "string" },
      domain: { type: "string" },
      verified: { type: "boolean" },
      reason: { type: "string" },
      tracking: { type: "string" },
      language: { type: "string" },
      "send-rate": { type: "string" },
      resend: { type: "string" },
      rotate: { type: "boolean" },
      move: { type: "boolean" },
      contacts: { type: "string" },
      seed: { type: "string" },
      discard: { type: "boolean" },
      yes: { type: "boolean" },
      project: { type: "string" },
      since: { type: "string" },
      all: { type: "boolean" },
      email: { type: "string" },
      role: { type: "string" },
      "password-from-stdin": { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  // What never came to its end must not keep the process from its own.
  if (positionals.join(" ") === "doctor" && !values.help) process.exit(await doctor(values.json ?? false));
  const words = [positionals.slice(0, 2).join(" "), positionals[0] ?? ""].find((text) =>
    Object.hasOwn(COMMANDS, text),
  );
  if (values.help || words === undefined) {
    (values.help ? console.log : console.error)(HELP);
    const given = positionals.join(" ");
    if (!values.help && given !== "") console.error(`There is no command "${given}".`);
    return values.help ? 0 : MISUSED;
  }
  const service = await openService(loadConfig(), { guest: true });
  try {
    const answer = await COMMANDS[words]!(service.ctx, positionals.slice(words.split(" ").length), values);
    console.log(JSON.stringify(answer, null, 2));
    return 0;
  } finally {
    await service.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const fields = error instanceof Problem ? (error.extras.errors ?? []) : [];
  console.error(
    [(error as Error).message, ...fields.map((field) => `  ${field.field}: ${field.message}`)].join("\n"),
  );
  const isMisused = String((error as { code?: unknown }).code).startsWith("ERR_PARSE_ARGS");
  process.exitCode = isMisused ? MISUSED : 1;
}
