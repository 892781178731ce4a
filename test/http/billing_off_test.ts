// An installation that charges nobody.
import { beforeEach, describe, expect, test } from "bun:test";
import { hasSubscription } from "../../src/accounts/billing/mod.ts";
import { reportUsage } from "../../src/accounts/billing/usage_reports.ts";
import { type Person, join, signUp } from "../support/accounts.ts";
import { useService } from "../support/service.ts";

const service = useService();
let owner: Person;
let projectId: string;

beforeEach(async () => {
  projectId = (await service.createProject()).id;
  owner = await signUp(service);
  await join(service, owner, projectId, "OWNER");
});

const call = (method: string, path: string, body?: unknown) =>
  owner.request(method, `/users/@me/projects/${projectId}${path}`, body);

describe("without Stripe", () => {
  test.each([
    ["POST", "/checkout"],
    ["POST", "/billing-portal"],
    ["GET", "/billing-invoices"],
  ])("%s %s is 501, and says what is missing", async (method, path) => {
    const { status, body } = await call(method, path);

    expect([status, body.error.code]).toEqual([501, "NOT_CONFIGURED"]);
    expect(body.error.suggestion).toContain("STRIPE_SECRET_KEY");
  });

  test("limits and consumption work", async () => {
    const limits = await call("PUT", "/billing-limits", { transactional: 5 });
    const consumption = await call("GET", "/billing-consumption");

    expect([limits.status, limits.body.transactional.limit]).toEqual([200, 5]);
    expect([consumption.status, consumption.body.total, consumption.body.subscription]).toEqual([
      200,
      0,
      null,
    ]);
  });

  test("the webhook is not there, whatever comes", async () => {
    const { status, body } = await service.request("POST", "/webhooks/incoming/stripe", {
      body: { id: "evt" },
    });

    expect([status, body.error.code]).toEqual([404, "NOT_CONFIGURED"]);
  });

  test("nothing is reported, and nobody has a subscription", async () => {
    await reportUsage(service);

    expect(await hasSubscription(service, projectId)).toBe(false);
    expect(await service.pool`select from usage_reports`).toHaveLength(0);
  });
});
