// What a trace says of a mail on its way. No address, and of domains only those that everybody has.
import { namedProvider } from "../../mail/mailbox_provider.ts";
import { inTrace, noteFailure, tracer } from "../../tracing.ts";
import type { Outlet } from "./_outlets.ts";
import type { QueuedRequest } from "./_places.ts";
import type { Transmitted } from "./_transmission.ts";

/** After these it is not tried again, and did not arrive, or nobody knows. */
const FAILURES = new Set(["BOUNCED", "FAILED", "IN_DOUBT"]);

/**
 * Hands a mail over as a trace of its own, with a link to the span that accepted it, or asked for it. Only that hand-over knows
 * of the link: kept in the ledger, it would cost each mail a column, so a mail that is tried again is sampled by itself.
 */
export async function tracedMail(
  request: QueuedRequest,
  { transport }: Outlet,
  handOver: () => Promise<Transmitted>,
): Promise<Transmitted> {
  if (tracer === undefined) return await handOver();
  const attributes = () => ({
    "postrider.email.id": request.emailId,
    "postrider.project.id": request.projectId,
    "postrider.email.waited_ms": Math.round(performance.now() - request.since),
    "postrider.mailbox_provider": namedProvider(request.domain),
    "postrider.transport.id": transport.id,
    "postrider.transport.kind": transport.kind,
    ...(request.campaignId && { "postrider.campaign.id": request.campaignId }),
  });
  const links = request.trace ? [request.trace] : [];
  return await inTrace("deliver mail", { kind: "client", links, attributes }, async (span) => {
    const transmitted = await handOver();
    const { status } = transmitted.outcome;
    span?.setAttribute("postrider.email.status", status);
    if (span && FAILURES.has(status)) noteFailure(span, { code: status });
    return transmitted;
  });
}
