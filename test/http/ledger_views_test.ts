// Looking a mail up: by what is known of it, what it said, what became of it; and a campaign by its outcomes.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { followHtml } from "../../src/sending/compose/followed_mail.ts";
import { campaignsOf } from "../support/campaign.ts";
import { BROWSER } from "../support/followed_mails.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const campaigns = campaignsOf(service, () => project);
const { call } = campaigns;

const FROM = `shop@${DOMAIN}`;
const TEMPLATE = { name: "Receipt", subject: "Your receipt", body: "<p>Hi {{name}}</p>", from: FROM };
const LINK = "https://shop.example/spring";

let ids: { template: string; workflow: string; step: string; campaign: string };

const listed = async (query: string): Promise<any[]> => {
  const { status, body } = await call("GET", `/emails?${query}`);
  expect([query, status, body.error?.message]).toEqual([query, 200, undefined]);
  return body.data;
};

beforeAll(async () => {
  project = await service.createProject();
  await service.pool`update projects set tracking = 'ENABLED' where id = ${project.id}`;
  for (const name of ["ada", "bob", "cy"]) {
    await call("POST", "/contacts", { email: `${name}@example.com`, data: { name } });
  }
  const template = (await call("POST", "/templates", { ...TEMPLATE, type: "TRANSACTIONAL" })).body
    .id as string;
  await call("POST", "/v1/send", { to: "ada@example.com", template });
  await call("POST", "/v1/send", {
    to: "bob@example.com",
    from: FROM,
    subject: "100% Überraschung",
    body: `<a href="${LINK}">for {{name}}</a>`,
    headers: { "X-Order": "7" },
    attachments: [
      { filename: "a.txt", content: Buffer.from("hello").toString("base64"), contentType: "text/plain" },
    ],
  });
  const flows = workflowsOf(service, () => project);
  const flow = await flows.build({
    steps: { Mail: { type: "SEND_EMAIL", template } as never, End: { type: "EXIT" } },
    ways: ["Trigger > Mail", "Mail > End"],
  });
  await flows.track("cy@example.com");
  const campaign = await campaigns.create({ subject: "Spring sale" });
  await campaigns.send(campaign);
  await service.runJobs();
  const graph = (await call("GET", `/workflows/${flow.id}`)).body;
  const step = graph.steps.find((one: { name: string }) => one.name === "Mail").id;
  ids = { template, workflow: flow.id, step, campaign };
});

describe("GET /emails", () => {
  test("finds mails by template, workflow, campaign, source and state", async () => {
    expect((await listed(`templateId=${ids.template}`)).map(({ to }) => to)).toEqual([
      "cy@example.com",
      "ada@example.com",
    ]);
    expect(await listed(`workflowId=${ids.workflow}`)).toMatchObject([
      { to: "cy@example.com", workflowId: ids.workflow, stepId: ids.step, sourceType: "WORKFLOW" },
    ]);
    expect(await listed("sourceType=TRANSACTIONAL")).toHaveLength(2);
    expect(await listed(`campaignId=${ids.campaign}&status=SENT`)).toHaveLength(3);
    expect(await listed("status=SENT")).toHaveLength(6);
  });

  test("of one contact takes any filter beside it", async () => {
    expect(await listed("to=ada@example.com&type=TRANSACTIONAL")).toHaveLength(1);
    expect(await listed("to=ada@example.com&type=MARKETING&sourceType=CAMPAIGN")).toHaveLength(1);
    expect(await listed("to=bob@example.com&type=HEADLESS")).toEqual([]);
  });

  test.each(["type=MARKETING", "sourceType=CAMPAIGN&status=SENT", "type=MARKETING&status=SENT"])(
    "refuses %s, which no index serves",
    async (query) => {
      const { status, body } = await call("GET", `/emails?${query}`);

      expect([status, body.error.code]).toEqual([400, "BAD_REQUEST"]);
      expect(body.error.suggestion).toContain("contactId");
    },
  );

  test.each([
    ["a part of the address", "BOB@exa", ["bob@example.com", "bob@example.com"]],
    ["a part of the subject", "überra", ["bob@example.com"]],
    ["a sign that is a wildcard elsewhere", "100%", ["bob@example.com"]],
    ["the subject of a campaign", "spring", ["ada@example.com", "bob@example.com", "cy@example.com"]],
    ["the subject of a template", "receipt", ["ada@example.com", "cy@example.com"]],
    ["nothing there is", "zebra", []],
  ])("searches for %s", async (_, text, recipients) => {
    const found = await listed(`search=${encodeURIComponent(text)}`);

    expect(found.map(({ to }) => to).toSorted()).toEqual(recipients);
  });

  test("pages through what was found, the newest first", async () => {
    const { body: first } = await call("GET", "/emails?search=example.com&limit=4");
    const { body: second } = await call("GET", `/emails?search=example.com&limit=4&cursor=${first.cursor}`);
    const all = [...first.data, ...second.data].map(({ id }: { id: string }) => id);

    expect([first.data.length, first.hasMore, second.data.length, second.hasMore]).toEqual([
      4,
      true,
      2,
      false,
    ]);
    expect(all).toEqual(all.toSorted().toReversed());
    expect(await listed("search=example.com&until=2020-01-01")).toEqual([]);
  });

  test.each(["search=ab", "search=spring&status=SENT", "search=spring&dir=asc"])(
    "refuses %s",
    async (query) => {
      expect((await call("GET", `/emails?${query}`)).status).toBe(400);
    },
  );

  test("refuses a search that too many contacts match, and says what to do", async () => {
    const other = await service.createProject();
    await service.pool`
      insert into contacts (project_id, email, subscribed)
      select ${other.id}, 'many' || n || '@example.com', true from generate_series(1, 201) as n`;
    const { status, body } = await service.request("GET", "/emails?search=many", { key: other.secret });

    expect([status, body.error.message]).toEqual([400, expect.stringContaining("200 contacts or subjects")]);
  });
});

describe("GET /emails/:id/content", () => {
  test("shows what the recipient has, with the links of the author", async () => {
    const [mail] = await listed("search=überra");
    const { status, body } = await call("GET", `/emails/${mail.id}/content`);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      subject: "100% Überraschung",
      html: `<a href="${LINK}">for bob</a>`,
      headers: { "X-Order": "7" },
      attachments: [{ filename: "a.txt", contentType: "text/plain", size: 5 }],
      removedAt: null,
    });
    expect(body.text).toContain("for bob");
  });

  test("its attachments are downloads, whatever they are; there are no others", async () => {
    const [mail] = await listed("search=überra");
    const at = (id: string, index: string) =>
      service.app.handle(
        new Request(`http://localhost/emails/${id}/attachments/${index}`, {
          headers: { authorization: `Bearer ${project.secret}` },
        }),
      );
    const file = await at(mail.id, "0");

    expect(file.status).toBe(200);
    expect(await file.text()).toBe("hello");
    expect(file.headers.get("content-type")).toBe("application/octet-stream");
    expect(file.headers.get("content-disposition")).toStartWith('attachment; filename="a.txt"');
    expect(file.headers.get("content-security-policy")).toContain("sandbox");
    const [bare] = await listed("to=ada@example.com");
    for (const [id, index] of [
      [mail.id, "1"],
      [mail.id, "-1"],
      [mail.id, "x"],
      [bare.id, "0"],
      ["x", "0"],
    ]) {
      expect([index, (await at(id, index)).status]).toEqual([index, 404]);
    }
  });

  test("of a campaign has its footer and the header for one click", async () => {
    const [mail] = await listed(`campaignId=${ids.campaign}`);
    const { body } = await call("GET", `/emails/${mail.id}/content`);

    expect(body.html).toContain("/unsubscribe/");
    expect(Object.keys(body.headers)).toContain("List-Unsubscribe");
  });

  test("says since when a body is gone", async () => {
    const [mail] = await listed(`templateId=${ids.template}`);
    await service.pool`
      update contents set html = null, emptied_at = now()
      where id = (select content_id from emails where id = ${mail.id})`;
    const { status, body } = await call("GET", `/emails/${mail.id}/content`);

    expect([status, body.html, body.text]).toEqual([200, null, null]);
    expect(Date.parse(body.removedAt)).toBeGreaterThan(0);
  });
});

describe("what became of a campaign", () => {
  beforeAll(async () => {
    const mails = await listed(`campaignId=${ids.campaign}`);
    for (const { id: emailId } of mails.slice(0, 2)) {
      const followed = followHtml(service, project.id, `<a href="${LINK}">x</a>`);
      const html = followed.complete(followed.html, emailId);
      const path = /"http:\/\/[^/]+(\/t\/c\/[^"]+)"/.exec(html)![1]!;
      await service.request("GET", path, { headers: { "user-agent": BROWSER } });
    }
  });

  const recipients = async (query: string) =>
    (await call("GET", `/campaigns/${ids.campaign}/recipients?${query}`)).body;

  test("lists recipients by outcome", async () => {
    expect([(await recipients("clicked=true")).total, (await recipients("clicked=false")).total]).toEqual([
      2, 1,
    ]);
    expect((await recipients("opened=true")).data).toHaveLength(2);
    expect((await recipients("status=CLICKED")).data).toHaveLength(2);
    expect((await recipients("unsubscribed=true")).data).toEqual([]);
    expect((await call("GET", `/campaigns/${ids.campaign}/recipients?clicked=true&opened=true`)).status).toBe(
      400,
    );
    expect((await call("GET", `/campaigns/${crypto.randomUUID()}/recipients`)).status).toBe(404);
  });

  test("counts clicks by link, before and after they are rolled up", async () => {
    const links = async () => (await call("GET", `/campaigns/${ids.campaign}/links`)).body;
    const expected = [{ link: LINK, clicks: 2, firstClicks: 2 }];

    expect(await links()).toEqual(expected);
    await service.pool`select graphile_worker.add_job('roll_up_counts', '{}')`;
    await service.runJobs();
    expect(await service.pool`select clicks from campaign_links`).toHaveLength(1);
    expect(await links()).toEqual(expected);
  });

  test("shows the hours in which it happened", async () => {
    const { body } = await call("GET", `/campaigns/${ids.campaign}/series`);
    const sum = (name: string) => body.reduce((all: number, hour: any) => all + hour[name], 0);

    expect([sum("sent"), sum("opened"), sum("clicked"), sum("bounced")]).toEqual([3, 2, 2, 0]);
    expect(body[0].hour).toMatch(/:00:00\.000Z$/);
  });

  test("says why mails did not arrive: the same reason is one, whatever addresses and ids the server put into it", async () => {
    const other = await service.createProject();
    const campaign = await service.request("POST", "/campaigns", {
      key: other.secret,
      body: { name: "Spring", subject: "x", body: "<p>x</p>", from: `news@${DOMAIN}`, audienceType: "ALL" },
    });
    const { id } = campaign.body.data;
    await service.pool`
      insert into emails (project_id, address, source_type, campaign_id, status, error, due_at, queued_at)
      select
        ${other.id}, 'a@example.com', 'CAMPAIGN', ${id}, m.status::email_status,
        replace(replace(m.error, '$a', 'c' || n || '@example.com'), '$q', md5(n::text)), now(), now()
      from generate_series(1, 3) as n
      cross join (
        values
          ('BOUNCED', '550 5.1.1 <$a>: Recipient address rejected ($q)'), ('FAILED', '554 5.7.1 Blocked'),
          ('SUPPRESSED', null), ('SENT', 'not shown')
      ) as m (status, error)
      where n < 3 or m.status = 'BOUNCED'`;
    const reasons = async (key: string) => await service.request("GET", `/campaigns/${id}/reasons`, { key });

    expect((await reasons(other.secret)).body).toEqual([
      {
        status: "BOUNCED",
        reason: "550 5.1.1 …: Recipient address rejected (…)",
        mails: 3,
        example: expect.stringMatching(/<c\d@example.com>: Recipient address rejected \([0-9a-f]{32}\)$/),
        isSample: false,
      },
      {
        status: "FAILED",
        reason: "554 5.7.1 Blocked",
        mails: 2,
        example: "554 5.7.1 Blocked",
        isSample: false,
      },
      { status: "SUPPRESSED", reason: "", mails: 2, example: "", isSample: false },
    ]);
    expect((await reasons(project.secret)).status).toBe(404);
  });

  test("a total says whether there may be more", async () => {
    const list = async (query: string) => (await call("GET", `/emails?${query}`)).body;

    expect((await list("limit=1")).estimated).toBe(false);
    expect((await list("search=example.com")).estimated).toBe(false);
    expect(await list("search=example.com&limit=1")).toMatchObject({ total: 1, estimated: true });
  });

  test("tells the story of a mail, with the link that was followed", async () => {
    const [mail] = (await recipients("clicked=true")).data;
    const { body } = await call("GET", `/emails/${mail.id}/events`);

    expect(body.map(({ name }: { name: string }) => name)).toEqual([
      "email.queued",
      "email.sent",
      "email.click",
    ]);
    expect(body[2].data.link).toBe(LINK);
  });
});

describe("POST /campaigns/audience", () => {
  test("counts whom a campaign would reach, and refuses what saving would refuse", async () => {
    await call("POST", "/contacts", { email: "out@example.com", subscribed: false });
    const count = async (body: object) => (await call("POST", "/campaigns/audience", body)).body;

    expect(await count({ audienceType: "ALL" })).toMatchObject({ totalRecipients: 3 });
    expect(await count({ audienceType: "ALL", type: "TRANSACTIONAL" })).toMatchObject({ totalRecipients: 4 });
    expect((await count({ audienceType: "SEGMENT" })).error.errors[0].field).toBe("segmentId");
    expect((await count({ audienceType: "SEGMENT", segmentId: crypto.randomUUID() })).error.code).toBe(
      "SEGMENT_NOT_FOUND",
    );
  });
});
