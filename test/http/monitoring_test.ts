// The dashboard for Grafana and the alerts for Prometheus: every expression in them is parsed by the grammar of Prometheus,
// and names metrics and labels that a scrape has.
import { parser } from "@prometheus-io/lezer-promql";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { metersOf } from "../../src/meters.ts";
import { problems } from "../../src/problem/mod.ts";
import { aboutOf, taskListOf } from "../../src/worker/task_list.ts";
import { CRONTAB, tasks } from "../../tasks/mod.ts";
import { addJob, type JobName, JOBS } from "../../src/jobs.ts";
import { markedBlock, readGuide } from "../support/guides.ts";
import { until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";

interface Panel {
  type: string;
  title: string;
  targets?: { expr: string; legendFormat?: string }[];
  gridPos: { x: number; y: number; w: number; h: number };
}

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** What a metric is called, and which labels with which values it has. */
type Series = Map<string, Map<string, Set<string>>>;

const service = useService();
let project: NewProject;
let dashboard: { panels: Panel[]; templating: { list: { definition?: string }[] } };
let rules: Rule[];
let series: Series;
/** The lines of a scrape after the start and the jobs of the first hour. */
let fresh: string[];

const scrape = async () => (await service.request("GET", "/metrics")).body as string;
const linesOf = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

beforeAll(async () => {
  const crontab = readFileSync(CRONTAB, "utf8");
  const scheduled = Object.keys(JOBS).filter((task) =>
    new RegExp(`\\s${task}\\s`).test(crontab),
  ) as JobName[];
  expect(scheduled.length).toBeGreaterThan(10);
  for (const task of scheduled) await addJob(service, task, {} as never);
  await service.pool`
    insert into workers (id, host, pid, seen_at) values (${service.workerId}, 'h', 1, now())`;
  await service.runJobs();
  for (const path of [
    "/",
    "/health",
    "/ready",
    "/metrics",
    "/config",
    "/docs",
    "/auth/session",
    "/openapi.json",
  ])
    await service.request("GET", path);
  await scrape();
  fresh = linesOf(await scrape());
  // And each of what comes with use: mails by outcome, jobs that wait and that fail, the log of requests.
  project = await service.createProject();
  const body = { to: "a@x.example", from: `a@${DOMAIN}`, subject: "s", body: "b" };
  await service.request("POST", "/v1/send", { key: project.secret, body });
  await service.runJobs();
  await service.request("POST", "/v1/send", { key: project.secret, body });
  const { ended, mails, requestLog } = metersOf(service);
  for (const outcome of ["failed", "left"]) ended.inc({ task: "send_emails", outcome });
  for (const outcome of ["BOUNCED", "FAILED", "PENDING"]) mails.inc({ outcome });
  for (const outcome of ["written", "left_out", "dropped"]) requestLog.inc({ outcome });
  const answers = [await scrape(), await scrape()];
  series = seriesOf(answers[1]!);
  dashboard = (await service.request("GET", "/docs/monitoring/dashboard.json")).body;
  const text = (await service.request("GET", "/docs/monitoring/alerts.yml")).body as string;
  rules = (Bun.YAML.parse(text) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
}, 240_000);

function seriesOf(text: string): Series {
  const found: Series = new Map();
  for (const line of linesOf(text)) {
    const [, name, labels = ""] = /^([a-z0-9_]+)(?:\{(.*)\})? \S+$/.exec(line)!;
    const known = found.get(name!) ?? new Map<string, Set<string>>();
    found.set(name!, known);
    for (const [, label, value] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      known.set(label!, (known.get(label!) ?? new Set()).add(value!));
  }
  return found;
}

/** Labels that Prometheus adds by itself. */
const ADDED = ["job", "instance"];
/** Values that a series has only when something is wrong. */
const RARE = /^status=(5\.\.|501)$/;

/** What an expression asks for that there is not, or why it is none. */
function faultsOf(expression: string): string[] {
  // What Grafana fills in.
  const expr = expression.replaceAll("$__rate_interval", "5m").replaceAll('"$job"', '".*"');
  const faults: string[] = [];
  const asked: string[] = [];
  const text = (node: { from: number; to: number }) => expr.slice(node.from, node.to);
  const grouped: string[] = [];
  parser.parse(expr).iterate({
    enter({ type, node }) {
      if (type.isError) faults.push(`cannot be read at ${node.from}`);
      if (type.name === "VectorSelector") {
        const name = text(node.getChild("Identifier")!);
        asked.push(name);
        const labels = series.get(name);
        if (!labels && name !== "up") faults.push(`no metric ${name}`);
        for (const matcher of node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [])
          faults.push(...matcherFaults(name, labels, matcher));
      }
      if (type.name === "GroupingLabels") grouped.push(...node.getChildren("LabelName").map(text));
    },
  });
  const unknown = grouped.filter(
    (label) => !ADDED.includes(label) && !asked.some((name) => series.get(name)?.has(label)),
  );
  return [...faults, ...unknown.map((label) => `no label ${label} to group by`)];

  function matcherFaults(
    name: string,
    labels: Map<string, Set<string>> | undefined,
    matcher: NonNullable<ReturnType<ReturnType<typeof parser.parse>["topNode"]["getChild"]>>,
  ): string[] {
    const label = text(matcher.getChild("LabelName")!);
    const value = JSON.parse(text(matcher.getChild("StringLiteral")!)) as string;
    if (ADDED.includes(label)) return [];
    const values = labels?.get(label);
    if (!values) return [`${name} has no label ${label}`];
    if (RARE.test(`${label}=${value}`)) return [];
    const isThere = value
      .split("|")
      .some((one) => [...values].some((known) => new RegExp(`^(${one})$`).test(known)));
    return isThere ? [] : [`${name} has no ${label} ${value}`];
  }
}

const targets = () =>
  dashboard.panels.flatMap(({ title, targets: asked = [] }) => asked.map((one) => ({ title, ...one })));

describe("a scrape", () => {
  test("of a fresh installation has at most 400 series, with those of the process", () => {
    expect(fresh.length).toBeLessThanOrEqual(400);
    expect(fresh.length).toBeGreaterThan(50);
    for (const name of [
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "nodejs_eventloop_lag_p99_seconds",
    ])
      expect(fresh.some((line) => line.startsWith(`${name} `))).toBe(true);
  });

  test("has at most 400 still when every route was called, with a key and without, and every job has run", async () => {
    const { app } = service;
    for (const { method, path } of app.routes) {
      const url = path.replace(/:\w+/g, () => crypto.randomUUID()).replace("*", "x");
      await service.request(method, url);
      await service.request(method, url, { key: project.secret });
    }
    const { ended, jobSeconds } = metersOf(service);
    for (const task of Object.keys(JOBS)) {
      ended.inc({ task, outcome: "done" }, 0);
      jobSeconds.inc({ task }, 0);
    }
    const lines = linesOf(await scrape());

    expect(app.routes.length).toBeGreaterThan(250);
    expect(lines.filter((line) => line.startsWith("postrider_area_seconds_total")).length).toBeGreaterThan(
      25,
    );
    expect(lines.length).toBeLessThanOrEqual(400);
  });

  test("has no series for a method that a caller makes up", async () => {
    const { status } = await service.request("PROPFIND", "/contacts");
    await until("its series", async () => (await scrape()).includes('method="other"'), 10_000);

    expect(status).toBeGreaterThan(399);
    expect(await scrape()).not.toContain("PROPFIND");
  });
});

describe("the line of a job", () => {
  test("has its project and what it is about, and no address", () => {
    const about = service.lines.filter(({ job }) => job === "send_emails");

    expect(about).toHaveLength(1);
    expect(about[0]).toMatchObject({ message: "job", level: "info", projectId: project.id });
    expect(about[0]!.emailId).toMatch(/^[0-9a-f-]{36}$/);
    expect(
      aboutOf({ projectId: "p", emailIds: ["a", "b"], email: "ada@x.example", step: "contacts" }),
    ).toEqual({
      projectId: "p",
      emails: 2,
    });
    expect(aboutOf(null)).toEqual({});
  });

  test("is a warning where it failed because of what somebody did, and an error otherwise", async () => {
    const failing = (error: Error) => ({ ...tasks, sweep_emails: () => Promise.reject(error) });
    for (const error of [problems.contactNotFound("x"), new Error("a bug")]) {
      const task = taskListOf(service, failing(error)).sweep_emails!;
      await Promise.resolve(task({}, { job: { id: "1", attempts: 1 } } as never)).catch(() => {});
    }
    const failed = service.lines.filter(({ message }) => message === "job failed");

    expect(failed.map(({ level, job }) => [level, job])).toEqual([
      ["warn", "sweep_emails"],
      ["error", "sweep_emails"],
    ]);
  });
});

describe("the dashboard", () => {
  test("asks for metrics and labels that there are", () => {
    const faults = targets().flatMap(({ title, expr }) =>
      faultsOf(expr).map((fault) => `${title}: ${fault}`),
    );

    expect(targets().length).toBeGreaterThan(25);
    expect(faults).toEqual([]);
  });

  test("names in its legends labels that its expressions leave", () => {
    const wrong = targets().flatMap(({ title, expr, legendFormat = "" }) =>
      [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)]
        .map(([, label]) => label!)
        .filter((label) => {
          const by = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names]) => names!.split(/, */));
          return by.length > 0 ? !by.includes(label) : !ADDED.includes(label);
        })
        .map((label) => `${title}: ${label}`),
    );

    expect(wrong).toEqual([]);
  });

  test("shows every metric that the service has of its own", () => {
    const shown = targets()
      .map(({ expr }) => expr)
      .join("\n");
    const untold = [...series.keys()]
      .map((name) => name.replace(/_(bucket|sum|count)$/, ""))
      .filter((name) => name.startsWith("postrider_") && !shown.includes(name));

    expect(untold).toEqual([]);
  });

  test("has its panels beside and below each other", () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
    );

    expect(new Set(cells).size).toBe(cells.length);
    expect(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});

describe("the alerts", () => {
  test("ask for metrics and labels that there are, and say what is wrong and what to do", () => {
    const faults = rules.flatMap(({ alert, expr }) => faultsOf(expr).map((fault) => `${alert}: ${fault}`));

    expect(rules.length).toBeGreaterThan(10);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(faults).toEqual([]);
    for (const rule of rules) {
      expect(rule.labels.severity).toMatch(/^(critical|warning|info)$/);
      expect(Object.keys(rule.annotations)).toEqual(["summary", "description"]);
      expect(rule.for ?? "0m").toMatch(/^\d+[mh]$/);
    }
  });

  test("name jobs that there are", () => {
    const named = rules.flatMap(({ expr }) => expr.match(/task=~?"([^"]+)"/)?.[1]!.split("|") ?? []);

    expect(named.length).toBeGreaterThan(0);
    for (const task of named) expect(Object.keys(JOBS)).toContain(task);
  });
});

describe("a fault in either", () => {
  test.each([
    ["sum(rate(postrider_requests_totl[5m]))", "no metric postrider_requests_totl"],
    ['postrider_mails_total{outcom="SENT"}', "postrider_mails_total has no label outcom"],
    ['postrider_mails_total{outcome="SEND"}', "postrider_mails_total has no outcome SEND"],
    ["sum by (rout) (postrider_requests_total)", "no label rout to group by"],
    ["sum(rate(postrider_requests_total[5m])", "cannot be read"],
  ])("is found: %s", (expr, fault) => {
    expect(faultsOf(expr).join()).toContain(fault);
  });
});

test("the guide configures the job that the alerts look for", () => {
  const config = Bun.YAML.parse(markedBlock(readGuide("operating"), "prometheus")) as {
    scrape_configs: { job_name: string }[];
    rule_files: string[];
  };
  const jobs = rules.flatMap(({ expr }) => expr.match(/job="[^"]+"/g) ?? []);

  expect(new Set(jobs)).toEqual(new Set([`job="${config.scrape_configs[0]!.job_name}"`]));
  expect(config.rule_files).toEqual(["alerts.yml"]);
});
