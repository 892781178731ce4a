// A standard field of a contact is a row of `src/audience/standard_fields.ts`. For each row: what reads it knows it, and
// what cannot read it, because it is SQL or prose, says the same.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { compileCondition } from "../../src/audience/conditions/mod.ts";
import { OPERATORS } from "../../src/audience/conditions/fields.ts";
import {
  GIVEN_NAMES,
  STANDARD_FIELDS,
  STANDARD_NAMES,
  standardField,
  type StandardFieldName,
} from "../../src/audience/standard_fields.ts";
import type { Condition } from "../../src/audience/conditions/tree.ts";
import { holdRuns } from "../../src/automation/runs/run.ts";
import { conditionStep } from "../../src/automation/steps/condition.ts";
import { inTransaction } from "../../src/context.ts";
import { codesIn, readGuide, tableBelow } from "../support/guides.ts";
import { useService } from "../support/service.ts";
import { workflowsOf } from "../support/workflows.ts";

/** Columns of contacts that are no standard fields: keys, data, and what only SQL needs. */
const OTHER_COLUMNS = ["data", "id", "opted_out_at", "project_id", "was_subscribed"];

const service = useService();
let project: NewProject;
const { build, history } = workflowsOf(service, () => project);
const given: StandardFieldName[] = ["email", ...GIVEN_NAMES];

beforeAll(async () => {
  project = await service.createProject();
});

const call = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });

/** Two values of a kind, as a request gives them. */
const valuesOf = (name: StandardFieldName): [unknown, unknown] => {
  if (name === "email") return ["one@example.com", "two@example.com"];
  const { kind } = standardField(name);
  return kind === "boolean" ? [true, false] : kind === "text" ? ["one", "two"] : ["2020-01-31", "2021-01-31"];
};

/** The report of an import that is done. */
const imported = async (text: string, query = "") => {
  const { status, body } = await service.request("POST", `/contacts/imports?${query}`, {
    key: project.secret,
    headers: { "content-type": "text/csv" },
    raw: new TextEncoder().encode(text),
  });
  expect(status).toBe(202);
  await service.runJobs();
  return (await call("GET", `/contacts/imports/${body.jobId}`)).body;
};

let count = 0;
const someEmail = () => `c${count++}@example.com`;

/** A contact with a value for each field that can be given, but for what is said. */
const contactWith = async (values: Record<string, unknown> = {}) => {
  const usual = Object.fromEntries(given.map((name) => [name, valuesOf(name)[0]]));
  const { body, status } = await call("POST", "/contacts", { ...usual, email: someEmail(), ...values });
  expect(status).toBe(201);
  return body as Record<string, unknown> & { id: string };
};

test("the columns of contacts are those of the standard fields, and a few that are none", async () => {
  const rows = await service.pool`
    select attname as name from pg_attribute
    where attrelid = 'contacts'::regclass and attnum > 0 and not attisdropped`;
  const columns = Object.values(STANDARD_FIELDS).map(({ column }) => column as string);

  expect(rows.map((row) => row.name as string).toSorted()).toEqual([...columns, ...OTHER_COLUMNS].toSorted());
});

test("the guide has a row for each", () => {
  const { rows } = tableBelow(readGuide("contacts"), "Standard fields");

  expect(rows.map(([name, kind, by]) => [codesIn(name!)[0], kind, by!.startsWith("requests")])).toEqual(
    STANDARD_NAMES.map((name) => [name, standardField(name).kind, standardField(name).isGiven]),
  );
});

describe.each(STANDARD_NAMES)("%s", (name) => {
  const { kind, column } = standardField(name);

  test("stands in every answer that has a contact", async () => {
    const contact = await contactWith();
    const segment = (await call("POST", "/segments", { name: someEmail(), type: "STATIC" })).body;
    await call("POST", `/segments/${segment.id}/members`, { emails: [contact.email] });
    const one = await call("GET", `/contacts/${contact.id}`);
    const list = await call("GET", `/contacts?search=${contact.email as string}`);
    const members = await call("GET", `/segments/${segment.id}/contacts`);
    const patched = await call("PATCH", `/contacts/${contact.id}`, {});

    for (const shown of [contact, one.body, list.body.data[0], members.body.data[0], patched.body])
      expect(shown).toHaveProperty(name);
  });

  test("is a column of an export, and a field of its lines", async () => {
    const contact = await contactWith();
    const text = async (format: string) => {
      const url = `http://localhost/contacts/export?format=${format}&search=${contact.email as string}`;
      const headers = { authorization: `Bearer ${project.secret}` };
      return await (await service.app.handle(new Request(url, { headers }))).text();
    };
    const [header, cells] = (await text("csv")).split("\r\n").map((line) => line.split(","));

    expect(cells![header!.indexOf(name)]).toBe(String(contact[name]));
    expect(JSON.parse(await text("ndjson"))).toHaveProperty(name, contact[name]);
  });

  test("is listed among the fields of contacts, and of conditions of workflows", async () => {
    const contacts = (await call("GET", "/contacts/fields")).body.fields as { field: string }[];
    const workflows = (await call("GET", "/workflows/fields")).body.fields as string[];

    expect(contacts.map(({ field }) => field)).toContain(name);
    if (name !== "updatedAt") expect(workflows).toContain(`contact.${name}`);
  });

  test("takes every operator of its kind in a condition, the same for a contact and for one in a workflow", async () => {
    const [value] = valuesOf(name);
    const { id } = await contactWith();
    const workflow = await build({ steps: { Done: { type: "EXIT" } }, ways: ["Trigger > Done"] });
    const started = await call("POST", `/workflows/${workflow.id}/executions`, { contactId: id });
    for (const operator of OPERATORS[kind]) {
      const isSpan = operator === "within" || operator === "olderThan";
      const filter = { field: name, operator, value: isSpan ? 1 : value, ...(isSpan && { unit: "days" }) };
      const condition: Condition = { logic: "AND", groups: [{ filters: [filter as never] }] };
      const { stored, inMemory } = await inTransaction(service, async (tx) => {
        const compiled = compileCondition(tx.sql, project.id, condition, {
          now: tx.now(),
          segments: new Map(),
        });
        const found = await tx.sql`select from contacts c where c.id = ${id} and ${compiled}`;
        const runs = await holdRuns(tx, [{ projectId: project.id, id: started.body.id as string }]);
        const step = {
          id,
          type: "CONDITION",
          name: "Asks",
          templateId: null,
          config: { condition },
        } as never;
        const [outcome] = await conditionStep.perform(tx, step, [{ run: runs[0]!, entryId: id }]);
        return { stored: found.length === 1, inMemory: outcome as { branch: string } };
      });

      expect([operator, inMemory.branch]).toEqual([operator, stored ? "yes" : "no"]);
    }
    await service.runJobs();
    expect((await history(workflow.id)).status).toBe("EXITED");
  });

  // When a contact was created never changes.
  if (name !== "createdAt")
    test("has its contact looked at again by tracked segments when it changes", async () => {
      const [, value] = valuesOf(name);
      const { id } = await contactWith();
      const { body: segment } = await call("POST", "/segments", {
        name: someEmail(),
        trackMembership: true,
        condition: {
          logic: "AND",
          groups: [{ filters: [{ field: name, operator: "equals", value: valuesOf(name)[0] }] }],
        },
      });
      await service.runJobs();
      await service.pool`delete from segment_candidates`;
      await service.pool`update contacts set ${service.pool({ [column]: value as string })} where id = ${id}`;
      const candidates = await service.pool`select contact_id from segment_candidates`;
      await call("DELETE", `/segments/${segment.id}`);

      expect(candidates.map((row) => row.contactId as string)).toEqual([id]);
    });
});

describe.each(GIVEN_NAMES)("%s, which clients set,", (name) => {
  const [first, second] = valuesOf(name);

  test("is set by POST, changed by PATCH, and left as it is by a request that does not say it", async () => {
    const email = someEmail();
    const made = await contactWith({ email, [name]: second });
    const again = await call("POST", "/contacts", { email });
    const changed = await call("PATCH", `/contacts/${made.id}`, { [name]: first });
    const other = await call("PATCH", `/contacts/${made.id}`, { data: { plan: "pro" } });

    expect([made, again.body, changed.body, other.body].map((contact) => contact[name])).toEqual([
      second,
      second,
      first,
      first,
    ]);
  });

  test("is read from the column of its name in a file", async () => {
    const email = someEmail();
    await imported(`email,${name}\n${email},${String(second)}\n`);
    const { data } = (await call("GET", `/contacts?search=${email}`)).body;

    expect([data[0][name], data[0].data]).toEqual([second, {}]);
  });

  test("is shown as it would be by a dry run, which tells a change from none", async () => {
    const { email: same } = await contactWith({ [name]: second });
    const { email: other } = await contactWith({ [name]: first });
    const emails = [same, other, someEmail()] as string[];
    const file = `email,${name}\n${emails.map((email) => `${email},${String(second)}\n`).join("")}`;
    const { result } = await imported(file, "dryRun=true");

    expect(
      result.examples.map((example: Record<string, unknown>) => [example.action, example[name]]),
    ).toEqual([
      ["none", second],
      ["update", second],
      ["create", second],
    ]);
  });

  test("gets its old value back when an import is undone, unless somebody has changed it since", async () => {
    const { id } = await contactWith({ [name]: first });
    const { email } = (await call("GET", `/contacts/${id}`)).body;
    const file = `email,${name},plan\n${email},${String(second)},pro\n`;
    const undone = async (importId: string) => {
      await call("POST", `/contacts/imports/${importId}/undo`);
      await service.runJobs();
      const { undo } = (await call("GET", `/contacts/imports/${importId}`)).body;
      const { body } = await call("GET", `/contacts/${id}`);
      return { value: body[name], plan: body.data.plan, restored: undo.restoredCount };
    };

    expect(await undone((await imported(file)).id)).toEqual({
      value: first,
      plan: undefined,
      restored: 1,
    });

    const { id: again } = await imported(file);
    await call("PATCH", `/contacts/${id}`, { [name]: first, data: { plan: "team" } });
    expect(await undone(again)).toEqual({ value: first, plan: "team", restored: 0 });
  });
});
