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
