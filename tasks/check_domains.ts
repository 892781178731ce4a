import type { Context } from "../src/context.ts";
import { checkDueDomains } from "../src/sending/domains/checks.ts";

/** Looks up the domains that are due. A second run finds none of them, because the first moved their time. */
export async function checkDomains(ctx: Context): Promise<void> {
  await checkDueDomains(ctx);
}
