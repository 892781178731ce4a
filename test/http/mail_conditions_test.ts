// Conditions on the mails of one campaign or template.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { recordEvents } from "../../src/audience/events.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

const call = (method: string, path: string, body?: unknown, key = project.secret) =>
  service.request(method, path, { key, body });
const MAIL = { subject: "Hello", body: "<p>Hello</p>", from: `hello@${DOMAIN}` };
const newCampaign = async (key = project.secret) =>
  (await call("POST", "/campaigns", { name: "Sale", audienceType: "ALL", ...MAIL }, key)).body.data
    .id as string;
const newTemplate = async () =>
  (await call("POST", "/templates", { name: "Hello", type: "MARKETING", ...MAIL })).body.id as string;
const newContact = async (email: string) =>
  (await call("POST", "/contacts", { email, data: {} })).body.id as string;
const about = (beside: object, field = "email.opened", operator = "notTriggered") => ({
  logic: "AND",
  groups: [{ filters: [{ field, operator, ...beside }] }],
});
const happened = (contactId: string, name: string, data: Record<string, string | null>) =>
  recordEvents(service, [{ projectId: project.id, contactId, name, data }]);

describe("a filter on mails", () => {
  test("counts those of one campaign, of one template, or of both only", async () => {
    const [sale, news, template] = [await newCampaign(), await newCampaign(), await newTemplate()];
    const [ada, bob] = [await newContact("ada@example.com"), await newContact("bob@example.com")];
    await happened(ada, "email.open", { campaignId: sale, templateId: template });
    await happened(bob, "email.open", { campaignId: news, templateId: null });
    const matching = async (beside: object, operator = "triggered") => {
      const { status, body } = await call("POST", "/segments/preview", {
        condition: about(beside, "email.opened", operator),
      });
      expect([status, body.error]).toEqual([200, undefined]);
      return (body.sample as { email: string }[]).map(({ email }) => email.split("@")[0]).toSorted();
    };

    expect(await matching({})).toEqual(["ada", "bob"]);
    expect(await matching({ campaignId: sale.toUpperCase() })).toEqual(["ada"]);
    expect(await matching({ campaignId: sale }, "notTriggered")).toEqual(["bob"]);
    expect(await matching({ templateId: template })).toEqual(["ada"]);
    expect(await matching({ campaignId: news, templateId: template })).toEqual([]);
    expect(await matching({ campaignId: null, templateId: null })).toEqual(["ada", "bob"]);
  });

  test("explains itself by the mails that it counts", async () => {
    const [sale, news] = [await newCampaign(), await newCampaign()];
    const ada = await newContact("ada@example.com");
    for (const campaignId of [sale, sale, news]) await happened(ada, "email.open", { campaignId });
    const filters = [{}, { campaignId: sale }, { campaignId: news }].map((beside) => ({
      field: "email.opened",
      operator: "triggeredAtLeast",
      count: 2,
      ...beside,
    }));
    const { body: segment } = await call("POST", "/segments", {
      name: "Readers",
      condition: { logic: "AND", groups: [{ filters }] },
    });
    const { body } = await call("GET", `/segments/${segment.id}/explain?contactId=${ada}`);

    const told = body.condition.groups[0].filters as {
      campaignId?: string;
      matches: boolean;
      found: object;
    }[];
    expect(told.map(({ campaignId, matches, found }) => ({ campaignId, matches, found }))).toEqual([
      { campaignId: undefined, matches: true, found: expect.objectContaining({ count: 3 }) },
      { campaignId: sale, matches: true, found: expect.objectContaining({ count: 2 }) },
      { campaignId: news, matches: false, found: expect.objectContaining({ count: 1 }) },
    ] as never);
  });

  test("decides the way of a workflow, and its history says about which campaign", async () => {
    const sale = await newCampaign();
    const config = { field: "email.opened", operator: "triggered", campaignId: sale };
    const { body: workflow } = await call("POST", "/workflows", { name: "Readers", eventName: "began" });
    const step = { type: "CONDITION", name: "Opened?", config };
    const { status, body } = await call("POST", `/workflows/${workflow.id}/steps`, step);

    expect([status, body.error]).toEqual([201, undefined]);
    expect(body.config).toEqual(config);
  });
});

describe("a campaign or template that a filter names", () => {
  /** What each way to give a condition says is wrong. */
  const refusals = async (beside: object, field?: string) => {
    const condition = about(beside, field);
    const [filter] = condition.groups[0]!.filters;
    const { body: workflow } = await call("POST", "/workflows", { name: "W", eventName: "began" });
    const step = (config: object) =>
      call("POST", `/workflows/${workflow.id}/steps`, { type: "CONDITION", name: "Opened?", config });
    const { field: subject, ...asked } = filter!;
    const answers = await Promise.all([
      call("POST", "/segments", { name: "x", condition }),
      call("POST", "/segments/preview", { condition }),
      call("GET", `/contacts?condition=${encodeURIComponent(JSON.stringify(condition))}`),
      call("POST", "/campaigns", {
        name: "x",
        audienceType: "FILTERED",
        audienceCondition: condition,
        ...MAIL,
      }),
      step({ condition }),
      step({ ...filter }),
      step({ mode: "multi", field: subject, branches: [{ id: "a", name: "A", ...asked }] }),
    ]);
    return answers.map(({ status, body }) => [
      status,
      ...(body.error.errors as { field: string; message: string }[]).map(
        (error) => `${error.field}: ${error.message}`,
      ),
    ]);
  };
  const PLACES = [
    "condition.groups.0.filters.0",
    "condition.groups.0.filters.0",
    "condition.groups.0.filters.0",
    "audienceCondition.groups.0.filters.0",
    "config.condition.groups.0.filters.0",
    "config",
    "config.branches.0",
  ];

  test("has to be one of the project, everywhere", async () => {
    const other = await service.createProject();
    const theirs = await newCampaign(other.secret);
    const none = "0190a3c4-0000-7000-8000-000000000000";

    for (const id of [theirs, none, "5"]) {
      const said = "Cannot find this campaign";
      expect(await refusals({ campaignId: id })).toEqual(
        PLACES.map((at) => [422, `${at}.campaignId: ${said}`]),
      );
    }
    const said = "Cannot find this template";
    expect(await refusals({ templateId: none })).toEqual(
      PLACES.map((at) => [422, `${at}.templateId: ${said}`]),
    );
  });

  test("belongs to mails that were sent, and to nothing else", async () => {
    const campaignId = await newCampaign();
    const said = "Only a filter on email.<activity> takes a campaignId, and email.received does not";
    for (const field of ["email.received", "event.ordered"]) {
      expect(await refusals({ campaignId }, field)).toEqual(
        PLACES.map((at) => [422, `${at}.campaignId: ${said}`]),
      );
    }
  });

  test("may be deleted: the condition still holds, and can be saved as long as there are mails of it", async () => {
    const [sale, draft] = [await newCampaign(), await newCampaign()];
    const ada = await newContact("ada@example.com");
    await happened(ada, "email.open", { campaignId: sale });
    await service.pool`
      insert into emails (project_id, contact_id, address, source_type, campaign_id, status, due_at, queued_at)
      values (${project.id}, ${ada}, 'ada@example.com', 'CAMPAIGN', ${sale}, 'SENT', now(), now())`;
    const condition = about({ campaignId: sale }, "email.opened", "triggered");
    const { body: segment } = await call("POST", "/segments", { name: "Readers", condition });
    for (const id of [sale, draft]) expect((await call("DELETE", `/campaigns/${id}`)).status).toBe(204);

    const again = await call("PATCH", `/segments/${segment.id}`, { name: "Those who read", condition });
    expect([again.status, again.body.memberCount]).toEqual([200, 1]);
    const gone = await call("PATCH", `/segments/${segment.id}`, { condition: about({ campaignId: draft }) });
    expect(gone.status).toBe(422);
  });
});
