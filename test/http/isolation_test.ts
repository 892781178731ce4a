// What belongs to a project is out of reach for every other one: its ids are of no use to the key, and to the session, of
// somebody else.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { fanOutWebhooks } from "../../src/automation/endpoints/fan_out.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { campaignsOf, DRAFT } from "../support/campaign.ts";
import { png } from "../support/images.ts";
import { type Answer, DOMAIN, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });

/** The ids of one thing of each kind. */
type Content = Awaited<ReturnType<typeof fill>>;

let mine: NewProject;
let theirs: NewProject;
let ours: Content;
let outsider: Person;

beforeAll(async () => {
  [mine, theirs] = [await service.createProject(), await service.createProject()];
  outsider = await signUp(service);
  await join(service, outsider, theirs.id, "OWNER");
  ours = await fill(mine);
  // What it does in the background of itself comes to rest: segments are looked at some seconds after a change.
  service.setNow(new Date(Date.now() + 600_000));
  // What a job leaves for later has its turn as well.
  for (let round = 0; round < 3; round++) await service.runJobs();
  service.setNow(new Date());
});

const SEGMENT = {
  name: "Pros",
  condition: {
    logic: "AND",
    groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
  },
};
const TEMPLATE = { name: "Hello", subject: "Hello", body: "<p>Hello</p>", from: `news@${DOMAIN}` };

/** With an attachment. */
const CAPTURED = Buffer.from(
  'Subject: s\r\nContent-Disposition: attachment; filename="a.bin"\r\nContent-Type: application/x-a\r\n\r\na\r\n',
);

/** Fills a project with one of everything. */
async function fill(project: NewProject) {
  const { call, create, send } = campaignsOf(service, () => project);
  const flows = workflowsOf(service, () => project);
  const made = async (path: string, body: object): Promise<Answer["body"]> => {
    const { status, body: answer } = await call("POST", path, body);
    expect([path, status < 300, answer.error]).toEqual([path, true, undefined]);
    return answer;
  };
  const contact = (await made("/contacts", { email: "ada@example.com", data: { plan: "pro" } })).id as string;
  // Before any segment is tracked: nothing may come in then.
  const move = await made("/moves", { from: "brevo" });
  const moveFile = await service.request("POST", `/moves/${move.id}/files?fileName=contacts.csv`, {
    key: project.secret,
    raw: "EMAIL\nada@example.com\n",
  });
  const segment = (await made("/segments", { ...SEGMENT, trackMembership: true })).id as string;
  const list = (await made("/segments", { name: "List", type: "STATIC" })).id as string;
  await made(`/segments/${list}/members`, { emails: ["ada@example.com"] });
  const template = (await made("/templates", TEMPLATE)).id as string;
  const draft = await create();
  const scheduled = await create();
  await send(scheduled, new Date(Date.now() + 86_400_000).toISOString());
  const flow = await flows.build({
    steps: { Wait: { type: "DELAY", amount: 5, unit: "days" }, End: { type: "EXIT" } },
    ways: ["Trigger > Wait", "Wait > End"],
  });
  await flows.track("ada@example.com");
  await service.runJobs();
  const [execution] = await flows.executions(flow.id);
  const graph = (await call("GET", `/workflows/${flow.id}`)).body;
  const bulkJob = (await made("/contacts/bulk-subscribe", { contactIds: [contact] })).jobId as string;
  const importJob = await importOf(project);
  const sent = await made("/v1/send", {
    to: "ada@example.com",
    from: `a@${DOMAIN}`,
    subject: "s",
    body: "b",
    attachments: [{ filename: "a.txt", content: btoa("a"), contentType: "text/plain" }],
  });
  await made("/suppressions", { email: "blocked@example.com" });
  const webhook = await made("/webhooks", { url: "https://hooks.example/", events: ["contact.created"] });
  await made("/contacts", { email: "told@example.com" });
  await fanOutWebhooks(service);
  const [delivery] = await service.pool`
    update webhook_deliveries set due_at = now() + interval '1 year' where project_id = ${project.id}
    returning message_id as id`;
  const transport = (await made("/transports", { name: "Own", kind: "CAPTURE" })).id as string;
  await call("PATCH", `/transports/${transport}`, { paused: true });
  const plan = (await made("/warmup-plans", { name: "Plan", dailyLimits: [10] })).id as string;
  const [captured] = await service.pool`
    insert into captured_mails (project_id, from_address, to_address, subject, source)
    values (${project.id}, 'a@shop.example', 'ada@example.com', 's', ${CAPTURED}) returning id`;
  return {
    move: move.id as string,
    moveFile: moveFile.body.id as string,
    captured: captured!.id as string,
    contact,
    segment,
    list,
    template,
    draft,
    scheduled,
    workflow: flow.id,
    step: flow.ids.Wait!,
    transition: graph.steps[0].outgoingTransitions[0].id as string,
    execution: execution.id as string,
    bulkJob,
    importJob,
    image: await imageOf(project),
    request: await requestOf(project),
    webhook: webhook.id as string,
    delivery: delivery!.id as string,
    email: sent.data.emails[0].email as string,
    transport,
    plan,
    domain: (await call("GET", `/domains/project/${project.id}`)).body[0].id as string,
  };
}

async function importOf(project: NewProject): Promise<string> {
  const file = new File(["email\nimported@example.com\n"], "contacts.csv", { type: "text/csv" });
  return (await sendForm(project, "/contacts/import", "file", file)).jobId;
}

async function requestOf(project: NewProject): Promise<string> {
  const [row] = await service.pool`
    insert into requests (project_id, id, method, route, path, status, ms)
    values (${project.id}, uuid_v7(), 'GET', '/contacts', '/contacts', 200, 1)
    returning id`;
  return row!.id as string;
}

async function imageOf(project: NewProject): Promise<string> {
  const file = new File([png(2, 2) as Uint8Array<ArrayBuffer>], "dot.png", { type: "image/png" });
  return (await sendForm(project, "/uploads/image", "image", file)).key;
}

async function sendForm({ secret }: NewProject, path: string, part: string, file: File) {
  const form = new FormData();
  form.append(part, file);
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type")! };
  const { status, body } = await service.request("POST", path, {
    key: secret,
    headers,
    raw: await encoded.bytes(),
  });
  expect([path, status < 300]).toEqual([path, true]);
  return body;
}

/** Every row of every table that belongs to a project, as one hash for each table. */
async function fingerprint(projectId: string): Promise<Record<string, string>> {
  const tables = await service.pool<{ name: string }[]>`
    select table_name as name
    from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where column_name = 'project_id' and table_schema = 'public' and table_type = 'BASE TABLE'
    order by 1`;
  const hashes: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await service.pool`
      select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as hash
      from ${service.pool(name)} t
      where project_id = ${projectId}`;
    hashes[name] = row!.hash as string;
  }
  return hashes;
}

const graphOf = (id: string, templateId?: string) => ({
  version: "*",
  steps: [{ id, name: "Mine", ...(templateId ? { type: "SEND_EMAIL", templateId } : { type: "EXIT" }) }],
  transitions: [],
});

/** Every endpoint with the id of something in its path, and what a good request holds. A new one has to be put here. */
const requests = (c: Content): Record<string, { path: string; body?: object }> => ({
  "GET /contacts/:id": { path: `/contacts/${c.contact}` },
  "GET /contacts/export/:id": { path: `/contacts/export/${c.contact}` },
  "PATCH /contacts/:id": { path: `/contacts/${c.contact}`, body: { subscribed: false } },
  "DELETE /contacts/:id": { path: `/contacts/${c.contact}` },
  "GET /contacts/import/:jobId": { path: `/contacts/import/${c.importJob}` },
  "GET /contacts/imports/:jobId": { path: `/contacts/imports/${c.importJob}` },
  "POST /contacts/imports/:jobId/cancel": { path: `/contacts/imports/${c.importJob}/cancel` },
  "POST /contacts/imports/:jobId/undo": { path: `/contacts/imports/${c.importJob}/undo` },
  "GET /contacts/bulk/:jobId": { path: `/contacts/bulk/${c.bulkJob}` },
  "GET /segments/:id": { path: `/segments/${c.segment}` },
  "PATCH /segments/:id": { path: `/segments/${c.segment}`, body: { name: "Mine" } },
  "DELETE /segments/:id": { path: `/segments/${c.segment}` },
  "GET /segments/:id/contacts": { path: `/segments/${c.segment}/contacts` },
  "POST /segments/:id/members": {
    path: `/segments/${c.list}/members`,
    body: { emails: ["eve@example.com"] },
  },
  "DELETE /segments/:id/members": {
    path: `/segments/${c.list}/members`,
    body: { emails: ["ada@example.com"] },
  },
  "GET /segments/:id/explain": { path: `/segments/${c.segment}/explain?contactId=${c.contact}` },
  "GET /segments/:id/history": { path: `/segments/${c.segment}/history` },
  "GET /segments/:id/usage": { path: `/segments/${c.segment}/usage` },
  "POST /segments/:id/compute": { path: `/segments/${c.segment}/compute` },
  "POST /segments/:id/refresh": { path: `/segments/${c.segment}/refresh` },
  "GET /templates/:id": { path: `/templates/${c.template}` },
  "PATCH /templates/:id": { path: `/templates/${c.template}`, body: { name: "Mine" } },
  "DELETE /templates/:id": { path: `/templates/${c.template}` },
  "POST /templates/:id/duplicate": { path: `/templates/${c.template}/duplicate` },
  "GET /templates/:id/usage": { path: `/templates/${c.template}/usage` },
  "POST /templates/:id/test": { path: `/templates/${c.template}/test`, body: { email: "eve@example.com" } },
  "POST /templates/:id/preview": { path: `/templates/${c.template}/preview`, body: {} },
  "GET /templates/:id/versions": { path: `/templates/${c.template}/versions` },
  "GET /templates/:id/versions/:version": { path: `/templates/${c.template}/versions/1` },
  "POST /templates/:id/versions/:version/restore": { path: `/templates/${c.template}/versions/1/restore` },
  "GET /campaigns/:id": { path: `/campaigns/${c.draft}` },
  "PUT /campaigns/:id": { path: `/campaigns/${c.draft}`, body: DRAFT },
  "PATCH /campaigns/:id": { path: `/campaigns/${c.draft}`, body: { name: "Theirs" } },
  "DELETE /campaigns/:id": { path: `/campaigns/${c.draft}` },
  "POST /campaigns/:id/duplicate": { path: `/campaigns/${c.draft}/duplicate` },
  "POST /campaigns/:id/send": { path: `/campaigns/${c.draft}/send`, body: {} },
  "POST /campaigns/:id/unschedule": { path: `/campaigns/${c.scheduled}/unschedule` },
  "POST /campaigns/:id/cancel": { path: `/campaigns/${c.scheduled}/cancel` },
  "POST /campaigns/:id/test": { path: `/campaigns/${c.draft}/test`, body: { email: "eve@example.com" } },
  "POST /campaigns/:id/check": { path: `/campaigns/${c.draft}/check` },
  "GET /campaigns/:id/stats": { path: `/campaigns/${c.draft}/stats` },
  "GET /campaigns/:id/reasons": { path: `/campaigns/${c.draft}/reasons` },
  "GET /campaigns/:id/recipients": { path: `/campaigns/${c.draft}/recipients` },
  "GET /campaigns/:id/links": { path: `/campaigns/${c.draft}/links` },
  "GET /campaigns/:id/series": { path: `/campaigns/${c.draft}/series` },
  "POST /campaigns/:id/preview": { path: `/campaigns/${c.draft}/preview`, body: {} },
  "GET /workflows/:id": { path: `/workflows/${c.workflow}` },
  "PATCH /workflows/:id": { path: `/workflows/${c.workflow}`, body: { enabled: false } },
  "DELETE /workflows/:id": { path: `/workflows/${c.workflow}` },
  "POST /workflows/:id/duplicate": { path: `/workflows/${c.workflow}/duplicate` },
  "GET /workflows/:id/graph": { path: `/workflows/${c.workflow}/graph` },
  "PUT /workflows/:id/graph": { path: `/workflows/${c.workflow}/graph`, body: graphOf(c.step) },
  "POST /workflows/:id/graph/check": { path: `/workflows/${c.workflow}/graph/check` },
  "GET /workflows/:id/statistics": { path: `/workflows/${c.workflow}/statistics` },
  "GET /workflows/:id/versions": { path: `/workflows/${c.workflow}/versions` },
  "GET /workflows/:id/versions/:version": { path: `/workflows/${c.workflow}/versions/1` },
  "POST /workflows/:id/versions/:version/restore": { path: `/workflows/${c.workflow}/versions/1/restore` },
  "POST /workflows/:id/steps": {
    path: `/workflows/${c.workflow}/steps`,
    body: { type: "EXIT", name: "Out", config: {} },
  },
  "PATCH /workflows/:id/steps/:stepId": {
    path: `/workflows/${c.workflow}/steps/${c.step}`,
    body: { name: "Mine" },
  },
  "DELETE /workflows/:id/steps/:stepId": { path: `/workflows/${c.workflow}/steps/${c.step}` },
  "POST /workflows/:id/transitions": {
    path: `/workflows/${c.workflow}/transitions`,
    body: { fromStepId: c.step, toStepId: c.step },
  },
  "DELETE /workflows/:id/transitions/:transitionId": {
    path: `/workflows/${c.workflow}/transitions/${c.transition}`,
  },
  "POST /workflows/:id/transitions/:transitionId/insert-step": {
    path: `/workflows/${c.workflow}/transitions/${c.transition}/insert-step`,
    body: { type: "DELAY", name: "Pause", config: { amount: 1, unit: "days" } },
  },
  "POST /workflows/:id/executions": {
    path: `/workflows/${c.workflow}/executions`,
    body: { contactId: c.contact },
  },
  "GET /workflows/:id/executions": { path: `/workflows/${c.workflow}/executions` },
  "GET /workflows/:id/executions/:executionId": {
    path: `/workflows/${c.workflow}/executions/${c.execution}`,
  },
  "GET /workflows/:id/executions/:executionId/graph": {
    path: `/workflows/${c.workflow}/executions/${c.execution}/graph`,
  },
  "DELETE /workflows/:id/executions/:executionId": {
    path: `/workflows/${c.workflow}/executions/${c.execution}`,
  },
  "POST /workflows/:id/executions/cancel-all": { path: `/workflows/${c.workflow}/executions/cancel-all` },
  "POST /workflows/:id/test": { path: `/workflows/${c.workflow}/test`, body: { contactId: c.contact } },
  "GET /deliverability/domains/:id": { path: `/deliverability/domains/${c.domain}` },
  "GET /domains/:id": { path: `/domains/${c.domain}` },
  "GET /domains/:id/verify": { path: `/domains/${c.domain}/verify` },
  "DELETE /domains/:id": { path: `/domains/${c.domain}` },
  "GET /transports/:id": { path: `/transports/${c.transport}` },
  "PATCH /transports/:id": { path: `/transports/${c.transport}`, body: { name: "Mine" } },
  "DELETE /transports/:id": { path: `/transports/${c.transport}` },
  "POST /transports/:id/test": { path: `/transports/${c.transport}/test`, body: { to: "eve@example.com" } },
  "GET /moves/:id": { path: `/moves/${c.move}` },
  "GET /moves/:id/left-out": { path: `/moves/${c.move}/left-out` },
  "POST /moves/:id/files": { path: `/moves/${c.move}/files?fileName=mine.csv` },
  "DELETE /moves/:id/files/:fileId": { path: `/moves/${c.move}/files/${c.moveFile}` },
  "POST /moves/:id/check": { path: `/moves/${c.move}/check`, body: {} },
  "POST /moves/:id/start": { path: `/moves/${c.move}/start` },
  "POST /moves/:id/cancel": { path: `/moves/${c.move}/cancel` },
  "PATCH /warmup-plans/:id": { path: `/warmup-plans/${c.plan}`, body: { name: "Mine" } },
  "DELETE /warmup-plans/:id": { path: `/warmup-plans/${c.plan}` },
  "GET /emails/:id": { path: `/emails/${c.email}` },
  "GET /emails/:id/content": { path: `/emails/${c.email}/content` },
  "GET /emails/:id/attachments/:index": { path: `/emails/${c.email}/attachments/0` },
  "GET /emails/:id/events": { path: `/emails/${c.email}/events` },
  "PATCH /emails/:id": { path: `/emails/${c.email}`, body: { sendAt: new Date(Date.now() + 3_600_000) } },
  "POST /emails/:id/cancel": { path: `/emails/${c.email}/cancel` },
  "POST /emails/:id/resend": { path: `/emails/${c.email}/resend` },
  "GET /compat/resend/emails/:id": { path: `/compat/resend/emails/${c.email}` },
  "PATCH /compat/resend/emails/:id": {
    path: `/compat/resend/emails/${c.email}`,
    body: { scheduled_at: new Date(Date.now() + 3_600_000) },
  },
  "GET /compat/postmark/messages/outbound/:id/details": {
    path: `/compat/postmark/messages/outbound/${c.email}/details`,
  },
  "POST /compat/resend/emails/:id/cancel": { path: `/compat/resend/emails/${c.email}/cancel` },
  "GET /inbox/mails/:id": { path: `/inbox/mails/${c.captured}` },
  "PATCH /inbox/mails/:id": { path: `/inbox/mails/${c.captured}`, body: { read: true } },
  "DELETE /inbox/mails/:id": { path: `/inbox/mails/${c.captured}` },
  "GET /inbox/mails/:id/html": { path: `/inbox/mails/${c.captured}/html` },
  "GET /inbox/mails/:id/source": { path: `/inbox/mails/${c.captured}/source` },
  "GET /inbox/mails/:id/attachments/:index": { path: `/inbox/mails/${c.captured}/attachments/0` },
  "GET /requests/:id": { path: `/requests/${c.request}` },
  "GET /webhooks/:id": { path: `/webhooks/${c.webhook}` },
  "PATCH /webhooks/:id": { path: `/webhooks/${c.webhook}`, body: { description: "Mine" } },
  "DELETE /webhooks/:id": { path: `/webhooks/${c.webhook}` },
  "GET /webhooks/:id/secret": { path: `/webhooks/${c.webhook}/secret` },
  "POST /webhooks/:id/rotate-secret": { path: `/webhooks/${c.webhook}/rotate-secret` },
  "POST /webhooks/:id/test": { path: `/webhooks/${c.webhook}/test` },
  "POST /webhooks/:id/replay": { path: `/webhooks/${c.webhook}/replay`, body: { status: "FAILED" } },
  "GET /webhooks/:id/deliveries": { path: `/webhooks/${c.webhook}/deliveries` },
  "GET /webhooks/:id/deliveries/:deliveryId": { path: `/webhooks/${c.webhook}/deliveries/${c.delivery}` },
  "POST /webhooks/:id/deliveries/:deliveryId/replay": {
    path: `/webhooks/${c.webhook}/deliveries/${c.delivery}/replay`,
  },
  "GET /uploads/:key/usage": { path: `/uploads/${c.image}/usage` },
  "DELETE /uploads/:key": { path: `/uploads/${c.image}` },
});

/** They name no row: what they do stays within the project that asks. */
const BY_NAME = /^\w+ \/(contacts\/fields\/|events\/|domains\/project\/|compat\/mailgun\/)/;
/** Endpoints of people, tested by role, and those that need no key; `transport_feedback_test` is about those of providers. */
const OTHERS =
  /^POST \/webhooks\/incoming\/|^GET \/uploads\/:key$|^\w+ \/(users|projects|auth|oauth|unsubscribe|subscribe|manage|t|app|docs)\//;

describe("the id of something of another project", () => {
  test("every endpoint with an id in its path is asked", () => {
    const names = service.app.routes
      .map(({ method, path }) => `${method} ${path}`)
      .filter((name) => name.includes("/:") && !OTHERS.test(name) && !BY_NAME.test(name));

    expect(names.sort()).toEqual(Object.keys(requests(ours)).sort());
  });

  test("the requests are good ones: the owner is let through", async () => {
    const refused: string[] = [];
    const reading = Object.entries(requests(ours)).filter(([endpoint]) => endpoint.startsWith("GET"));
    for (const [name, { path, body }] of reading) {
      const { status } = await service.request("GET", path, { key: mine.secret, body });
      if (status !== 200) refused.push(`${name}: ${status}`);
    }

    expect(refused).toEqual([]);
  });

  test("is not found with another key, nor in a session for another project, and nothing is changed", async () => {
    const before = await fingerprint(mine.id);
    const found: string[] = [];
    for (const [name, { path, body }] of Object.entries(requests(ours))) {
      const method = name.split(" ")[0]!;
      const answers = [
        await service.request(method, path, { key: theirs.secret, body }),
        await outsider.request(method, path, body, { projectId: theirs.id }),
      ];
      for (const { status, body: answer, headers } of answers) {
        const code = (answer?.error?.code ?? headers.get("x-error-code") ?? "") as string;
        const isRight = status === 404 && code.endsWith("_NOT_FOUND");
        // A key only reads the inbox.
        const isForSessions = status === 401 && method !== "GET" && path.startsWith("/inbox/");
        if (!isRight && !isForSessions) found.push(`${name}: ${status} ${code}`);
      }
    }
    await service.runJobs();

    expect(found).toEqual([]);
    expect(Object.keys(before).length).toBeGreaterThan(20);
    expect(await fingerprint(mine.id)).toEqual(before);
  });

  test("cannot be referred to either", async () => {
    const before = await fingerprint(mine.id);
    const own = await fill(theirs);
    const call = (method: string, path: string, body?: object) =>
      service.request(method, path, { key: theirs.secret, body });
    const inSegment = {
      logic: "AND",
      groups: [{ filters: [{ field: `segment.${ours.segment}`, operator: "memberOfSegment" }] }],
    };
    const { version, steps } = (await call("GET", `/workflows/${own.workflow}/graph`)).body;
    const sender = graphOf(crypto.randomUUID(), ours.template).steps[0]!;
    const step = (templateId: string) => ({ type: "SEND_EMAIL", name: "Mail", config: {}, templateId });
    const mail = { to: "eve@example.com", from: `a@${DOMAIN}` };
    const references: [string, string, object][] = [
      ["POST", "/v1/send", { ...mail, template: ours.template }],
      ["POST", "/campaigns", { ...DRAFT, audienceType: "SEGMENT", segmentId: ours.segment }],
      ["PUT", `/campaigns/${own.draft}`, { ...DRAFT, audienceType: "SEGMENT", segmentId: ours.segment }],
      ["POST", "/campaigns", { ...DRAFT, templateId: ours.template }],
      ["POST", "/campaigns", { ...DRAFT, audienceType: "FILTERED", audienceCondition: inSegment }],
      ["POST", "/segments", { name: "Copy", condition: inSegment }],
      ["POST", `/workflows/${own.workflow}/steps`, step(ours.template)],
      ["PATCH", `/workflows/${own.workflow}/steps/${ours.step}`, { name: "Mine" }],
      ["PUT", `/workflows/${own.workflow}/graph`, { version, steps: [...steps, sender], transitions: [] }],
      ["DELETE", `/workflows/${own.workflow}/steps/${ours.step}`, {}],
      ["POST", `/workflows/${own.workflow}/transitions`, { fromStepId: own.step, toStepId: ours.step }],
      ["POST", `/workflows/${own.workflow}/transitions`, { fromStepId: ours.step, toStepId: own.step }],
      ["DELETE", `/workflows/${own.workflow}/transitions/${ours.transition}`, {}],
      ["POST", `/workflows/${own.workflow}/executions`, { contactId: ours.contact }],
      ["GET", `/workflows/${own.workflow}/executions/${ours.execution}`, {}],
      ["GET", `/workflows/${own.workflow}/executions/${ours.execution}/graph`, {}],
      ["DELETE", `/workflows/${own.workflow}/executions/${ours.execution}`, {}],
      ["POST", `/workflows/${own.workflow}/test`, { contactId: ours.contact }],
      ["PUT", "/routes", { rules: [{ transports: [{ id: ours.transport }] }] }],
      ["PATCH", `/transports/${own.transport}`, { warmup: { planId: ours.plan } }],
      ["POST", `/templates/${own.template}/preview`, { contactId: ours.contact }],
      ["POST", `/campaigns/${own.draft}/preview`, { contactId: ours.contact }],
    ];
    const taken: string[] = [];
    for (const [method, path, body] of references) {
      const answer = await call(method, path, body);
      if (![400, 404, 422].includes(answer.status)) taken.push(`${method} ${path} ${answer.status}`);
    }

    expect(taken).toEqual([]);
    expect(await fingerprint(mine.id)).toEqual(before);
  });

  test("in a list of many is left out, and left alone", async () => {
    const before = await fingerprint(mine.id);
    const call = (method: string, path: string, body?: object) =>
      service.request(method, path, { key: theirs.secret, body });
    for (const operation of ["subscribe", "unsubscribe", "delete"]) {
      const { body } = await call("POST", `/contacts/bulk-${operation}`, { contactIds: [ours.contact] });
      await service.runJobs();
      const job = (await call("GET", `/contacts/bulk/${body.jobId}`)).body;

      expect([operation, job.state, job.result.successCount]).toEqual([operation, "completed", 0]);
    }
    await call("DELETE", "/contacts/fields/data.plan");
    await call("DELETE", "/suppressions?email=blocked@example.com");
    await service.runJobs();

    expect(await fingerprint(mine.id)).toEqual(before);
  });

  test("does not stand in any list", async () => {
    const empty = await service.createProject();
    const leaked: string[] = [];
    const lists = service.app.routes.filter(({ method, path }) => method === "GET" && !path.includes("/:"));
    for (const { path } of lists) {
      const { body } = await service.request("GET", path, { key: empty.secret });
      const text = typeof body === "string" ? body : JSON.stringify(body);
      for (const id of Object.values(ours)) if (text.includes(id)) leaked.push(`${path}: ${id}`);
    }

    expect(leaked).toEqual([]);
    expect(lists.length).toBeGreaterThan(5);
  });
});
