// Which transports a mail would take, in which order and why: asked of the database, not of what a process remembers.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { candidatesOf } from "./candidates.ts";
import { type KnownTransports, transportsOf } from "./known.ts";
import { mailboxProvidersOf } from "./mailbox_providers.ts";
import { listTransports, type TransportState } from "./records.ts";
import type { Transport, TransportKind } from "./transport.ts";
import { DEFAULT_TRANSPORT, INSTALLATION, type RoutedKind, type RouteRule, type Routes } from "./routes.ts";

/** A mail, as far as routes ask. */
export interface TriedMail {
  projectId: string;
  type: RoutedKind["type"];
  /** The domain of the sender. */
  senderDomain: string;
  /** The domain of the recipient. */
  domain: string;
}

/** A transport on the way of a mail. */
export interface TriedTransport {
  id: string;
  name: string;
  kind: TransportKind;
  owner: "PROJECT" | "INSTALLATION";
  priority: number;
  /** Of the mails of this kind, as long as all transports of this priority take mail: 0 to 1. */
  share: number;
  /** Null for `default`. */
  state: TransportState | null;
}

/** Where a mail would go. */
export interface RouteTrial {
  /** Of the recipient: a mailbox provider, or the domain itself. */
  provider: string;
  /** Which rule applies, counted from 1; null: none does. */
  rule: number | null;
  /** Whose routes that rule is of. */
  owner: "PROJECT" | "INSTALLATION" | null;
  whenFull: RouteRule["whenFull"];
  /** In the order in which they are asked. */
  transports: TriedTransport[];
}

/** Where a mail would go now. */
export async function tryRoutes(ctx: Context, mail: TriedMail): Promise<RouteTrial> {
  const { projectId, type, senderDomain, domain } = mail;
  const [known, provider] = await Promise.all([
    readNow(ctx, projectId),
    mailboxProvidersOf(ctx).lookUp(domain),
  ]);
  const kind = { type, senderDomain };
  const { transports, rule, whenFull } = candidatesOf(
    { ...known, providerOf: () => provider },
    { projectId, emailId: "", domain, kind },
  );
  const states = new Map(
    (await Promise.all([projectId, INSTALLATION].map((owner) => listTransports(ctx, owner))))
      .flat()
      .map(({ id, state }) => [id, state]),
  );
  const found = [projectId, INSTALLATION]
    .map((owner) => ({ owner, n: rule ? (known.routesOf(owner)?.rules.indexOf(rule) ?? -1) : -1 }))
    .find(({ n }) => n >= 0);
  return {
    provider,
    rule: found ? found.n + 1 : null,
    owner: found ? ownerOf(found.owner) : null,
    whenFull,
    transports: withShares(transports.map((one) => effective(one, rule))).map(({ one, priority, share }) => ({
      id: one.id,
      name: one.name,
      kind: one.kind,
      owner: ownerOf(one.projectId),
      priority,
      share,
      state: states.get(one.id) ?? null,
    })),
  };
}

interface Choice {
  one: Transport;
  priority: number;
  weight: number;
}

function effective(one: Transport, rule: RouteRule | null): Choice {
  const named = rule?.transports.find(({ id }) => id === one.id);
  return { one, priority: named?.priority ?? one.priority, weight: named?.weight ?? one.weight };
}

function withShares(choices: Choice[]): (Choice & { share: number })[] {
  const totals = new Map<number, number>();
  for (const { priority, weight } of choices) totals.set(priority, (totals.get(priority) ?? 0) + weight);
  return choices
    .map((choice) => ({ ...choice, share: choice.weight / totals.get(choice.priority)! }))
    .sort((a, b) => a.priority - b.priority || b.share - a.share);
}

function ownerOf(projectId: string): "PROJECT" | "INSTALLATION" {
  return projectId === INSTALLATION ? "INSTALLATION" : "PROJECT";
}

/** As every process will know it within seconds: what a person has paused is not there. Nothing can be sent by it. */
async function readNow(ctx: Context, projectId: string): Promise<KnownTransports> {
  const { standard, sandbox } = transportsOf(ctx);
  const [rows, documents] = await Promise.all([
    q.transports.inUse(ctx),
    Promise.all([projectId, INSTALLATION].map((owner) => q.routes.get(ctx, { projectId: owner }))),
  ]);
  const transports = rows
    .filter((row) => !row.isPaused)
    .map((row): Transport => ({
      ...standard,
      id: row.id,
      projectId: row.projectId,
      name: row.name,
      kind: row.kind as TransportKind,
      priority: row.priority,
      weight: row.weight,
    }));
  const routes = new Map(
    [projectId, INSTALLATION].map((owner, i) => [
      owner,
      (documents[i]?.document ?? null) as unknown as Routes | null,
    ]),
  );
  return {
    ready: async () => {},
    refresh: async () => {},
    standard,
    sandbox,
    of: (owner) => transports.filter((one) => one.projectId === owner),
    byId: (id) => (id === DEFAULT_TRANSPORT ? standard : (transports.find((one) => one.id === id) ?? null)),
    routesOf: (owner) => routes.get(owner) ?? null,
    providerOf: (domain) => domain,
    hasOwn: (owner) => rows.some((row) => row.projectId === owner),
    isPlain: rows.length === 0,
    all: () => [standard, ...transports],
    close: () => {},
  };
}
