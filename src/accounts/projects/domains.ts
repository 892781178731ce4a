import { isProduction } from "../../config/mod.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { parseDomain } from "../../mail/domain_name.ts";
import { problems } from "../../problem/mod.ts";
import { OPERATOR, recordAudit } from "../audit.ts";
import { isSandbox } from "./sandbox_id.ts";

/**
 * Allows a project to send from a domain without checking the DNS. For the operator and the first start. A new one has
 * no key yet, so its mails are not signed. Throws 422 for anything that is not a domain.
 */
export async function addVerifiedDomain(
  ctx: Context,
  projectId: string,
  name: string,
): Promise<{ domainId: string; domain: string }> {
  return await inTransaction(ctx, async (tx) => {
    const { id, domain } = await q.domains.addVerified(tx, { projectId, domain: readDomain(name) });
    const details = { isVouchedFor: true };
    await recordAudit(tx, { projectId, actor: OPERATOR, action: "domain.added", subject: domain, details });
    return { domainId: id, domain };
  });
}

/** The domain that mail may be sent from where it is captured. Reserved by RFC 2606: it belongs to nobody. */
export const SANDBOX_DOMAIN = "sandbox.example";

/** Allows a new project to send at once from {@linkcode SANDBOX_DOMAIN}, where its mails go only to `/inbox`. */
export async function addSandboxDomain(tx: Context, projectId: string): Promise<void> {
  const isCaptured = tx.config.SMTP_URL === undefined && !isProduction(tx.config);
  if (isCaptured) await addVerifiedDomain(tx, projectId, SANDBOX_DOMAIN);
}

/** The normalised name of a domain. Throws 422 for names that nobody could send from. */
export function readDomain(name: string): string {
  const domain = parseDomain(name);
  if (domain) return domain;
  const message = "Expected a registrable domain, such as example.com";
  throw problems.invalid([
    { field: "domain", code: "invalid_string", message, received: name.slice(0, 100) },
  ]);
}

/**
 * Throws 403 unless the project may send from this address: its domain has to be verified. What stores something
 * that sends from it calls this in the same transaction: the domain cannot be removed before its end.
 */
export async function assertSenderVerified(ctx: Context, projectId: string, email: string): Promise<void> {
  const refused = (await unverifiedAmong(ctx, projectId, [email])).get(email);
  if (refused) throw refused;
}

/** The same of several addresses: the refusal of each that the project may not send from. From a sandbox nothing is sent. */
export async function unverifiedAmong(
  ctx: Context,
  projectId: string,
  emails: string[],
): Promise<Map<string, Error>> {
  if (emails.length === 0 || isSandbox(projectId)) return new Map();
  const domains = [...new Set(emails.map(domainOf))];
  const verified = new Set((await q.domains.verified(ctx, { projectId, domains })).map((row) => row.domain));
  const refused = emails.filter((email) => !verified.has(domainOf(email)));
  return new Map(refused.map((email) => [email, problems.senderDomainNotVerified(domainOf(email))]));
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1).toLowerCase();
}
