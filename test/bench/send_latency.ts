// From the request to the mail on its way, in a service that has nothing else to do.
import { below, exactly, percentile, type Report } from "./support/report.ts";
import { startSink } from "./support/smtp_sink.ts";
import { DOMAIN, onStage } from "./support/stage.ts";

const WARM_UP = 30;
const REQUESTS = 200;
const PATIENCE_MS = 10_000;

/**
 * One request at a time, with pauses; from the moment it is written to the `DATA` command at the SMTP server. Both
 * ends are in this process, which is idle otherwise, and so on one clock.
 */
export async function measureLatency(report: Report): Promise<void> {
  let onCommand: ((at: number) => void) | undefined;
  const sink = startSink({ onData: () => onCommand?.(performance.now()) });
  try {
    await onStage(async ({ project, startService }) => {
      const service = await startService({ MODE: "all", SMTP_URL: `smtp://127.0.0.1:${sink.port}` });
      const url = `http://127.0.0.1:${service.port}/v1/send`;
      const fromRequest: number[] = [];
      const fromAnswer: number[] = [];
      let errors = 0;
      for (let i = 0; i < WARM_UP + REQUESTS; i++) {
        const { promise: data, resolve } = Promise.withResolvers<number>();
        onCommand = resolve;
        const writtenAt = performance.now();
        const response = await fetch(url, request(project.secret, i));
        await response.json();
        const answeredAt = performance.now();
        const dataAt = response.ok ? await within(data, PATIENCE_MS) : null;
        if (dataAt === null) errors++;
        else if (i >= WARM_UP) {
          fromRequest.push(dataAt - writtenAt);
          fromAnswer.push(dataAt - answeredAt);
        }
        // Never in step with a poll of the queue.
        await Bun.sleep(20 + Math.random() * 40);
      }
      const note = { sinceTheAnswer: Number(percentile(fromAnswer, 50).toFixed(2)) };
      report.line("request to DATA p50, idle", percentile(fromRequest, 50), "ms", { goal: below(15), note });
      report.line("request to DATA p95, idle", percentile(fromRequest, 95), "ms");
      report.line("request to DATA errors", errors, "requests", { goal: exactly(0) });
      report.line("resident memory of MODE=all", service.resident(), "MB", { goal: below(150) });
      await service.stop();
    });
  } finally {
    sink.stop();
  }
}

function request(key: string, n: number): RequestInit {
  return {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      to: `user${n}@example.com`,
      from: `orders@${DOMAIN}`,
      subject: `Your order ${n}`,
      body: "<p>Hello,</p><p>your order is on its way.</p>",
    }),
  };
}

async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T | null> {
  return await Promise.race([promise, Bun.sleep(timeoutMs).then(() => null)]);
}
