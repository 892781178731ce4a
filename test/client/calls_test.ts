// The client against the service: lists, versions, files, and a mail whose response is lost.
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OPERATIONS } from "../../src/client/api.gen.ts";
import { type Fetch, Postrider, PostriderError } from "../../src/client/mod.ts";
import rootPackage from "../../package.json";
import clientPackage from "../../src/client/package.json";
import type { ApiDocument } from "../support/api_types.ts";
import { clientApi } from "../support/client_api.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let key: string;
let asked: string[];
let postrider: Postrider;

const own: Fetch = async (url, init) => {
  asked.push(`${init.method} ${url.slice("http://localhost".length)}`);
  return await service.app.handle(new Request(url, init));
};
const clientOf = (secret: string, fetch = own) =>
  new Postrider({ baseUrl: "http://localhost/", key: secret, fetch });

beforeAll(async () => {
  key = (await service.createProject()).secret;
  await service.pool`
    insert into contacts (project_id, email, subscribed)
    select id, 'c' || n || '@example.com', true from projects, generate_series(1, 45) n`;
});

beforeEach(() => {
  asked = [];
  postrider = clientOf(key);
});

/** All items of a list. */
async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of list) found.push(item);
  return found;
}

test("what the client knows of the API is what the document says", async () => {
  const written = await Bun.file(new URL("../../src/client/api.gen.ts", import.meta.url)).text();
  const { body } = await service.request("GET", "/openapi.json");

  // `bun run api:types` writes it.
  expect(written === clientApi(body as ApiDocument)).toBe(true);
});

test("every endpoint that takes a key has one method, with a name of its own in its resource", async () => {
  const { body } = await service.request("GET", "/openapi.json");
  const withKey = Object.entries((body as ApiDocument).paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security?.some((one) => "secretKey" in one || "publicKey" in one))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const known = Object.values(OPERATIONS).flatMap((one) =>
    "endpoint" in one ? [one.endpoint] : Object.values(one).map(({ endpoint }) => endpoint as string),
  );

  expect(known.toSorted()).toEqual(withKey.toSorted());
  expect(known.length).toBeGreaterThan(100);
});

test("the package has the version of the service", () => {
  expect(clientPackage.version).toBe(rootPackage.version);
});

describe("a list", () => {
  test("is its first page when it is awaited", async () => {
    const { data, total, hasMore } = await postrider.contacts.list({ limit: 20 });

    expect([data.length, total, hasMore]).toEqual([20, 45, true]);
    expect(asked).toEqual(["GET /contacts?limit=20"]);
  });

  test("is all of its items in a loop, page by page, each once and with the same filter", async () => {
    const found = await all(postrider.contacts.list({ limit: 20, search: "c" }));

    expect(new Set(found.map(({ email }) => email)).size).toBe(45);
    expect(asked).toHaveLength(3);
    expect(asked.every((one) => one.includes("search=c"))).toBe(true);
  });

  test("asks for no page that nobody came to", async () => {
    for await (const { email } of postrider.contacts.list({ limit: 20 })) if (email !== "") break;

    expect(asked).toHaveLength(1);
  });

  test("is read by its pages where it has no cursor", async () => {
    for (const name of ["A", "B", "C"]) {
      await postrider.workflows.create({ name, eventName: "signed up" });
    }
    const found = await all(postrider.workflows.list({ pageSize: 2, sort: "name", dir: "asc" }));

    expect(found.map(({ name }) => name)).toEqual(["A", "B", "C"]);
  });

  test("is read by its cursor, whatever its items are called, and where it has pages, too", async () => {
    const members = await segment();
    for (const email of ["c1@example.com", "c2@example.com"]) {
      await postrider.events.trackAsMember({ event: "seen", email });
    }
    const events = await all(postrider.events.list({ limit: 1, eventName: "seen" }));
    asked = [];

    expect(events.map(({ name }) => name)).toEqual(["seen", "seen"]);
    expect(await all(postrider.segments.listMembers(members, { pageSize: 1 }))).toHaveLength(2);
    expect(asked[1]).toContain("cursor=");
  });

  test("that is refused is an error of the loop, and of nobody else", async () => {
    const outcome = await all(clientOf("sk_unknown").contacts.list()).catch((error: unknown) => error);

    expect((outcome as PostriderError).code).toBe("INVALID_API_KEY");
  });
});

async function segment(): Promise<string> {
  const { id } = await postrider.segments.create({ name: crypto.randomUUID(), type: "STATIC" });
  await postrider.segments.addMembers(id, { emails: ["c1@example.com", "c2@example.com"] });
  return id;
}

describe("a call", () => {
  test("gives the version of what it read, and is refused if that was changed since", async () => {
    const fields = { name: "T", subject: "S", body: "<p>B</p>", from: `a@${DOMAIN}` };
    const { id } = await postrider.templates.create(fields);
    const { answer, headers, status } = await postrider.templates.get(id).withResponse();
    const ifMatch = headers.get("etag")!;
    await postrider.templates.update(id, { subject: "Mine" }, { ifMatch });
    const late = await postrider.templates
      .update(id, { subject: "Theirs" }, { ifMatch })
      .catch((error: unknown) => error);

    expect([answer.subject, status, (late as PostriderError).status]).toEqual(["S", 200, 412]);
    expect((await postrider.templates.get(id)).subject).toBe("Mine");
    expect(await postrider.templates.delete(id)).toBeUndefined();
  });

  test("sends files and forms as they are, and returns a file to be read", async () => {
    const form = new FormData();
    form.set("file", new File(["email,plan\nform@example.com,pro\n"], "people.csv", { type: "text/csv" }));
    await postrider.contacts.import(form);
    await postrider.contacts.upload(new Blob(["email\nblob@example.com\n"]), { subscribed: "false" });
    await postrider.contacts.upload(new Blob(["email\nstream@example.com\n"]).stream());
    await service.runJobs();
    const file = await postrider.contacts.export({ format: "csv", search: "m@example.com" });
    const text = await file.text();

    expect(text).toContain("form@example.com");
    expect(text).toContain("stream@example.com");
    expect((await postrider.contacts.list({ search: "blob" })).data[0]?.subscribed).toBe(false);
  });

  test("encodes what stands in a path, so that it cannot be another one", async () => {
    const outcome = await postrider.contacts.get("../segments?x=1#").catch((error: unknown) => error);

    expect(asked).toEqual(["GET /contacts/..%2Fsegments%3Fx%3D1%23"]);
    expect((outcome as PostriderError).code).toMatch(/NOT_FOUND|VALIDATION_ERROR|BAD_REQUEST/);
  });

  test("a mail whose response is lost is sent once, and its repetition returns the ids", async () => {
    let isLost = false;
    const losing: Fetch = async (url, init) => {
      const response = await own(url, init);
      if (isLost) return response;
      isLost = true;
      await response.text();
      throw new TypeError("The connection was closed");
    };
    const mail = { to: "lost@example.com", from: `a@${DOMAIN}`, subject: "S", body: "B" };
    const { data } = await clientOf(key, losing).emails.send(mail);
    const rows = await service.pool`select id from emails where address = 'lost@example.com'`;

    expect(asked).toEqual(["POST /v1/send", "POST /v1/send"]);
    expect(data.emails.map(({ email }) => email)).toEqual(rows.map(({ id }) => id));
  });

  test("a batch whose response is lost is sent once, and its repetition returns the ids and what was refused", async () => {
    let lost: unknown = null;
    const losing: Fetch = async (url, init) => {
      const response = await own(url, init);
      if (lost !== null) return response;
      lost = await response.json();
      throw new TypeError("The connection was closed");
    };
    const mail = (to: string, from = `a@${DOMAIN}`) => ({ to, from, subject: "S", body: "B" });
    const messages = [mail("one@lost.example"), mail("two@lost.example", "a@elsewhere.example")];
    const { data } = await clientOf(key, losing).emails.sendBatch({ messages });
    const rows = await service.pool`select id from emails where address like '%@lost.example'`;

    expect(data[0] as object).toEqual((lost as { data: object[] }).data[0]!);
    expect(data[1]).toMatchObject({ success: false, error: { statusCode: 403 } });
    expect(rows).toHaveLength(1);
  });
});
