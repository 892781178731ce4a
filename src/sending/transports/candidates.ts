// Which transports a mail may take, in the order in which they are asked.
import { isSandbox } from "../../accounts/projects/sandbox_id.ts";
import type { KnownTransports } from "./known.ts";
import type { Transport } from "./transport.ts";
import {
  asksForKind,
  DEFAULT_TRANSPORT,
  INSTALLATION,
  type RoutedKind,
  type RouteRule,
  ruleFor,
} from "./routes.ts";

/** A mail, as far as routes ask. */
export interface Routed {
  projectId: string;
  emailId: string;
  /** The domain of its recipient. */
  domain: string;
  /** Null where it was not looked up, because no route asks. */
  kind: RoutedKind | null;
}

/** The transports of a mail. None: those that it may take are paused, or cannot be used. */
export interface Candidates {
  transports: readonly Transport[];
  whenFull: RouteRule["whenFull"];
  /** The rule that applies, for those who ask why. */
  rule: RouteRule | null;
}

interface Choice {
  transport: Transport;
  priority: number;
  weight: number;
}

/**
 * Mails of a sandbox have one way. Routes of the project, else its own transports; else the routes of the installation, else all transports of the installation.
 * A project never falls back on others because its own are paused. Lower priorities come first. Of equal ones each mail has an order of its own, by weight, which stays: a greylisting server
 * sees the same transport again.
 */
export function candidatesOf(known: KnownTransports, mail: Routed): Candidates {
  if (isSandbox(mail.projectId)) return { transports: [known.sandbox], whenFull: "NEXT", rule: null };
  if (known.isPlain) return { transports: [known.standard], whenFull: "NEXT", rule: null };
  const ownsSome = known.hasOwn(mail.projectId);
  const rule = ruleOf(known, mail.projectId, mail) ?? (ownsSome ? null : ruleOf(known, INSTALLATION, mail));
  const choices = rule
    ? named(known, mail.projectId, rule)
    : (ownsSome ? known.of(mail.projectId) : installed(known)).map(unchanged);
  return { transports: inOrder(choices, mail.emailId), whenFull: rule?.whenFull ?? "NEXT", rule };
}

/** All transports that some mail of a project may take, whatever mail that is. */
export function usableBy(known: KnownTransports, projectId: string): readonly Transport[] {
  if (isSandbox(projectId)) return [known.sandbox];
  if (known.isPlain) return [known.standard];
  const ownsSome = known.hasOwn(projectId);
  const owners = ownsSome ? [projectId] : [projectId, INSTALLATION];
  const rules = owners.flatMap((owner) => known.routesOf(owner)?.rules ?? []);
  const inRules = rules.flatMap((rule) => named(known, projectId, rule)).map(({ transport }) => transport);
  return [...new Set([...(ownsSome ? known.of(projectId) : installed(known)), ...inRules])];
}

/** Whether it has to be known what kind of mails those of a project are. */
export function routesAskForKind(known: KnownTransports, projectId: string): boolean {
  if (known.isPlain || isSandbox(projectId)) return false;
  return [projectId, INSTALLATION].some((owner) => {
    const routes = known.routesOf(owner);
    return routes !== null && asksForKind(routes);
  });
}

function ruleOf(known: KnownTransports, owner: string, mail: Routed): RouteRule | null {
  const routes = known.routesOf(owner);
  return routes && ruleFor(routes, { ...mail, providerOf: known.providerOf });
}

/** Those that a rule names and the project may use: its own, and those of the installation. */
function named(known: KnownTransports, projectId: string, rule: RouteRule): Choice[] {
  return rule.transports.flatMap(({ id, priority, weight }) => {
    const transport = known.byId(id);
    if (!transport || ![projectId, INSTALLATION].includes(transport.projectId)) return [];
    return [{ transport, priority: priority ?? transport.priority, weight: weight ?? transport.weight }];
  });
}

/** Without a mail server in the settings mails are captured only where there is no other way. */
function installed(known: KnownTransports): readonly Transport[] {
  const others = known.of(INSTALLATION);
  const { standard } = known;
  return standard.kind === "CAPTURE" && known.hasOwn(INSTALLATION) ? others : [standard, ...others];
}

function unchanged(transport: Transport): Choice {
  return { transport, priority: transport.priority, weight: transport.weight };
}

function inOrder(choices: Choice[], emailId: string): Transport[] {
  if (choices.length === 1) return [choices[0]!.transport];
  const scored = choices.map((choice) => ({ ...choice, score: scoreOf(choice, emailId) }));
  return scored
    .sort((a, b) => a.priority - b.priority || b.score - a.score)
    .map(({ transport }) => transport);
}

/** Weighted rendezvous hashing: the share of a transport is its weight, and another one that goes moves no other mail. */
function scoreOf({ transport, weight }: Choice, emailId: string): number {
  const hash = Bun.hash.xxHash32(`${transport.id} ${emailId}`);
  return -weight / Math.log((hash + 1) / (2 ** 32 + 2));
}

/** The transport that a rule or a record calls `default`. */
export function isDefault({ id }: Transport): boolean {
  return id === DEFAULT_TRANSPORT;
}
