// Executions that update their contact, or send it a mail.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);
const { build, call, outcomes, recipients, subjects, template, track } = workflows;

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.smtp.behave({});
  service.setNow(new Date());
  await service.dropJobs();
});

describe("an update of the contact", () => {
  test("goes by the rule of every request, and its events are recorded once", async () => {
    const { id } = await build({
      steps: {
        Update: {
          type: "UPDATE_CONTACT",
          updates: {
            plan: "pro",
            city: null,
            note: "",
            paid: "{{event.amount}} EUR",
            n: { value: 1, persistent: true },
          },
          subscriptionAction: "unsubscribe",
        },
      },
      ways: ["Trigger > Update"],
    });
    const data = { city: "Oslo", note: "kept", amount: { value: 5, persistent: false } };
    const contactId = await track("a@example.com", "signup", data);
    await service.runJobs();
    const { body } = await call("GET", `/contacts/${contactId}`);
    const events = await service.pool`select name from events where contact_id = ${contactId} order by id`;

    expect([body.subscribed, body.data]).toEqual([false, { plan: "pro", note: "kept", paid: "5 EUR", n: 1 }]);
    expect(events.map((event) => event.name)).toEqual(["signup", "contact.unsubscribed"]);
    expect((await workflows.history(id)).steps[1]!.output).toEqual({
      set: expect.arrayContaining(["plan", "paid", "n"]),
      removed: ["city"],
      subscribed: false,
    });
  });

  test("is seen by the steps behind it", async () => {
    const { id } = await build({
      steps: {
        Update: { type: "UPDATE_CONTACT", updates: { plan: "pro" } },
        "Pro?": { type: "CONDITION", field: "data.plan", operator: "equals", value: "pro" },
        Mail: { type: "SEND_EMAIL", template: await template({ subject: "You are {{plan}}" }) },
      },
      ways: ["Trigger > Update", "Update > Pro?", "Pro? yes> Mail"],
    });
    await track("a@example.com");
    await service.runJobs();

    expect(subjects()).toEqual(["You are pro"]);
    expect(await workflows.path(id)).toEqual(["Trigger", "Update", "Pro?: yes", "Mail"]);
  });

  test("that the database refuses fails its own execution with a reason, and no other", async () => {
    const { id } = await build({
      steps: {
        Before: { type: "SEND_EMAIL", template: await template({ subject: "Before" }) },
        Update: { type: "UPDATE_CONTACT", updates: { text: "{{event.text}}" } },
        After: { type: "SEND_EMAIL", template: await template({ subject: "After" }) },
      },
      ways: ["Trigger > Before", "Before > Update", "Update > After"],
    });
    // The two together are more than a contact may hold.
    await track("guilty@example.com", "looked", { kept: "y".repeat(20_000) });
    await Promise.all(
      ["a", "b", "guilty", "c"].map((who) => {
        const value = who === "guilty" ? "x".repeat(60_000) : "small";
        return track(`${who}@example.com`, "signup", { text: { value, persistent: false } });
      }),
    );
    await service.runJobs();
    const { exitReason, steps } = await workflows.history(id, await workflows.of(id, "guilty"));

    expect(await outcomes(id)).toEqual({ a: "COMPLETED", b: "COMPLETED", c: "COMPLETED", guilty: "FAILED" });
    expect(exitReason).toBe('Cannot carry out "Update": The data of one contact has at most 64 KB');
    expect(steps.map(({ step, status }) => [step, status])).toEqual([
      ["Trigger", "COMPLETED"],
      ["Before", "COMPLETED"],
      ["Update", "FAILED"],
    ]);
    expect(subjects().toSorted()).toEqual([...Array(3).fill("After"), ...Array(4).fill("Before")]);
  });
});

describe("a mail", () => {
  const sending = async (more: object = {}, recipient?: object) => ({
    steps: { Mail: { type: "SEND_EMAIL", template: await template(more), ...(recipient && { recipient }) } },
    ways: ["Trigger > Mail"],
  });

  test("to somebody who is not subscribed is SUPPRESSED, and the execution goes on", async () => {
    const { id } = await build(await sending({ type: "MARKETING" }));
    const contactId = await track("a@example.com", "signup");
    await service.pool`update contacts set subscribed = false where id = ${contactId}`;
    await service.runJobs();
    const { steps } = await workflows.history(id);
    const { body } = await call("GET", `/emails/${String(steps[1]!.output!.emailId)}`);

    expect(recipients()).toEqual([]);
    expect(body).toMatchObject({
      status: "SUPPRESSED",
      error: "The contact is not subscribed",
      sourceType: "WORKFLOW",
    });
    expect(await workflows.states(id)).toEqual(["COMPLETED"]);
  });

  test("to another address knows the contact that it is about", async () => {
    const subject = "New: {{contact.email}} of {{company}} wants {{event.plan}}, {{email}}";
    const { id } = await build(
      await sending({ subject }, { type: "CUSTOM", customEmail: "{{region}}@shop.example" }),
    );
    const data = { company: "ACME", region: "north", plan: { value: "pro", persistent: false } };
    await track("a@example.com", "signup", data);
    await service.runJobs();
    const contacts = await service.pool`select email from contacts where project_id = ${project.id}`;

    expect([recipients(), subjects()]).toEqual([
      ["north@shop.example"],
      ["New: a@example.com of ACME wants pro, north@shop.example"],
    ]);
    expect(contacts).toHaveLength(1);
    expect(await workflows.states(id)).toEqual(["COMPLETED"]);
  });

  test("to what is no address fails, and says so", async () => {
    const { id } = await build(await sending({}, { type: "CUSTOM", customEmail: "{{region}}@shop.example" }));
    await track("a@example.com");
    await service.runJobs();

    expect((await workflows.history(id)).exitReason).toBe(
      'Cannot send "Mail": {{region}}@shop.example gives no email address',
    );
  });

  test("says what its template says when it is sent by its step, and not what it said before", async () => {
    const templateId = await template({ subject: "Before" });
    await build({
      allowReentry: true,
      steps: { Mail: { type: "SEND_EMAIL", template: templateId } },
      ways: ["Trigger > Mail"],
    });
    const round = async () => {
      await track("a@example.com");
      await service.runJobs();
    };
    await round();
    await round();
    await call("PATCH", `/templates/${templateId}`, { subject: "After" });
    await round();
    const contents = await service.pool`select from contents where project_id = ${project.id}`;

    expect(subjects()).toEqual(["Before", "Before", "After"]);
    expect(contents).toHaveLength(2);
  });

  test("from a domain that is not verified any more fails, and says so", async () => {
    const { id } = await build(await sending());
    await service.pool`update domains set status = 'FAILED' where project_id = ${project.id}`;
    await track("a@example.com");
    await service.runJobs();

    expect((await workflows.history(id)).exitReason).toStartWith("Cannot send from shop.example");
  });

  test("to an address on the suppression list is in the ledger and not sent", async () => {
    await call("POST", "/suppressions", { email: "a@example.com" });
    const { id } = await build(await sending());
    await track("a@example.com");
    await service.runJobs();
    const [row] = await service.pool`select status, data from emails where project_id = ${project.id}`;

    expect([row, recipients(), await workflows.states(id)]).toEqual([
      { status: "SUPPRESSED", data: null },
      [],
      ["COMPLETED"],
    ]);
  });

  test("keeps nothing of the event once it was sent", async () => {
    await build(await sending({ subject: "{{event.secret}}" }));
    await track("a@example.com", "signup", { secret: { value: "s3cret", persistent: false } });
    await service.runJobs();
    const [row] = await service.pool`select status, data from emails where project_id = ${project.id}`;

    expect([subjects(), row]).toEqual([["s3cret"], { status: "SENT", data: null }]);
  });
});
