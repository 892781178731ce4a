// Messages that are submitted over SMTP, accepted durably, against the same mails by POST /v1/send in the same run.
import { runLoad, type LoadResult } from "./support/http_load.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { runSmtpLoad, type SmtpLoadResult } from "./support/smtp_load.ts";
import { DOMAIN, onStage } from "./support/stage.ts";
import { unusedPort } from "../support/process.ts";

const CONNECTIONS = 64;
const CONTACTS = 100_000;
const FROM = `orders@${DOMAIN}`;
const HTML = "<p>Hello,</p><p>your order is on its way. You will hear from us when it has arrived.</p>";
const BODY = JSON.stringify({ to: "user{n}@example.com", from: FROM, subject: "Your order {n}", body: HTML });
const MESSAGE = [
  `From: ${FROM}`,
  "To: user{n}@example.com",
  "Subject: Your order {n}",
  "MIME-Version: 1.0",
  "Content-Type: multipart/alternative; boundary=b",
  "",
  "--b",
  "Content-Type: text/plain; charset=utf-8",
  "",
  "Hello, your order is on its way. You will hear from us when it has arrived.",
  "--b",
  "Content-Type: text/html; charset=utf-8",
  "",
  HTML,
  "--b--",
].join("\r\n");

/** Runs the bench: no worker runs, so that only the accepting is measured. */
export async function run(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  await onStage(async ({ project, startService }) => {
    const port = await unusedPort();
    const service = await startService({ MODE: "http", SUBMISSION_PORT: String(port) });
    const idle = service.resident();
    const requests: LoadResult[] = [];
    const messages: SmtpLoadResult[] = [];
    const shared = { key: project.secret, population: CONTACTS, connections: CONNECTIONS, seconds };
    let usedMs = 0;
    for (let round = 0; round < rounds; round++) {
      requests.push(await runLoad({ ...shared, port: service.port, path: "/v1/send", body: BODY }));
      const before = service.processorTime();
      messages.push(await runSmtpLoad({ ...shared, port, from: FROM, message: MESSAGE }));
      usedMs += (service.processorTime() - before) * 1000;
    }
    const mid = (pick: (result: SmtpLoadResult) => number) => median(messages.map(pick));
    const accepted = messages.reduce((sum, { rate }) => sum + rate * seconds, 0);
    const firstError = [...requests, ...messages].find((result) => result.firstError)?.firstError;
    report.line(
      "submitted over SMTP, 64 connections",
      mid(({ rate }) => rate),
      "messages/s",
      { ceiling: requests.map(({ rate }) => rate), goal: atLeast(0.4) },
    );
    report.line(
      "submitted over SMTP p50",
      mid(({ p50 }) => p50),
      "ms",
    );
    report.line(
      "submitted over SMTP p99",
      mid(({ p99 }) => p99),
      "ms",
    );
    report.line("processor time of the service a message", usedMs / accepted, "ms");
    report.line("resident memory before the first message", idle, "MB");
    report.line("resident memory after the last message", service.resident(), "MB", { goal: below(250) });
    report.line(
      "errors",
      [...requests, ...messages].reduce((sum, { errors }) => sum + errors, 0),
      "messages",
      { goal: exactly(0), ...(firstError && { note: { firstError } }) },
    );
    await service.stop();
  });
}
