// What a call of /v1/send may ask for beside its message: tags, tracking, headers of unsubscription, several addresses for
// replies.
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { readMail } from "../support/received_mail.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

beforeEach(() => {
  service.smtp.received.length = 0;
});

const basic = {
  to: "ada@example.com",
  from: `shop@${DOMAIN}`,
  subject: "Hi",
  body: '<p>Hello, <a href="https://shop.example/">look</a></p>',
};

const call = async (method: string, path: string, body?: unknown, key = project.secret) =>
  await service.request(method, path, { key, ...(body !== undefined && { body }) });

/** Sends it, and answers the ids of its mails. */
async function send(more: object = {}): Promise<string[]> {
  const { status, body } = await call("POST", "/v1/send", { ...basic, ...more });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data.emails.map(({ email }: { email: string }) => email);
}

/** Delivers what was accepted, and answers the first message that has arrived. */
async function arrived() {
  await service.runJobs();
  return await readMail(service.smtp.received[0]!.source);
}

/** The field and the code of each error of a refused request. */
async function errorsOf(more: object): Promise<string[]> {
  const { status, body } = await call("POST", "/v1/send", { ...basic, ...more });
  expect(status).toBe(422);
  return body.error.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
}

const TAGS = [
  { name: "category", value: "receipt" },
  { name: "shop_id", value: "42" },
];

describe("tags", () => {
  test("are in the record, in the events, and in what is sent again", async () => {
    const [id] = await send({ tags: TAGS });
    await service.runJobs();
    const record = (await call("GET", `/emails/${id}`)).body;
    const events = (await call("GET", `/emails/${id}/events`)).body;
    const again = (await call("POST", `/emails/${id}/resend`)).body;

    expect(record.tags).toEqual(TAGS);
    expect(events.find(({ name }: { name: string }) => name === "email.sent").data.tags).toEqual({
      category: "receipt",
      shop_id: "42",
    });
    expect(again.tags).toEqual(TAGS);
    const found = (await call("GET", "/emails?tag=shop_id:42")).body;
    expect(found.data.map((mail: { id: string }) => mail.id)).toEqual([again.id, id]);
    expect((await call("GET", `/emails/${(await send())[0]}`)).body.tags).toBeNull();
  });

  test("find mails, page by page in both directions, beside others of the project and of other projects", async () => {
    const other = await service.createProject();
    await call("POST", "/v1/send", { ...basic, tags: [{ name: "run", value: "a" }] }, other.secret);
    const tags = [{ name: "run", value: "a" }];
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      ids.push(...(await send({ tags, to: [`a${n}@example.com`, `b${n}@example.com`] })));
      await send({ tags: [{ name: "run", value: "b" }] });
    }
    const walk = async (query: string) => {
      const seen: string[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const path: string = `/emails?limit=4&${query}${cursor && `&cursor=${cursor}`}`;
        const { body } = await call("GET", path);
        seen.push(...body.data.map((mail: { id: string }) => mail.id));
        if (cursor === "") expect(body.total).toBe(ids.length);
        cursor = body.cursor;
      }
      return seen;
    };

    expect(await walk("tag=run:a")).toEqual(ids.toReversed());
    expect(await walk("tag=run:a&dir=asc")).toEqual(ids);
    const ofOne = (await call("GET", "/emails?tag=run:a&to=b2@example.com")).body;
    expect(ofOne.data.map((mail: { id: string }) => mail.id)).toEqual([ids[3]]);
    expect((await call("GET", "/emails?tag=run:c")).body).toMatchObject({ data: [], total: 0 });
    expect((await call("GET", "/emails?tag=run:a&until=2020-01-01")).body).toMatchObject({
      data: [],
      total: 0,
    });
    expect((await call("GET", "/emails?tag=run:a&status=SENT")).status).toBe(400);
    expect((await call("GET", "/emails?tag=run")).status).toBe(400);
  });

  test("have names and values of ASCII letters, digits, _ and -, each name once, ten at most", async () => {
    const tag = (name: string, value: string) => ({ tags: [{ name, value }] });
    expect(await errorsOf(tag("a:b", "x"))).toEqual(["tags.0.name invalid_string"]);
    expect(await errorsOf(tag("a", "ä"))).toEqual(["tags.0.value invalid_string"]);
    expect(await errorsOf(tag("a", ""))).toEqual(["tags.0.value too_small"]);
    expect(await errorsOf({ tags: [TAGS[0], TAGS[0]] })).toEqual(["tags.1.name custom"]);
    const many = Array.from({ length: 11 }, (_, i) => ({ name: `n${i}`, value: "1" }));
    expect(await errorsOf({ tags: many })).toEqual(["tags too_big"]);
  });
});

describe("tracking", () => {
  const follows = (html: string) => ({ opens: html.includes("/t/o/"), clicks: html.includes("/t/c/") });

  test.each([
    [undefined, { opens: true, clicks: true }],
    [true, { opens: true, clicks: true }],
    [false, { opens: false, clicks: false }],
    [{ opens: false }, { opens: false, clicks: true }],
    [{ clicks: false }, { opens: true, clicks: false }],
  ])("of a call goes over the setting of the project: %j", async (tracking, expected) => {
    const [id] = await send({ tracking });

    expect(follows((await arrived()).html as string)).toEqual(expected);
    service.smtp.received.length = 0;
    await call("POST", `/emails/${id}/resend`);
    expect(follows((await arrived()).html as string)).toEqual(expected);
  });

  test("can be asked for where the project tracks nothing", async () => {
    await service.pool`update projects set tracking = 'DISABLED' where id = ${project.id}`;
    await send({ tracking: { clicks: true } });
    const { html } = await arrived();
    await service.pool`update projects set tracking = 'ENABLED' where id = ${project.id}`;

    expect(follows(html as string)).toEqual({ opens: false, clicks: true });
  });
});

test("unsubscribe: a transactional mail has the headers of one-click unsubscription when it is asked for", async () => {
  const header = (mail: Awaited<ReturnType<typeof readMail>>, name: string) =>
    mail.headers.find(({ key }) => key === name)?.value;
  const [id] = await send({ unsubscribe: true });
  const mail = await arrived();
  const url = header(mail, "list-unsubscribe")!.slice(1, -1);

  expect(header(mail, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  const { body } = await call("GET", `/emails/${id}/content`);
  expect(body.headers["List-Unsubscribe"]).toBe(`<${url}>`);
  service.smtp.received.length = 0;
  await send({ unsubscribe: false });
  expect(header(await arrived(), "list-unsubscribe")).toBeUndefined();
});

describe("replyTo", () => {
  const many = Array.from({ length: 10 }, (_, i) => `help.of.the.shop.number.${i}@support.shop.example`);
  const attachments = [{ filename: "a.txt", content: btoa("hi"), contentType: "text/plain" }];

  test.each([
    ["help@shop.example", undefined],
    [["Help@shop.example", "sales@shop.example"], undefined],
    [many, undefined],
    [many, attachments],
  ])("is one address or several: %j, with the files %j", async (replyTo, files) => {
    await send({ replyTo, attachments: files });

    const { replyTo: said } = await arrived();
    expect(said!.map(({ address }) => address)).toEqual([replyTo].flat().map((each) => each.toLowerCase()));
    expect(service.smtp.received[0]!.source.split("\r\n").every((line) => line.length <= 998)).toBe(true);
  });

  test("goes without reply, and takes addresses alone", async () => {
    expect(await errorsOf({ reply: "a@b.io", replyTo: "c@d.io" })).toEqual(["replyTo custom"]);
    expect(await errorsOf({ replyTo: ["a@b.io", "nobody"] })).toEqual(["replyTo.1 invalid_string"]);
    expect(await errorsOf({ replyTo: [] })).toEqual(["replyTo too_small"]);
  });
});
