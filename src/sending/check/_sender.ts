// What the service knows about the domain that a campaign is sent from. Nothing is looked up.
import { isSandbox } from "../../accounts/projects/sandbox_id.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { shownRecordsOf } from "../domains/records.ts";
import type { CampaignCheck } from "./_check.ts";

const BASE = { id: "SENDER", title: "Sender", field: "from" } as const;

/** Looks at the domain of a sender, and at the records that its DNS should have. */
export async function checkSender(
  ctx: Context,
  projectId: string,
  fromEmail: string,
): Promise<CampaignCheck> {
  const domain = fromEmail.slice(fromEmail.lastIndexOf("@") + 1).toLowerCase();
  if (isSandbox(projectId)) {
    const message = `In test mode any sender will do: for live mail, ${domain} has to be a verified domain.`;
    return { ...BASE, level: "OK", message };
  }
  const row = await q.domains.ofSender(ctx, { projectId, domain });
  if (!row) {
    const message = `${domain} is not a domain of this project: add it, or send from another address.`;
    return { ...BASE, level: "ERROR", message };
  }
  if (row.status !== "VERIFIED") {
    const message = `${domain} is not verified: publish its records, and check them on the page of the domain.`;
    return { ...BASE, level: "ERROR", message, details: { records: recordsOf(ctx, row) } };
  }
  const records = recordsOf(ctx, row);
  const wrong = records.filter(({ status }) => status === "MISSING" || status === "MISMATCH");
  if (wrong.length === 0) {
    const message = row.lastCheckedAt === null && row.trusted ? vouchedFor(domain) : `${domain} is verified.`;
    return { ...BASE, level: "OK", message, details: { records } };
  }
  const names = [
    ...new Set(wrong.map(({ purpose }) => (purpose === "RETURN_PATH" ? "return path" : purpose))),
  ];
  const message = `${domain} may be sent from, but its DNS is not complete (${names.join(", ")}): without that more mail ends as spam.`;
  return { ...BASE, level: "WARNING", message, details: { records } };
}

function vouchedFor(domain: string): string {
  return `${domain} may be sent from: the operator vouches for it.`;
}

type Row = NonNullable<Awaited<ReturnType<typeof q.domains.ofSender>>>;

function recordsOf(ctx: Context, row: Row) {
  return shownRecordsOf(ctx.config, row).map(({ purpose, type, name, status }) => ({
    purpose,
    type,
    name,
    status,
  }));
}
