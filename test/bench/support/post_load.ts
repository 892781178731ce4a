// POST requests of a file with one body on each line, each once and in that order, by a process of its own.
import { readFileSync } from "node:fs";
import { runChild } from "./child.ts";
import { converse } from "./http_load.ts";
import { percentile } from "./report.ts";

/** What is posted where. */
export interface Posts {
  port: number;
  path: string;
  /** The headers besides Host and Content-Length, each with CRLF at its end. */
  headers: string;
  bodiesFile: string;
  connections: number;
}

/** What came of it. Times are milliseconds from the first byte written to the last byte read. */
export interface PostResult {
  accepted: number;
  rate: number;
  p50: number;
  p99: number;
  errors: number;
  firstError: string | null;
}

/** The first of so many bodies warms up, and is not measured. */
const WARM_UP_PART = 10;
const PATIENCE_MS = 120_000;

/** Posts them all in a process of its own. */
export async function runPosts(posts: Posts): Promise<PostResult> {
  return await runChild<PostResult>(import.meta.path, posts, PATIENCE_MS);
}

if (import.meta.main) console.log(JSON.stringify(await post(JSON.parse(process.argv[2]!) as Posts)));

async function post({ port, path, headers, bodiesFile, connections }: Posts): Promise<PostResult> {
  const bodies = readFileSync(bodiesFile, "utf8").trim().split("\n");
  const warmUp = Math.floor(bodies.length / WARM_UP_PART);
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}Content-Length: `;
  const times: number[] = [];
  const result = { accepted: 0, errors: 0, firstError: null as string | null };
  let next = 0;
  let begin = 0;
  const nextRequest = () => {
    if (next === warmUp) begin = performance.now();
    const body = bodies[next++]!;
    return `${head}${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  const onAnswer = (answer: string, startedAt: number, now: number) => {
    if (answer.startsWith("200", 9)) result.accepted++;
    else {
      result.errors++;
      result.firstError ??= answer.slice(0, 1000);
    }
    if (begin > 0 && startedAt >= begin) times.push(now - startedAt);
    return next < bodies.length;
  };
  await Promise.all(
    Array.from({ length: connections }, () =>
      converse(port, nextRequest, onAnswer).catch((error: Error) => {
        result.errors++;
        result.firstError ??= error.message;
      }),
    ),
  );
  const rate = times.length / ((performance.now() - begin) / 1000);
  return { ...result, rate, p50: percentile(times, 50), p99: percentile(times, 99) };
}
