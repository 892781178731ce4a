import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { parseAddress } from "../mail/address.ts";
import { problems } from "../problem.ts";

/** Lets a project send from a domain without a look at the DNS. For the operator and the first start. */
export async function addVerifiedDomain(
  ctx: Context,
  projectId: string,
  name: string,
): Promise<{ domain: string }> {
  const domain = parseAddress(`postmaster@${name.trim()}`)?.domain;
  if (!domain) {
    throw problems.invalid([
      { field: "domain", code: "invalid_string", message: "Expected a domain", received: name },
    ]);
  }
  const added = await q.domains.addVerified(ctx, { projectId, domain });
  return { domain: added.domain };
}

/** Throws 403 unless the project may send from this address: its domain has to be verified. */
export async function assertSenderVerified(ctx: Context, projectId: string, email: string): Promise<void> {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (!(await q.domains.verified(ctx, { projectId, domain }))) throw problems.senderDomainNotVerified(domain);
}
