// What another service has comes into a project: from servers on loopback that page, limit rates and fail in the middle.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { operatorGuard } from "../../src/guard.ts";
import { PATIENT_TRIES } from "../../src/moving/json_api.ts";
import type { IncomingReport } from "../../src/moving/incoming_types.ts";
import { takeIn } from "../../src/moving/incoming.ts";
import { listmonkSource } from "../../src/moving/listmonk.ts";
import { plunkSource } from "../../src/moving/plunk.ts";
import { useAdmin } from "../support/admin.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
const { admin } = useAdmin(service);
const servers: { stop(force: boolean): unknown }[] = [];
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterAll(() => servers.forEach((server) => void server.stop(true)));

/** A server that answers every third request with a fault first: too many, broken, or a lost connection. */
function unsteady(answer: (request: Request) => Response | Promise<Response>) {
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      asked += 1;
      if (asked % 9 === 3) return new Response("later", { status: 429, headers: { "retry-after": "1" } });
      if (asked % 9 === 6) return new Response("broken", { status: 502 });
      return await answer(request);
    },
  });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

/** As a command reads, whose seconds are short here. */
const FAST = { guard: operatorGuard(service), tries: PATIENT_TRIES, secondMs: 1 };

const contactsHere = async () => {
  const rows = await service.pool`
    select email, subscribed, opted_out_at is not null as "optedOut", data from contacts where project_id = ${project.id}`;
  return new Map(rows.map(({ email, ...row }) => [email as string, row]));
};

/** What must not have happened, whatever was imported. */
async function assertQuiet(): Promise<void> {
  await service.runJobs();
  const [quiet] = await service.pool`
    select
      (select count(*)::int from events where project_id = ${project.id}) as events,
      (select count(*)::int from emails where project_id = ${project.id}) as mails,
      (select count(*)::int from executions where project_id = ${project.id}) as executions,
      (select count(*)::int from workflows where project_id = ${project.id} and enabled) as workflows,
      (select count(*)::int from campaigns where project_id = ${project.id} and status <> 'DRAFT') as campaigns`;
  expect(quiet).toEqual({ events: 0, mails: 0, executions: 0, workflows: 0, campaigns: 0 });
  expect(service.smtp.received).toEqual([]);
}

describe("from Plunk, or a service with its API", () => {
  let there: NewProject;
  let url: string;

  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await service.request(method, path, {
      key: there.secret,
      ...(body !== undefined && { body }),
    });
    expect([path, answer.status < 300, answer.body.error]).toEqual([path, true, undefined]);
    return answer.body;
  };
  const from = `hello@${DOMAIN}`;
  const mail = { subject: "Hi {{firstName}}", body: "<p>Hi</p>", from };
  const taking = (dryRun: boolean): Promise<IncomingReport> =>
    takeIn(service, project.id, plunkSource({ url, key: there.secret }, FAST), { dryRun });

  beforeEach(async () => {
    there = await service.createProject();
    url = unsteady((request) => {
      const { pathname, search } = new URL(request.url);
      return service.app.handle(new Request(`http://localhost${pathname}${search}`, request));
    });
    await service.pool`
      insert into contacts (project_id, email, subscribed, opted_out_at, data)
      select ${there.id}, 'c' || n || '@example.com', n % 10 > 0, case when n % 10 = 0 then now() end,
        jsonb_build_object('plan', 'p' || n % 3)
      from generate_series(1, 250) as n`;
    await call("POST", "/suppressions", { email: "c1@example.com", reason: "COMPLAINT" });
    const list = await call("POST", "/segments", { name: "VIPs", type: "STATIC" });
    await call("POST", `/segments/${list.id}/members`, { emails: ["c1@example.com", "c2@example.com"] });
    const filters = [{ field: "data.plan", operator: "equals", value: "p1" }];
    await call("POST", "/segments", {
      name: "Pro",
      condition: { logic: "AND", groups: [{ filters }] },
      trackMembership: true,
    });
    const template = await call("POST", "/templates", { name: "Welcome", alias: "welcome", ...mail });
    await call("POST", "/campaigns", { name: "News", ...mail, audienceType: "SEGMENT", segmentId: list.id });
    const workflows = workflowsOf(service, () => there);
    await workflows.build({
      steps: {
        Wait: { type: "DELAY", amount: 1, unit: "days" },
        Hello: { type: "SEND_EMAIL", template: template.id },
      },
      ways: ["Trigger > Wait", "Wait > Hello"],
    });
    await service.dropJobs();
  });

  test("all of it comes, and nothing is started; a dry run says so first and changes nothing", async () => {
    const foreseen = await taking(true);
    expect([...(await contactsHere()).keys()]).toEqual([]);
    const report = await taking(false);
    const again = await taking(false);
    const here = await contactsHere();
    const [made] = await service.pool`
      select
        (select member_count from segments where project_id = ${project.id} and name = 'VIPs') as vips,
        (select member_count from segments where project_id = ${project.id} and name = 'Pro') as pro,
        (select s.name from campaigns c join segments s on s.id = c.segment_id where c.project_id = ${project.id}) as audience,
        (select t.name from workflow_steps w join templates t on t.project_id = w.project_id and t.id = w.template_id
          where w.project_id = ${project.id}) as sent,
        (select count(*)::int from workflow_transitions where project_id = ${project.id}) as ways,
        (select alias from templates where project_id = ${project.id}) as alias,
        (select reason from suppressions where project_id = ${project.id}) as reason`;

    expect(foreseen).toMatchObject({ dryRun: true, contacts: { read: 250, created: 250, unsubscribed: 25 } });
    expect(report).toMatchObject({
      dryRun: false,
      contacts: { read: 250, created: 250, changed: 0, unsubscribed: 25, refused: 0 },
      suppressions: 1,
      segments: { created: 2 },
      templates: { created: 1 },
      campaigns: { created: 1 },
      workflows: { created: 1 },
    });
    expect(report.leftOut.map(({ what }) => what)).toEqual([
      "events and mails",
      "tracking of the segment Pro",
    ]);
    const nothing = { created: 0, existing: 1 };
    expect(again).toMatchObject({
      contacts: { created: 0, changed: 0 },
      segments: { created: 0, existing: 2 },
      templates: nothing,
      campaigns: nothing,
      workflows: nothing,
    });
    expect([here.size, here.get("c10@example.com"), here.get("c3@example.com")]).toEqual([
      250,
      { subscribed: false, optedOut: true, data: { plan: "p1" } },
      { subscribed: true, optedOut: false, data: { plan: "p0" } },
    ]);
    expect(made).toEqual({
      vips: 2,
      pro: 84,
      audience: "VIPs",
      sent: "Welcome",
      alias: "welcome",
      ways: 2,
      reason: "COMPLAINT",
    });
    await assertQuiet();
  });

  test("who has unsubscribed at either side stays unsubscribed, and what is known here stays", async () => {
    await service.pool`
      insert into contacts (project_id, email, subscribed, opted_out_at, data) values
        (${project.id}, 'c3@example.com', false, now(), '{"plan": "mine", "city": "Oslo"}'),
        (${project.id}, 'c10@example.com', true, null, '{}')`;
    const report = await taking(false);
    const here = await contactsHere();

    expect(report.contacts).toMatchObject({ created: 248, changed: 1 });
    expect(here.get("c3@example.com")).toEqual({
      subscribed: false,
      optedOut: true,
      data: { plan: "mine", city: "Oslo" },
    });
    expect(here.get("c10@example.com")).toEqual({ subscribed: false, optedOut: true, data: { plan: "p1" } });
    await assertQuiet();
  });

  test("what cannot come is left out with the reason: a sender whose domain is not verified", async () => {
    await service.pool`delete from domains where project_id = ${project.id}`;
    const { leftOut, templates, campaigns, workflows } = await taking(false);
    const reasons = leftOut.map(({ what, why }) => `${what}: ${why}`);

    expect([templates.created, campaigns.created, workflows.created]).toEqual([0, 0, 0]);
    for (const what of ["template Welcome", "campaign News", "workflow Welcome"]) {
      expect(reasons).toContainEqual(expect.stringMatching(new RegExp(`^${what}: .`)));
    }
  });

  test("a wrong key, a server that is away and tracked segments are refused, in words", async () => {
    const wrong = await admin(
      "import",
      "plunk",
      "--project",
      project.id,
      "--url",
      url,
      "--key",
      "sk_wrong",
      "--yes",
    );
    const keyless = await admin("import", "plunk", "--project", project.id, "--url", url);
    const away = await takeIn(
      service,
      project.id,
      plunkSource({ url: "http://127.0.0.1:9", key: "sk" }, FAST),
      {
        dryRun: true,
      },
    ).then(
      () => "done",
      (error: Error) => error.message,
    );
    await service.pool`
      insert into segments (project_id, name, slug, condition, track_membership)
      values (${project.id}, 'T', 't', '{"logic": "AND", "groups": []}', true)`;
    const tracked = await taking(true).then(
      () => "done",
      (error: Error) => error.message,
    );

    expect([wrong.exitCode, wrong.err]).toEqual([1, expect.stringContaining("refused the credentials")]);
    expect([keyless.exitCode, keyless.err]).toEqual([1, expect.stringContaining("without --key")]);
    expect(away).toContain("it refused the connection");
    expect(tracked).toContain("tracks the membership");
  });
});

describe("from listmonk", () => {
  const subscriber = (n: number, more: object = {}) => ({
    id: n,
    email: `S${n}@Example.com`,
    name: n === 1 ? "Ada King Lovelace" : "",
    attribs: { city: "Oslo", n },
    status: "enabled",
    created_at: "2024-05-06T07:08:09Z",
    lists: [{ id: 1, optin: "single", subscription_status: "unconfirmed" }],
    ...more,
  });
  const on = (id: number, state: string, optin = "single") => ({
    lists: [{ id, optin, subscription_status: state }],
  });
  const SUBSCRIBERS = [
    subscriber(1, on(2, "confirmed", "double")),
    subscriber(2, on(2, "unconfirmed", "double")),
    subscriber(3, on(1, "unsubscribed")),
    subscriber(4, { status: "blocklisted" }),
    subscriber(5, { lists: [] }),
    subscriber(6, { email: "no address" }),
    ...Array.from({ length: 1_000 }, (_, n) => subscriber(n + 7)),
  ];
  const CAMPAIGN = {
    id: 1,
    name: "News",
    subject: "Hi {{ .Subscriber.FirstName }}",
    from_email: "Shop <hello@shop.example>",
    body: '<p>{{ .Subscriber.Attribs.city }}</p><a href="https://shop.example/@TrackLink">x</a>',
    content_type: "richtext",
    template_id: 1,
    lists: [{ id: 1, name: "News" }],
  };
  const DATA: Record<string, unknown[]> = {
    "/api/lists": [
      { id: 1, name: "News", optin: "single" },
      { id: 2, name: "Insiders", optin: "double" },
    ],
    "/api/subscribers": SUBSCRIBERS,
    "/api/campaigns": [
      CAMPAIGN,
      { ...CAMPAIGN, id: 2, name: "Plain", content_type: "plain" },
      { ...CAMPAIGN, id: 3, name: "Odd", body: "{{ if .Subscriber }}x{{ end }}" },
    ],
  };
  const TEMPLATES = [
    {
      id: 1,
      name: "Frame",
      type: "campaign",
      body: '<div>{{ template "content" . }}<a href="{{ UnsubscribeURL }}">off</a>{{ TrackView }}</div>',
    },
    {
      id: 2,
      name: "Receipt",
      type: "tx",
      subject: "Order {{ .Tx.Data.number }}",
      body: "<p>{{ .Subscriber.Name }}</p>",
    },
    { id: 3, name: "Invoice", type: "tx", subject: "Invoice", body: "<p>12 EUR</p>" },
  ];

  const listmonk = () =>
    unsteady((request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (request.headers.get("authorization") !== `Basic ${btoa("api:secret")}`)
        return new Response("", { status: 403 });
      if (pathname === "/api/templates") return Response.json({ data: TEMPLATES });
      const [page, size] = [Number(searchParams.get("page")), Number(searchParams.get("per_page"))];
      const all = DATA[pathname]!;
      return Response.json({
        data: { results: all.slice((page - 1) * size, page * size), total: all.length },
      });
    });

  test("subscribers come with what they have agreed to, lists as segments, campaigns as drafts in their frame", async () => {
    const source = () =>
      listmonkSource({ url: listmonk(), user: "api", password: "secret", from: "hello@shop.example" }, FAST);
    // Its alias is that of a template there.
    await service.pool`
      insert into templates (project_id, name, alias, subject, body, html, from_email, type)
      values (${project.id}, 'Mine', '3', 'Mine', 'Mine', 'Mine', 'hello@shop.example', 'TRANSACTIONAL')`;
    const foreseen = await takeIn(service, project.id, source(), { dryRun: true });
    const report = await takeIn(service, project.id, source(), { dryRun: false });
    const here = await contactsHere();
    const subscribed = (n: number) => here.get(`s${n}@example.com`)?.subscribed;
    const segments = await service.pool`
      select name, member_count as members from segments where project_id = ${project.id} order by name`;
    const [campaign] = await service.pool`
      select subject, body, from_email, from_name, status from campaigns where project_id = ${project.id}`;
    const templates = await service.pool`
      select name, alias, subject, body, type from templates where project_id = ${project.id} order by name`;
    const blocked =
      await service.pool`select email, reason from suppressions where project_id = ${project.id}`;

    expect(foreseen.contacts).toEqual({ ...report.contacts, changed: 0 });
    expect(report).toMatchObject({
      contacts: { read: 1_006, created: 1_005, unsubscribed: 4, refused: 1 },
      suppressions: 1,
      segments: { created: 2 },
      templates: { created: 2 },
      campaigns: { created: 1 },
    });
    expect([1, 2, 3, 4, 5, 7].map(subscribed)).toEqual([true, false, false, false, false, true]);
    expect(here.get("s1@example.com")!.data).toMatchObject({
      firstName: "Ada",
      lastName: "King Lovelace",
      city: "Oslo",
    });
    expect([...segments]).toEqual([
      { name: "Insiders", members: 1 },
      { name: "News", members: 1_001 },
    ]);
    expect([...blocked]).toEqual([{ email: "s4@example.com", reason: "MANUAL" }]);
    expect(campaign).toMatchObject({
      subject: "Hi {{firstName}}",
      fromEmail: "hello@shop.example",
      fromName: "Shop",
      status: "DRAFT",
    });
    expect(campaign!.body).toBe(
      '<div><p>{{city}}</p><a href="https://shop.example/">x</a><a href="{{unsubscribeUrl}}">off</a></div>',
    );
    expect(templates.map(({ name, alias }) => [name, alias])).toEqual([
      ["Invoice", null],
      ["Mine", "3"],
      ["Receipt", "2"],
    ]);
    expect(templates[2]).toMatchObject({
      subject: "Order {{number}}",
      body: "<p>{{name}}</p>",
      type: "TRANSACTIONAL",
    });
    for (const { leftOut } of [foreseen, report])
      expect(leftOut.map(({ what }) => what)).toContain("the alias 3 of the template Invoice");
    const left = report.leftOut.map(({ what }) => what);
    for (const what of ["contact no address", "campaign Plain", "campaign Odd", "template Frame"])
      expect(left).toContain(what);
    await assertQuiet();
  });
});
