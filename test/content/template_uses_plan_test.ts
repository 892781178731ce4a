// What `templates.uses` reads in a project with many mails, campaigns and steps, beside another one as large: by its plan, made
// for one call and kept for all.
import { beforeAll, describe, expect, test } from "bun:test";
import { parseStatements } from "../../src/db/_parse.ts";
import { QUERIES_DIR } from "../../src/db/queries.ts";
import { useService } from "../support/service.ts";

const service = useService();

const TEMPLATES = 20;
const MAILS = 20_000;
const CAMPAIGNS = 400;
const STEPS = 2_000;
/** As the page asks: some of the templates, and this many of the newest mails of each. */
const ASKED = 5;
const NEWEST = 50;

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Node[];
}

let projectId = "";
let ids: string[] = [];

beforeAll(async () => {
  for (let i = 0; i < 2; i++) {
    ({ id: projectId } = await service.createProject());
    ids = await fill(projectId);
  }
  await service.pool`vacuum (analyze) templates, campaigns, workflow_steps, emails`;
});

/** Templates that are used as often as each other. Returns the ids of some. */
async function fill(id: string): Promise<string[]> {
  const { pool } = service;
  const templates = await pool<{ id: string }[]>`
    insert into templates (project_id, name, subject, body, html, from_email)
    select ${id}, 'Template ' || n, 'Hi', 'Hi', 'Hi', 'a@shop.example' from generate_series(1, ${TEMPLATES}::int) as n
    returning id`;
  const all = templates.map((template) => template.id);
  const nth = pool`(${all}::text[]::uuid[])[1 + n % ${TEMPLATES}::int]`;
  await pool`
    insert into campaigns (project_id, name, subject, body, html, from_email, audience_type, template_id)
    select ${id}, 'Campaign ' || n, 'Hi', 'Hi', 'Hi', 'a@shop.example', 'ALL', ${nth}
    from generate_series(1, ${CAMPAIGNS}::int) as n`;
  await pool`
    with workflow as (
      insert into workflows (project_id, name, trigger_type) values (${id}, 'Welcome', 'MANUAL')
      returning id
    )
    insert into workflow_steps (project_id, workflow_id, type, name, template_id)
    select ${id}, w.id, 'SEND_EMAIL', 'Step ' || n, ${nth}
    from workflow w cross join generate_series(1, ${STEPS}::int) as n`;
  await pool`
    insert into emails (project_id, address, source_type, template_id, status, due_at, queued_at, sent_at)
    select ${id}, 'user@example.com', 'TRANSACTIONAL', ${nth}, 'SENT', now(), now(), now()
    from generate_series(1, ${MAILS}::int) as n`;
  return all.slice(0, ASKED);
}

async function planOf(mode: string): Promise<Node> {
  const text = await Bun.file(new URL("templates.sql", QUERIES_DIR)).text();
  const statement = parseStatements(text, "templates").find(({ name }) => name === "uses")!;
  const values: Record<string, string> = {
    project_id: `'${projectId}'`,
    ids: `'{${ids.join()}}'`,
    limit: `${NEWEST}`,
  };
  const prepared = statement.strings.raw.reduce((before, part, i) => `${before}$${i}${part}`);
  const held = await service.pool.reserve();
  try {
    await held.unsafe(`set plan_cache_mode = ${mode}; prepare statement as ${prepared}`).simple();
    const given = statement.params.map((param) => values[param]).join(", ");
    const [row] = await held.unsafe(`explain (analyze, format json) execute statement (${given})`).simple();
    return (row!.queryPlan ?? row!["QUERY PLAN"])[0].Plan as Node;
  } finally {
    await held.unsafe("deallocate all; reset plan_cache_mode").simple();
    held.release();
  }
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const rowsOf = (plan: Node, relation: string) =>
  nodesOf(plan)
    .filter((node) => node["Relation Name"] === relation)
    .reduce(
      (sum, node) =>
        sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
      0,
    );

describe.each(["force_generic_plan", "force_custom_plan"])("with %s", (mode) => {
  test("the uses of some templates read their newest mails and their steps, and the campaigns once", async () => {
    const plan = await planOf(mode);

    expect(plan["Actual Rows"]).toBe(ASKED);
    expect(rowsOf(plan, "emails")).toBe(ASKED * NEWEST);
    expect(rowsOf(plan, "workflow_steps")).toBe((ASKED * STEPS) / TEMPLATES);
    expect(rowsOf(plan, "campaigns")).toBeLessThanOrEqual(CAMPAIGNS * 2);
  });
});
