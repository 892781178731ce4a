// People who open mails and follow links: GET requests of a list of paths in random order, by a process of its own.
import { readFileSync } from "node:fs";
import { runChild } from "./child.ts";
import { converse } from "./http_load.ts";
import { percentile } from "./report.ts";

/** Who asks for what, and for how long. */
export interface Visits {
  port: number;
  /** A file with one path on each line. */
  pathsFile: string;
  connections: number;
  seconds: number;
}

/** What came of it. Times are milliseconds from the first byte written to the last byte read. */
export interface VisitResult {
  rate: number;
  p50: number;
  p99: number;
  /** All that was answered as it should be, with the warm-up: pictures (200) and redirects (302). */
  opens: number;
  clicks: number;
  errors: number;
  firstError: string | null;
}

const WARM_UP_MS = 1_000;
const PATIENCE_MS = 30_000;
const BROWSER =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";

/** Runs the visits in a process of its own. */
export async function runVisits(visits: Visits): Promise<VisitResult> {
  const timeoutMs = WARM_UP_MS + visits.seconds * 1000 + PATIENCE_MS;
  return await runChild<VisitResult>(import.meta.path, visits, timeoutMs);
}

if (import.meta.main) console.log(JSON.stringify(await visit(JSON.parse(process.argv[2]!) as Visits)));

async function visit({ port, pathsFile, connections, seconds }: Visits): Promise<VisitResult> {
  const paths = readFileSync(pathsFile, "utf8").trim().split("\n");
  const begin = performance.now() + WARM_UP_MS;
  const end = begin + seconds * 1000;
  const times: number[] = [];
  const result = { opens: 0, clicks: 0, errors: 0, firstError: null as string | null };
  const nextRequest = () => {
    const path = paths[Math.floor(Math.random() * paths.length)]!;
    return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: ${BROWSER}\r\n\r\n`;
  };
  const onAnswer = (answer: string, startedAt: number, now: number) => {
    const status = answer.slice(9, 12);
    if (status === "200") result.opens++;
    else if (status === "302") result.clicks++;
    else {
      result.errors++;
      result.firstError ??= answer.slice(0, 1000);
    }
    if (now >= begin && now < end) times.push(now - startedAt);
    return now < end;
  };
  await Promise.all(
    Array.from({ length: connections }, () =>
      converse(port, nextRequest, onAnswer).catch((error: Error) => {
        result.errors++;
        result.firstError ??= error.message;
      }),
    ),
  );
  return {
    ...result,
    rate: times.length / seconds,
    p50: percentile(times, 50),
    p99: percentile(times, 99),
  };
}
