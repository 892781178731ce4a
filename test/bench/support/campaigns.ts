// Audiences and campaigns of benches.
import { createCampaign } from "../../../src/sending/campaigns/mod.ts";
import { newsletter } from "./newsletter.ts";
import { DOMAIN, type Stage } from "./stage.ts";

/** A statement has 30 s. */
const CHUNK = 100_000;

/** Adds subscribed contacts to the project, with the data that the campaign needs. */
export async function addContacts({ ctx, project }: Stage, count: number): Promise<void> {
  for (let from = 1; from <= count; from += CHUNK) {
    await ctx.pool`
      insert into contacts (project_id, email, subscribed, data)
      select
        ${project.id}, 'user' || n || '@example.com', true, jsonb_build_object('firstName', 'Ada' || n, 'plan', 'pro')
      from generate_series(${from}::int, ${Math.min(count, from + CHUNK - 1)}::int) as n`;
  }
  await ctx.pool`vacuum analyze contacts`;
}

/** A draft of 10 KB to everyone, with variables, links, footer and one-click header, followed; answers its id. */
export async function draftCampaign(
  { ctx, project }: Stage,
  from: string = `news@${DOMAIN}`,
): Promise<string> {
  const { id } = await createCampaign(ctx, project.id, {
    name: "Bench",
    subject: "{{firstName ?? Hello}}, the new colours",
    body: newsletter(
      "nine",
      "Hello {{firstName ?? there}}",
      "<p>You are on the plan {{plan}}, {{email}}.</p>",
    ),
    from,
    fromName: "Shop",
    audienceType: "ALL",
  });
  return id;
}

/** Asks the service to send it now; answers when it was asked (`Date.now()`). */
export async function sendCampaign({ project }: Stage, port: number, id: string): Promise<number> {
  const askedAt = Date.now();
  const response = await fetch(`http://127.0.0.1:${port}/campaigns/${id}/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: "{}",
  });
  if (!response.ok) throw new Error(`Cannot send the campaign: ${await response.text()}`);
  return askedAt;
}
