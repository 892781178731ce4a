import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { type PreviewInput, previewMessage } from "../../src/sending/compose/preview.ts";
import { readMail } from "../support/received_mail.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let contactId: string;

const contactData = { name: "Grace", plan: "pro", "first name": "Grace H.", "a.b": "dotted" };

beforeAll(async () => {
  project = await service.createProject();
  contactId = await contact(project, "grace@example.com", contactData);
});

const contact = async ({ secret }: NewProject, email: string, data: object) => {
  const { body } = await service.request("POST", "/contacts", { key: secret, body: { email, data } });
  return body.id as string;
};
const preview = (message: { subject?: string; html?: string }, input: PreviewInput = {}) =>
  previewMessage(
    service,
    project.id,
    { subject: "Hi", preheader: null, html: "<p>Hi</p>", type: "TRANSACTIONAL", ...message },
    input,
  );
const missing = async (html: string, data: Record<string, unknown> = {}) =>
  (await preview({ html }, { data })).missing;
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe("a preview", () => {
  test("is made for a contact of no project when none is given", async () => {
    const made = await preview({
      subject: "{{email}} {{subscribed}}",
      html: "{{id}} {{data}} {{unsubscribeUrl}} {{subscribeUrl}} {{manageUrl}}",
    });
    const base = service.config.BASE_URL;

    expect(made.subject).toBe("ada@example.com true");
    expect(made.html.replaceAll("&#x3D;", "=")).toBe(
      `00000000-0000-0000-0000-000000000000 {} ${base}/unsubscribe/preview ${base}/subscribe/preview ${base}/manage/preview`,
    );
  });

  test("is made for a contact, with its data and links", async () => {
    const made = await preview(
      { subject: "{{name}} {{email}}", html: "<p>{{data.plan}}</p>{{unsubscribeUrl}}" },
      { contactId },
    );

    expect(made).toMatchObject({ subject: "Grace grace@example.com", missing: [] });
    expect(made.html).toMatch(/^<p>pro<\/p>http.*\/unsubscribe\/[\w-]{40,}$/);
  });

  test("is what `POST /v1/send` sends to that contact with that data", async () => {
    const data = {
      plan: { value: "gold", persistent: false },
      city: "Oslo",
      name: null,
      email: "x@y.io",
      empty: "",
    };
    const subject = "{{name ?? nobody}} & {{plan}} {{email}} {{empty ?? nothing}}";
    const html = "<h1>{{plan}} & {{city}}</h1><p>{{first name}} {{{plan}}} {{data.name}}</p>";
    const made = await preview({ subject, html }, { contactId, data });
    await service.pool`update projects set tracking = 'DISABLED' where id = ${project.id}`;
    await service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to: "grace@example.com", from: `x@${DOMAIN}`, subject, body: html, data },
    });
    await service.runJobs();
    const mail = await readMail(service.smtp.received.at(-1)!.source);

    expect(made).toMatchObject({ subject: mail.subject!, html: mail.html!.trim(), text: mail.text!.trim() });
    expect(made.subject).toBe("nobody & gold grace@example.com nothing");
  });

  test("leaves the contact as it is, and sends and follows nothing", async () => {
    const before = await service.pool`
      select data, updated_at, (select count(*)::int from emails) as emails from contacts where id = ${contactId}`;
    const html = '<a href="https://a.example/">x</a></body>';
    const made = await preview({ html }, { contactId, data: { plan: "other", more: 1 } });

    expect(made.html).toBe(html);
    expect([
      ...(await service.pool`
        select data, updated_at, (select count(*)::int from emails) as emails from contacts where id = ${contactId}`),
    ]).toEqual([...before]);
  });

  test("escapes values in HTML, and neither in the subject nor in the text", async () => {
    const data = { evil: `<b>"R&D"</b>`, lines: "a\r\nBcc: b@c.io", code: "{{name}} {{#if x}}" };
    const made = await preview(
      { subject: "{{evil}} {{lines}} {{code}}", html: "<p>{{evil}} {{code}}</p><p>{{{evil}}}</p>" },
      { data },
    );

    expect(made.subject).toBe(`<b>"R&D"</b> a Bcc: b@c.io {{name}} {{#if x}}`);
    expect(made.html).toBe(
      `<p>&lt;b&gt;&quot;R&amp;D&quot;&lt;/b&gt; {{name}} {{#if x}}</p><p><b>"R&D"</b></p>`,
    );
    expect(made.text).toBe(`<b>"R&D"</b> {{name}} {{#if x}}\n\n"R&D"`);
  });

  test("is bounded: loops in loops end, and so does the output", async () => {
    const items = Array.from({ length: 3000 }, (_, i) => i);
    const rounds = await preview(
      { html: "{{#each items}}{{#each @root.items}}x{{/each}}{{/each}}" },
      { data: { items } },
    );
    const long = await preview(
      { html: `{{#each items}}${"{{text}}{{@root.text}}".repeat(5)}{{/each}}` },
      { data: { items, text: "y".repeat(10_000) } },
    );

    expect(rounds.html.length).toBeLessThan(10_000);
    expect(long.html.length).toBeLessThanOrEqual(5_000_000);
    expect(long.html.length).toBeGreaterThan(1_000_000);
  });

  test.each([
    ["of a large number", { n: Infinity }, "data.n"],
    ["of a key without letters", { "": 1 }, "data."],
    ["with a locale that is no text", { locale: 1 }, "data.locale"],
    ["of more than 64 KB", { text: "x".repeat(70_000) }, "data"],
  ])("refuses data %s, as `POST /v1/send` does", async (_, data, field) => {
    expect(await refusal(preview({}, { data }))).toMatchObject({
      status: 422,
      extras: { errors: [{ field }] },
    });
  });

  test("knows the contacts of its own project only", async () => {
    const other = await service.createProject();
    const stranger = await contact(other, "grace@example.com", { name: "Stranger" });

    for (const id of [stranger, crypto.randomUUID()]) {
      expect(await refusal(preview({}, { contactId: id }))).toMatchObject({
        status: 404,
        problemCode: "CONTACT_NOT_FOUND",
      });
    }
  });
});

describe("missing", () => {
  test("lists every variable without a value once, in the order of the subject and then the HTML", async () => {
    const made = await preview({
      subject: "{{b}} {{email}} {{data.x}}",
      html: "{{c}} {{b}} {{first name}} {{plan ?? Free}} {{upper d}} {{#if (eq e 1)}}{{f}}{{/if}} {{data.x}} {{x}}",
    });

    expect(made.missing).toEqual(["b", "data.x", "c", "first name", "plan", "d", "e", "x"]);
  });

  test.each([
    ["nothing where all is there", "{{n}}{{data.n}}", { n: 1 }, []],
    ["no value that is false, 0 or empty", "{{a}}{{b}}{{c}}{{d}}", { a: false, b: 0, c: "", d: [] }, []],
    ["null", "{{a}}{{data.a}}", { a: null }, ["a", "data.a"]],
    ["a part of a path", "{{a.b.c}}{{a.b}}", { a: { b: null } }, ["a.b.c", "a.b"]],
    ["no path that is one key", "{{[a.b]}}{{data.[a.b]}}", { "a.b": 1 }, []],
    [
      "nothing of JavaScript",
      "{{a.big}}{{b.constructor}}{{toString}}",
      { a: "x", b: {} },
      ["a.big", "b.constructor", "toString"],
    ],
    ["the list, of which nothing is shown", "{{#each list}}{{price}}{{/each}}", {}, ["list"]],
    [
      "nothing that is shown only where it is there",
      "{{#if a}}Dear {{a}}{{/if}}{{#unless b}}!{{/unless}}",
      {},
      [],
    ],
    ["what is shown where something else is not there", "{{#if a}}{{b}}{{else}}{{c}}{{/if}}", {}, ["c"]],
    ["what is in the branch that is shown", "{{#if a}}{{b}}{{else}}{{c}}{{/if}}", { a: 1 }, ["b"]],
    ["what is shown elsewhere without asking", "{{#if a}}{{a}}{{/if}}{{a}}", {}, ["a"]],
    ["what is compared, and not what follows", '{{#if (eq plan "pro")}}{{seats}}{{/if}}', {}, ["plan"]],
    [
      "what one round shows",
      "{{#each list}}{{#if on}}{{x}}{{/if}}{{/each}}",
      { list: [{}, { on: 1 }] },
      ["list.x"],
    ],
    [
      "what `with` is about where there is nothing, and not what is in it",
      "{{#with who}}{{name}}{{/with}}",
      { who: null },
      ["who"],
    ],
    [
      "what no item has",
      "{{#each list}}{{price}}{{name}}{{/each}}",
      { list: [{ name: null }, { name: "a" }] },
      ["list.price"],
    ],
    [
      "nothing of a list itself",
      "{{list.length}}{{list.0.a}}{{list.1.a}}",
      { list: [{ a: 1 }] },
      ["list.1.a"],
    ],
    ["nothing in a list without items", "{{#each list}}{{price}}{{/each}}", { list: [] }, []],
    [
      "what no item of an item has",
      "{{#each a}}{{#each b}}{{c}}{{d}}{{/each}}{{/each}}",
      { a: [{ b: [] }, { b: [{ c: 1 }] }] },
      [],
    ],
    ["what `with` is about", "{{#with who}}{{name}}{{city}}{{/with}}", { who: { name: "a" } }, ["who.city"]],
    [
      "what a named item lacks",
      "{{#each list as |item|}}{{item.a}}{{item.b}}{{@index}}{{/each}}",
      { list: [{ a: 1 }] },
      ["list.b"],
    ],
    ["what is outside of a block", "{{#each list}}{{../a}}{{@root.b}}{{/each}}", { list: [1] }, ["a", "b"]],
    ["an event, which comes with a workflow", "{{event.name}}", {}, ["event.name"]],
    ["a locale that nobody has said", "{{locale}}", {}, ["locale"]],
  ] as [string, string, Record<string, unknown>, string[]][])("has %s", async (_, html, data, expected) => {
    expect(await missing(html, data)).toEqual(expected);
  });

  test("is given up where a template and its data are made to take long", async () => {
    const variables = Array.from({ length: 700 }, (_, i) => `{{a${i}}}`).join("");
    const dots = Array(2_000).fill("a").join(".");
    const found = await missing(`{{first}}{{#each list}}${variables}{{${dots}}}{{/each}}`, {
      list: Array(30_000).fill(1),
    });

    expect(found[0]).toBe("first");
    expect(found.length).toBeLessThan(1000);
  });
});
