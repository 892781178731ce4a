// The inbox of a project in production: its members see, mark and delete its mails, its key reads them, nobody else does.
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { dropExpired } from "../../src/insight/retention.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { DOMAIN, useService } from "../support/service.ts";

const SECRET_KEY = "a secret that only the tests know, 32+";
const service = useService({ SMTP_URL: "", NODE_ENV: "production", SECRET_KEY });
const operator = { authorization: `Basic ${Buffer.from(`ada:${SECRET_KEY}`).toString("base64")}` };

let shop: NewProject;
let other: NewProject;
let member: Person;
let outsider: Person;

beforeAll(async () => {
  [shop, other] = [await service.createProject(), await service.createProject()];
  [member, outsider] = [await signUp(service), await signUp(service)];
  await join(service, member, shop.id, "MEMBER");
  await join(service, outsider, other.id, "OWNER");
  await service.runJobs();
});

beforeEach(async () => {
  await service.pool`delete from captured_mails`;
});

const send = async (project: NewProject, to: string, subject: string) => {
  const body = { to, from: `hello@${DOMAIN}`, subject, body: `<p>${subject}</p>` };
  const { body: answer } = await service.request("POST", "/v1/send", { key: project.secret, body });
  await service.runJobs();
  // Before Postgres 18 ids are in order by the millisecond only.
  await Bun.sleep(2);
  return answer.data.emails[0].email as string;
};

const ask = (method: string, path: string, body?: unknown) =>
  member.request(method, path, body, { projectId: shop.id });
const asOperator = (method: string, path: string, body?: unknown) =>
  service.request(method, path, { headers: operator, ...(body !== undefined && { body }) });
const list = async (query = "") => (await ask("GET", `/inbox/mails${query}`)).body;
const subjectsOf = (page: { data: { subject: string }[] }) => page.data.map(({ subject }) => subject);

describe("a member", () => {
  test("sees the captured mails of the project, each with its row in the ledger, and no others", async () => {
    const emailId = await send(shop, "ada@example.com", "Your receipt");
    await send(other, "ada@example.com", "Not yours");
    await signUp(service);
    await service.runJobs();

    const page = await list();
    const inQuery = await member.request("GET", `/inbox/mails?projectId=${shop.id}`);

    expect(page).toEqual({
      data: [
        {
          id: expect.any(String),
          projectId: shop.id,
          emailId,
          from: expect.stringContaining("@"),
          to: "ada@example.com",
          subject: "Your receipt",
          capturedAt: expect.any(String),
          readAt: null,
        },
      ],
      cursor: null,
      hasMore: false,
      estimated: false,
      total: 1,
      unread: 1,
    });
    expect(inQuery.body).toEqual(page);
    expect((await ask("GET", `/emails/${emailId}`)).body.status).toBe("CAPTURED");
  });

  test("searches, filters by recipient and by what is unread, and pages through", async () => {
    await send(shop, "ada@example.com", "100% off");
    await send(shop, "Grace@Example.com", "1000 offers");
    await send(shop, "ada@example.com", "Receipt");
    const [newest] = (await list()).data;
    await ask("PATCH", `/inbox/mails/${newest.id}`, { read: true });

    expect(subjectsOf(await list("?search=OFF"))).toEqual(["1000 offers", "100% off"]);
    expect(subjectsOf(await list("?search=100%25"))).toEqual(["100% off"]);
    expect(subjectsOf(await list("?search=grace"))).toEqual(["1000 offers"]);
    expect(await list("?search=_")).toMatchObject({ data: [], total: 0, unread: 2 });
    expect(subjectsOf(await list("?to=ADA@example.com"))).toEqual(["Receipt", "100% off"]);
    expect(subjectsOf(await list("?to=ada"))).toEqual([]);
    expect(subjectsOf(await list("?read=false"))).toEqual(["1000 offers", "100% off"]);
    expect(subjectsOf(await list("?read=true&to=ada@example.com"))).toEqual(["Receipt"]);

    const first = await list("?limit=2");
    const second = await list(`?limit=2&cursor=${first.cursor}`);
    expect([subjectsOf(first), first.hasMore, first.total]).toEqual([["Receipt", "1000 offers"], true, 3]);
    expect([subjectsOf(second), second.hasMore, second.cursor]).toEqual([["100% off"], false, null]);
  });

  test("marks one and all as read and unread, deletes one and all, and the ledger keeps them", async () => {
    const emailId = await send(shop, "ada@example.com", "One");
    await send(shop, "ada@example.com", "Two");
    await send(other, "ada@example.com", "Theirs");
    const [two, one] = (await list()).data;

    const marked = await ask("PATCH", `/inbox/mails/${one.id}`, { read: true });
    const again = await ask("PATCH", `/inbox/mails/${one.id}`, { read: true });
    expect(marked.body).toEqual({ ...one, readAt: expect.any(String) });
    expect(again.body.readAt).toBe(marked.body.readAt);
    expect((await list()).unread).toBe(1);
    expect((await ask("PATCH", `/inbox/mails/${one.id}`, { read: false })).body.readAt).toBeNull();
    expect((await ask("PATCH", "/inbox/mails", { read: true })).body).toEqual({ updated: 2 });
    expect((await list()).unread).toBe(0);
    expect((await ask("DELETE", `/inbox/mails/${two.id}`)).status).toBe(204);
    expect((await ask("DELETE", `/inbox/mails/${two.id}`)).status).toBe(404);
    expect(subjectsOf(await list())).toEqual(["One"]);
    expect((await ask("DELETE", "/inbox/mails")).status).toBe(204);

    expect(await list()).toMatchObject({ data: [], total: 0 });
    const left = await service.pool`select subject, read_at from captured_mails`;
    expect([...left]).toEqual([{ subject: "Theirs", readAt: null }]);
    expect((await ask("GET", `/emails/${emailId}`)).body.status).toBe("CAPTURED");
  });

  test("marks and deletes several at once, and passes over what is not there or somebody else’s", async () => {
    for (const subject of ["One", "Two", "Three"]) await send(shop, "ada@example.com", subject);
    await send(other, "ada@example.com", "Theirs");
    const [theirs] = await service.pool`select id from captured_mails where subject = 'Theirs'`;
    const [three, two, one] = (await list()).data;
    const ids = [one.id, two.id, theirs!.id, crypto.randomUUID()];

    expect((await ask("PATCH", "/inbox/mails", { read: true, ids })).body).toEqual({ updated: 2 });
    expect((await ask("PATCH", "/inbox/mails", { read: true, ids })).body).toEqual({ updated: 0 });
    expect((await list("?read=false")).data.map(({ id }: { id: string }) => id)).toEqual([three.id]);
    expect((await ask("POST", "/inbox/mails/delete", { ids })).body).toEqual({ deleted: 2 });
    expect(subjectsOf(await list())).toEqual(["Three"]);
    for (const wrong of [
      {},
      { ids: [] },
      { ids: ["x"] },
      { ids: Array.from({ length: 501 }, () => one.id) },
    ]) {
      expect((await ask("POST", "/inbox/mails/delete", wrong)).status).toBe(422);
    }
    const left = await service.pool`select subject, read_at from captured_mails order by id`;
    expect([...left].map(({ subject, readAt }) => [subject, readAt])).toEqual([
      ["Three", null],
      ["Theirs", null],
    ]);
  });

  test("reads what a mail says, and reading it through the API marks nothing", async () => {
    await send(shop, "ada@example.com", "Grüße 🎉");
    const [{ id }] = (await list()).data;

    const mail = (await ask("GET", `/inbox/mails/${id}`)).body;
    const source = await ask("GET", `/inbox/mails/${id}/source`);

    expect(mail).toMatchObject({
      id,
      subject: "Grüße 🎉",
      to: "ada@example.com",
      hasHtml: true,
      readAt: null,
    });
    expect(mail.html).toContain("<p>Grüße 🎉</p>");
    expect(mail.text).toContain("Grüße 🎉");
    expect(source.body).toContain(`Message-ID: <${mail.emailId}@${DOMAIN}>`);
    expect((await ask("GET", `/inbox/mails/${id}/attachments/0`)).status).toBe(404);
  });

  test.each([
    ["PATCH", "", { read: "yes" }, 422],
    ["PATCH", "", {}, 422],
    ["GET", "?read=maybe", undefined, 400],
    ["GET", "?unread=true", undefined, 400],
    ["GET", "?cursor=x", undefined, 400],
    ["GET", "?after=x", undefined, 400],
  ])("is told what is wrong with %s %s %j, and nothing changes", async (method, query, body, status) => {
    await send(shop, "ada@example.com", "One");

    const answer = await ask(method, `/inbox/mails${query}`, body);

    expect([answer.status, answer.body.success]).toEqual([status, false]);
    expect((await list()).unread).toBe(1);
  });
});

describe("somebody else", () => {
  test("a member of another project sees, marks and deletes none of it, by its id neither", async () => {
    await send(shop, "ada@example.com", "Secret");
    const [{ id }] = (await list()).data;
    const paths = ["", "/html", "/source", "/attachments/0"].map((part) => `/inbox/mails/${id}${part}`);
    const theirs = (method: string, path: string, body?: unknown, projectId = other.id) =>
      outsider.request(method, path, body, { projectId });

    for (const path of paths) expect([path, (await theirs("GET", path)).status]).toEqual([path, 404]);
    expect((await theirs("PATCH", `/inbox/mails/${id}`, { read: true })).status).toBe(404);
    expect((await theirs("DELETE", `/inbox/mails/${id}`)).status).toBe(404);
    expect((await theirs("DELETE", "/inbox/mails")).status).toBe(204);
    expect((await theirs("GET", "/inbox/mails", undefined, shop.id)).body.error.code).toBe(
      "PROJECT_ACCESS_DENIED",
    );
    expect((await outsider.request("GET", "/inbox/mails")).status).toBe(400);
    expect((await list()).unread).toBe(1);
  });

  test("the secret key reads the mails of its own project, and changes nothing", async () => {
    await send(shop, "ada@example.com", "One");
    await send(other, "ada@example.com", "Theirs");
    const byKey = (method: string, path: string, body?: unknown) =>
      service.request(method, path, { key: shop.secret, ...(body !== undefined && { body }) });
    const [{ id }] = (await list()).data;

    expect(subjectsOf((await byKey("GET", "/inbox/mails")).body)).toEqual(["One"]);
    expect((await byKey("GET", `/inbox/mails/${id}`)).body.subject).toBe("One");
    expect((await byKey("GET", `/inbox/mails?projectId=${other.id}`)).body.error.code).toBe(
      "PROJECT_ACCESS_DENIED",
    );
    for (const [method, path, body] of [
      ["PATCH", `/inbox/mails/${id}`, { read: true }],
      ["PATCH", "/inbox/mails", { read: true }],
      ["DELETE", `/inbox/mails/${id}`, undefined],
      ["DELETE", "/inbox/mails", undefined],
    ] as const) {
      const { status, body: answer } = await byKey(method, path, body);
      expect([method, path, status, answer.error.message]).toEqual([
        method,
        path,
        401,
        "Cannot do this with an API key: a session is required",
      ]);
    }
    expect((await list()).unread).toBe(1);
  });

  test("the page of another site deletes nothing with a member's cookie", async () => {
    await send(shop, "ada@example.com", "One");
    const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };

    const { status } = await member.request("DELETE", "/inbox/mails", undefined, {
      projectId: shop.id,
      headers,
    });

    expect([status, (await list()).total]).toEqual([403, 1]);
  });

  test("nobody gets in without a session, a key or the password, and a browser is asked for one", async () => {
    const nobody = await service.request("GET", "/inbox/mails");
    const ended = await service.request("GET", `/inbox/mails?projectId=${shop.id}`, {
      headers: { cookie: "postrider_session=x" },
    });

    expect([nobody.status, nobody.headers.get("www-authenticate")]).toEqual([
      401,
      'Basic realm="Postrider inbox", charset="UTF-8"',
    ]);
    expect([ended.status, ended.headers.get("www-authenticate")]).toEqual([401, null]);
    expect((await service.request("GET", "/inbox")).status).toBe(401);
    expect((await member.request("GET", "/inbox")).status).toBe(200);
    expect((await member.request("GET", "/inbox/projects")).status).toBe(401);
  });
});

describe("the operator", () => {
  test("sees all projects and the mails of the installation, or one project, and deletes within it", async () => {
    await send(shop, "ada@example.com", "Ours");
    await send(other, "ada@example.com", "Theirs");
    await service.pool`insert into captured_mails (from_address, to_address, subject, source)
      values ('p@mail.example', 'x@people.example', 'Reset your password', '')`;
    const of = async (query = "") => subjectsOf((await asOperator("GET", `/inbox/mails${query}`)).body);

    expect(await of()).toEqual(["Reset your password", "Theirs", "Ours"]);
    expect(await of(`?projectId=${other.id}`)).toEqual(["Theirs"]);
    expect(
      (await asOperator("GET", "/inbox/projects")).body.data.map(({ id }: NewProject) => id).sort(),
    ).toEqual([shop.id, other.id].sort());
    expect((await asOperator("DELETE", `/inbox/mails?projectId=${other.id}`)).status).toBe(204);
    expect(await of()).toEqual(["Reset your password", "Ours"]);
    const { status } = await service.request("DELETE", "/inbox/mails", {
      headers: { ...operator, origin: "https://evil.example" },
    });
    expect([status, (await of()).length]).toEqual([403, 2]);
  });
});

describe("what is kept", () => {
  test("a copy goes with the bodies of its age, and a younger one stays", async () => {
    await send(shop, "ada@example.com", "Old");
    const databaseNow = async () => service.now();
    const later = (days: number) => service.setNow(new Date(Date.now() + days * 86_400_000));
    later(service.config.RETENTION_BODIES_DAYS - 1);
    await dropExpired(service, { databaseNow });
    const before = await service.pool`select from captured_mails`;
    later(service.config.RETENTION_BODIES_DAYS + 1);
    await dropExpired(service, { databaseNow });
    service.setNow(new Date());

    expect([before.length, (await list()).total]).toEqual([1, 0]);
  });

  test("a project that sends a lot takes no other one's place", async () => {
    await send(other, "ada@example.com", "Theirs");
    await service.pool`insert into captured_mails (project_id, from_address, to_address, subject, source)
      select ${shop.id}, 'a@acme.test', 'b@acme.test', 'old ' || n, '' from generate_series(1, 700) n`;
    // The process has counted mails of this project before: the fiftieth looks again.
    for (let i = 0; i < 50; i++) await service.mailer.send(bare(`new ${i}`));

    const page = await list("?limit=500");
    expect(page.total).toBeLessThan(560);
    expect(page.data[0].subject).toBe("new 49");
    expect(subjectsOf((await service.request("GET", "/inbox/mails", { key: other.secret })).body)).toEqual([
      "Theirs",
    ]);
  });

  const bare = (subject: string) => ({
    origin: { projectId: shop.id, emailId: Bun.randomUUIDv7() },
    messageId: "1@acme.test",
    envelope: { from: "a@acme.test", to: "b@acme.test" },
    subject,
    source: Buffer.from("Subject: s\r\n\r\n"),
  });
});
