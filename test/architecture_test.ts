import { describe, expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** The rooms, from the street down: a file imports from its own room or from one below it. */
const ROOMS = [
  ["src/main.ts", "src/admin.ts"],
  [
    "src/first_start.ts",
    "src/_start_warnings.ts",
    "src/_admin_people.ts",
    "src/_admin_release.ts",
    "src/doctor",
  ],
  ["src/service.ts"],
  ["src/_database_wait.ts"],
  ["tasks", "src/http", "src/worker.ts"],
  ["src/_heartbeat.ts"],
  ["src/_lane.ts"],
  ["src/_patience.ts", "src/_task_list.ts"],
  ["src/removal"],
  ["src/insight"],
  ["src/automation"],
  ["src/sending"],
  ["src/content"],
  ["src/audience"],
  ["src/accounts"],
  ["src/jobs.ts"],
  ["src/proxies.ts"],
  [
    "src/batcher.ts",
    "src/folding.ts",
    "src/meters.ts",
    "src/pauses.ts",
    "src/request_url.ts",
    "src/time_budget.ts",
    "src/traffic.ts",
  ],
  ["src/context.ts"],
  ["src/config.ts", "src/database_errors.ts", "src/log.ts", "src/problem.ts", "src/version.ts"],
  ["src/_problem.ts", "src/_setting_words.ts", "src/_smtp_setting.ts"],
  ["src/_settings.ts"],
  ["src/mail", "src/db"],
];

/** Where SQL may stand outside of `sql/`: the database's own room, and splices from a closed set of pieces. */
const SQL_HOLDERS =
  /^src\/(db\/|audience\/(conditions|condition_answers|contact_list|contact_fields)\.ts$|sending\/(emails|campaign_audience)\.ts$)/;

type Sources = Map<string, string>;

const sources: Sources = new Map();
for (const file of new Bun.Glob("{src,tasks}/**/*.ts").scanSync({ cwd: ROOT })) {
  sources.set(file, await Bun.file(join(ROOT, file)).text());
}

const levelOf = (file: string) =>
  ROOMS.findIndex((rooms) => rooms.some((room) => file === room || file.startsWith(`${room}/`)));
const roomOf = (file: string) => ROOMS.flat().find((room) => file === room || file.startsWith(`${room}/`));

function importsOf(file: string, all: Sources): string[] {
  const paths = [...all.get(file)!.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)].map((match) => match[1]!);
  return paths.map((path) => relative(ROOT, join(ROOT, dirname(file), path)));
}

/** Every rule as a function from the sources to what breaks it. */
const rules: Record<string, (all: Sources) => string[]> = {
  "every file has a room": (all) => [...all.keys()].filter((file) => levelOf(file) === -1),

  "imports only go down": (all) =>
    edges(all)
      .filter(([from, to]) => {
        if (!to.startsWith("src/") && !to.startsWith("tasks/")) return false;
        if (levelOf(to) === levelOf(from)) return roomOf(to) !== roomOf(from);
        return levelOf(to) < levelOf(from);
      })
      .map(text),

  "routes and tasks reach the database through the wings": (all) =>
    edges(all)
      .filter(([from, to]) => /^(src\/http|tasks)\//.test(from) && to.startsWith("src/db/"))
      .map(text),

  "mail knows no database and the database knows no mail": (all) =>
    edges(all)
      .filter(([from, to]) => /^src\/(mail|db)\//.test(from) && roomOf(from) !== roomOf(to))
      .map(text),

  "a file that starts with an underscore stays in its folder": (all) =>
    edges(all)
      .filter(([from, to]) => /\/_[^/]+$/.test(to) && dirname(to) !== dirname(from))
      .map(text),

  "imports never go in circles": circles,

  "SQL is written in sql/": (all) =>
    [...all]
      .filter(
        ([file, source]) => !SQL_HOLDERS.test(file) && /(?<!`)\b(sql|tx|pool|held)(<[^`]*?>)?`/.test(source),
      )
      .map(([file]) => file),

  "only the settings read the environment": (all) =>
    [...all]
      .filter(
        ([file, source]) =>
          !/^src\/(config|db\/_postgres_account)\.ts$/.test(file) && source.includes("process.env"),
      )
      .map(([file]) => file),

  // The catalogue of refusals is one page by intent.
  "no room has grown past 320 lines": (all) =>
    [...all]
      .filter(([file]) => !file.endsWith(".gen.ts"))
      .filter(([file, source]) => source.split("\n").length > (file === "src/problem.ts" ? 600 : 320))
      .map(([file]) => file),
};

function edges(all: Sources): [string, string][] {
  return [...all.keys()].flatMap((from) => importsOf(from, all).map((to): [string, string] => [from, to]));
}

function text([from, to]: [string, string]): string {
  return `${from} -> ${to}`;
}

function circles(all: Sources): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    else if (!done.has(file) && all.has(file))
      for (const next of importsOf(file, all)) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of all.keys()) visit(file, []);
  return found;
}

describe("the architecture", () => {
  test.each(Object.keys(rules))("%s", (name) => {
    expect(rules[name]!(sources)).toEqual([]);
  });

  test("a project table leads its primary key with the project; a log without keys may do without one", async () => {
    const schema = await Bun.file(join(ROOT, "sql/schema.sql")).text();
    const tables = [...schema.matchAll(/create (?:unlogged )?table (\w+) \(([\s\S]*?)\n\);/g)];
    const wrong = tables.filter(
      ([, , body]) =>
        /^\s*project_id /m.test(body!) &&
        !/PRIMARY KEY \(project_id/.test(body!) &&
        /PRIMARY KEY|_id_fkey/.test(body!),
    );
    expect(tables.length).toBeGreaterThan(5);
    expect(wrong.map(([, name]) => name)).toEqual([]);
  });
});

describe("a deliberate break is found", () => {
  test.each([
    ["every file has a room", "src/utils.ts", ""],
    ["imports only go down", "src/accounts/bad.ts", 'import { track } from "../audience/tracking.ts";'],
    ["imports only go down", "src/http/bad.ts", 'import { tasks } from "../../tasks/mod.ts";'],
    [
      "routes and tasks reach the database through the wings",
      "tasks/bad.ts",
      'import { q } from "../src/db/queries.ts";',
    ],
    [
      "mail knows no database and the database knows no mail",
      "src/mail/bad.ts",
      'import { q } from "../db/queries.ts";',
    ],
    [
      "a file that starts with an underscore stays in its folder",
      "src/sending/bad.ts",
      'import { x } from "../http/_auth.ts";',
    ],
    ["imports never go in circles", "src/db/types.ts", 'import { openPool } from "./types.ts";'],
    ["SQL is written in sql/", "src/sending/bad.ts", "await ctx.sql`select 1`;"],
    ["only the settings read the environment", "src/http/bad.ts", "process.env.PORT"],
    ["no room has grown past 320 lines", "src/http/bad.ts", "\n".repeat(400)],
  ])("%s: %s", (name, file, source) => {
    expect(rules[name]!(new Map([...sources, [file, source]])).length).toBeGreaterThan(0);
  });
});
