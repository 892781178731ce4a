// Mail that has nothing to do with what goes wrong beside it: a campaign, and single mails all the while.
import type { NewProject } from "../../../src/accounts/projects/mod.ts";
import { draftCampaign, sendCampaign } from "./campaigns.ts";
import type { SinkProcess } from "./smtp_sink.ts";
import { DOMAIN, type ServiceProcess, type Stage } from "./stage.ts";

/** Domains that the other mail goes to. */
const OTHER_DOMAINS = 8;
const SINGLES_PAUSE_MS = 25;
const PATIENCE_MS = 120_000;

/** How it fared. */
export interface OtherMail {
  /** Mails a second of the campaign to other domains. */
  rate: number;
  /** Milliseconds from the request for a single mail to its RCPT TO. */
  singles: number[];
  missing: number;
}

/** Sends a campaign to all contacts of the project, and a single mail each 25 ms until it is through. */
export async function measureOthers(
  stage: Stage,
  service: ServiceProcess,
  sink: SinkProcess,
  contacts: number,
): Promise<OtherMail> {
  const id = await draftCampaign(stage);
  const arrived = new Map<string, number>();
  sink.onUrgent = (address, at) => arrived.set(address, at);
  const asked = new Map<string, number>();
  let isOver = false;
  const singles = (async () => {
    for (let i = 0; !isOver; i++) {
      const address = `urgent${i}@single${i % OTHER_DOMAINS}.test`;
      asked.set(address, Date.now());
      await post(stage.project, service.port, { to: address });
      await Bun.sleep(SINGLES_PAUSE_MS);
    }
  })();
  const before = arrived.size;
  const tally = sink.expect(contacts, PATIENCE_MS);
  const askedAt = await sendCampaign(stage, service.port, id);
  await Promise.race([tally, service.died]);
  const seconds = (Date.now() - askedAt) / 1000;
  isOver = true;
  await singles;
  for (let waited = 0; arrived.size < asked.size && waited < 30_000; waited += 50) await Bun.sleep(50);
  return {
    // Single mails are among those that came.
    rate: (contacts - before) / seconds,
    singles: [...asked].flatMap(([address, at]) => arrived.get(address)! - at || []),
    missing: asked.size - arrived.size,
  };
}

/** Contacts of eight domains. */
export async function addRecipients({ ctx, project }: Stage, count: number): Promise<void> {
  await ctx.pool`
    insert into contacts (project_id, email, subscribed, data)
    select
      ${project.id}, 'user' || n || '@other' || n % ${OTHER_DOMAINS}::int || '.test', true,
      jsonb_build_object('firstName', 'Ada' || n, 'plan', 'pro')
    from generate_series(1, ${count}::int) as n`;
  await ctx.pool`vacuum analyze contacts`;
}

/** Sends one mail by the API. Throws where it is refused. */
export async function post(
  project: NewProject,
  port: number,
  { to, from = `orders@${DOMAIN}` }: { to: string; from?: string },
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: JSON.stringify({ to, from, subject: "Your order", body: "<p>It is on its way.</p>" }),
  });
  if (!response.ok) throw new Error(`Cannot send: ${await response.text()}`);
  await response.json();
}
