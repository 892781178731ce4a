// Transports that deliver directly, as people make them: of the installation, and of projects where they may.
import { beforeAll, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { transportsOf } from "../../src/sending/transports/known.ts";
import { addTransport, changeTransport } from "../../src/sending/transports/mod.ts";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { useService } from "../support/service.ts";

const allowed = useService({ ALLOW_DIRECT_TRANSPORTS: "true", BASE_URL: "https://postrider.example.com" });
const careful = useService({ SMTP_URL: "direct://mail.example.com?dane=true&bindAddresses=203.0.113.1" });
const chosen = useService({ ALLOW_DIRECT_TRANSPORTS: "203.0.113.7, 2001:DB8:0::7" });
let project: NewProject;
beforeAll(async () => {
  project = await allowed.createProject();
});

const post = (body: object) =>
  allowed.request("POST", "/transports", { key: project.secret, body: { name: "Direct", ...body } });
const patch = (id: string, body: object) =>
  allowed.request("PATCH", `/transports/${id}`, { key: project.secret, body });

test("one is described by a name and addresses, each changed by itself, and shown in the same words", async () => {
  const bindAddresses = ["203.0.113.7", "2001:db8::7"];
  const { status, body: made } = await post({ kind: "DIRECT", bindAddresses });
  const foreign = (await patch(made.id, { heloName: "mail.münchen.example." })).body;
  const named = (await patch(made.id, { heloName: "News.Mail.example.com" })).body;
  const free = (await patch(made.id, { bindAddresses: null })).body;
  const { features } = (await allowed.request("GET", "/config")).body;

  expect([status, features.directTransports]).toEqual([201, true]);
  expect(made).toMatchObject({
    kind: "DIRECT",
    url: "direct://postrider.example.com?bindAddresses=203.0.113.7,2001:db8::7",
    heloName: "postrider.example.com",
    bindAddresses,
    state: "HEALTHY",
  });
  expect(foreign).toMatchObject({ heloName: "mail.xn--mnchen-3ya.example", bindAddresses });
  expect(named).toMatchObject({ heloName: "news.mail.example.com", bindAddresses });
  expect(free).toMatchObject({ heloName: "news.mail.example.com", bindAddresses: null });
});

test.each([
  [{ kind: "DIRECT", heloName: "localhost" }, ["heloName"]],
  [
    { kind: "DIRECT", bindAddresses: ["203.0.113.7", "mail.example.com", "203.0.113.7", "fe80::1%eth0"] },
    ["bindAddresses.1", "bindAddresses.2", "bindAddresses.3"],
  ],
  [
    { kind: "DIRECT", bindAddresses: Array.from({ length: 21 }, (_, n) => `203.0.113.${n}`) },
    ["bindAddresses"],
  ],
  [{ kind: "DIRECT", url: "direct://mail.example.com:2525" }, ["url"]],
  [{ kind: "DIRECT", feedbackSecret: "short" }, ["feedbackSecret"]],
  [{ kind: "SMTP", url: "direct://mail.example.com" }, ["url"]],
  [{ kind: "CAPTURE", heloName: "mail.example.com" }, ["kind"]],
])("%j is refused at %j", async (body, fields) => {
  const { status, body: answer } = await post(body);

  expect([status, answer.error.errors.map(({ field }: { field: string }) => field)]).toEqual([422, fields]);
});

test("the kind of a transport stays", async () => {
  const direct = (await post({ kind: "DIRECT" })).body;
  const inbox = (await post({ kind: "CAPTURE" })).body;
  const input = { name: "Relay", kind: "SMTP", url: "smtp://relay.example.com" } as const;
  const relay = await addTransport(allowed, INSTALLATION, input, OPERATOR);
  const change = (url: string) => changeTransport(allowed, INSTALLATION, relay.id, { url }, OPERATOR);

  expect((await patch(direct.id, { url: "smtp://ada:secret@smtp.example.com" })).status).toBe(422);
  expect((await patch(inbox.id, { heloName: "mail.example.com" })).status).toBe(422);
  expect(change("direct://mail.example.com")).rejects.toThrow();
  expect((await patch(direct.id, { name: "Renamed" })).body.url).toBe(direct.url);

  const other = await patch(direct.id, { kind: "CAPTURE", name: "Other" });
  const same = await patch(direct.id, { kind: "DIRECT", name: "Same" });
  expect([other.status, other.body.error.errors]).toEqual([
    422,
    [
      expect.objectContaining({
        field: "kind",
        received: "CAPTURE",
        message: expect.stringMatching("add another"),
      }),
    ],
  ]);
  expect(same.body).toMatchObject({ kind: "DIRECT", name: "Same", url: direct.url });
});

test("a project adds none where its operator does not allow it, and those that it has are not used", async () => {
  const own = await careful.createProject();
  const body = { name: "Own", kind: "DIRECT" };
  const refused = await careful.request("POST", "/transports", { key: own.secret, body });
  const [row] = await careful.pool`
    insert into transports (project_id, name, kind, url, shown_url)
    values (${own.id}, 'Earlier', 'DIRECT', 'x', 'direct://mail.example.com') returning id`;
  await transportsOf(careful).refresh();
  const shown = (await careful.request("GET", `/transports/${row!.id}`, { key: own.secret })).body;
  const { features } = (await careful.request("GET", "/config")).body;

  expect([refused.status, refused.body.error.errors[0].field]).toEqual([422, "kind"]);
  expect(refused.body.error.errors[0].message).toContain("ALLOW_DIRECT_TRANSPORTS");
  expect(shown).toMatchObject({ state: "PAUSED", stateReason: expect.stringContaining("ALLOW_DIRECT") });
  expect([...transportsOf(careful).all()].map(({ id }) => id)).not.toContain(row!.id);
  expect(features.directTransports).toBe(false);
});

test("one of the installation is as SMTP_URL says, but for its addresses; it may have any option", async () => {
  const add = async (input: object) =>
    (await addTransport(careful, INSTALLATION, { name: "Shared", kind: "DIRECT", ...input }, OPERATOR)).url;

  expect(await add({})).toBe("direct://mail.example.com?dane=true");
  expect(await add({ bindAddresses: ["203.0.113.2"] })).toBe(
    "direct://mail.example.com?bindAddresses=203.0.113.2&dane=true",
  );
  expect(await add({ url: "direct://other.example.com:2525?ipv6=false" })).toBe(
    "direct://other.example.com:2525?ipv6=false",
  );
  expect(add({ url: "direct://other.example.com?pool=true" })).rejects.toThrow();
});

describe("where the operator names the addresses for projects", () => {
  let key: string;
  beforeAll(async () => {
    key = (await chosen.createProject()).secret;
  });
  const own = (method: string, path: string, body?: object) => chosen.request(method, path, { key, body });
  const direct = (bindAddresses?: string[]) => ({
    name: "Own",
    kind: "DIRECT",
    heloName: "mail.own.test",
    bindAddresses,
  });

  test("they name no others, and are told which; the operator names any", async () => {
    const foreign = await own("POST", "/transports", direct(["203.0.113.7", "203.0.113.8"]));
    const made = await own("POST", "/transports", direct(["2001:0db8:0::7"]));
    const change = { bindAddresses: ["203.0.113.8"] };
    const changed = await own("PATCH", `/transports/${made.body.id}`, change);
    const { body: list } = await own("GET", "/transports");
    const shared = { ...direct(["203.0.113.8"]), kind: "DIRECT" as const };

    for (const [refused, field] of [
      [foreign, "bindAddresses.1"],
      [changed, "bindAddresses.0"],
    ] as const) {
      expect(refused.status).toBe(422);
      expect(refused.body.error.errors).toEqual([
        expect.objectContaining({
          field,
          received: "203.0.113.8",
          message: expect.stringContaining("one of 203.0.113.7, 2001:db8::7:"),
        }),
      ]);
    }
    expect(made).toMatchObject({ status: 201, body: { state: "HEALTHY" } });
    expect(list).toMatchObject({
      transports: [{ id: made.body.id, bindAddresses: ["2001:0db8:0::7"] }],
      directAddresses: ["203.0.113.7", "2001:db8::7"],
    });
    expect(await addTransport(chosen, INSTALLATION, shared, OPERATOR)).toMatchObject({ state: "HEALTHY" });
  });

  test("a transport that names none sends from these, and one that has another is not used", async () => {
    const { body: made } = await own("POST", "/transports", direct());
    const { body: earlier } = await own("POST", "/transports", direct());
    await chosen.pool`
      update transports set shown_url = 'direct://mail.own.test?bindAddresses=203.0.113.8' where id = ${earlier.id}`;
    const known = transportsOf(chosen);
    await known.refresh();
    const { body: shown } = await own("GET", `/transports/${earlier.id}`);

    expect(made.bindAddresses).toBeNull();
    expect(await known.byId(made.id)!.mailer.reach()).toBe(
      "This machine has none of the addresses 203.0.113.7, 2001:db8::7",
    );
    expect(shown).toMatchObject({
      state: "PAUSED",
      stateReason: expect.stringContaining("203.0.113.8, only from"),
    });
    expect(known.byId(earlier.id)).toBeNull();
  });
});
