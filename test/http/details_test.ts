// Answers that a list or a page needs in full: mails with what they said, one domain, one project, who is logged in.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let member: Person;
const api = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { key: project.secret, ...(body !== undefined && { body }) });

beforeAll(async () => {
  project = await service.createProject();
  member = await signUp(service);
  await join(service, member, project.id, "MEMBER");
});

describe("GET /emails", () => {
  const list = async (query: string) => (await api("GET", `/emails?${query}`)).body.data as { id: string }[];

  beforeAll(async () => {
    await api("POST", "/v1/send", {
      to: [{ email: "ada@example.com", name: "Ada" }, "bob@example.com"],
      from: { email: `shop@${DOMAIN}`, name: "Shop" },
      subject: "Receipt {{n}}",
      body: "B",
    });
  });

  test("shows recipient, subject and sender of each", async () => {
    const [bob, ada] = await list("limit=2");

    expect(ada).toMatchObject({
      to: "ada@example.com",
      toName: "Ada",
      subject: "Receipt {{n}}",
      from: `shop@${DOMAIN}`,
      fromName: "Shop",
      type: "TRANSACTIONAL",
      templateId: null,
      workflowId: null,
    });
    expect((await api("GET", `/emails/${bob!.id}`)).body).toEqual(bob);
  });

  test("finds those to an address, however it is written", async () => {
    expect(await list("to=%20ADA@example.com%20")).toMatchObject([{ to: "ada@example.com" }]);
    expect(await list("to=nobody@example.com")).toEqual([]);
  });

  test("finds those of a time", async () => {
    const [today, tomorrow] = [0, 1].map((days) =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10),
    );

    expect(await list(`from=${today}&until=${today}`)).toHaveLength(2);
    expect(await list(`from=${tomorrow}`)).toEqual([]);
    expect(await list("until=2020-01-01")).toEqual([]);
    expect((await api("GET", "/emails?from=soon")).status).toBe(400);
  });

  test("forgets the address with the contact", async () => {
    const { contactId } = (await list("to=bob@example.com"))[0] as unknown as { contactId: string };
    await api("DELETE", `/contacts/${contactId}`);
    const left = (await list("limit=100")) as unknown as { to: string | null; subject: string }[];

    expect(left.map(({ to }) => to).sort()).toEqual([null, "ada@example.com"].sort());
    expect(left.every(({ subject }) => subject === "Receipt {{n}}")).toBe(true);
  });
});

describe("GET /domains/:id", () => {
  test("is the domain of the list", async () => {
    const [domain] = (await api("GET", `/domains/project/${project.id}`)).body;

    expect((await api("GET", `/domains/${domain.id}`)).body).toEqual(domain);
    expect((await api("GET", "/domains/nonsense")).status).toBe(404);
  });
});

describe("GET /projects/:id", () => {
  test("shows the settings to a member, with the role, and to the key without one", async () => {
    const own = await member.request("GET", `/projects/${project.id}`);
    const byKey = await api("GET", `/projects/${project.id}`);

    expect(own.body).toMatchObject({
      id: project.id,
      role: "MEMBER",
      tracking: expect.any(String),
      sendRate: null,
    });
    expect(byKey.body).toEqual({ ...own.body, role: null });
    expect(JSON.stringify(own.body)).not.toContain(project.secret);
  });

  test("is nobody else's", async () => {
    const stranger = await signUp(service);

    expect((await stranger.request("GET", `/projects/${project.id}`)).status).toBe(403);
  });
});

describe("GET /auth/session", () => {
  test("is 200 with who is logged in, and with null for a stranger and for a session that has ended", async () => {
    const person = await signUp(service);
    const before = await person.request("GET", "/auth/session");
    await person.request("GET", "/auth/logout");
    const after = await person.request("GET", "/auth/session");
    const stranger = await service.request("GET", "/auth/session");

    expect([before.status, before.body.user.email]).toEqual([200, person.email]);
    expect(before.body.expiresAt).toEqual(expect.any(String));
    expect([after.status, after.body]).toEqual([200, { user: null }]);
    expect([stranger.status, stranger.body]).toEqual([200, { user: null }]);
  });
});
