// All that is known of one contact, and what is left of it when it is deleted.
import { beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";
import { fillProject } from "../support/whole_project.ts";

const service = useService();
let project: NewProject;
let contact: { id: string; email: string };

const ask = (method: string, path: string, key = project.secret) => service.request(method, path, { key });

beforeEach(async () => {
  project = await service.createProject();
  const { pool } = service;
  await fillProject(pool, project.id, 5);
  const [row] =
    await pool`select id, email from contacts where project_id = ${project.id} order by id limit 1`;
  contact = row as typeof contact;
  // More than a page of each.
  await pool`
    insert into events (project_id, contact_id, name, data)
    select ${project.id}, ${contact.id}, 'e' || n % 7, jsonb_build_object('n', n) from generate_series(1, 250) as n`;
  await pool`
    insert into emails (project_id, contact_id, address, source_type, status, due_at, queued_at, subject)
    select ${project.id}, ${contact.id}, ${contact.email}, 'TRANSACTIONAL', 'SENT', now(), now(), 'Hello ' || n
    from generate_series(1, 1100) as n`;
  await pool`
    insert into executions (project_id, workflow_id, version_id, contact_id, is_only, status, context, completed_at)
    select project_id, workflow_id, id, ${contact.id}, false, 'COMPLETED', '{"plan": "pro"}', now()
    from workflow_versions, generate_series(1, 45) where project_id = ${project.id}`;
});

const countOf = async (table: string): Promise<number> => {
  const [row] = await service.pool`
    select count(*)::int as n from ${service.pool(table)} where project_id = ${project.id} and contact_id = ${contact.id}`;
  return row!.n as number;
};

describe("GET /contacts/export/:id", () => {
  test("has everything once, beyond any page", async () => {
    const { status, headers, body } = await ask("GET", `/contacts/export/${contact.id}`);
    const ids = (name: string): string[] => body[name].map((row: { id: string }) => row.id);

    expect(status).toBe(200);
    expect(headers.get("content-disposition")).toBe(`attachment; filename="contact-${contact.id}.json"`);
    expect(body.contact).toMatchObject(contact);
    for (const name of ["events", "emails", "executions"]) {
      expect([name, ids(name).length, new Set(ids(name)).size]).toEqual([
        name,
        await countOf(name),
        await countOf(name),
      ]);
    }
    expect(body.emails.at(-1)).toMatchObject({ to: contact.email, subject: "Hello 1100", status: "SENT" });
    expect(body.executions.at(-1)).toMatchObject({ workflowName: "W", context: { plan: "pro" }, steps: [] });
    expect(body.executions.flatMap(({ steps }: { steps: object[] }) => steps).length).toBeGreaterThan(0);
    expect(body.segments.map(({ name }: { name: string }) => name).toSorted()).toEqual(["List", "Pro"]);
    expect(body.suppression).toBeNull();
  });

  test("is of nobody else: another project, an unknown id and a text that is none get 404", async () => {
    const other = await service.createProject();
    const answers = await Promise.all([
      ask("GET", `/contacts/export/${contact.id}`, other.secret),
      ask("GET", `/contacts/export/${Bun.randomUUIDv7()}`),
      ask("GET", "/contacts/export/ada"),
    ]);

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(3).fill([404, "CONTACT_NOT_FOUND"]),
    );
  });
});

describe("DELETE /contacts/:id", () => {
  test("leaves a receipt in the audit log, with the hash that its mails have, and no address", async () => {
    const [events, emails, executions] = [
      await countOf("events"),
      await countOf("emails"),
      await countOf("executions"),
    ];
    const answers = [
      await ask("DELETE", `/contacts/${contact.id}`),
      await ask("DELETE", `/contacts/${contact.id}`),
      await ask("GET", `/contacts/export/${contact.id}`),
    ];
    const hash = createHash("sha256").update(`${project.id} ${contact.email}`).digest("hex");
    const lines = await service.pool`
      select actor_kind, subject, details from audit where project_id = ${project.id} and action = 'contact.erased'`;
    const [kept] = await service.pool`
      select count(*)::int as mails from emails where project_id = ${project.id} and address = ${hash}`;

    expect(answers.map(({ status }) => status)).toEqual([204, 404, 404]);
    expect([...lines]).toEqual([
      { actorKind: "KEY", subject: hash, details: { events, emails, executions, segments: 2 } },
    ]);
    expect(kept!.mails).toBe(emails);
  });
});
