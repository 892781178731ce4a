// Which events start workflows and wake executions, and where a chain of them ends.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { updateSegments } from "../../src/audience/segments/upkeep.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

const service = useService();
let project: NewProject;
const workflows = workflowsOf(service, () => project);
const { build, call, later, outcomes, path, recipients, states, history, template, track } = workflows;

const EXIT = { type: "EXIT" };
const on = (event: string, more: object = {}) =>
  build({ event, steps: { End: EXIT }, ways: ["Trigger > End"], ...more });
const mail = async (subject = "Hi") => ({ type: "SEND_EMAIL", template: await template({ subject }) });
const TOO_DEEP = /^Stopped: 20 workflows have led to this one/;

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterEach(async () => {
  service.smtp.behave({});
  service.setNow(new Date());
  await service.dropJobs();
  await service.pool`delete from workflows`;
});

/** Records an event as the service itself does. */
const record = (contactId: string, name: string, data: object = {}, emailId: string | null = null) =>
  service.pool`
    insert into events (project_id, contact_id, email_id, name, data, created_at)
    values (${project.id}, ${contactId}, ${emailId}, ${name}, ${service.pool.json(data as never)}, ${service.now()})`;
const jobs = async () =>
  (await service.jobs()).map(({ name }) => name).filter((name) => name !== "recheck_waits");

describe("a workflow starts", () => {
  test("at an entry into a segment, and another one at the exit", async () => {
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
    };
    const segment = { name: "Pro users", condition, trackMembership: true };
    await call("POST", "/segments", segment);
    const entry = await on("segment.pro-users.entry");
    const exit = await on("segment.pro-users.exit");
    await track("a@example.com", "signup", { plan: "pro" });
    await track("b@example.com", "signup");
    await updateSegments(service, project.id);
    await service.runJobs();
    const entered = [await outcomes(entry.id), await outcomes(exit.id)];
    await track("a@example.com", "left", { plan: "free" });
    await updateSegments(service, project.id);
    await service.runJobs();

    expect(entered).toEqual([{ a: "EXITED" }, {}]);
    expect(await outcomes(exit.id)).toEqual({ a: "EXITED" });
    expect((await history(entry.id)).context).toMatchObject({ event: { segmentName: "Pro users" } });
  });

  test("at a change of the subscription, once for each", async () => {
    const off = await on("contact.unsubscribed", { allowReentry: true });
    const back = await on("contact.subscribed", { allowReentry: true });
    const id = await track("a@example.com", "signup");
    for (const subscribed of [false, false, true, false]) {
      await call("PATCH", `/contacts/${id}`, { subscribed });
      await service.runJobs();
    }

    expect([await states(off.id), await states(back.id)]).toEqual([["EXITED", "EXITED"], ["EXITED"]]);
  });

  test("at what becomes of a mail; opens and clicks by machines start nothing", async () => {
    const names = [
      "email.sent",
      "email.bounce",
      "email.open",
      "email.click",
      "email.delivery",
      "email.complaint",
    ];
    const all = await Promise.all(names.map((name) => on(name)));
    service.smtp.behave({
      rcpt: (address) => (address.startsWith("gone") ? "550 5.1.1 No such user" : undefined),
    });
    const send = (to: string) =>
      service.request("POST", "/v1/send", {
        key: project.secret,
        body: { to, from: `hello@${DOMAIN}`, subject: "Hi", body: "Hi" },
      });
    await send("gone@example.com");
    const { contact, email } = (await send("here@example.com")).body.data.emails[0];
    await service.runJobs();
    const machine = { machine: true };
    await record(contact.id, "email.open", machine, email);
    await record(contact.id, "email.click", machine, email);
    await service.runJobs();
    const before = await Promise.all(all.map(({ id }) => outcomes(id)));
    for (const name of names.slice(2)) await record(contact.id, name, {}, email);
    await service.runJobs();

    expect(before).toEqual([{ here: "EXITED" }, { gone: "EXITED" }, {}, {}, {}, {}]);
    expect(await Promise.all(all.slice(2).map(({ id }) => outcomes(id)))).toEqual(
      Array(4).fill({ here: "EXITED" }),
    );
  });

  test("for each event of a call at most once, with the data of its event", async () => {
    const first = await on("signup");
    const second = await on("signup");
    await track("a@example.com", "signup", { plan: { value: "pro", persistent: false } });
    await service.runJobs();
    const both = [await history(first.id), await history(second.id)];

    expect(both.map(({ status, context }) => [status, context])).toEqual(
      Array(2).fill(["EXITED", { event: { plan: "pro" } }]),
    );
    expect(both[0]!.steps[0]).toEqual({
      step: "Trigger",
      status: "COMPLETED",
      output: { event: { id: expect.any(String), name: "signup" } },
      error: null,
    });
  });

  test("for its own project's events only, and not while it is disabled", async () => {
    const own = await on("signup");
    const disabled = await on("signup");
    await call("PATCH", `/workflows/${disabled.id}`, { enabled: false });
    const other = await service.createProject();
    await service.request("POST", "/v1/track", {
      key: other.public,
      body: { email: "o@example.com", event: "signup" },
    });
    await track("a@example.com");
    await service.runJobs();

    expect([await outcomes(own.id), await outcomes(disabled.id)]).toEqual([{ a: "EXITED" }, {}]);
  });
});

describe("an event that nobody listens to", () => {
  test("makes no job; one that somebody listens to makes one, and one that is waited for as well", async () => {
    await track("a@example.com", "looked");
    const without = await jobs();
    await build({
      steps: { "Paid?": { type: "WAIT_FOR_EVENT", eventName: "paid" } },
      ways: ["Trigger > Paid?"],
    });
    await track("a@example.com", "looked");
    await track("a@example.com", "paid");
    const notYet = await jobs();
    await track("a@example.com", "signup");
    const listened = await jobs();
    await service.runJobs();
    await track("b@example.com", "paid");
    await track("a@example.com", "paid");

    expect([without, notYet, listened, await jobs()]).toEqual([
      [],
      [],
      ["start_workflows"],
      ["start_workflows"],
    ]);
  });

  test("many at once share jobs of 500", async () => {
    await on("signup");
    const contactId = await track("a@example.com", "looked");
    await service.pool`
      insert into events (project_id, contact_id, name)
      select ${project.id}, ${contactId}, 'signup' from generate_series(1, 1200)`;
    const rows = await service.jobs();

    expect(rows.map((row) => row.payload.eventIds.length).toSorted((a, b) => a - b)).toEqual([200, 500, 500]);
    expect(new Set(rows.flatMap((row) => row.payload.eventIds)).size).toBe(1200);
  });
});

describe("very many events at once", () => {
  test("are more than one transaction walks with, and all of them come to their end", async () => {
    const { id } = await build({
      steps: { Set: { type: "UPDATE_CONTACT", updates: { set: true } }, End: EXIT },
      ways: ["Trigger > Set", "Set > End"],
    });
    await service.pool`
      with people as (
        insert into contacts (project_id, email, subscribed)
        select ${project.id}, 'p' || n || '@example.com', true from generate_series(1, 2600) as n
        returning project_id, id
      )
      insert into events (project_id, contact_id, name) select project_id, id, 'signup' from people`;
    await service.runJobs();
    const rows = await service.pool`
      select x.status, count(*)::int, (count(*) filter (where c.data ? 'set'))::int as set
      from executions x join contacts c on c.project_id = x.project_id and c.id = x.contact_id
      where x.workflow_id = ${id} group by x.status`;

    expect([...rows]).toEqual([{ status: "EXITED", count: 2_600, set: 2_600 }]);
  }, 240_000);
});

describe("a chain of workflows ends after 20", () => {
  test("when each mail sends the next one", async () => {
    const { id } = await build({
      event: "email.sent",
      allowReentry: true,
      steps: { Mail: await mail() },
      ways: ["Trigger > Mail"],
    });
    await service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to: "a@example.com", from: `hello@${DOMAIN}`, subject: "Hi", body: "Hi" },
    });
    await service.runJobs();

    expect(await states(id)).toEqual([...Array(20).fill("COMPLETED"), "FAILED"]);
    expect((await history(id)).exitReason).toMatch(TOO_DEEP);
    expect(recipients()).toHaveLength(21);
  });

  test("when one unsubscribes whom the other one subscribes", async () => {
    const action = (subscriptionAction: string) => ({
      Change: { type: "UPDATE_CONTACT", subscriptionAction },
    });
    const ways = ["Trigger > Change"];
    const off = await build({
      event: "contact.subscribed",
      allowReentry: true,
      steps: action("unsubscribe"),
      ways,
    });
    const back = await build({
      event: "contact.unsubscribed",
      allowReentry: true,
      steps: action("subscribe"),
      ways,
    });
    const contactId = await track("a@example.com", "signup");
    await call("PATCH", `/contacts/${contactId}`, { subscribed: false });
    await service.runJobs();

    expect(await states(back.id)).toEqual([...Array(10).fill("COMPLETED"), "FAILED"]);
    expect(await states(off.id)).toEqual(Array(10).fill("COMPLETED"));
    expect((await history(back.id)).exitReason).toMatch(TOO_DEEP);
  });

  test("when they push a contact into a segment and out of it", async () => {
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: "data.in", operator: "equals", value: true }] }],
    };
    await call("POST", "/segments", { name: "Loop", condition, trackMembership: true });
    const set = (value: boolean) => ({ Set: { type: "UPDATE_CONTACT", updates: { in: value } } });
    const ways = ["Trigger > Set"];
    const out = await build({ event: "segment.loop.entry", allowReentry: true, steps: set(false), ways });
    const back = await build({ event: "segment.loop.exit", allowReentry: true, steps: set(true), ways });
    await track("a@example.com", "signup", { in: true });
    for (let round = 0; round < 25; round++) {
      await updateSegments(service, project.id);
      await service.runJobs();
    }

    expect(await states(out.id)).toEqual([...Array(10).fill("COMPLETED"), "FAILED"]);
    expect(await states(back.id)).toEqual(Array(10).fill("COMPLETED"));
    expect((await history(out.id)).exitReason).toMatch(TOO_DEEP);
  });

  test("when two wait for each other in a circle", async () => {
    const circle = (subscriptionAction: string, eventName: string) => ({
      steps: {
        Change: { type: "UPDATE_CONTACT", subscriptionAction },
        Wait: { type: "WAIT_FOR_EVENT", eventName },
      },
      ways: ["Trigger > Wait", "Wait > Change", "Change > Wait"],
    });
    const off = await build(circle("unsubscribe", "contact.subscribed"));
    const back = await build(circle("subscribe", "contact.unsubscribed"));
    const contactId = await track("a@example.com");
    await service.runJobs();
    await call("PATCH", `/contacts/${contactId}`, { subscribed: false });
    await service.runJobs();
    const ended = [await history(off.id), await history(back.id)];

    expect(ended.map(({ status }) => status).toSorted()).toEqual(["FAILED", "WAITING"]);
    expect(ended.find(({ status }) => status === "FAILED")!.exitReason).toMatch(TOO_DEEP);
  });

  test("but what a person does with the mails leads no further: a mail at every click goes on for ever", async () => {
    const { id } = await build({
      event: "email.click",
      allowReentry: true,
      steps: { Mail: await mail() },
      ways: ["Trigger > Mail"],
    });
    const contactId = await track("a@example.com");
    await record(contactId, "email.click");
    await service.runJobs();
    for (let n = 0; n < 20; n++) {
      const [last] = await service.pool`select id from emails order by id desc limit 1`;
      await record(contactId, "email.click", {}, last!.id as string);
      await service.runJobs();
    }

    expect(await states(id)).toEqual(Array(21).fill("COMPLETED"));
  });

  test("but an execution that waits for its mails to be opened goes on as long as somebody opens them", async () => {
    const { id } = await build({
      steps: {
        Mail: await mail(),
        Opened: { type: "WAIT_FOR_EVENT", eventName: "email.open" },
        Week: { type: "DELAY", amount: 7, unit: "days" },
      },
      ways: ["Trigger > Mail", "Mail > Opened", "Opened > Week", "Week > Mail"],
    });
    const contactId = await track("a@example.com");
    await service.runJobs();
    for (let week = 1; week <= 21; week++) {
      const emailId = (await history(id)).steps.findLast(({ step }) => step === "Mail")!.output!.emailId;
      await record(contactId, "email.open", {}, String(emailId));
      await service.runJobs();
      await later(7, "days");
    }

    expect([await states(id), recipients().length]).toEqual([["WAITING"], 22]);
    expect((await path(id)).length).toBe(1 + 21 * 3 + 2);
  });
});
