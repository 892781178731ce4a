// Mail accepted and delivered by one process, in a closed loop: 64 callers who wait while 500 of their mails are not
// delivered yet, against what Postgres does in a second with one row each.
import { runPgbench } from "./support/pgbench.ts";
import { type LoopResult, startLoopProcess } from "./support/closed_loop.ts";
import { atLeast, type BenchOptions, below, exactly, median, type Report } from "./support/report.ts";
import { DOMAIN, onStage } from "./support/stage.ts";

const CALLERS = 64;
const BACKLOG = 500;
const BODY = JSON.stringify({
  to: "user{n}@example.com",
  from: `orders@${DOMAIN}`,
  subject: "Your order {n}",
  body: "<p>Hello,</p><p>your order is on its way. You will hear from us when it has arrived.</p>",
});

/** `POST /v1/send` in `MODE=all`, each mail delivered to a server that takes all. */
export async function measureClosedLoop(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  const loop = await startLoopProcess();
  const results: LoopResult[] = [];
  const ceilings: number[] = [];
  let processorMs = 0;
  try {
    await onStage(async ({ databaseUrl, project, startService }) => {
      const service = await startService({
        MODE: "all",
        SMTP_URL: `smtp://127.0.0.1:${loop.smtpPort}`,
      });
      const usedBefore = service.processorTime();
      for (let round = 0; round < rounds; round++) {
        const ceiling = await runPgbench(databaseUrl, oneRow(project.id), seconds);
        if (ceiling !== null) ceilings.push(ceiling);
        results.push(
          await loop.run({
            port: service.port,
            key: project.secret,
            body: BODY,
            callers: CALLERS,
            backlog: BACKLOG,
            seconds,
          }),
        );
      }
      const mails = results.reduce((sum, { rate }) => sum + rate * seconds, 0);
      processorMs = ((service.processorTime() - usedBefore) * 1000) / mails;
      report.line("resident memory, accepted and delivered", service.resident(), "MB", { goal: below(150) });
      await service.stop();
    });
  } finally {
    loop.stop();
  }
  const mid = (pick: (result: LoopResult) => number) => median(results.map(pick));
  const sum = (pick: (result: LoopResult) => number) => results.reduce((all, one) => all + pick(one), 0);
  const firstError = results.find((result) => result.firstError)?.firstError;
  report.line(
    "accepted and delivered, 64 callers",
    mid(({ rate }) => rate),
    "mails/s",
    ceilings.length === 0 ? {} : { ceiling: ceilings, goal: atLeast(0.17) },
  );
  report.line(
    "accepted while it is delivered p50",
    mid(({ p50 }) => p50),
    "ms",
  );
  report.line(
    "accepted while it is delivered p99",
    mid(({ p99 }) => p99),
    "ms",
    { goal: below(100) },
  );
  report.line("processor time of the service a mail, accepted and delivered", processorMs, "ms");
  report.line(
    "accepted and delivered: errors and mails that did not come",
    sum(({ errors, left }) => errors + left),
    "mails",
    {
      goal: exactly(0),
      ...(firstError && { note: { firstError } }),
    },
  );
}

/** One statement that upserts a contact and inserts an event. */
function oneRow(projectId: string): string {
  return `
\\set n random(1, 100000)
with contact as (
  insert into contacts as c (project_id, email, subscribed, data)
  values ('${projectId}', 'user' || :n || '@example.com', true, '{"plan":"pro"}')
  on conflict (project_id, email) do update
  set was_subscribed = c.subscribed, data = c.data || excluded.data, updated_at = now()
  returning id
)
insert into events (project_id, contact_id, name, data)
select '${projectId}', id, 'page viewed', '{"plan":"pro"}' from contact;
`;
}
