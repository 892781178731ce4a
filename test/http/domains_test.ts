import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createPublicKey } from "node:crypto";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { createTemplate } from "../../src/content/templates.ts";
import { type Context, inTransaction } from "../../src/context.ts";
import { createApp } from "../../src/http/mod.ts";
import { createDns } from "../../src/mail/dns.ts";
import { createCampaign } from "../../src/sending/campaigns/mod.ts";
import { MAX_DOMAINS } from "../../src/sending/domains/mod.ts";
import { untilBlocked } from "../support/locks.ts";
import { type NameServer, startNameServer } from "../support/name_server.ts";
import { type Answer, DOMAIN, useService } from "../support/service.ts";

const service = useService({ INBOUND_HOST: "Mail.Host.Example", SPF_INCLUDE: "amazonses.com" });
const UNKNOWN = "01900000-0000-7000-8000-000000000000";
let names: NameServer;
let app: ReturnType<typeof createApp>;
let project: NewProject;

beforeAll(async () => {
  names = await startNameServer();
  app = createApp({ ...service, dns: createDns({ servers: [names.address], timeoutMs: 300 }) });
});
afterAll(() => names.stop());

beforeEach(async () => {
  project = await service.createProject();
  service.setNow(new Date());
});

async function call(method: string, path: string, body?: unknown, key = project.secret) {
  const response = await app.handle(
    new Request(`http://localhost${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, body: isJson ? JSON.parse(text) : text } as Answer;
}

const add = async (domain: string, key?: string) => (await call("POST", "/domains", { domain }, key)).body;
const list = async (segment: string = project.id, key?: string) =>
  (await call("GET", `/domains/project/${segment}`, undefined, key)).body;
const verify = (id: string, key?: string) => call("GET", `/domains/${id}/verify`, undefined, key);
const remove = (id: string, key?: string) => call("DELETE", `/domains/${id}`, undefined, key);
const publish = ({ records: [dkim] }: { records: { name: string; value: string }[] }) =>
  names.set(dkim!.name, "TXT", [dkim!.value.match(/.{1,255}/g)!]);
const later = (seconds: number) => service.setNow(new Date(service.now().getTime() + seconds * 1000));
const errorsOf = ({ body }: Answer) =>
  body.error.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
const namesOf = (domains: { domain: string }[]) => domains.map(({ domain }) => domain);

describe("POST /domains", () => {
  test("answers 201 with the domain and every record that it needs", async () => {
    const { status, body } = await call("POST", "/domains", { domain: " News.Acme.Example. " });
    const [selector] = body.dkimTokens;
    const spf = "v=spf1 include:amazonses.com ~all";
    const nothing = { status: "PENDING", found: [], reason: null };
    const advice = { required: false, ...nothing };

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      domain: "news.acme.example",
      verified: false,
      status: "PENDING",
      dkimTokens: [expect.stringMatching(/^[a-z0-9]+$/)],
      records: [
        {
          type: "TXT",
          name: `${selector}._domainkey.news.acme.example`,
          value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]+=*$/),
          purpose: "DKIM",
          required: true,
          ...nothing,
        },
        { type: "TXT", name: "news.acme.example", value: spf, purpose: "SPF", ...advice },
        {
          type: "MX",
          name: "bounces.news.acme.example",
          value: "mail.host.example",
          priority: 10,
          purpose: "RETURN_PATH",
          ...advice,
        },
        { type: "TXT", name: "bounces.news.acme.example", value: spf, purpose: "RETURN_PATH", ...advice },
        {
          type: "TXT",
          name: "_dmarc.news.acme.example",
          value: "v=DMARC1; p=none;",
          purpose: "DMARC",
          ...advice,
        },
      ],
      lastCheckedAt: null,
      projectId: project.id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const key = Buffer.from(body.records[0].value.split("p=")[1], "base64");
    expect(createPublicKey({ key, format: "der", type: "spki" }).asymmetricKeyDetails?.modulusLength).toBe(
      2048,
    );
  });

  test("takes a name in any script, in its ASCII form", async () => {
    expect((await add("Bücher.Example")).domain).toBe("xn--bcher-kva.example");
    expect((await call("POST", "/domains", { domain: "xn--bcher-kva.example" })).status).toBe(409);
  });

  test.each([
    ["nothing", {}, ["domain required"]],
    ["a number", { domain: 5 }, ["domain invalid_type"]],
    ["an empty name", { domain: "" }, ["domain invalid_string"]],
    ["an address", { domain: "ada@acme.example" }, ["domain invalid_string"]],
    ["a single label", { domain: "localhost" }, ["domain invalid_string"]],
    ["a public suffix", { domain: "co.uk" }, ["domain invalid_string"]],
    ["an IP address", { domain: "192.0.2.1" }, ["domain invalid_string"]],
    ["a URL", { domain: "https://acme.example/" }, ["domain invalid_string"]],
    ["a project that is no id", { domain: "acme.example", projectId: "mine" }, ["projectId invalid_string"]],
    ["two faults", { domain: "x".repeat(501), projectId: 5 }, ["domain too_big", "projectId invalid_type"]],
  ])("%s is 422 with every bad field, and nothing is added", async (_, body, errors) => {
    const answer = await call("POST", "/domains", body);

    expect([answer.status, errorsOf(answer).toSorted()]).toEqual([422, errors]);
    expect(namesOf(await list())).toEqual([DOMAIN]);
  });

  test("may name the project of the key, and no other", async () => {
    const other = await service.createProject();
    const own = await call("POST", "/domains", {
      domain: "acme.example",
      projectId: project.id.toUpperCase(),
    });
    const theirs = await call("POST", "/domains", { domain: "b.example", projectId: other.id });
    const nobodys = await call("POST", "/domains", { domain: "b.example", projectId: UNKNOWN });

    expect([own.status, own.body.projectId]).toEqual([201, project.id]);
    expect([theirs, nobodys].map(({ status, body }) => [status, body.error.code])).toEqual([
      [403, "PROJECT_ACCESS_DENIED"],
      [403, "PROJECT_ACCESS_DENIED"],
    ]);
    expect(namesOf(await list(other.id, other.secret))).toEqual([DOMAIN]);
  });

  test("that the project has already is 409; of ten at once one adds it", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        call("POST", "/domains", { domain: i % 2 ? "race.example" : "RACE.example." }),
      ),
    );
    const again = await call("POST", "/domains", { domain: "Race.Example" });

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)]);
    expect([again.status, again.body.error.code, again.body.error.details]).toEqual([
      409,
      "CONFLICT",
      { domain: "race.example" },
    ]);
    expect(namesOf(await list())).toEqual(["race.example", DOMAIN]);
  });

  test("adds a domain that another project has verified, and that one's proof is not borrowed", async () => {
    const other = await service.createProject();
    const theirs = await add("shared.example", other.secret);
    publish(theirs);
    const verified = await verify(theirs.id, other.secret);
    const ours = await add("shared.example");
    const checked = await verify(ours.id);
    const sent = await call("POST", "/v1/send", { ...MAIL, from: "x@shared.example" });

    expect([verified.body.verified, checked.body.verified]).toEqual([true, false]);
    expect(ours.dkimTokens).not.toEqual(theirs.dkimTokens);
    expect(ours.records[0].value).not.toBe(theirs.records[0].value);
    expect(sent.status).toBe(403);
  });

  test(`stops at ${MAX_DOMAINS} domains`, async () => {
    await service.pool`
      insert into domains (project_id, domain)
      select ${project.id}, n || '.example' from generate_series(2, ${MAX_DOMAINS}::int) as n`;
    const { status, body } = await call("POST", "/domains", { domain: "more.example" });

    expect([status, body.error.code]).toEqual([409, "CONFLICT"]);
    expect(await list()).toHaveLength(MAX_DOMAINS);
  });

  test(`of six at once makes no more than ${MAX_DOMAINS} domains`, async () => {
    await service.pool`
      insert into domains (project_id, domain)
      select ${project.id}, n || '.example' from generate_series(2, ${MAX_DOMAINS - 2}::int) as n`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => call("POST", "/domains", { domain: `more${i}.example` })),
    );

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409, 409]);
    expect(await list()).toHaveLength(MAX_DOMAINS);
  });

  test("never shows the private key, neither in an answer nor in the log", async () => {
    const domain = await add("secret.example");
    const answers = JSON.stringify([domain, await list(), (await verify(domain.id)).body]);
    const [row] = await service.pool`select dkim_private_key from domains where id = ${domain.id}`;
    const log = JSON.stringify(service.lines);

    for (const text of [answers, log]) {
      expect(text).not.toContain("PRIVATE");
      expect(text).not.toContain(row!.dkimPrivateKey.toString("base64").slice(20, 60));
    }
    expect(Object.keys(domain)).not.toContain("dkimPrivateKey");
  });
});

describe("GET /domains/project/:projectId", () => {
  test("is a bare array of the key's project by name, whatever stands in the path", async () => {
    const other = await service.createProject();
    const made = [await add("b.example"), await add("a.example")];
    const byId = await list();

    expect(namesOf(byId)).toEqual(["a.example", "b.example", DOMAIN]);
    expect(byId.slice(0, 2)).toEqual(made.toReversed());
    for (const segment of ["me", other.id, "%20", UNKNOWN]) expect(await list(segment)).toEqual(byId);
    expect(namesOf(await list(project.id, other.secret))).toEqual([DOMAIN]);
  });

  test("shows a domain that the operator vouches for: verified, without a key until it is checked", async () => {
    const [trusted] = await list();
    await verify(trusted.id);
    const [checked] = await list();

    expect(trusted).toMatchObject({ domain: DOMAIN, verified: true, status: "VERIFIED", dkimTokens: [] });
    expect(checked).toMatchObject({ verified: true, records: [{ purpose: "DKIM", status: "MISSING" }, {}, {}, {}, {}] }); // prettier-ignore
    expect(checked.dkimTokens).toHaveLength(1);
  });
});

/** Goes on when this waits for a lock, or has an answer. */
async function whenItWaits(promise: Promise<Answer>): Promise<{ promise: Promise<Answer> }> {
  await untilBlocked(service.pool, {}, promise);
  return { promise };
}

const MAIL = { to: "ada@example.com", subject: "Hi", body: "<p>Hello</p>" };

describe("GET /domains/:id/verify", () => {
  test("looks the records up, and once the key is there mail can be sent from the domain", async () => {
    const domain = await add("shop.acme.example");
    const send = () => call("POST", "/v1/send", { ...MAIL, from: "x@shop.acme.example" });
    const refused = await send();
    const before = await verify(domain.id);
    publish(domain);
    later(31);
    const after = await verify(domain.id);
    const sent = await send();

    expect([refused.status, refused.body.error.code, refused.body.error.details.reason]).toEqual([
      403,
      "INTERNAL_SERVER_ERROR",
      "SENDER_DOMAIN_NOT_VERIFIED",
    ]);
    expect(refused.body.error.suggestion).toContain("publish its DNS records");
    expect(before.body).toEqual({
      domain: "shop.acme.example",
      verified: false,
      status: "PENDING",
      records: domain.records.map((record: object) => ({
        ...record,
        status: "MISSING",
        reason: expect.stringMatching(/^There is no (TXT|SPF|MX|DMARC) record at this name$/),
      })),
    });
    expect([after.status, Object.keys(after.body)]).toEqual([
      200,
      ["domain", "verified", "status", "records"],
    ]);
    expect([after.body.verified, after.body.status, after.body.records[0].status]).toEqual([
      true,
      "VERIFIED",
      "VERIFIED",
    ]);
    expect(sent.status).toBe(200);
    expect((await list())[0]).toMatchObject({ status: "VERIFIED", lastCheckedAt: expect.any(String) });
  });

  test("answers with what is known within 30 s of a look-up, and looks again after them", async () => {
    const domain = await add("floor.example");
    await verify(domain.id);
    publish(domain);
    later(29);
    const known = await verify(domain.id);
    later(2);
    const looked = await verify(domain.id);

    expect([known.status, known.body.status, looked.body.status]).toEqual([200, "PENDING", "VERIFIED"]);
  });

  test.each([UNKNOWN, "nonsense", "me"])("of %s is 404", async (id) => {
    for (const { status, body } of [await verify(id), await remove(id)]) {
      expect([status, body.error.code, body.error.details]).toEqual([
        404,
        "RESOURCE_NOT_FOUND",
        { resource: "domain", id },
      ]);
    }
  });
});

describe("DELETE /domains/:id", () => {
  test("is 204, the domain cannot be sent from any more, and may be added again with another key", async () => {
    const [{ id }] = await list();
    const first = await remove(id);
    const second = await remove(id);
    const sent = await call("POST", "/v1/send", { ...MAIL, from: `x@${DOMAIN}` });
    const one = await add("again.example");
    await remove(one.id);
    const two = await add("again.example");

    expect([first.status, first.body, second.status, sent.status]).toEqual([204, "", 404, 403]);
    expect(two.dkimTokens).not.toEqual(one.dkimTokens);
    expect(namesOf(await list())).toEqual(["again.example"]);
  });

  test("is 409 while a template or an unsent campaign sends from it, and says which", async () => {
    const [{ id }] = await list();
    const from = `News@${DOMAIN}`;
    const content = { name: "Spring", subject: "s", body: "b" };
    const template = (await call("POST", "/templates", { ...content, from })).body;
    const campaign = (await call("POST", "/campaigns", { ...content, from, audienceType: "ALL" })).body.data;
    const statuses = [];
    for (const status of ["DRAFT", "SCHEDULED", "SENDING", "SENT"]) {
      await service.pool`update campaigns set status = ${status} where id = ${campaign.id}`;
      const { status: answered, body } = await remove(id);
      statuses.push([answered, body.error.code, body.error.details]);
    }
    await call("DELETE", `/templates/${template.id}`);
    await service.pool`update campaigns set status = 'SENDING' where id = ${campaign.id}`;
    const sending = await remove(id);
    await service.pool`update campaigns set status = 'CANCELLED' where id = ${campaign.id}`;
    const free = await remove(id);

    const templates = [{ id: template.id, name: "Spring" }];
    const open = (status: string) => [{ id: campaign.id, name: "Spring", status }];
    expect(statuses).toEqual([
      [409, "CONFLICT", { templates, campaigns: open("DRAFT") }],
      [409, "CONFLICT", { templates, campaigns: open("SCHEDULED") }],
      [409, "CONFLICT", { templates, campaigns: open("SENDING") }],
      [409, "CONFLICT", { templates, campaigns: [] }],
    ]);
    expect([sending.status, free.status]).toEqual([409, 204]);
  });

  const CONTENT = { name: "Spring", subject: "s", body: "b" };
  const ADDRESS = `x@${DOMAIN}`;

  test.each([
    ["makes a template", () => call("POST", "/templates", { ...CONTENT, from: ADDRESS })],
    ["changes the sender of a template", (id) => call("PATCH", `/templates/${id}`, { from: ADDRESS })],
    [
      "makes a campaign",
      () => call("POST", "/campaigns", { ...CONTENT, from: ADDRESS, audienceType: "ALL" }),
    ],
    ["sends a mail", () => call("POST", "/v1/send", { ...MAIL, from: ADDRESS })],
  ] as [string, (templateId: string) => Promise<Answer>][])(
    "that is about to be done: a request that %s waits for it, and is refused",
    async (_, write) => {
      await service.pool`
        insert into domains (project_id, domain, status) values (${project.id}, 'other.example', 'VERIFIED')`;
      const { id } = (await call("POST", "/templates", { ...CONTENT, from: "x@other.example" })).body;
      const writing = await service.pool.begin(async (sql) => {
        await sql`delete from domains where project_id = ${project.id} and domain = ${DOMAIN}`;
        return await whenItWaits(write(id));
      });

      expect((await writing.promise).body.error.details.reason).toBe("SENDER_DOMAIN_NOT_VERIFIED");
    },
  );

  test.each([
    [
      "template",
      (tx: Context) => createTemplate(tx, project.id, { ...CONTENT, from: ADDRESS }).then(() => undefined),
    ],
    [
      "campaign",
      (tx: Context) =>
        createCampaign(tx, project.id, { ...CONTENT, from: ADDRESS, audienceType: "ALL" }).then(
          () => undefined,
        ),
    ],
  ])("waits for a %s that is being written, and is then refused because of it", async (_, write) => {
    const [{ id }] = await list();
    const removing = await inTransaction(service, async (tx) => {
      await write(tx);
      return await whenItWaits(remove(id));
    });

    expect((await removing.promise).status).toBe(409);
    expect(namesOf(await list())).toEqual([DOMAIN]);
  });

  test("is not hindered by a sender of a sub-domain, of a longer name, or of another project", async () => {
    const other = await service.createProject();
    const content = { name: "Spring", subject: "s", body: "b" };
    await call("POST", "/templates", { ...content, from: `x@${DOMAIN}` }, other.secret);
    for (const domain of [`sub.${DOMAIN}`, `my${DOMAIN}`]) {
      await service.pool`
        insert into domains (project_id, domain, status) values (${project.id}, ${domain}, 'VERIFIED')`;
      expect((await call("POST", "/templates", { ...content, from: `x@${domain}` })).status).toBe(201);
    }
    const own = (await list()).find(({ domain }: { domain: string }) => domain === DOMAIN);

    expect((await remove(own.id)).status).toBe(204);
  });

  test("of twenty at once one removes it", async () => {
    const { id } = await add("race.example");
    const answers = await Promise.all(Array.from({ length: 20 }, () => remove(id)));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(19).fill(404)]);
  });

  test("while it is being checked leaves no domain, and the check is 404 or what it found before", async () => {
    for (let i = 0; i < 10; i++) {
      const domain = await add(`gone${i}.example`);
      publish(domain);
      const [checked, removed] = await Promise.all([verify(domain.id), remove(domain.id)]);

      expect([200, 404]).toContain(checked.status);
      expect(removed.status).toBe(204);
    }
    expect(namesOf(await list())).toEqual([DOMAIN]);
  });
});

test("the domains of one project are neither checked nor removed by another", async () => {
  const other = await service.createProject();
  const { id } = await add("mine.example");
  const asked = names.queries.length;
  const answers = [await verify(id, other.secret), await remove(id, other.secret)];

  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  expect(names.queries.length).toBe(asked);
  expect(namesOf(await list())).toEqual(["mine.example", DOMAIN]);
});
