// Every endpoint that takes an address reads it in the same way: trimmed, in lower case, the domain in its DNS form.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { type Person, signUp } from "../support/accounts.ts";
import { type Answer, DOMAIN, useService } from "../support/service.ts";
import { withoutReferences } from "../support/openapi.ts";

const service = useService({ PLATFORM_FROM: "hello@platform.example" });

let project: NewProject;
let owner: Person;
let visitor: Person;
let projectId: string;
let paths: Record<"template" | "campaign" | "contact" | "segment", string>;

const asKey = (method: string, path: string, body: unknown) =>
  service.request(method, path, { key: path === "/v1/track" ? project.public : project.secret, body });

const MESSAGE = { subject: "s", body: "<p>b</p>", from: `hello@${DOMAIN}` };
const CAMPAIGN = { name: "c", ...MESSAGE, audienceType: "ALL" };
const TEMPLATE = { name: "t", ...MESSAGE, type: "TRANSACTIONAL" };
const PASSWORD = "correct horse battery";

/** All or nothing, so that a refusal is that of the request. */
const asBatch = (message: object) =>
  asKey("POST", "/v1/send/batch", { atomic: true, messages: [{ ...MESSAGE, ...message }] });

/** What the document calls a field, and a request that has this address in it. */
const PLACES: [field: string, call: (email: string) => Promise<Answer>][] = [
  ["POST /v1/track email", (email) => asKey("POST", "/v1/track", { email, event: "e" })],
  ["POST /v1/send to", (to) => asKey("POST", "/v1/send", { ...MESSAGE, to })],
  ["POST /v1/send to.email", (email) => asKey("POST", "/v1/send", { ...MESSAGE, to: { email } })],
  ["POST /v1/send to.[]", (to) => asKey("POST", "/v1/send", { ...MESSAGE, to: [to] })],
  ["POST /v1/send to.[].email", (email) => asKey("POST", "/v1/send", { ...MESSAGE, to: [{ email }] })],
  ["POST /v1/send cc", (cc) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", cc })],
  [
    "POST /v1/send cc.email",
    (email) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", cc: { email } }),
  ],
  ["POST /v1/send cc.[]", (cc) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", cc: [cc] })],
  [
    "POST /v1/send cc.[].email",
    (email) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", cc: [{ email }] }),
  ],
  ["POST /v1/send bcc", (bcc) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", bcc })],
  [
    "POST /v1/send bcc.email",
    (email) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", bcc: { email } }),
  ],
  ["POST /v1/send bcc.[]", (bcc) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", bcc: [bcc] })],
  [
    "POST /v1/send bcc.[].email",
    (email) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", bcc: [{ email }] }),
  ],
  ["POST /v1/send reply", (reply) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", reply })],
  ["POST /v1/send replyTo", (replyTo) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", replyTo })],
  [
    "POST /v1/send replyTo.[]",
    (email) => asKey("POST", "/v1/send", { ...MESSAGE, to: "a@b.io", replyTo: [email] }),
  ],
  ["POST /v1/send/batch messages.[].to", (to) => asBatch({ to })],
  ["POST /v1/send/batch messages.[].to.email", (email) => asBatch({ to: { email } })],
  ["POST /v1/send/batch messages.[].to.[]", (to) => asBatch({ to: [to] })],
  ["POST /v1/send/batch messages.[].to.[].email", (email) => asBatch({ to: [{ email }] })],
  ["POST /v1/send/batch messages.[].cc", (cc) => asBatch({ to: "a@b.io", cc })],
  ["POST /v1/send/batch messages.[].cc.email", (cc) => asBatch({ to: "a@b.io", cc: { email: cc } })],
  ["POST /v1/send/batch messages.[].cc.[]", (cc) => asBatch({ to: "a@b.io", cc: [cc] })],
  ["POST /v1/send/batch messages.[].cc.[].email", (cc) => asBatch({ to: "a@b.io", cc: [{ email: cc }] })],
  ["POST /v1/send/batch messages.[].bcc", (bcc) => asBatch({ to: "a@b.io", bcc })],
  ["POST /v1/send/batch messages.[].bcc.email", (bcc) => asBatch({ to: "a@b.io", bcc: { email: bcc } })],
  ["POST /v1/send/batch messages.[].bcc.[]", (bcc) => asBatch({ to: "a@b.io", bcc: [bcc] })],
  ["POST /v1/send/batch messages.[].bcc.[].email", (bcc) => asBatch({ to: "a@b.io", bcc: [{ email: bcc }] })],
  ["POST /v1/send/batch messages.[].reply", (reply) => asBatch({ to: "a@b.io", reply })],
  ["POST /v1/send/batch messages.[].replyTo", (replyTo) => asBatch({ to: "a@b.io", replyTo })],
  ["POST /v1/send/batch messages.[].replyTo.[]", (email) => asBatch({ to: "a@b.io", replyTo: [email] })],
  [
    "POST /routes/test to",
    (to) => asKey("POST", "/routes/test", { type: "TRANSACTIONAL", from: `hello@${DOMAIN}`, to }),
  ],
  ["POST /v1/verify email", (email) => asKey("POST", "/v1/verify", { email })],
  ["POST /contacts email", (email) => asKey("POST", "/contacts", { email })],
  ["PATCH /contacts/{id} email", (email) => asKey("PATCH", paths.contact, { email })],
  ["POST /campaigns replyTo", (replyTo) => asKey("POST", "/campaigns", { ...CAMPAIGN, replyTo })],
  ["PATCH /campaigns/{id} replyTo", (replyTo) => asKey("PATCH", paths.campaign, { replyTo })],
  ["PUT /campaigns/{id} replyTo", (replyTo) => asKey("PUT", paths.campaign, { ...CAMPAIGN, replyTo })],
  ["POST /campaigns/{id}/test email", (email) => asKey("POST", `${paths.campaign}/test`, { email })],
  ["POST /templates replyTo", (replyTo) => asKey("POST", "/templates", { ...TEMPLATE, replyTo })],
  ["PATCH /templates/{id} replyTo", (replyTo) => asKey("PATCH", paths.template, { replyTo })],
  ["POST /templates/{id}/test email", (email) => asKey("POST", `${paths.template}/test`, { email })],
  ["POST /events/track email", (email) => asKey("POST", "/events/track", { event: "e", email })],
  ["POST /suppressions email", (email) => asKey("POST", "/suppressions", { email })],
  ["POST /suppressions emails.[]", (email) => asKey("POST", "/suppressions", { emails: [email] })],
  ["DELETE /suppressions email", (email) => asKey("DELETE", "/suppressions", { email })],
  [
    "POST /auth/signup email",
    (email) => visitor.request("POST", "/auth/signup", { email, password: PASSWORD }),
  ],
  [
    "POST /auth/login email",
    (email) => visitor.request("POST", "/auth/login", { email, password: PASSWORD }),
  ],
  [
    "POST /auth/request-verification email",
    (email) => visitor.request("POST", "/auth/request-verification", { email }),
  ],
  [
    "POST /auth/request-password-reset email",
    (email) => visitor.request("POST", "/auth/request-password-reset", { email }),
  ],
  ["POST /users/@me/email email", (email) => owner.request("POST", "/users/@me/email", { email })],
  [
    "POST /projects/{id}/members email",
    (email) => owner.request("POST", `/projects/${projectId}/members`, { email }),
  ],
];

/** Senders have to be of a verified domain, and the recipient of a transport's test is a member: tested apart. */
const SENDERS = [
  "POST /transports/{id}/test to",
  "POST /transports/{id}/test from",
  "POST /routes/test from",
  "POST /v1/send from",
  "POST /v1/send from.email",
  "POST /v1/send/batch messages.[].from",
  "POST /v1/send/batch messages.[].from.email",
  "POST /campaigns from",
  "PUT /campaigns/{id} from",
  "PATCH /campaigns/{id} from",
  "POST /templates from",
  "POST /moves sender",
  "PATCH /templates/{id} from",
];

const SPELLINGS = [
  [" \tAda@Example.com \n", "ada@example.com"],
  ["a@müller.de", "a@xn--mller-kva.de"],
  ["A@MÜLLER。DE", "a@xn--mller-kva.de"],
] as const;

const REFUSED = [
  `a@${"b".repeat(64)}.test`,
  `${"a".repeat(65)}@example.com`,
  `a@${"b.".repeat(50_000)}test`,
  `a@${"ü".repeat(63)}.de`,
  "a@xn--.",
  "a b@example.com",
  "ada",
];

beforeAll(async () => {
  project = await service.createProject();
  owner = await signUp(service);
  visitor = await signUp(service);
  await service.sql`update users set email_verified_at = now() where id = ${owner.userId}`;
  projectId = (await owner.request("POST", "/users/@me/projects", { name: "P" })).body.id;
  const made = async (path: string, body: object) => {
    const { body: answer } = await asKey("POST", path, body);
    return `${path}/${(answer.data ?? answer).id}`;
  };
  paths = {
    template: await made("/templates", TEMPLATE),
    campaign: await made("/campaigns", CAMPAIGN),
    contact: await made("/contacts", { email: "someone@example.com" }),
    segment: await made("/segments", { name: "s", type: "STATIC" }),
  };
});

describe("an address", () => {
  test("is tried at every place that the document has for one", async () => {
    const document = withoutReferences((await service.request("GET", "/openapi.json")).body);
    const tried = new Set([...PLACES.map(([place]) => place), ...SENDERS]);
    const missed = addressesOf(document).filter((place) => !tried.has(place));

    expect(missed).toEqual([]);
  });

  test.each(["POST", "PATCH"])("of a template's sender is taken in any spelling: %s", async (method) => {
    const path = method === "POST" ? "/templates" : paths.template;
    const { status, body } = await asKey(method, path, {
      ...TEMPLATE,
      from: ` \tHello@${DOMAIN.toUpperCase()} `,
    });

    expect([status < 300, (body.data ?? body).from]).toEqual([true, `hello@${DOMAIN}`]);
  });

  test.each(PLACES)("%s: is taken in any spelling", async (_, call) => {
    for (const [spelling] of SPELLINGS) {
      const { status, body } = await call(spelling);
      // Somebody else may have it by now, or nobody: that is no matter of spelling.
      expect([spelling, status, status < 300 || [401, 404, 409].includes(status) ? null : body]).toEqual([
        spelling,
        status,
        null,
      ]);
    }
  });

  test.each(PLACES)("%s: is refused with 422 where it is none", async (_, call) => {
    for (const wrong of REFUSED) {
      const { status, body } = await call(wrong);
      // Or the body is larger than one of this endpoint can be.
      const isRefused = status === 422 ? body.error.code === "VALIDATION_ERROR" : status === 413;
      expect([wrong.slice(0, 70), status, isRefused]).toEqual([wrong.slice(0, 70), status, true]);
    }
  });

  test("is stored alike wherever it came in", async () => {
    const stored = await service.sql`
      select email from contacts
      union select email from suppressions
      union select reply_to from contents where reply_to is not null
      union select reply_to from campaigns where reply_to is not null
      union select reply_to from templates where reply_to is not null
      union select email from users
      union select email from invitations
    `;
    const ours = ["a@b.io", "someone@example.com", owner.email, visitor.email];
    const addresses = new Set(
      stored.map((row) => row.email as string).filter((email) => !ours.includes(email)),
    );

    expect([...addresses].sort()).toEqual([...new Set(SPELLINGS.map(([, email]) => email))].sort());
  });
});

describe("an address that is looked for", () => {
  beforeAll(async () => {
    for (const [, email] of SPELLINGS) await asKey("POST", "/contacts", { email });
  });

  test.each(SPELLINGS)("%p is found by a look-up, a search and a segment", async (spelling, email) => {
    const found = await asKey("POST", "/contacts/lookup", { emails: [spelling] });
    const listed = await asKey("GET", `/contacts?search=${encodeURIComponent(spelling)}`, undefined);
    const members = await asKey("POST", `${paths.segment}/members`, { emails: [spelling] });
    const filter = { field: "email", operator: "equals", value: spelling };
    const condition = { logic: "AND", groups: [{ filters: [filter] }] };
    const segment = await asKey("POST", "/segments", { name: crypto.randomUUID(), condition });
    const live = await asKey("GET", `/segments/${segment.body.id}/contacts`, undefined);

    expect(found.body).toEqual({ found: [spelling], notFound: [] });
    expect(listed.body.data.map((contact: { email: string }) => contact.email)).toEqual([email]);
    expect(members.body.notFound).toEqual([]);
    expect(live.body.data.map((contact: { email: string }) => contact.email)).toEqual([email]);
  });
});

describe("a part of an address with letters beyond ASCII", () => {
  const EMAIL = "ada@xn--exmple-cua.de";

  beforeAll(async () => {
    await asKey("POST", "/v1/send", { ...MESSAGE, to: "ada@exämple.de" });
    await asKey("POST", "/v1/track", { email: "ada@exämple.de", event: "looked" });
    await asKey("POST", "/suppressions", { email: "ada@exämple.de" });
    await asKey("POST", `${paths.segment}/members`, { emails: ["ada@exämple.de"] });
    await service.sql`
      insert into captured_mails (project_id, from_address, to_address, subject, source)
      values (${project.id}, ${MESSAGE.from}, ${EMAIL}, 's', 'm')
    `;
  });

  test.each(["exämple", "EXÄMPLE.de", "@exämple.de", "ada@exämple", "Ada@Exämple.de", "exämple."])(
    "%s finds it in every list that is searched by addresses",
    async (part) => {
      const text = encodeURIComponent(part);
      const emailsOf = async (path: string, field = "email") => {
        const { body } = await asKey("GET", path, undefined);
        const rows: Record<string, string>[] = body.data ?? body.contacts;
        return [...new Set(rows.map((row) => row[field]))];
      };

      expect(await emailsOf(`/contacts?search=${text}`)).toEqual([EMAIL]);
      expect(await emailsOf(`${paths.segment}/contacts?search=${text}`)).toEqual([EMAIL]);
      expect(await emailsOf(`/emails?search=${text}`, "to")).toEqual([EMAIL]);
      expect(await emailsOf(`/suppressions?search=${text}`)).toEqual([EMAIL]);
      expect(await emailsOf(`/search?q=${text}`)).toEqual([EMAIL]);
      expect(await emailsOf(`/activity?search=${text}`, "contactEmail")).toEqual([EMAIL]);
      expect(await emailsOf(`/inbox/mails?search=${text}`, "to")).toEqual([EMAIL]);
    },
  );

  test("is a whole one where a whole one is asked for", async () => {
    const { body } = await asKey("GET", `/emails?to=${encodeURIComponent(" Ada@EXÄMPLE.de")}`, undefined);

    expect(body.data.map(({ to }: { to: string }) => to)).toEqual([EMAIL]);
  });
});

/** Where the document has an address in what comes in. */
function addressesOf(document: { paths: Record<string, Record<string, object>> }): string[] {
  const places = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const { requestBody = {}, parameters = [] } = operation as {
        requestBody?: { content?: Record<string, { schema: object }> };
        parameters?: { name: string; schema: object }[];
      };
      const bodies = Object.values(requestBody.content ?? {}).flatMap(({ schema }) => fieldsOf(schema, []));
      const given = parameters.flatMap(({ name, schema }) => fieldsOf(schema, [name]));
      return [...bodies, ...given].map((field) => `${method.toUpperCase()} ${path} ${field}`);
    }),
  );
  return [...new Set(places)];
}

function fieldsOf(schema: unknown, at: string[]): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const {
    format = "",
    anyOf = [],
    items,
    properties = {},
  } = schema as {
    format?: string;
    anyOf?: object[];
    items?: object;
    properties?: object;
  };
  return [
    ...(["email", "email-or-empty", "mailbox"].includes(format) ? [at.join(".")] : []),
    ...anyOf.flatMap((branch) => fieldsOf(branch, at)),
    ...fieldsOf(items, [...at, "[]"]),
    ...Object.entries(properties).flatMap(([name, inner]) => fieldsOf(inner, [...at, name])),
  ];
}
