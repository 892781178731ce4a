// `bun run admin transport`, `routes` and `warmup-plan`: the ways out that all projects share.
import { Value } from "@sinclair/typebox/value";
import { OPERATOR } from "../accounts/audit.ts";
import type { Context } from "../context.ts";
import { parseAddress, parseMailbox } from "../mail/address.ts";
import { problems } from "../problem/mod.ts";
import type { TransportInput } from "../sending/transports/input.ts";
import { addTransport, changeTransport, removeTransport } from "../sending/transports/mod.ts";
import { listTransports } from "../sending/transports/records.ts";
import { getRoutes, putRoutes } from "../sending/transports/route_documents.ts";
import { INSTALLATION, type Routes } from "../sending/transports/routes.ts";
import { testTransport } from "../sending/transports/trial.ts";
import { addWarmupPlan, listWarmupPlans, removeWarmupPlan } from "../sending/transports/warmup_plans.ts";
import { asId } from "./ids.ts";

/** What a transport is told on the command line. */
export interface TransportOptions {
  name?: string | undefined;
  kind?: string | undefined;
  url?: string | undefined;
  "helo-name"?: string | undefined;
  "bind-addresses"?: string | undefined;
  "url-from-stdin"?: boolean | undefined;
  priority?: string | undefined;
  weight?: string | undefined;
  rate?: string | undefined;
  "per-day"?: string | undefined;
  connections?: string | undefined;
  warmup?: string | undefined;
  "feedback-secret-from-stdin"?: boolean | undefined;
  "no-feedback-secret"?: boolean | undefined;
  limits?: string | undefined;
  reason?: string | undefined;
  to?: string | undefined;
  from?: string | undefined;
}

type Given = Pick<
  TransportInput,
  | "url"
  | "priority"
  | "weight"
  | "ratePerSecond"
  | "perDay"
  | "connections"
  | "warmup"
  | "feedbackSecret"
  | "heloName"
  | "bindAddresses"
>;

/** Those of the installation. */
export async function listShared(ctx: Context) {
  return await listTransports(ctx, INSTALLATION);
}

/** Adds one; left out, its kind is SMTP. */
export async function addShared(ctx: Context, options: TransportOptions) {
  if (options.name === undefined) throw new Error("Cannot add a transport without --name");
  const kind = kindIn(options.kind ?? "SMTP");
  return await addTransport(
    ctx,
    INSTALLATION,
    { name: options.name, kind, ...(await read(options)) },
    OPERATOR,
  );
}

/** Changes what is given; `none` takes a limit away. */
export async function changeShared(ctx: Context, given: string | undefined, options: TransportOptions) {
  const { kind, name } = options;
  const change = {
    ...(kind !== undefined && { kind: kindIn(kind) }),
    ...(name !== undefined && { name }),
    ...(await read(options)),
  };
  if (Object.values(change).every((value) => value === undefined)) {
    throw new Error(
      "Cannot change anything: give --name, --url, --helo-name, --bind-addresses, --priority, --weight, --rate, --per-day, --connections, --warmup or --feedback-secret-from-stdin",
    );
  }
  return await changeTransport(ctx, INSTALLATION, idOf(given), change, OPERATOR);
}

function kindIn(text: string): TransportInput["kind"] {
  const kind = text.toUpperCase();
  if (kind === "SMTP" || kind === "DIRECT" || kind === "CAPTURE") return kind;
  throw new Error("Cannot use this kind of transport: --kind is SMTP, DIRECT or CAPTURE");
}

/** No mail takes it, until it is resumed. */
export async function pauseShared(
  ctx: Context,
  given: string | undefined,
  { reason = "" }: TransportOptions,
) {
  return await changeTransport(
    ctx,
    INSTALLATION,
    idOf(given),
    { paused: true, pauseReason: reason },
    OPERATOR,
  );
}

export async function resumeShared(ctx: Context, given: string | undefined) {
  return await changeTransport(ctx, INSTALLATION, idOf(given), { paused: false }, OPERATOR);
}

export async function removeShared(ctx: Context, given: string | undefined) {
  const id = idOf(given);
  await removeTransport(ctx, INSTALLATION, id, OPERATOR);
  return { id, removed: true };
}

/** Sends a test mail, from the sender of platform mails unless another one is given. */
export async function testShared(ctx: Context, given: string | undefined, { to, from }: TransportOptions) {
  const recipient = parseAddress(to ?? "");
  if (!recipient) throw new Error("Cannot send a test mail without --to and an address");
  const sender = parseMailbox(from ?? ctx.config.PLATFORM_FROM ?? "");
  if (!sender) throw new Error("Cannot send a test mail without a sender: give --from, or set PLATFORM_FROM");
  const mail = { to: recipient.email, from: sender.email };
  return await testTransport(ctx, INSTALLATION, idOf(given), mail);
}

/** The routes of the installation. */
export async function showRoutes(ctx: Context): Promise<Routes> {
  const { rules } = await getRoutes(ctx, INSTALLATION);
  return { rules };
}

/** Replaces them by the document in a file, as `routes get` prints it. */
export async function setRoutes(ctx: Context, file: string | undefined): Promise<Routes> {
  if (file === undefined)
    throw new Error("Cannot set routes without a file: `routes get` prints what it holds");
  const document = await Bun.file(file)
    .json()
    .catch((error: Error) => {
      throw new Error(`Cannot read ${file}: ${error.message}`);
    });
  const { InstallationRoutes } = await import("../http/routes/routes.ts");
  const { fieldErrors } = await import("../http/entry/field_errors.ts");
  if (!Value.Check(InstallationRoutes, document)) {
    const errors = Value.Errors(InstallationRoutes, document);
    throw problems.invalid(await fieldErrors(InstallationRoutes, errors, document));
  }
  const rules = document.rules.map(({ whenFull = "NEXT", ...rule }) => ({ ...rule, whenFull }));
  await putRoutes(ctx, INSTALLATION, { rules }, { actor: OPERATOR });
  return await showRoutes(ctx);
}

/** Plans that transports of the installation are warmed up by. */
export async function listSharedPlans(ctx: Context) {
  return await listWarmupPlans(ctx, INSTALLATION);
}

export async function addSharedPlan(ctx: Context, { name, limits }: TransportOptions) {
  if (name === undefined || !/^\d{1,9}(,\d{1,9}){0,89}$/.test(limits ?? "")) {
    throw new Error("Cannot add a plan without --name and --limits, such as --limits 500,1000,2000,5000");
  }
  const dailyLimits = limits!.split(",").map(Number);
  if (dailyLimits.includes(0))
    throw new Error("Cannot add a plan with a day of no mails: limits are 1 or more");
  return await addWarmupPlan(ctx, INSTALLATION, { name, dailyLimits }, OPERATOR);
}

export async function removeSharedPlan(ctx: Context, given: string | undefined) {
  const id = asId(given, "warm-up plan", ": see `warmup-plan list`");
  await removeWarmupPlan(ctx, INSTALLATION, id, OPERATOR);
  return { id, removed: true };
}

async function read(options: TransportOptions): Promise<Given> {
  const { warmup } = options;
  return {
    ...(await secretsOf(options)),
    heloName: options["helo-name"],
    bindAddresses: addressesIn(options["bind-addresses"]),
    priority: whole("priority", options.priority, 0, 1_000_000) ?? undefined,
    weight: whole("weight", options.weight, 1, 1_000) ?? undefined,
    ratePerSecond: limit("rate", options.rate, 1_000_000),
    perDay: whole("per-day", options["per-day"], 1, 2_000_000_000),
    connections: whole("connections", options.connections, 1, 500),
    warmup:
      warmup === undefined
        ? undefined
        : warmup === "none"
          ? null
          : { planId: asId(warmup, "warm-up plan", ": see `warmup-plan list`") },
  };
}

/** Separated by commas; `none` leaves the choice to the system. */
function addressesIn(text: string | undefined): string[] | null | undefined {
  if (text === undefined) return undefined;
  return text === "none" ? null : text.split(",").map((one) => one.trim());
}

/** Secrets come in by standard input, a line each: on a command line, others on the machine would see them. */
async function secretsOf(options: TransportOptions): Promise<Pick<Given, "url" | "feedbackSecret">> {
  const isUrl = options["url-from-stdin"] === true;
  const isSecret = options["feedback-secret-from-stdin"] === true;
  const lines = isUrl || isSecret ? (await Bun.stdin.text()).split("\n").map((line) => line.trim()) : [];
  const url = isUrl ? lines.shift() : options.url;
  if (options["no-feedback-secret"]) return { url, feedbackSecret: null };
  return { url, feedbackSecret: isSecret ? (lines.shift() ?? "") : undefined };
}

function limit(name: string, text: string | undefined, most: number): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (number >= 0.001 && number <= most) return number;
  throw new Error(`Cannot read --${name}: give a number up to ${most}, or none`);
}

function whole(
  name: string,
  text: string | undefined,
  least: number,
  most: number,
): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (number >= least && number <= most) return number;
  throw new Error(`Cannot read --${name}: give a whole number from ${least} to ${most}`);
}

function idOf(given: string | undefined): string {
  return asId(given, "transport", ": see `transport list`");
}
