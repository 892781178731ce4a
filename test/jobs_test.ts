// A job is defined once, in `src/jobs.ts`. What SQL and the crontab say of jobs is held against it.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Job } from "../src/job_kinds.ts";
import { JOBS } from "../src/jobs.ts";
import { CRONTAB, tasks } from "../tasks/mod.ts";

const ROOT = join(import.meta.dir, "..");
const usual: Record<string, Job> = JOBS;

const sql = new Map<string, string>();
for (const file of new Bun.Glob("sql/{queries,migrations}/*.sql").scanSync({ cwd: ROOT })) {
  sql.set(file, await Bun.file(join(ROOT, file)).text());
}

/** Where a statement adds a job: its name, and the priority that it is given. */
function added(text: string): { name: string; priority: number | undefined }[] {
  const calls = [
    ...text.matchAll(/(?:add_job\(|\brow\()\s*'(\w+)',([\s\S]*?)\n\s*\)(?!,?\n\s*(?:run|key|job|payload))/g),
  ];
  return calls.map(([call, name]) => {
    const given = /priority\s*=>\s*(\d+)/.exec(call)?.[1];
    return { name: name!, priority: given === undefined ? undefined : Number(given) };
  });
}

/** Names of jobs that a statement looks for. */
function soughtAfter(text: string): string[] {
  const lists = [...text.matchAll(/\b(?:task|task_identifier) (?:=|in|not in) (\([^)]*\)|'\w+')/g)].map(
    ([, list]) => list!,
  );
  return lists.flatMap((list) => [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name!));
}

describe("what SQL says of jobs", () => {
  test("reads the library's private tables in one place", () => {
    const places = [...sql]
      .filter(([, text]) => text.includes("graphile_worker._private"))
      .map(([file]) => file);

    expect(places).toEqual(["sql/migrations/0016_queue.sql"]);
  });

  test("every job that a statement adds or looks for is one of ours", () => {
    const names = [...sql.values()].flatMap((text) => [
      ...added(text).map(({ name }) => name),
      ...soughtAfter(text),
    ]);

    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !(name in usual))).toEqual([]);
  });

  test("a priority that stands in a statement is the usual one of the job", () => {
    const given = [...sql.values()].flatMap(added).filter(({ priority }) => priority !== undefined);
    const firsts = [...sql.values()].flatMap((text) =>
      [...text.matchAll(/least\((\d+), (\d+) \+ batch/g)].map(([, last, first]) => `${first} to ${last}`),
    );

    expect(given.length).toBeGreaterThan(0);
    expect(given.filter(({ name, priority }) => usual[name]!.priority !== priority)).toEqual([]);
    const { priority, last } = JOBS.send_batch;
    expect(new Set(firsts)).toEqual(new Set([`${priority} to ${last}`]));
  });

  test("one of another name, or with another priority, is found", () => {
    const wrong =
      "select graphile_worker.add_job(\n  'send_bacth',\n  payload => '{}',\n  priority => 11\n);";

    expect(added(wrong)).toEqual([{ name: "send_bacth", priority: 11 }]);
    expect(soughtAfter("where j.task in ('send_emails', 'gone')")).toEqual(["send_emails", "gone"]);
  });
});

test("what adds jobs has its priorities from their definitions", async () => {
  const wrong: string[] = [];
  let files = 0;
  for (const file of new Bun.Glob("{src,tasks}/**/*.ts").scanSync({ cwd: ROOT })) {
    const text = await Bun.file(join(ROOT, file)).text();
    if (file === "src/jobs.ts" || !/from "[^"]*\/jobs\.ts"/.test(text)) continue;
    files++;
    if (/priority\w*"?\s*[:=]\s*[\d-]/i.test(text)) wrong.push(file);
  }

  expect(files).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});

test("every job has a task, and the crontab names jobs that need no payload", async () => {
  const lines = (await Bun.file(CRONTAB).text()).split("\n").filter((line) => /^[\d*]/.test(line));
  const byClock = lines.map((line) => line.split(/\s+/)[5]!);

  expect(Object.keys(tasks).sort()).toEqual(Object.keys(JOBS).sort());
  expect(byClock.length).toBeGreaterThan(10);
  expect(byClock.filter((name) => !(name in JOBS))).toEqual([]);
});
