// The spam score in the check of a campaign: by a real rspamd, and by filters that are away, hang or talk nonsense.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { type CampaignCheck, checkCampaign } from "../../src/sending/check/mod.ts";
import { type NameServer, startNameServer } from "../support/name_server.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { NO_RSPAMD, startRspamd } from "../support/spam_filters.ts";
import { useDoctor } from "../support/doctor.ts";

const service = useService();
const { here, silent, see, about } = useDoctor(service);
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
  await service.pool`insert into contacts (project_id, email, subscribed) values (${project.id}, 'ada@example.com', true)`;
});

const PLAIN =
  "<p>Twenty words and more are what a mail should have, so that people can read what it is about without a doubt, in peace.</p>";

async function create(more: object = {}): Promise<string> {
  const draft = { name: "Spring", subject: "News from the garden", body: PLAIN, from: `news@${DOMAIN}` };
  const body = { ...draft, audienceType: "ALL", ...more };
  const answer = await service.request("POST", "/campaigns", { key: project.secret, body });
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  return answer.body.data.id;
}

/** The check of a campaign where the filter is at `url`. */
async function scoreOf(
  url: string | undefined,
  id: string,
  spamMs?: number,
): Promise<CampaignCheck | undefined> {
  const ctx = { ...service, config: { ...service.config, ...(url && { SPAM_FILTER_URL: url }) } };
  const checks = await checkCampaign(ctx, project.id, id, spamMs === undefined ? {} : { spamMs });
  return checks.find((check) => check.id === "SPAM");
}

describe.skipIf(NO_RSPAMD !== "")(`the score of a campaign by rspamd ${NO_RSPAMD}`, () => {
  let names: NameServer;
  let rspamd: Awaited<ReturnType<typeof startRspamd>>;

  beforeAll(async () => {
    names = await startNameServer();
    rspamd = await startRspamd(names.address);
  }, 60_000);
  afterAll(async () => {
    await rspamd?.stop();
    await names?.stop();
  });

  test("is low for a plain mail, and the way of a mail that was never sent counts for nothing", async () => {
    const check = await scoreOf(rspamd.url, await create());

    expect(check).toMatchObject({ level: "OK", details: { spam: { threshold: 6 } } });
    expect(check!.details!.spam!.score).toBeLessThan(3);
    const found = check!.details!.spam!.symbols.map(({ name }) => name);
    expect(found.filter((name) => /SPF|DKIM|DMARC|RCVD|HFILTER/.test(name))).toEqual([]);
  });

  test("is high for one with the marks of spam, and names what costs most, in words", async () => {
    const subject = "DO YOU WANT TO EARN $$$ NOW?";
    const body = `<p style="font-size:0">hidden</p><a href="http://1.2.3.4/a">http://bank.example</a>`;
    const check = await scoreOf(rspamd.url, await create({ subject, body }));

    expect(check).toMatchObject({ level: "WARNING", field: "body" });
    const { score, threshold, symbols } = check!.details!.spam!;
    expect(score).toBeGreaterThan(threshold / 2);
    expect(symbols[0]!.name).toBe("SUBJ_ALL_CAPS");
    expect(symbols.map((symbol) => symbol.score)).toEqual(
      symbols.map((symbol) => symbol.score).toSorted((a, b) => b - a),
    );
    expect(check!.message).toContain("What costs most: ");
    expect(symbols.some(({ name, description }) => description !== name)).toBeTrue();
  });

  test("is watched over by the doctor", async () => {
    const found = about(await see({ SPAM_FILTER_URL: rspamd.url }), "spam_filter");

    expect(found).toEqual([expect.objectContaining({ status: "ok" })]);
  });
});

describe("a filter", () => {
  test("that is not set is not asked, and there is no check of it", async () => {
    expect(await scoreOf(undefined, await create())).toBeUndefined();
  });

  test("that hangs, is away, refuses or talks nonsense is said to give no score; all other checks are there", async () => {
    const id = await create();
    const answers: [url: string, reason: string][] = [
      [`http://${await silent()}`, "it did not respond within 0.3 s"],
      ["http://127.0.0.1:9", "it refused the connection"],
      [await here(() => new Response("no", { status: 403 })), "it answered with 403"],
      [await here(() => new Response("<html>")), "its answer is not one of rspamd"],
      [await here(() => Response.json({ symbols: [] })), "its answer is not one of rspamd"],
      [await here(() => new Response("x".repeat(2_000_000))), "its answer is not one of rspamd"],
      [await here(() => Response.redirect("http://127.0.0.1:9/")), "it answered with 302"],
    ];
    for (const [url, reason] of answers) {
      const check = await scoreOf(url, id, reason.includes("0.3") ? 300 : 5_000);
      expect(check).toMatchObject({ level: "WARNING", message: expect.stringContaining(reason) });
      expect(check!.details).toBeUndefined();
    }
  });

  test("that is away is a warning of the doctor, and one that is not rspamd, too", async () => {
    const away = about(await see({ SPAM_FILTER_URL: "http://127.0.0.1:9" }), "spam_filter");
    const other = about(await see({ SPAM_FILTER_URL: await here() }), "spam_filter");

    expect(away[0]).toMatchObject({ status: "warning", message: expect.stringContaining("refused") });
    expect(other[0]).toMatchObject({ status: "warning", message: expect.stringContaining("rspamd") });
  });
});
