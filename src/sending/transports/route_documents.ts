// Routes are read and replaced as one document: the order of its rules counts.
import { type Actor, nameOf } from "../../accounts/audit.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Json } from "../../db/types.ts";
import { editTag } from "../../edits.ts";
import { parseDomain } from "../../mail/domain_name.ts";
import { MAILBOX_PROVIDERS } from "../../mail/mailbox_provider.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { holdProjectOf, noteChange } from "./owners.ts";
import { DEFAULT_TRANSPORT, INSTALLATION, type RouteRule, type Routes } from "./routes.ts";

/** The routes of a project, or of the installation, and who changed them last. Without any: no rules. */
export interface RouteDocument extends Routes {
  /** An address, or which key. Null: nobody has. */
  editedBy: string | null;
  updatedAt: Date | null;
}

/** A rule that names a transport: of which project, and which one, counted from 1. */
export interface NamingRule {
  projectId: string;
  rule: number;
}

/** The routes as they are. */
export async function getRoutes(ctx: Context, projectId: string): Promise<RouteDocument> {
  const row = await q.routes.get(ctx, { projectId });
  const { rules } = (row?.document ?? { rules: [] }) as unknown as Routes;
  return { rules, editedBy: row?.editedBy || null, updatedAt: row?.updatedAt ?? null };
}

/** The `ETag` of routes. */
export function routesTag({ rules }: Routes): string {
  return editTag(rules);
}

/**
 * Replaces the routes. Throws 422 for what no rule can say, and for transports that there are not, each at its place, and 412 where
 * somebody has changed them since `ifMatch` was read.
 */
export async function putRoutes(
  ctx: Context,
  projectId: string,
  { rules: given }: Routes,
  { actor, ifMatch }: { actor: Actor; ifMatch?: string | undefined },
): Promise<RouteDocument> {
  const errors = given.flatMap((rule, i) => at(`rules.${i}`, routeRuleErrors(rule)));
  if (errors.length > 0) throw problems.invalid(errors);
  const rules = given.map(plain);
  return await inTransaction(ctx, async (tx) => {
    await holdProjectOf(tx, projectId);
    const before = await getRoutes(tx, projectId);
    assertSeen(before, ifMatch);
    const unknown = await unknownTransports(tx, projectId, rules);
    if (unknown.length > 0) throw problems.invalid(unknown);
    const document = { rules } as unknown as Json & object;
    await q.routes.put(tx, { projectId, document, editedBy: nameOf(actor), now: tx.now() });
    if (!Bun.deepEquals(before.rules, rules)) {
      const details = { rules: { from: before.rules.length, to: rules.length } };
      await noteChange(tx, projectId, actor, { action: "routes.updated", details });
    }
    return await getRoutes(tx, projectId);
  });
}

/** Every fault of a rule that its schema cannot say. */
export function routeRuleErrors({
  senderDomains = [],
  providers = [],
  transports = [],
}: Partial<RouteRule>): FieldError[] {
  const ids = transports.map(({ id }) => id.toLowerCase());
  return [
    ...senderDomains.flatMap((name, i) =>
      parseDomain(name)
        ? []
        : [errorAt(`senderDomains.${i}`, "Expected a domain, such as example.com", name)],
    ),
    ...providers.flatMap((name, i) =>
      isProvider(name) ? [] : [errorAt(`providers.${i}`, NO_PROVIDER, name)],
    ),
    ...ids.flatMap((id, i) =>
      ids.indexOf(id) === i
        ? []
        : [errorAt(`transports.${i}.id`, "The rule names this transport before", id)],
    ),
  ];
}

/** The rules that name a transport, in the routes of its project; of one of the installation, in all. */
export async function rulesNaming(
  tx: Context,
  projectId: string,
  transportId: string,
): Promise<NamingRule[]> {
  const id = transportId.toLowerCase();
  const found = await q.routes.naming(tx, { part: { rules: [{ transports: [{ id }] }] } });
  return found
    .filter((row) => projectId === INSTALLATION || row.projectId === projectId)
    .flatMap((row) =>
      (row.document as unknown as Routes).rules.flatMap(({ transports }, i) =>
        transports.some((one) => one.id === id) ? [{ projectId: row.projectId, rule: i + 1 }] : [],
      ),
    );
}

const NO_PROVIDER = `Expected a mailbox provider (${MAILBOX_PROVIDERS.join(", ")}) or a domain, such as example.com`;

function isProvider(name: string): boolean {
  return MAILBOX_PROVIDERS.includes(name.trim().toLowerCase()) || parseDomain(name) !== null;
}

/** A rule as it is kept: names as they are compared, and nothing that says nothing. */
function plain({ type, senderDomains, providers, projectIds, transports, whenFull }: RouteRule): RouteRule {
  const compared = (name: string) => parseDomain(name) ?? name.trim().toLowerCase();
  return {
    ...(type && { type }),
    ...(senderDomains?.length && { senderDomains: [...new Set(senderDomains.map(compared))] }),
    ...(providers?.length && { providers: [...new Set(providers.map(compared))] }),
    ...(projectIds?.length && { projectIds: projectIds.map((id) => id.toLowerCase()) }),
    transports: transports.map(({ id, priority, weight }) => ({
      id: id.toLowerCase(),
      ...(priority !== undefined && { priority }),
      ...(weight !== undefined && { weight }),
    })),
    whenFull,
  };
}

/** A project may name its own transports, and those of the installation. */
async function unknownTransports(tx: Context, projectId: string, rules: RouteRule[]): Promise<FieldError[]> {
  const owners = [...new Set([projectId, INSTALLATION])];
  const now = tx.now();
  const rows = await Promise.all(
    owners.map((owner) => q.transportSettings.list(tx, { projectId: owner, transportId: null, now })),
  );
  const known = new Set([DEFAULT_TRANSPORT, ...rows.flat().map(({ id }) => id)]);
  const message =
    "There is no such transport: see GET /transports, or name the mail server of the installation `default`";
  return rules.flatMap(({ transports }, i) =>
    transports.flatMap(({ id }, k) =>
      known.has(id) ? [] : [errorAt(`rules.${i}.transports.${k}.id`, message, id)],
    ),
  );
}

function assertSeen(current: RouteDocument, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  const tag = routesTag(current);
  // A proxy that compresses an answer makes its tag a weak one.
  const seen = ifMatch.split(",").map((one) => one.trim().replace(/^W\//, ""));
  if (seen.includes(tag)) return;
  const { editedBy, updatedAt } = current;
  throw problems.editedMeanwhile("list of routes", { etag: tag, editedBy, editedAt: updatedAt! }, false);
}

function at(place: string, errors: FieldError[]): FieldError[] {
  return errors.map((error) => ({ ...error, field: `${place}.${error.field}` }));
}

function errorAt(field: string, message: string, received: string): FieldError {
  return { field, code: "custom", message, received: received.slice(0, 100) };
}
