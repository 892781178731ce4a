// The domains that a project sends from: adding, showing, checking and removing them.
import { type Actor, recordAudit } from "../../accounts/audit.ts";
import { readDomain } from "../../accounts/projects/domains.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { problems } from "../../problem/mod.ts";
import { makeDkimKey, newDkimKey } from "../dkim_keys.ts";
import { checkDomain } from "./checks.ts";
import { type ShownRecord, shownRecordsOf } from "./records.ts";

type Row = NonNullable<Awaited<ReturnType<Queries["domains"]["get"]>>>;

/** A domain as the API shows it. */
export interface Domain {
  id: string;
  domain: string;
  verified: boolean;
  status: "PENDING" | "VERIFIED" | "FAILED";
  /** Its selector, once it has a key. */
  dkimTokens: string[];
  records: ShownRecord[];
  lastCheckedAt: Date | null;
  projectId: string;
  createdAt: Date;
  updatedAt: Date;
}

/** How many domains a project may have. */
export const MAX_DOMAINS = 1_000;
/** How many of its users a refusal names. */
const MAX_NAMED = 100;

/**
 * Adds a domain, with a key of its own, to be looked up within minutes. Throws 422 for anything that is not a domain,
 * 409 when the project has it. Other projects may have the same domain.
 */
export async function addDomain(
  ctx: Context,
  projectId: string,
  name: string,
  actor: Actor,
): Promise<Domain> {
  const domain = readDomain(name);
  await assertRoomFor(ctx, projectId, domain);
  const id = newId(ctx);
  const key = await newDkimKey(ctx, projectId, id);
  return await inTransaction(ctx, async (tx) => {
    // Making the key took a moment, in which others may have been added.
    if ((await q.projects.hold(tx, { projectId })) === 0) throw problems.notFound("project", projectId);
    await assertRoomFor(tx, projectId, domain);
    const row = await q.domains.insert(tx, { projectId, id, domain, ...key, now: tx.now() });
    if (!row) throw problems.domainTaken(domain);
    await recordAudit(tx, { projectId, actor, action: "domain.added", subject: domain });
    return toDomain(tx, row);
  });
}

/** All domains of a project, by name. */
export async function listDomains(ctx: Context, projectId: string): Promise<Domain[]> {
  const rows = await q.domains.list(ctx, { projectId });
  return rows.map((row) => toDomain(ctx, row));
}

/** One domain. Throws 404. */
export async function getDomain(ctx: Context, projectId: string, domainId: string): Promise<Domain> {
  return toDomain(ctx, await rowOf(ctx, projectId, domainId));
}

/**
 * A domain after a look-up made now, or in its present state when one began less than 30 s ago. One that the operator
 * vouches for gets its key here if it has none. Throws 404, also when it is removed in the meantime.
 */
export async function verifyDomain(ctx: Context, projectId: string, domainId: string): Promise<Domain> {
  const { dkimSelector } = await rowOf(ctx, projectId, domainId);
  if (dkimSelector === null) await makeDkimKey(ctx, projectId, domainId);
  await checkDomain(ctx, projectId, domainId);
  return await getDomain(ctx, projectId, domainId);
}

/** Removes a domain with its key. Throws 404, and 409 while a template or an unsent campaign sends from it. */
export async function removeDomain(
  ctx: Context,
  projectId: string,
  domainId: string,
  actor: Actor,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const held = await q.domains.lock(tx, { projectId, domainId });
    if (!held) throw problems.notFound("domain", domainId);
    const sender = { projectId, domain: held.domain, limit: MAX_NAMED };
    const templates = await q.domains.templatesFrom(tx, sender);
    const campaigns = await q.domains.campaignsFrom(tx, sender);
    if (templates.length + campaigns.length > 0) throw problems.domainInUse({ templates, campaigns });
    await q.domains.remove(tx, { projectId, domainId });
    await recordAudit(tx, { projectId, actor, action: "domain.removed", subject: held.domain });
  });
}

async function assertRoomFor(ctx: Context, projectId: string, domain: string): Promise<void> {
  const { total, isKnown } = await q.domains.standing(ctx, { projectId, domain });
  if (isKnown) throw problems.domainTaken(domain);
  if (total >= MAX_DOMAINS) throw problems.tooManyDomains(MAX_DOMAINS);
}

async function rowOf(ctx: Context, projectId: string, domainId: string): Promise<Row> {
  const row = await q.domains.get(ctx, { projectId, domainId });
  if (!row) throw problems.notFound("domain", domainId);
  return row;
}

function toDomain(ctx: Context, row: Row): Domain {
  const { id, domain, status, dkimSelector, lastCheckedAt, projectId, createdAt, updatedAt } = row;
  return {
    id,
    domain,
    verified: status === "VERIFIED",
    status,
    dkimTokens: dkimSelector === null ? [] : [dkimSelector],
    records: shownRecordsOf(ctx.config, row),
    lastCheckedAt,
    projectId,
    createdAt,
    updatedAt,
  };
}
