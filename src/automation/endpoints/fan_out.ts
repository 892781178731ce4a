// What happened becomes messages, and each message a delivery for every endpoint that wants it. Triggers have noted it in
// the statement that did it, so that whoever tracks or sends pays for one row a statement, and only where an endpoint
// listens: `events_note_for_webhooks`, `contacts_note_added_for_webhooks`, `contacts_note_changed_for_webhooks`,
// `executions_note_for_webhooks`, `executions_note_completed_for_webhooks`, `executions_note_failed_for_webhooks`,
// `campaigns_note_for_webhooks`, `domains_note_verified_for_webhooks`, `domains_note_failed_for_webhooks`,
// `deliverability_alerts_note_opened_for_webhooks` and `deliverability_alerts_note_closed_for_webhooks`.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob } from "../../jobs.ts";
import { lineKey } from "./mod.ts";

/** How long a job works before it lets others have their turn. */
const TURN_MS = 5_000;
/** What is committed later than its note was made is found by another look. */
const LOOK_AGAIN_MS = 1_000;
/** Of each project in one commit. */
const MAX_ROWS = 2_000;
/** A line with something due for so long has lost its job. */
const LOST_MS = 60_000;

/** Turns notes into messages and deliveries until there are none, and looks again a second later if there were any. */
export async function fanOutWebhooks(ctx: Context): Promise<void> {
  const endsAt = performance.now() + TURN_MS;
  let hasFound = false;
  for (;;) {
    const { found, done } = await fanOutSome(ctx);
    hasFound ||= found > 0;
    if (done === 0 || performance.now() > endsAt) break;
  }
  if (!hasFound) return;
  const runAt = new Date(ctx.now().getTime() + LOOK_AGAIN_MS);
  await addJob(ctx, "fan_out_webhooks", {}, { runAt, key: "fan_out_webhooks" });
}

/** Gives a job to every line that has lost it, and looks for notes whose job was lost. */
export async function sweepWebhooks(ctx: Context): Promise<void> {
  const now = ctx.now();
  const lost = await q.webhookLine.lost(ctx, { now, dueBefore: new Date(now.getTime() - LOST_MS) });
  await wakeLines(ctx, lost);
  await fanOutWebhooks(ctx);
}

/** Does it for some notes, in one commit. What is about a contact who is being deleted stays for another look. */
async function fanOutSome(ctx: Context): Promise<{ found: number; done: number }> {
  return await inTransaction(ctx, async (tx) => {
    const notes = await q.webhookMessages.takeNotes(tx, { rows: MAX_ROWS });
    const found = notes.flatMap(({ ids, ...note }) => ids.map((id) => ({ ...note, id })));
    if (found.length === 0) return { found: 0, done: 0 };
    const waiting = await q.webhookMessages.holdContacts(tx, kindsOf(found));
    if (waiting.length > 0) await q.webhookMessages.putBack(tx, kindsOf(waiting));
    const waits = new Set(waiting.map(keyOf));
    const messages = await addMessages(
      tx,
      found.filter((row) => !waits.has(keyOf(row))),
    );
    const now = tx.now();
    await wakeLines(tx, await q.webhookMessages.addDeliveries(tx, { now, ...columnsOf(messages) }));
    return { found: found.length, done: found.length - waiting.length };
  });
}

interface Named {
  projectId: string;
  id: string;
}

interface Noted extends Named {
  kind: string;
}

/** Writes the messages, and answers which. */
async function addMessages(tx: Context, all: Noted[]): Promise<Named[]> {
  const of = (subject: string) => all.filter(({ kind }) => kind.startsWith(`${subject}.`));
  const events = all.filter(({ kind }) => kind === "event");
  if (events.length > 0) await q.webhookMessages.addOfEvents(tx, columnsOf(events));
  const now = tx.now();
  const messages: Named[] = [...events];
  for (const [subject, add] of Object.entries(SUBJECTS)) {
    const rows = of(subject);
    if (rows.length > 0) messages.push(...(await add(tx, { now, ...kindsOf(rows) })));
  }
  return messages;
}

type Add = (
  tx: Context,
  rows: { now: Date; kinds: string[]; projectIds: string[]; ids: string[] },
) => Promise<Named[]>;

/** By the first part of their types. */
const SUBJECTS: Record<string, Add> = {
  contact: q.webhookMessages.addOfContacts,
  workflow: q.webhookMessages.addOfExecutions,
  campaign: q.webhookMessages.addOfCampaigns,
  domain: q.webhookMessages.addOfDomains,
  deliverability: q.webhookMessages.addOfAlerts,
};

function keyOf({ projectId, kind, id }: Noted): string {
  return `${projectId} ${kind} ${id}`;
}

function kindsOf(rows: readonly Noted[]) {
  return { kinds: rows.map(({ kind }) => kind), ...columnsOf(rows) };
}

function columnsOf(rows: readonly Named[]) {
  return { projectIds: rows.map(({ projectId }) => projectId), ids: rows.map(({ id }) => id) };
}

async function wakeLines(tx: Context, lines: { projectId: string; webhookId: string }[]): Promise<void> {
  if (lines.length === 0) return;
  const jobs = lines.map(({ projectId, webhookId }) => ({
    key: lineKey(webhookId),
    payload: { projectId, webhookId },
  }));
  await q.jobs.addKeyed(tx, { task: "deliver_webhooks", jobs });
}
