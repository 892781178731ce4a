// `bun run admin`: what the operator of an installation does from a shell. Results are JSON on standard output.
import { parseArgs } from "node:util";
import { OPERATOR } from "./accounts/audit.ts";
import { requestDeletion, requestReset } from "./accounts/projects/removal.ts";
import {
  assertProject,
  createProject,
  disableProject,
  enableProject,
  listProjects,
  updateProject,
} from "./accounts/projects/mod.ts";
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
import { HELP } from "./admin/help.ts";
import { asId } from "./admin/ids.ts";
import type { MovingOptions } from "./admin/moving.ts";
import type { ReleaseOptions } from "./admin/release.ts";
import type { TransportOptions } from "./admin/transports.ts";

// What only some commands need is loaded by them: a command is over in a moment, and to load all takes twice as long.
const campaigns = () => import("./sending/campaigns/mod.ts");
const transports = () => import("./admin/transports.ts");
const moving = () => import("./admin/moving.ts");

/** The exit code of an unknown command: 1 is that of one that failed, and of a doctor that found an error. */
const MISUSED = 2;

interface Options extends PeopleOptions, ReleaseOptions, DemoWords, MovingOptions, TransportOptions {
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
  "transport list": async (ctx) => await (await transports()).listShared(ctx),
  "transport add": async (ctx, _args, options) => await (await transports()).addShared(ctx, options),
  "transport set": async (ctx, [id], options) => await (await transports()).changeShared(ctx, id, options),
  "transport pause": async (ctx, [id], options) => await (await transports()).pauseShared(ctx, id, options),
  "transport resume": async (ctx, [id]) => await (await transports()).resumeShared(ctx, id),
  "transport test": async (ctx, [id], options) => await (await transports()).testShared(ctx, id, options),
  "transport remove": async (ctx, [id]) => await (await transports()).removeShared(ctx, id),
  "warmup-plan list": async (ctx) => await (await transports()).listSharedPlans(ctx),
  "warmup-plan add": async (ctx, _args, options) => await (await transports()).addSharedPlan(ctx, options),
  "warmup-plan remove": async (ctx, [id]) => await (await transports()).removeSharedPlan(ctx, id),
  "routes get": async (ctx) => await (await transports()).showRoutes(ctx),
  "routes set": async (ctx, [file]) => await (await transports()).setRoutes(ctx, file),
  release: async (ctx, args, options) =>
    await (await import("./admin/release.ts")).release(ctx, args, options),
  demo: async (ctx, _args, options) => await (await import("./admin/demo.ts")).demo(ctx, options),
  export: async (ctx, [given, file], options) => {
    const id = await existingProject(ctx, given);
    return await (await moving()).exportTo(ctx, id, file, options);
  },
  "import postrider": async (ctx, [file], options) => await (await moving()).importFrom(ctx, file, options),
  "import plunk": async (ctx, _args, options) => await (await moving()).takeFrom(ctx, "plunk", options),
  "import listmonk": async (ctx, _args, options) => await (await moving()).takeFrom(ctx, "listmonk", options),
  "import mailchimp": async (ctx, files, options) =>
    await (await moving()).takeExport(ctx, "mailchimp", files, options),
  "import brevo": async (ctx, files, options) =>
    await (await moving()).takeExport(ctx, "brevo", files, options),
  "import sendgrid": async (ctx, files, options) =>
    await (await moving()).takeExport(ctx, "sendgrid", files, options),
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
      kind: { type: "string" },
      "url-from-stdin": { type: "boolean" },
      "helo-name": { type: "string" },
      "bind-addresses": { type: "string" },
      "feedback-secret-from-stdin": { type: "boolean" },
      "no-feedback-secret": { type: "boolean" },
      priority: { type: "string" },
      weight: { type: "string" },
      rate: { type: "string" },
      "per-day": { type: "string" },
      connections: { type: "string" },
      warmup: { type: "string" },
      limits: { type: "string" },
      to: { type: "string" },
      json: { type: "boolean" },
      ledger: { type: "boolean" },
      "passphrase-file": { type: "string" },
      resume: { type: "boolean" },
      url: { type: "string" },
      key: { type: "string" },
      "key-file": { type: "string" },
      user: { type: "string" },
      password: { type: "string" },
      "password-file": { type: "string" },
      from: { type: "string" },
      as: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  // What never came to its end must not keep the process from its own.
  if (positionals.join(" ") === "doctor" && !values.help) process.exit(await doctor(values.json ?? false));
  // The database that is restored is empty: nothing of the service can be opened on it.
  if (/^(backup|restore)$/.test(positionals[0] ?? "") && !values.help) {
    const { backup, restore } = await import("./admin/backup.ts");
    const work = positionals[0] === "backup" ? backup : restore;
    console.log(JSON.stringify(await work(loadConfig(), positionals[1]), null, 2));
    return 0;
  }
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
