// GET /deliverability/domains/:id: what mailbox providers ask, and how a domain stands.
import { beforeAll, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { createApp } from "../../src/http/mod.ts";
import { useService } from "../support/service.ts";

const service = useService({ BASE_URL: "http://mail.example", INBOUND_SMTP_PORT: "2525" });
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

test("with direct delivery the reverse name is asked for, and with https one click unsubscribes", async () => {
  const config = { ...service.config, BASE_URL: "https://mail.example", SMTP_URL: "direct://mail.example" };
  const answer = await createApp({ ...service, config }).handle(
    new Request(`http://localhost/deliverability/domains/${id}`, {
      headers: { authorization: `Bearer ${project.secret}` },
    }),
  );

  expect(stateOf((await answer.json()) as never)).toMatchObject({
    ONE_CLICK_UNSUBSCRIBE: "OK",
    REVERSE_DNS: "UNKNOWN",
  });
});

test("the domain of another project is not found", async () => {
  const other = await service.createProject();
  const { status } = await service.request("GET", `/deliverability/domains/${id}`, { key: other.secret });

  expect(status).toBe(404);
});
