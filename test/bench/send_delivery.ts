// Delivering a queue, against the mail library alone with as many connections.
import type { Context } from "../../src/context.ts";
import { send } from "../../src/sending/send/mod.ts";
import { newsletter } from "./support/newsletter.ts";
import { sendWithNodemailer } from "./support/nodemailer_alone.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { type SinkProcess, startSinkProcess } from "./support/smtp_sink.ts";
import { DOMAIN, onStage, type Stage } from "./support/stage.ts";

/** Both sides have as many; it is what the mailer of the service has when nothing else is said. */
const CONNECTIONS = 40;
const MAILS = 5_000;
const PATIENCE_MS = 120_000;
const RECIPIENTS_A_REQUEST = 1_000;
const REQUESTS_AT_ONCE = 16;

/** How the mails come into the queue. */
const QUEUES: Record<string, { queue: typeof queueOwn; isFollowed?: boolean }> = {
  "each with its own content": { queue: queueOwn },
  "one content for all": { queue: queueShared },
  // Finding and signing the links of a mail that nobody else gets is work that the library is not asked for.
  "each with its own content, links followed": { queue: queueOwn, isFollowed: true },
};

/** One delivery: mails a second, and milliseconds of processor time that a mail took in the sending process. */
interface Delivery {
  rate: number;
  processorMs: number;
}

interface ServiceDelivery extends Delivery {
  unsent: number;
  resident: number;
}

/** Mails of 10 KB that wait in the queue, sent by a worker that is started then; from the first to the last. */
export async function measureDelivery(
  report: Report,
  { rounds, mails = MAILS }: BenchOptions,
): Promise<void> {
  const sink = await startSinkProcess();
  const alone: Delivery[] = [];
  const sides = Object.entries(QUEUES).map(([name, { queue, isFollowed = false }]) => ({
    name,
    queue,
    isFollowed,
    results: [] as ServiceDelivery[],
  }));
  try {
    await onStage(async (stage) => {
      for (let round = 0; round < rounds; round++) {
        alone.push(await deliverAlone(sink, mails));
        for (const { queue, isFollowed, results } of sides) {
          await setTracking(stage, isFollowed);
          results.push(await deliver(stage, sink, mails, queue));
        }
      }
    });
  } finally {
    sink.stop();
  }
  for (const { name, isFollowed, results } of sides) reportDelivery(report, name, results, alone, isFollowed);
}

async function setTracking({ ctx, project }: Stage, isFollowed: boolean): Promise<void> {
  await ctx.pool`
    update projects set tracking = ${isFollowed ? "ENABLED" : "DISABLED"} where id = ${project.id}`;
}

function reportDelivery(
  report: Report,
  name: string,
  results: ServiceDelivery[],
  alone: Delivery[],
  isFollowed: boolean,
): void {
  const unsent = results.reduce((sum, result) => sum + result.unsent, 0);
  const resident = Math.max(...results.map((result) => result.resident));
  const rateOf = (deliveries: Delivery[]) => median(deliveries.map((delivery) => delivery.rate));
  const processorOf = (deliveries: Delivery[]) => median(deliveries.map((delivery) => delivery.processorMs));
  report.line(`delivery, ${name}`, rateOf(results), "mails/s", {
    ceiling: alone.map(({ rate }) => rate),
    goal: atLeast(isFollowed ? 1.2 : 1.5),
  });
  report.line(`processor time a mail, ${name}`, processorOf(results), "ms", { ceiling: processorOf(alone) });
  report.line(`not SENT, ${name}`, unsent, "mails", { goal: exactly(0) });
  report.line(`resident memory of MODE=worker, ${name}`, resident, "MB", {
    goal: below(isFollowed ? 300 : 200),
  });
}

async function deliverAlone(sink: SinkProcess, mails: number): Promise<Delivery> {
  const tally = sink.expect(mails, PATIENCE_MS);
  const batch = { port: sink.port, connections: CONNECTIONS, mails };
  const { processorMs } = await sendWithNodemailer(batch, PATIENCE_MS);
  return { rate: (mails - 1) / (await tally).seconds, processorMs: processorMs / mails };
}

async function deliver(
  { ctx, project, startService }: Stage,
  sink: SinkProcess,
  mails: number,
  queue: (ctx: Context, projectId: string, mails: number) => Promise<void>,
): Promise<ServiceDelivery> {
  await queue(ctx, project.id, mails);
  const tally = sink.expect(mails, PATIENCE_MS);
  const service = await startService({
    MODE: "worker",
    SMTP_URL: `smtp://127.0.0.1:${sink.port}?maxConnections=${CONNECTIONS}`,
  });
  const startedWith = service.processorTime();
  const { seconds } = await Promise.race([tally, service.died]);
  const processorMs = ((service.processorTime() - startedWith) * 1000) / mails;
  const resident = service.resident();
  await service.stop();
  const [row] = await ctx.pool<{ unsent: number }[]>`
    select count(*)::int as unsent from emails where status <> 'SENT'`;
  return { rate: (mails - 1) / seconds, processorMs, unsent: row!.unsent, resident };
}

async function queueOwn(ctx: Context, projectId: string, mails: number): Promise<void> {
  let n = 0;
  const loop = async () => {
    while (n < mails) {
      const own = n++;
      await accept(ctx, projectId, [`user${own}@example.com`], newsletter(own));
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, loop));
}

async function queueShared(ctx: Context, projectId: string, mails: number): Promise<void> {
  const html = newsletter(
    "nine",
    "Hello {{firstName ?? there}}",
    '<p>Sent to {{email}}. <a href="{{unsubscribeUrl}}">Unsubscribe</a></p>',
  );
  for (let n = 0; n < mails; n += RECIPIENTS_A_REQUEST) {
    const count = Math.min(RECIPIENTS_A_REQUEST, mails - n);
    await accept(
      ctx,
      projectId,
      Array.from({ length: count }, (_, i) => `user${n + i}@example.com`),
      html,
    );
  }
}

async function accept(ctx: Context, projectId: string, to: string[], body: string): Promise<void> {
  const request = { projectId, key: null, request: "POST /v1/send" };
  await send(ctx, request, { to, from: `news@${DOMAIN}`, name: "Shop", subject: "Issue", body });
}
