// GET /deliverability/domains/:id: what mailbox providers ask, and how a domain stands.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { createApp } from "../../src/http/mod.ts";
import { createDns } from "../../src/mail/dns.ts";
import { transportsOf } from "../../src/sending/transports/known.ts";
import { startNameServer } from "../support/name_server.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";

const service = useService({ BASE_URL: "http://mail.example", INBOUND_SMTP_PORT: "2525" });
const NET = "113.0.203.in-addr.arpa";
const names = await startNameServer({
  "mail.sender.test": { A: ["203.0.113.7"] },
  [`7.${NET}`]: { PTR: ["mail.sender.test"] },
  "own.sender.test": { A: ["203.0.113.9"], AAAA: ["2a00:1450::7"] },
});
afterAll(() => names.stop());
const direct = useService(
  { SMTP_URL: "direct://mail.sender.test", ALLOW_DIRECT_TRANSPORTS: "true" },
  { dns: createDns({ servers: [names.address] }) },
);
const DOMAIN = "news.shop.example";
let project: NewProject;
let id: string;

beforeAll(async () => {
  project = await service.createProject();
  const { body } = await service.request("POST", "/domains", {
    key: project.secret,
    body: { domain: DOMAIN },
  });
  id = body.id;
});

const rules = async () =>
  (await service.request("GET", `/deliverability/domains/${id}`, { key: project.secret })).body;
const stateOf = (answer: { rules: { rule: string; state: string }[] }) =>
  Object.fromEntries(answer.rules.map(({ rule, state }) => [rule, state]));

/** As the check of the domain writes it down. */
async function found(states: Record<string, string>): Promise<void> {
  const findings = { "DMARC TXT": { found: [], reason: "There is no DMARC record at this name" } };
  await service.pool`
    update domains
    set record_states = ${JSON.stringify(states)}::text::jsonb, record_findings = ${JSON.stringify(findings)}::text::jsonb
    where id = ${id}`;
}

/** What delivery has counted today. */
async function delivered(more: {
  accepted: number;
  complained?: number;
  encrypted?: number;
  provider?: string;
}) {
  const { accepted, complained = 0, encrypted = 0, provider = "google" } = more;
  await service.pool`delete from delivery_hours where project_id = ${project.id}`;
  await service.pool`
    insert into delivery_hours
    values (
      ${project.id}, date_trunc('day', now(), 'UTC'), ${DOMAIN}, ${provider}, ${"00000000-0000-0000-0000-000000000000"},
      array[${accepted}::int, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0, 0, 0, 0, ${complained}, ${encrypted},
      ${encrypted === 0 ? 0 : accepted - encrypted}
    )`;
}

test("before anything is known, nothing is called right", async () => {
  const answer = await rules();

  expect(stateOf(answer)).toEqual({
    SPF: "UNKNOWN",
    DKIM: "UNKNOWN",
    DMARC: "UNKNOWN",
    ALIGNMENT: "UNKNOWN",
    ONE_CLICK_UNSUBSCRIBE: "FAILED",
    TLS: "UNKNOWN",
    REVERSE_DNS: "UNKNOWN",
    COMPLAINT_RATE: "UNKNOWN",
  });
  expect(answer).toMatchObject({ domain: DOMAIN, busiestDay: null, isBulkSender: false });
});

test("records count as the last check found them, and what is missing is said with the record to publish", async () => {
  await found({ "SPF TXT": "MISMATCH", "DKIM TXT": "VERIFIED", "DMARC TXT": "MISSING" });
  const answer = await rules();
  await found({
    "SPF TXT": "VERIFIED",
    "DKIM TXT": "MISSING",
    "DMARC TXT": "VERIFIED",
    "RETURN_PATH MX": "VERIFIED",
  });
  const later = await rules();

  expect(stateOf(answer)).toMatchObject({ SPF: "FAILED", DKIM: "OK", DMARC: "FAILED", ALIGNMENT: "OK" });
  const [, dkim, dmarc] = answer.rules;
  expect(dkim.detail).toContain("2048 bits");
  expect(dmarc.detail).toBe("There is no DMARC record at this name.");
  expect(dmarc.advice).toBe(`Publish it: TXT _dmarc.${DOMAIN} v=DMARC1; p=none;`);
  // By the return path, then.
  expect(stateOf(later)).toMatchObject({ SPF: "OK", DKIM: "FAILED", DMARC: "OK", ALIGNMENT: "OK" });
});

test.each([
  [{ accepted: 99, complained: 50 }, { COMPLAINT_RATE: "UNKNOWN" }],
  [{ accepted: 10_000, complained: 9 }, { COMPLAINT_RATE: "OK" }],
  [{ accepted: 10_000, complained: 10 }, { COMPLAINT_RATE: "WARNING" }],
  [{ accepted: 10_000, complained: 30 }, { COMPLAINT_RATE: "FAILED" }],
  [{ accepted: 1_000, encrypted: 990 }, { TLS: "OK" }],
  [{ accepted: 1_000, encrypted: 980 }, { TLS: "WARNING" }],
])("of %j the figures say %j", async (figures, states) => {
  await delivered(figures);

  expect(stateOf(await rules())).toMatchObject(states);
});

test("5,000 mails on a day to one of the three make a bulk sender; to others they do not", async () => {
  await delivered({ accepted: 4_999 });
  const few = await rules();
  await delivered({ accepted: 5_000 });
  const many = await rules();
  await delivered({ accepted: 9_000, provider: "gmx" });
  const elsewhere = await rules();

  expect([few.isBulkSender, many.isBulkSender, elsewhere.isBulkSender]).toEqual([false, true, false]);
  const date = new Date().toISOString().slice(0, 10);
  expect(many.busiestDay).toEqual({ provider: "google", date, mails: 5_000 });
  expect(elsewhere.busiestDay).toBeNull();
});

test("with https one click unsubscribes", async () => {
  const config = { ...service.config, BASE_URL: "https://mail.example" };
  const answer = await createApp({ ...service, config }).handle(
    new Request(`http://localhost/deliverability/domains/${id}`, {
      headers: { authorization: `Bearer ${project.secret}` },
    }),
  );

  expect(stateOf((await answer.json()) as never)).toMatchObject({
    ONE_CLICK_UNSUBSCRIBE: "OK",
  });
});

describe("the names of addresses", () => {
  const HOUR_MS = 3_600_000;
  let sender: { id: string; project: NewProject };
  beforeAll(async () => {
    const made = await direct.createProject();
    const body = { domain: "direct.shop.example" };
    sender = {
      project: made,
      id: (await direct.request("POST", "/domains", { key: made.secret, body })).body.id,
    };
  });
  const rule = async () => {
    const path = `/deliverability/domains/${sender.id}`;
    const { body } = await direct.request("GET", path, { key: sender.project.secret });
    return body.rules.find((one: { rule: string }) => one.rule === "REVERSE_DNS");
  };
  /** What is said once they have been looked up again, some time later. */
  const laterSaid = async (state: string, ms: number) => {
    direct.setNow(new Date(direct.now().getTime() + ms));
    await until(`a rule that is ${state}`, async () => (await rule()).state === state);
    return await rule();
  };

  test("are a provider's matter where mails leave through one", async () => {
    const { rules: all } = await rules();

    expect(all.find((one: { rule: string }) => one.rule === "REVERSE_DNS")).toMatchObject({
      state: "UNKNOWN",
      detail: "Mails leave through a provider: the names of its servers are its matter.",
      advice: null,
    });
  });

  test("are looked up in the background for direct delivery, and again: what is wrong is named", async () => {
    const silent = await rule();
    expect(silent).toMatchObject({
      state: "UNKNOWN",
      detail: expect.stringContaining("are being looked up"),
    });

    expect((await laterSaid("OK", 0)).detail).toContain("leave from 203.0.113.7 as mail.sender.test:");
    names.set(`7.${NET}`, "PTR", ["host7.provider.test"]);
    const wrong = await laterSaid("FAILED", 2 * HOUR_MS);
    expect(wrong.detail).toBe(
      "The reverse name (PTR record) of 203.0.113.7 is host7.provider.test, and not mail.sender.test.",
    );
    expect(wrong.advice).toContain(
      "The operator of this installation has the A or AAAA record of mail.sender.test",
    );
    // Who has mended it need not wait for long.
    names.set(`7.${NET}`, "PTR", ["mail.sender.test"]);
    expect((await laterSaid("OK", 61_000)).advice).toBeNull();

    // While the DNS does not answer, what was known counts.
    names.set("mail.sender.test", "A", "SERVFAIL");
    const asked = names.queries.length;
    direct.setNow(new Date(direct.now().getTime() + 2 * HOUR_MS));
    await until("another look-up", async () => (await rule()) && names.queries.length > asked);
    expect((await rule()).state).toBe("OK");
    names.set("mail.sender.test", "A", ["203.0.113.7"]);
  });

  test("of a project's own transports are its own matter; inside of a network they are those of the public address", async () => {
    const { project: own } = sender;
    const body = {
      name: "Own",
      kind: "DIRECT",
      heloName: "own.sender.test",
      // The second one is in the DNS, where it is written otherwise.
      bindAddresses: ["203.0.113.8", "2A00:1450:0:0::7", "10.0.0.5"],
    };
    await direct.request("POST", "/transports", { key: own.secret, body });
    await transportsOf(direct).refresh();
    const said = await laterSaid("FAILED", 0);

    expect(said.detail).toBe(
      "own.sender.test does not lead to 203.0.113.8 (A or AAAA record). 2a00:1450::7 has no reverse name (PTR record). 203.0.113.9 has no reverse name (PTR record).",
    );
    expect(said.advice).toStartWith("You have the A or AAAA record of own.sender.test");
  });
});

test("the domain of another project is not found", async () => {
  const other = await service.createProject();
  const { status } = await service.request("GET", `/deliverability/domains/${id}`, { key: other.secret });

  expect(status).toBe(404);
});
