import { describe, expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "..");

/**
 * The layers, from the top down: a file imports from its own module or from a layer below. A folder is a module with all
 * that no line below names apart; so a layer inside a folder has its place among the others of that folder.
 */
const LAYERS: string[][] = [
  ["src/main.ts", "src/admin.ts"],
  ["src/admin", "src/doctor"],
  ["src/demo"],
  ["src/service"],
  ["tasks", "src/http/mod.ts", "src/worker"],
  ["src/console", "src/client"],
  ["src/http/compat"],
  ["src/http/routes"],
  ["src/http/mcp"],
  ["src/http/pages"],
  ["src/http/entry"],
  ["src/removal", "src/moving"],
  ...within("src/insight", ["events"], ["activity", "counts", "metrics.ts", "retention.ts"], ["requests"]),
  ["src/insight"],
  ...within(
    "src/automation",
    ["engine"],
    ["workflows"],
    ["steps"],
    ["endpoints"],
    ["webhooks"],
    ["runs"],
    ["graph.ts", "text_faults.ts"],
  ),
  ...within(
    "src/sending",
    ["check"],
    ["campaigns", "domains", "feedback", "submission"],
    ["captured", "platform", "send"],
    ["delivery", "subscription.ts"],
    ["compose", "transports"],
  ),
  ["src/sending"],
  ...within(
    "src/content",
    ["template_versions.ts"],
    ["references.ts", "templates.ts"],
    ["images", "links.ts", "mjml"],
    ["handlebars"],
    ["languages"],
  ),
  ["src/content"],
  ...within(
    "src/audience",
    ["bulk_jobs.ts", "export.ts", "segment_preview.ts"],
    ["selection.ts"],
    ["segments", "tracking.ts"],
    ["contacts"],
    ["events.ts", "event_fields.ts"],
    ["conditions"],
  ),
  ["src/audience"],
  ...within(
    "src/accounts",
    ["people/oauth"],
    ["people"],
    ["people/factors"],
    ["people/sessions.ts"],
    ["people/devices.ts", "people/notices.ts"],
    ["billing", "projects"],
  ),
  ["src/accounts"],
  ["src/group_commit.ts", "src/jobs.ts", "src/telemetry"],
  ["src/proxies.ts"],
  [
    "src/account_notice.ts",
    "src/batcher.ts",
    "src/console_build.ts",
    "src/csv.ts",
    "src/edits.ts",
    "src/fair_line.ts",
    "src/guard.ts",
    "src/job_kinds.ts",
    "src/rollup.ts",
    "src/service_build.ts",
    "src/meters.ts",
    "src/near_misses.ts",
    "src/pauses.ts",
    "src/percent.ts",
    "src/request_url.ts",
    "src/time_budget.ts",
    "src/totals.ts",
    "src/traffic.ts",
  ],
  ["src/context.ts"],
  ["src/config", "src/database_errors.ts", "src/log.ts", "src/problem", "src/version.ts"],
  ["src/net"],
  ["src/mail", "src/db", "src/embedded"],
  ["src/cache.ts", "src/tracing.ts"],
];

function within(folder: string, ...layers: string[][]): string[][] {
  return layers.map((names) => names.map((name) => `${folder}/${name}`));
}

/** What knows nothing of the rest. */
const OF_NOBODY = new Set(LAYERS.at(-1));

/** Where SQL may stand outside of `sql/`: the database's own room, and splices from a closed set of pieces. */
const SQL_HOLDERS =
  /^src\/(db\/|embedded\/|audience\/(conditions\/(mod|_standard|answers)|contacts\/(list|fields))\.ts$|sending\/(delivery\/emails|campaigns\/audience)\.ts$)/;

/** What a file imports, loads later, or starts as a program of its own. */
const IMPORT = /(?:\b(?:from|import|require)|\bnew URL(?=\(\s*"[^"]+\.ts"))\s*\(?\s*"(\.[^"]+)"/g;

type Sources = Map<string, string>;

const sources: Sources = new Map();
for (const file of new Bun.Glob("{src,tasks}/**/*.{ts,tsx}").scanSync({ cwd: ROOT })) {
  sources.set(file, await Bun.file(join(ROOT, file)).text());
}

const modules = new Map(LAYERS.flatMap((names, layer) => names.map((name) => [name, layer] as const)));

/** The deepest module that a file is in. */
function moduleOf(file: string): string | undefined {
  for (let path = file; path !== "."; path = dirname(path)) if (modules.has(path)) return path;
  return undefined;
}

function layerOf(file: string): number {
  return modules.get(moduleOf(file)!) ?? -1;
}

function importsOf(file: string, all: Sources): string[] {
  const paths = [...all.get(file)!.matchAll(IMPORT)].map((match) => match[1]!);
  return paths.map((path) => relative(ROOT, join(ROOT, dirname(file), path)));
}

/** Every rule as a function from the sources to what breaks it. */
const rules: Record<string, (all: Sources) => string[]> = {
  "every file has a module": (all) => [...all.keys()].filter((file) => layerOf(file) === -1),

  "imports only go down": (all) =>
    edges(all)
      .filter(([from, to]) => {
        if (!to.startsWith("src/") && !to.startsWith("tasks/")) return false;
        if (layerOf(to) === layerOf(from)) return moduleOf(to) !== moduleOf(from);
        return layerOf(to) < layerOf(from);
      })
      .map(text),

  "routes and tasks reach the database through the modules": (all) =>
    edges(all)
      .filter(([from, to]) => /^(src\/http|tasks)\//.test(from) && to.startsWith("src/db/"))
      .map(text),

  "mail knows no database and the database knows no mail": (all) =>
    edges(all)
      .filter(
        ([from, to]) =>
          /^src\/(mail|db)\//.test(from) && moduleOf(from) !== moduleOf(to) && !OF_NOBODY.has(to),
      )
      .map(text),

  "a file that starts with an underscore stays in its folder": (all) =>
    edges(all)
      .filter(([from, to]) => /\/_[^/]+$/.test(to) && dirname(to) !== dirname(from))
      .map(text),

  "the console and the client run elsewhere: they import nothing of the service, and nothing imports them": (
    all,
  ) =>
    edges(all)
      .filter(([from, to]) =>
        ["src/console/", "src/client/"].some((folder) => from.startsWith(folder) !== to.startsWith(folder)),
      )
      .map(text),

  "a part of the console knows no page": (all) =>
    edges(all)
      .filter(([from, to]) => from.startsWith("src/console/parts/") && to.startsWith("src/console/pages/"))
      .map(text),

  "the console loads its parts by lazyPage: what React suspends is shown 300 ms late": (all) =>
    [...all]
      .filter(
        ([file, source]) =>
          file.startsWith("src/console/") && /\b(lazy\(|Suspense\b|use\w*Suspense)/.test(source),
      )
      .map(([file]) => file),

  "imports never go in circles": circles,

  "SQL is written in sql/": (all) =>
    [...all]
      .filter(
        ([file, source]) =>
          !SQL_HOLDERS.test(file) && /(?<!`)\b(sql|tx|pool|held)((<[^`]*?>)?`|\.unsafe\()/.test(source),
      )
      .map(([file]) => file),

  "only the settings read the environment": (all) =>
    [...all]
      .filter(
        ([file, source]) =>
          !/^src\/(config\/mod|console_build|embedded\/_account)\.ts$/.test(file) &&
          /\b(process|Bun|import\.meta)\.env\b/.test(source),
      )
      .map(([file]) => file),

  // The console groups its pages; the guarded client stands alone, so that nothing else gets in.
  "a folder has at least four files": (all) => {
    const counts = new Map<string, number>();
    for (const file of all.keys())
      for (let path = dirname(file); path !== "."; path = dirname(path))
        counts.set(path, (counts.get(path) ?? 0) + 1);
    return [...counts]
      .filter(([folder, files]) => files < 4 && !/^src\/(console\/|net$)/.test(folder))
      .map(([folder]) => folder);
  },

  // The schema of an answer is named as what it shows, and the console as it likes.
  "an exported name belongs to one file": (all) => {
    const places = new Map<string, Set<string>>();
    for (const [file, source] of all) {
      if (/^src\/(console|client)\/|\.gen\.ts$/.test(file)) continue;
      const names = source.matchAll(
        /^export (?:async )?(?:interface|type|class|function\*?|const|enum|let) (\w+)/gm,
      );
      const isSchema = /^src\/http\/.*schemas\.ts$/.test(file);
      for (const [, name] of names) {
        const key = isSchema ? `schema ${name}` : name!;
        places.set(key, (places.get(key) ?? new Set()).add(file));
      }
    }
    return [...places]
      .filter(([, files]) => files.size > 1)
      .map(([name, files]) => [name, ...files].join(" "));
  },

  // The catalogue of refusals is one page by intent.
  "no file has grown past 320 lines": (all) =>
    [...all]
      .filter(([file]) => !file.endsWith(".gen.ts"))
      .filter(([, source]) => source.split("\n").length > 320)
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
    ["every file has a module", "src/utils.ts", ""],
    ["every file has a module", "src/http/utils.ts", ""],
    ["imports only go down", "src/accounts/bad.ts", 'import { track } from "../audience/tracking.ts";'],
    ["imports only go down", "src/accounts/people/bad.ts", 'import { asUser } from "./oauth/identities.ts";'],
    [
      "imports only go down",
      "src/accounts/people/factors/bad.ts",
      'import { admit } from "../admission.ts";',
    ],
    ["imports only go down", "src/sending/delivery/bad.ts", 'import { x } from "../send/mod.ts";'],
    ["imports only go down", "src/sending/captured/bad.ts", 'import { x } from "../platform/mod.ts";'],
    ["imports only go down", "src/insight/bad.ts", 'import { createDemo } from "../demo/mod.ts";'],
    ["imports only go down", "src/http/routes/bad.ts", 'import { createDemo } from "../../demo/mod.ts";'],
    [
      "a file that starts with an underscore stays in its folder",
      "src/admin.ts",
      'import { addCampaigns } from "./demo/_campaigns.ts";',
    ],
    ["imports only go down", "src/http/entry/bad.ts", 'import { x } from "../pages/html.ts";'],
    ["imports only go down", "src/http/entry/bad.ts", 'await import(\n  "../pages/html.ts"\n);'],
    ["imports only go down", "src/net/bad.ts", 'require("../automation/graph.ts");'],
    ["imports only go down", "src/audience/segments/bad.ts", 'import { x } from "../selection.ts";'],
    ["imports only go down", "src/insight/requests/bad.ts", 'import { x } from "../activity/mod.ts";'],
    [
      "a file that starts with an underscore stays in its folder",
      "src/http/routes/bad.ts",
      'new URL("../../content/mjml/_child.ts", import.meta.url)',
    ],
    [
      "a part of the console knows no page",
      "src/console/parts/bad.tsx",
      'import { Members } from "../pages/members.tsx";',
    ],
    ["imports only go down", "src/http/routes/bad.ts", 'import { tasks } from "../../../tasks/mod.ts";'],
    [
      "routes and tasks reach the database through the modules",
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
      'import { x } from "./delivery/_dispatcher.ts";',
    ],
    [
      "the console and the client run elsewhere: they import nothing of the service, and nothing imports them",
      "src/console/bad.tsx",
      'import { problems } from "../problem/mod.ts";',
    ],
    [
      "the console and the client run elsewhere: they import nothing of the service, and nothing imports them",
      "src/http/routes/bad.ts",
      'import { call } from "../../console/api.ts";',
    ],
    [
      "the console and the client run elsewhere: they import nothing of the service, and nothing imports them",
      "src/client/bad.ts",
      'import { problems } from "../problem/mod.ts";',
    ],
    [
      "the console loads its parts by lazyPage: what React suspends is shown 300 ms late",
      "src/console/bad.tsx",
      'const Page = lazy(() => import("./pages/keys.tsx"));',
    ],
    ["imports never go in circles", "src/db/types.ts", 'import { openPool } from "./types.ts";'],
    ["SQL is written in sql/", "src/sending/bad.ts", "await ctx.sql`select 1`;"],
    ["SQL is written in sql/", "src/sending/bad.ts", 'await ctx.sql.unsafe("select 1");'],
    ["only the settings read the environment", "src/http/bad.ts", "process.env.PORT"],
    ["only the settings read the environment", "src/http/bad.ts", "Bun.env.PORT"],
    ["an exported name belongs to one file", "src/http/routes/bad.ts", "export interface Graph {}"],
    ["a folder has at least four files", "src/accounts/people/bad/bad.ts", ""],
    ["no file has grown past 320 lines", "src/http/bad.ts", "\n".repeat(400)],
  ])("%s: %s", (name, file, source) => {
    expect(rules[name]!(new Map([...sources, [file, source]])).length).toBeGreaterThan(0);
  });
});
