// `bun run admin` about projects and what is in them, against a database of its own.
import { describe, expect, test } from "bun:test";
import { disableProject, LANGUAGES } from "../src/accounts/projects/mod.ts";
import { PHRASES } from "../src/content/languages/mod.ts";
import { securityOf } from "../src/sending/feedback/reputation.ts";
import { useAdmin } from "./support/admin.ts";
import { campaignsOf } from "./support/campaign.ts";
import { useService } from "./support/service.ts";

const service = useService();
const { admin, adminWith } = useAdmin(service);

describe("bun run admin", () => {
  test("project create takes no name that could lead people astray, as everywhere", async () => {
    const { err, exitCode } = await admin("project", "create", "--name", "Shop\nSee https://evil.example");

    expect([exitCode, err]).toEqual([1, expect.stringContaining("name")]);
    expect((await admin("project", "list")).out).not.toContain("evil");
  });

  test("project create prints a project with its keys, which can send at once", async () => {
    const { out, exitCode } = await admin(
      "project",
      "create",
      "--name",
      "Shop",
      "--domain",
      "Shop.Example",
      "--verified",
    );
    const project = JSON.parse(out);
    const sent = await service.request("POST", "/v1/send", {
      key: project.secret,
      body: { to: "a@b.io", from: "x@shop.example", subject: "s", body: "b" },
    });

    expect(exitCode).toBe(0);
    expect(project).toMatchObject({
      name: "Shop",
      domain: "shop.example",
      public: expect.stringMatching(/^pk_[0-9a-f]{48}$/),
    });
    expect(sent.status).toBe(200);
  });

  test("project disable and enable take effect at once, and say whether anything changed", async () => {
    const project = await service.createProject();
    const statusOf = async () => (await service.request("GET", "/emails", { key: project.secret })).status;
    const disabled = await admin("project", "disable", project.id, "--reason", "unpaid");
    const refused = await statusOf();
    const again = await admin("project", "disable", project.id);
    const enabled = await admin("project", "enable", project.id);

    expect(JSON.parse(enabled.out)).toEqual({
      id: project.id,
      disabled: false,
      changed: true,
      campaignsUnderWay: [],
    });
    expect(JSON.parse(disabled.out)).toEqual({ id: project.id, disabled: true, changed: true });
    expect(JSON.parse(again.out).changed).toBe(false);
    expect([refused, await statusOf()]).toEqual([403, 200]);
    expect((await admin("project", "list")).out).not.toContain(project.secret);
  });

  test("project set changes what it names and nothing else, and project list shows it", async () => {
    const [project, other] = [await service.createProject(), await service.createProject()];
    const { id } = project;
    const set = async (...args: string[]) =>
      JSON.parse((await admin("project", "set", id.toUpperCase(), ...args)).out);
    const initial = {
      id,
      name: "Test",
      tracking: "ENABLED",
      language: "en",
      timezone: "UTC",
      sendRate: null,
      resendInDoubt: ["TRANSACTIONAL"],
      postalAddress: null,
      requiresTwoFactor: false,
    };
    const first = await set("--tracking", "MARKETING_ONLY", "--language", "pt", "--send-rate", "2.5");
    const slower = await set("--send-rate", "0.5");
    const unlimited = await set("--send-rate", "none", "--tracking", "DISABLED");
    const german = await set("--language", "de", "--resend", "campaign,TRANSACTIONAL");
    const careful = await set("--resend", "none");
    const listed = JSON.parse((await admin("project", "list")).out) as Record<string, unknown>[];
    const shown = (wanted: string) => listed.find((row) => row.id === wanted);

    expect(first).toEqual({ ...initial, tracking: "MARKETING_ONLY", language: "pt", sendRate: 2.5 });
    expect(slower).toEqual({ ...first, sendRate: 0.5 });
    expect(unlimited).toEqual({ ...first, sendRate: null, tracking: "DISABLED" });
    expect(german).toEqual({
      ...unlimited,
      language: "de",
      resendInDoubt: ["TRANSACTIONAL", "CAMPAIGN"],
    });
    expect(careful).toEqual({ ...german, resendInDoubt: [] });
    expect(shown(id)).toMatchObject(careful);
    expect(shown(other.id)).toMatchObject({ ...initial, id: other.id });
  });

  test("project set takes exactly the languages that we speak", () => {
    expect(LANGUAGES.toSorted()).toEqual(Object.keys(PHRASES).toSorted() as (typeof LANGUAGES)[number][]);
  });

  test("a look whether a project is there leaves it as it was, with the reason", async () => {
    const project = await service.createProject();
    await admin("project", "disable", project.id, "--reason", "unpaid");
    await admin("domain", "add", project.id, "late.example", "--verified");
    const again = await admin("project", "disable", project.id.toUpperCase(), "--reason", "other");
    const listed = JSON.parse((await admin("project", "list")).out) as Record<string, unknown>[];

    expect(JSON.parse(again.out)).toEqual({ id: project.id, disabled: true, changed: false });
    expect(listed.find(({ id }) => id === project.id)).toMatchObject({ disabledReason: "unpaid" });
  });

  test("project enable lifts a suspension for reputation, which starts afresh", async () => {
    const { id } = await service.createProject();
    await service.pool`insert into reputation_days values (${id}, current_date, 200, 100, 0)`;
    await disableProject(service, id, "EMAIL_REPUTATION");
    const before = (await securityOf(service, id)).status.sevenDay;
    await admin("project", "enable", id);
    const { status, isDisabled, suspensions } = await securityOf(service, id);

    expect([before.bounceRate, status.sevenDay.bounceRate, isDisabled]).toEqual([50, 0, false]);
    expect(suspensions).toEqual([
      { at: expect.any(Date), reason: "EMAIL_REPUTATION", liftedAt: expect.any(Date) },
    ]);
  });

  test("campaign cancel ends a campaign of a disabled project, so that enabling does not send it", async () => {
    const project = await service.createProject();
    await service.pool`
      insert into contacts (project_id, email, subscribed) values (${project.id}, 'ada@example.com', true)`;
    const { call, create, send, get } = campaignsOf(service, () => project);
    const [bad, good, other] = [
      await create({ name: "Bad" }),
      await create({ name: "Good" }),
      await create(),
    ];
    for (const id of [bad, good]) expect((await send(id)).status).toBe(200);
    await admin("project", "disable", project.id);
    const listed = JSON.parse((await admin("campaign", "list", project.id)).out);
    const cancelled = await admin("campaign", "cancel", project.id, bad);
    const refused = [
      await admin("campaign", "cancel", project.id, other),
      await admin("campaign", "cancel", project.id, "5"),
    ];
    const enabled = JSON.parse((await admin("project", "enable", project.id)).out);
    await service.runJobs();

    const shown = (id: string, name: string) => ({ id, name, status: "SENDING" });
    expect(listed).toEqual([shown(bad, "Bad"), shown(good, "Good")]);
    expect(JSON.parse(cancelled.out)).toEqual({ id: bad, name: "Bad", status: "CANCELLED" });
    expect(refused.map(({ exitCode, err }) => [exitCode, err.trim()])).toEqual([
      [1, expect.stringContaining("DRAFT")],
      [1, 'Cannot find a campaign: "5" is not an id of one'],
    ]);
    expect(enabled.campaignsUnderWay).toEqual([shown(good, "Good")]);
    expect((await get(bad)).status).toBe("CANCELLED");
    expect((await call("GET", "/emails")).body.data.map((row: { status: string }) => row.status)).toEqual([
      "SENT",
    ]);
  });

  test("domain rekey makes a new key where the old one does not open, and shows the record to publish", async () => {
    const project = await service.createProject();
    const first = JSON.parse((await admin("domain", "add", project.id, "rekey.example", "--verified")).out);
    const kept = JSON.parse((await admin("domain", "rekey", project.id, "Rekey.Example")).out);
    const settings = { DATABASE_URL: service.databaseUrl, SECRET_KEY: "another secret, of 32 characters" };
    const made = JSON.parse((await adminWith(settings, "domain", "rekey", project.id, "rekey.example")).out);
    const dkim = ({ records }: { records: { purpose: string; name: string }[] }) =>
      records.find(({ purpose }) => purpose === "DKIM")!.name;

    expect([kept.changed, dkim(kept)]).toEqual([false, dkim(first)]);
    expect(made).toMatchObject({ domain: "rekey.example", status: "VERIFIED", changed: true });
    expect(dkim(made)).not.toBe(dkim(first));
  });
});
