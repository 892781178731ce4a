// Webhooks: made, tried, looked at, and sent again.
import { beforeAll, expect } from "bun:test";
import { reply, useHookServers } from "../automation/hook_server.ts";
import { eventually } from "./eventually.ts";
import { browserTest, tour, useConsole } from "./support.ts";

const stage = useConsole({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const serve = useHookServers();

const LONG_URL =
  "https://benachrichtigungen.warenwirtschaft.fahrradgrosshandelsgesellschaft-nord-und-sued.example/webhooks/postrider?customer=4711";

const api = async (method: string, path: string, body?: unknown) =>
  (await stage.service.request(method, path, { key: stage.project.secret, body })).body;

let failing: string;

/** One that fails, with a log of each kind of outcome; one that is paused; and one that has everything. */
beforeAll(async () => {
  const { pool } = stage.service;
  const { id: projectId } = stage.project;
  failing = (await api("POST", "/webhooks", { url: LONG_URL, description: "CRM", events: ["*"] })).id;
  await api("POST", "/webhooks", { url: "https://example.com/a", events: ["email.*"], enabled: false });
  await api("POST", "/webhooks", {
    url: "https://example.com/b",
    events: ["event.tracked", "email.bounced", "campaign.sent", "contact.created", "segment.exit"],
    eventNames: ["ordered", "signed up"],
  });
  await pool`
    with made as (
      insert into webhook_messages (project_id, id, type, event_name, body, created_at)
      select ${projectId}, uuid_v7(), (array['event.tracked', 'email.bounced', 'contact.created'])[1 + n % 3],
        case when n % 3 = 0 then 'ordered' end,
        jsonb_build_object('type', 'event.tracked', 'data', jsonb_build_object('name', 'ordered', 'n', n))::text,
        now() - n * interval '1 minute'
      from generate_series(1, 60) as n
      returning *
    )
    insert into webhook_deliveries (
      project_id, webhook_id, message_id, type, status, attempts, due_at, tries, response, created_at
    )
    select project_id, ${failing}, id, type, s.status::webhook_delivery_status,
      case s.status when 'PENDING' then 2 when 'FAILED' then 10 else 1 end,
      case s.status when 'PENDING' then now() + interval '40 minutes' end,
      case s.status
        when 'DELIVERED' then '[{"at": "2026-11-27T08:00:00.000Z", "ms": 31, "status": 204}]'
        else '[{"at": "2026-11-27T08:00:00.000Z", "ms": 10000, "error": "it did not respond within 10 s"},
          {"at": "2026-11-27T08:00:06.000Z", "ms": 45, "status": 503}]'
      end::jsonb,
      case s.status when 'DELIVERED' then '{"status": 204, "headers": {}, "body": ""}'
        else '{"status": 503, "headers": {"content-type": "text/html"}, "body": "<h1>Service Unavailable</h1>"}'
      end::jsonb,
      created_at
    from (
      select *, (array['DELIVERED', 'PENDING', 'FAILED', 'DELIVERED', 'DELIVERED', 'DELIVERED', 'DELIVERED'])[
        1 + (row_number() over (order by id))::int % 7
      ] as status
      from made
    ) as s`;
  await pool`
    update webhooks set failing_since = now() - interval '2 hours', retry_at = now() + interval '8 minutes', failures = 6
    where id = ${failing}`;
  await pool`
    insert into webhook_days (project_id, webhook_id, day, delivered, failed)
    values (${projectId}, ${failing}, current_date, 1204, 61)`;
}, 60_000);

tour(stage, "webhooks", {
  path: "/webhooks",
  ready: (page) => page.getByText("https://example.com/b"),
  states: {
    new: async (page) => {
      await page.getByRole("button", { name: "Create a webhook" }).click();
      await page.getByRole("button", { name: "Create the webhook" }).click();
      await page.getByText("Enter the address of your server").waitFor();
    },
  },
});

tour(stage, "webhook", {
  path: () => `/webhooks/${failing}`,
  ready: (page) => page.getByRole("list", { name: "Deliveries" }),
  states: {
    delivery: async (page) => {
      await page.getByRole("list", { name: "Deliveries" }).getByText("Failed").first().click();
      await page.getByRole("heading", { name: "Response: 503" }).waitFor();
    },
  },
});

browserTest(
  "a webhook is made in the empty list, tried, and what arrived is shown and sent again",
  async () => {
    const { service, owner } = stage;
    const server = await serve(reply(200, "thank you"));
    const { body: fresh } = await owner.request("POST", "/users/@me/projects", { name: "Fresh" });
    const page = await stage.open(`~/p/${fresh.id}/webhooks`);
    await page.getByText("No webhook yet").waitFor();
    await page.getByRole("button", { name: "Create a webhook" }).click();
    await page.getByLabel("URL").fill(`ftp://127.0.0.1:${server.port}/hook`);
    await page.keyboard.press("Enter");
    await page.getByText("Expected a URL such as https://example.com/webhooks").waitFor();
    await page.getByLabel("URL").fill(`http://127.0.0.1:${server.port}/hook`);
    await page.getByRole("switch", { name: "Everything that happens" }).check();
    await page.getByRole("button", { name: "Create the webhook" }).click();
    await page.getByRole("heading", { name: `http://127.0.0.1:${server.port}/hook` }).waitFor();
    await page.getByRole("button", { name: "Show the secret" }).click();
    await page.getByText(/^whsec_[A-Za-z0-9+/]{43}=$/).waitFor();
    await page.getByRole("button", { name: "Send test" }).click();
    await page.getByText("The test arrived: it responded 200").waitFor();
    await page.getByRole("list", { name: "Deliveries" }).getByText("Test").click();
    await page.getByText("thank you").waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("It will be sent again").waitFor();
    await service.runJobs();
    await eventually(async () => server.heard.length).toBe(2);
    expect(new Set(server.heard.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("The webhook is paused").waitFor();
    await page.getByRole("button", { name: "Enable" }).waitFor();
    await page.context().close();
  },
);
