import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newProgram, type ProgramOptions } from "../../src/content/child_process.ts";

const OPTIONS: ProgramOptions = {
  script: join(import.meta.dir, "../fixtures/program.ts"),
  task: "do this",
  processorSeconds: 60,
  patienceMs: 120_000,
  maxAnswerBytes: 1_000,
  maxAtOnce: 2,
  maxWaiting: 100,
  maxWaitingOfOne: 50,
};

/** The order in which what was asked for was answered. */
function watched(options: Partial<ProgramOptions> = {}) {
  const program = newProgram({ ...OPTIONS, ...options });
  const done: string[] = [];
  const ask = async (owner: string, input: object = {}) => {
    const says = `${owner}${owner in asked ? ++asked[owner]! : (asked[owner] = 1)}`;
    const answer = await program(owner, JSON.stringify({ says, ...input }));
    done.push(String(answer));
    return String(answer);
  };
  const asked: Record<string, number> = {};
  return { ask, done };
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

let folder: string;
let gates = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "programs-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** What a program waits for, and how it comes. */
function gate() {
  const until = join(folder, String(++gates));
  return { until, open: () => writeFileSync(until, "") };
}

describe("programs of several projects", () => {
  test("the one of another project does not wait for 24 of the first", async () => {
    const { ask, done } = watched();
    const { until, open } = gate();
    const many = times(24, () => ask("a", { until }));
    await ask("b");
    await ask("c");
    const before = [...done];
    open();
    await Promise.all(many);

    expect(before).toEqual(["b1", "c1"]);
    expect(done).toHaveLength(26);
  });

  test("take turns, one each, no matter who came first with how many", async () => {
    const { ask, done } = watched({ maxAtOnce: 1 });
    const { until, open } = gate();
    const running = ask("x", { until });
    const all = [...times(4, () => ask("a")), ...times(2, () => ask("b")), ask("c")];
    open();
    await Promise.all([running, ...all]);

    expect(done).toEqual(["x1", "a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  test("one project has never all places", async () => {
    const { ask } = watched({ maxAtOnce: 3 });
    const [first, second] = [gate(), gate()];
    const ofOne = [ask("a", { until: first.until }), ask("a", { until: second.until })];
    const third = ask("a").then(() => "third");
    const another = ask("b").then(() => {
      second.open();
      return "another";
    });
    // The third of the first project begins when one of its two has ended, and that waits for the other project.
    const earlier = await Promise.race([third, another]);
    first.open();
    await Promise.all([...ofOne, third]);

    expect(earlier).toBe("another");
  });

  test("who has too many waiting is told so, and others are not", async () => {
    const { ask, done } = watched({ maxWaitingOfOne: 3 });
    const { until, open } = gate();
    const many = Promise.allSettled(times(6, () => ask("a", { until })));
    const another = await ask("b");
    open();
    const ended = await many;
    const refused = ended.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));

    expect(refused.map(({ status, extras }) => [status, extras.headers["retry-after"]])).toEqual([
      [429, "5"],
      [429, "5"],
    ]);
    expect([another, done.length]).toEqual(["b1", 5]);
  });

  test("a full line makes room for who has less in it, by the last of who has the most", async () => {
    const { ask } = watched({ maxAtOnce: 1, maxWaiting: 4 });
    const { until, open } = gate();
    const [running, ...ofA] = times(5, () => ask("a", { until }));
    const ofB = times(3, () => ask("b"));
    open();
    const [a, b] = await Promise.all([Promise.allSettled(ofA), Promise.allSettled(ofB)]);
    await running;
    const told = (results: PromiseSettledResult<string>[]) =>
      results.map((result) => (result.status === "fulfilled" ? "done" : result.reason.status));

    // Two of each wait in the end: the third of the second project would have had more than the first has.
    expect(told(a)).toEqual(["done", "done", 503, 503]);
    expect(told(b)).toEqual(["done", "done", 503]);
  });

  test("a program that fails gives its place back", async () => {
    const { ask, done } = watched({ maxAtOnce: 1 });
    const ended = await Promise.allSettled([ask("a", { fails: true }), ask("b"), ask("a")]);

    expect(ended.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(done).toEqual(["b1", "a2"]);
  });
});

describe("the time of a program", () => {
  const input = (what: object) => JSON.stringify(what);

  test("that works without end is over by what it takes from a processor", async () => {
    const program = newProgram({ ...OPTIONS, processorSeconds: 1 });
    expect(await program("a", input({ works: true }))).toBeNull();
  });

  test("goes by the processor and not by the clock: who only waits is not ended", async () => {
    const program = newProgram({ ...OPTIONS, processorSeconds: 2 });
    const answer = await program("a", input({ forMs: 3_000, says: "in the end" }));

    expect(String(answer)).toBe("in the end");
  });

  test("that hangs is over when nobody would wait longer, which is not the fault of what it reads", async () => {
    const program = newProgram({ ...OPTIONS, patienceMs: 1 });
    const { until } = gate();
    const ended = program("a", input({ until }));

    await expect(ended).rejects.toMatchObject({ status: 503 });
  });
});
