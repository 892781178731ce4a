// A project leaves one installation and comes to another one, with another `SECRET_KEY`.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { disableProject, enableProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import { createKey } from "../../src/accounts/projects/named_keys.ts";
import {
  rotatedSecrets,
  sealSecrets,
  webhookSecretsOf,
} from "../../src/accounts/projects/webhook_secrets.ts";
import { noteSegmentSizes, sweepProjectSegments, sweepSegments } from "../../src/audience/segments/upkeep.ts";
import { sweepExecutions } from "../../src/automation/engine/recovery.ts";
import type { Context } from "../../src/context.ts";
import { exportProject } from "../../src/moving/export.ts";
import { importProject } from "../../src/moving/import.ts";
import { COST, type PassphraseNote, unwrapWith } from "../../src/moving/_passphrase.ts";
import { MOVED, STAYING } from "../../src/moving/tables.ts";
import { followHtml, openClickToken, openMailToken } from "../../src/sending/compose/followed_mail.ts";
import { envelopeSender, mailOfReturnPath } from "../../src/sending/compose/return_paths.ts";
import { readSubscriptionToken, subscriptionUrls } from "../../src/sending/compose/subscription_links.ts";
import { sweepEmails } from "../../src/sending/delivery/recovery.ts";
import { dkimKeyOf, makeDkimKey } from "../../src/sending/dkim_keys.ts";
import { sealFeedbackSecret, sealUrl } from "../../src/sending/transports/sealed.ts";
import { type AdminRun, settingsOf, useAdmin } from "../support/admin.ts";
import { markedBlock, readGuide } from "../support/guides.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { countsOf, fillProject, projectTables, rowsOf } from "../support/whole_project.ts";
import { workflowsOf } from "../support/workflows.ts";

const INBOUND = { INBOUND_SMTP_PORT: "25", INBOUND_HOST: "mx.example" };
const here = useService(INBOUND);
const there = useService({
  ...INBOUND,
  SECRET_KEY: "the secret of another installation, 32+",
  BASE_URL: "http://new.example",
});
const { admin, adminWith } = useAdmin(here);

const PASSPHRASE = "correct horse battery";
const folder = mkdtempSync(join(tmpdir(), "postrider-moving-"));
const passphraseFile = join(folder, "passphrase");
let project: NewProject;
let files = 0;

/** What production takes, as the commands do, which are processes of their own. */
const { N } = COST;

beforeAll(async () => {
  COST.N = 2 ** 10;
  await Bun.write(passphraseFile, `${PASSPHRASE}\n`);
});
afterAll(() => {
  COST.N = N;
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  project = await here.createProject();
  for (const service of [here, there]) service.setNow(new Date());
});

const newFile = () => join(folder, `${++files}.ndjson.zst`);

async function exported(of: Context = here, ledger = true): Promise<string> {
  const path = newFile();
  await exportProject(of, project.id, { path, ledger, passphrase: PASSPHRASE });
  return path;
}

const imported = (path: string, { passphrase = PASSPHRASE, resume = false } = {}) =>
  importProject(there, { path, passphrase, resume });

/** A project with something in every table that moves, and nothing of it on its way. */
async function fill(contacts = 20): Promise<void> {
  const { pool } = here;
  await fillProject(pool, project.id, contacts);
  await pool`delete from resets where project_id = ${project.id}`;
  await pool`delete from project_moves where project_id = ${project.id}`;
  await pool`update emails set status = 'SENT', sent_at = now() where project_id = ${project.id} and status = 'SENDING'`;
  await pool`
    update contacts set data = '{"id": 12345678901234567890.5, "ö": "“\\u2028\\n\\"", "deep": {"b": [1, null], "a": {}}}'
    where project_id = ${project.id} and id = (select min(id::text)::uuid from contacts where project_id = ${project.id})`;
  await pool`insert into segment_candidates (project_id, contact_id) select project_id, id from contacts where project_id = ${project.id} limit 3`;
  const [transport] = await pool`select id from transports where project_id = ${project.id}`;
  const place = { projectId: project.id, id: transport!.id as string };
  const url = sealUrl(here, place, "smtp://shop:secret@relay.example");
  const feedback = sealFeedbackSecret(here, place, "the secret of its webhook");
  await pool`update transports set kind = 'SMTP', url = ${url}, shown_url = 'smtp://shop@relay.example',
    feedback_provider = 'mailgun', feedback_secret = ${feedback} where project_id = ${project.id}`;
  await webhookSecretsOf(here, project.id);
  const [webhook] = await pool`select id from webhooks where project_id = ${project.id}`;
  const secret = sealSecrets(here, rotatedSecrets(here, null), [project.id, webhook!.id]);
  await pool`update webhooks set secret = ${secret} where project_id = ${project.id}`;
  const [domain] = await pool`select id from domains where project_id = ${project.id} and domain = ${DOMAIN}`;
  await makeDkimKey(here, project.id, domain!.id);
}

const textOf = async (path: string) =>
  zstdDecompressSync(Buffer.from(await Bun.file(path).arrayBuffer())).toString("utf8");

/** The lines of an export, its header apart. Secrets are opened: they are wrapped anew each time. */
async function linesOf(path: string): Promise<{ lines: string[]; linkKeys: string[] }> {
  const [head, ...lines] = (await textOf(path)).trimEnd().split("\n");
  const wrapping = await unwrapWith(
    PASSPHRASE,
    (JSON.parse(head!) as { passphrase: PassphraseNote }).passphrase,
  );
  let linkKeys: string[] = [];
  const opened = lines.map((line) => {
    if (!/^\{"table":"(projects|domains|transports|webhooks)","row"/.test(line)) return line;
    const { table, row } = JSON.parse(line);
    if (table === "projects") {
      linkKeys = JSON.parse(wrapping.unwrap(row.link_keys, ["link keys", row.id]));
      const secret = row.webhook_secret && wrapping.unwrap(row.webhook_secret, ["webhook secret", row.id]);
      // It is enabled and disabled at either side, which leaves these times.
      const { disabled_at: _, updated_at: __, ...rest } = row;
      return JSON.stringify({ table, row: { ...rest, webhook_secret: secret, link_keys: null } });
    }
    if (table === "webhooks") {
      const secret = wrapping.unwrap(row.secret, ["webhook", row.project_id, row.id]);
      return JSON.stringify({ table, row: { ...row, secret } });
    }
    if (table === "transports") {
      const url = wrapping.unwrap(row.url, ["transport", row.project_id, row.id]);
      const secret = wrapping.unwrap(row.feedback_secret, ["transport feedback", row.project_id, row.id]);
      expect(secret).toBe("the secret of its webhook");
      return JSON.stringify({ table, row: { ...row, url, feedback_secret: secret } });
    }
    const key = row.dkim_private_key;
    const place = ["DKIM key", row.project_id, row.id];
    return JSON.stringify({ table, row: { ...row, dkim_private_key: key && wrapping.unwrap(key, place) } });
  });
  return { lines: opened, linkKeys };
}

/** Runs the commands of a block of the guide, as they stand there, and answers what each has printed. */
async function inGuide(mark: string, run: (...words: string[]) => Promise<AdminRun>): Promise<string[]> {
  const printed: string[] = [];
  for (const line of markedBlock(readGuide("moving"), mark).trim().split("\n")) {
    const words = line.replace('"$PROJECT"', project.id).split(" ");
    expect(words.slice(0, 3)).toEqual(["bun", "run", "admin"]);
    const inFolder = words
      .slice(3)
      .map((word) => (/^(shop\.ndjson\.zst|passphrase)$/.test(word) ? join(folder, word) : word));
    const { out, err } = await run(...inFolder);
    expect([line, err]).toEqual([line, ""]);
    printed.push(out);
  }
  return printed;
}

/** A line that exports, imports and the switch of a project at either side have changed. */
const sinceExport = (line: string) =>
  /^\{"end":|"action": "project\.(exported|imported|enabled|disabled)"|"table":"suspensions"/.test(line);

describe("the lists of tables", () => {
  test("name every table that holds rows of projects, as moving or as staying, and why", async () => {
    const tables = await projectTables(here.pool);

    expect([...MOVED.map(({ name }) => name), ...Object.keys(STAYING)].toSorted()).toEqual(
      [...tables, "projects"].toSorted(),
    );
  });
});

describe("a project that moves", () => {
  test("by the commands of the guide is the same in every line when it is exported again where it came to", async () => {
    await fill();
    const [first, second] = [join(folder, "shop.ndjson.zst"), newFile()];
    const out = await inGuide("out", (...words) => admin(...words));
    const back = await inGuide("in", (...words) => adminWith(settingsOf(there), ...words));
    await disableProject(there, project.id, "moving");
    const options = ["--ledger", "--passphrase-file", passphraseFile];
    const again = await adminWith(settingsOf(there), "export", project.id, second, ...options);
    const [before, after] = [await linesOf(first), await linesOf(second)];

    expect(again.err).toBe("");
    expect(JSON.parse((await textOf(first)).split("\n", 1)[0]!).passphrase).toMatchObject({
      N: 131_072,
      r: 8,
      p: 1,
    });
    expect(JSON.parse(out[1]!)).toMatchObject({ id: project.id, ledger: true, copy: false, leftOut: [] });
    expect(JSON.parse(back[0]!)).toMatchObject({ disabled: true, stopped: { workflows: 0, mails: 0 } });
    expect(after.lines.filter((line) => !sinceExport(line))).toEqual(
      before.lines.filter((line) => !sinceExport(line)),
    );
    expect(before.lines.length).toBeGreaterThan(300);
    expect(after.linkKeys).toContain(before.linkKeys[0]!);
    expect(statSync(first).mode & 0o777).toBe(0o600);
  });

  test("brings every row that is not said to stay, starts nothing and has nothing to be done", async () => {
    await fill();
    await disableProject(here, project.id, "moving");
    await there.dropJobs();
    const before = await countsOf(here.pool, project.id);
    await imported(await exported());
    const after = await countsOf(there.pool, project.id);
    const compared = Object.keys(before).filter(
      (table) => !(table in STAYING) && !/audit|send_rates/.test(table),
    );

    expect(compared.map((table) => [table, after[table]])).toEqual(
      compared.map((table) => [table, before[table]]),
    );
    expect(Object.keys(after).filter((table) => table in STAYING)).toEqual(["project_moves"]);
    expect(await there.jobs()).toEqual([]);
  });

  test("takes its keys and secrets along, and its links still lead to it", async () => {
    await fill(1);
    const { key: named } = await createKey(here, project.id, { name: "Shop", scopes: ["all"] }, OPERATOR);
    await here.pool`
      update domains
      set verified_at = now(), status = 'VERIFIED',
        record_states = '{"DKIM TXT": "VERIFIED", "RETURN_PATH MX": "VERIFIED"}'
      where project_id = ${project.id}`;
    const [contact] = await here.pool`select id from contacts where project_id = ${project.id}`;
    const emailId = Bun.randomUUIDv7();
    const mail = { projectId: project.id, fromEmail: `hello@${DOMAIN}` };
    const { unsubscribeUrl } = subscriptionUrls(here, project.id, contact!.id, emailId);
    const followed = followHtml(here, project.id, '<a href="https://x.example/">x</a>');
    const html = followed.complete(followed.html, emailId);
    const returnPath = await envelopeSender(here, mail, emailId);
    const secrets = await webhookSecretsOf(here, project.id);
    const dkim = await dkimKeyOf(here, project.id, DOMAIN);
    await disableProject(here, project.id, null);
    await imported(await exported());
    await enableProject(there, project.id);
    const token = (pattern: RegExp) => pattern.exec(html)![1]!;

    expect(await readSubscriptionToken(there, unsubscribeUrl.split("/").at(-1)!)).toEqual({
      projectId: project.id,
      contactId: contact!.id,
      emailId,
    });
    expect(await openMailToken(there, token(/\/t\/o\/([\w-]+)/))).toEqual({ projectId: project.id, emailId });
    expect(await openClickToken(there, token(/\/t\/c\/([\w.-]+)/))).toEqual({
      target: "https://x.example/",
      mail: { projectId: project.id, emailId },
    });
    expect(returnPath).toStartWith("b-");
    expect(await mailOfReturnPath(there, returnPath)).toMatchObject({ projectId: project.id, emailId });
    expect(await webhookSecretsOf(there, project.id)).toEqual(secrets);
    expect(dkim).not.toBeNull();
    expect(await dkimKeyOf(there, project.id, DOMAIN)).toEqual(dkim);
    for (const key of [project.secret, named]) {
      expect((await there.request("GET", "/contacts", { key })).body.data.length).toBe(1);
    }
    // The key of this project opens nothing of another one.
    const stranger = subscriptionUrls(here, Bun.randomUUIDv7(), contact!.id, emailId).unsubscribeUrl;
    expect(await readSubscriptionToken(there, stranger.split("/").at(-1)!)).toBeNull();
  });

  test("goes on where it was: what waited is sent there once it is enabled, and only there", async () => {
    const workflows = workflowsOf(here, () => project);
    const hello = await workflows.template({ subject: "Later" });
    const workflow = await workflows.build({
      steps: {
        Wait: { type: "DELAY", amount: 1, unit: "days" },
        Hello: { type: "SEND_EMAIL", template: hello },
      },
      ways: ["Trigger > Wait", "Wait > Hello"],
    });
    await workflows.track("bob@example.com");
    await here.runJobs();
    expect(await workflows.states(workflow.id)).toEqual(["WAITING"]);
    await here.request("POST", "/v1/send", {
      key: project.secret,
      body: { to: "ada@example.com", from: `hello@${DOMAIN}`, subject: "Waited", body: "<p>Hi</p>" },
    });
    await here.pool`update emails set status = 'PENDING', due_at = now(), claimed_by = null where project_id = ${project.id}`;
    await disableProject(here, project.id, null);
    here.smtp.received.length = there.smtp.received.length = 0;
    await imported(await exported());
    there.setNow(new Date(Date.now() + 25 * 3_600_000));
    const sweep = async () => {
      await sweepEmails(there);
      await sweepExecutions(there);
      await there.runJobs();
    };
    await sweep();
    expect(there.smtp.received).toHaveLength(0);
    await enableProject(there, project.id);
    await sweep();

    expect(
      workflowsOf(there, () => project)
        .recipients()
        .toSorted(),
    ).toEqual(["ada@example.com", "bob@example.com"]);
    expect(here.smtp.received).toHaveLength(0);
  });
});

describe("a copy of a project that goes on", () => {
  test("has its history, and does nothing by itself", async () => {
    await fill();
    const path = await exported();
    const { stopped } = await imported(path);
    const [open] = await there.pool`
      select
        (select count(*)::int from workflows where project_id = ${project.id} and enabled) as workflows,
        (select count(*)::int from executions where project_id = ${project.id} and status in ('RUNNING', 'WAITING')) as executions,
        (select count(*)::int from campaigns where project_id = ${project.id} and status in ('SCHEDULED', 'SENDING')) as campaigns,
        (select count(*)::int from emails where project_id = ${project.id} and status in ('PENDING', 'SENDING', 'CAPTURED')) as mails`;

    expect(open).toEqual({ workflows: 0, executions: 0, campaigns: 0, mails: 0 });
    expect(stopped).toMatchObject({ campaignsCancelled: 1, campaignsUnscheduled: 1, workflows: 1 });
    expect(stopped.mails).toBeGreaterThan(0);
  });

  test("without its ledger it has no mails and no events, and its counters all the same", async () => {
    await fill();
    await imported(await exported(here, false));
    const rows = await countsOf(there.pool, project.id);

    expect([rows.emails, rows.events, rows.contents]).toEqual([undefined, undefined, undefined]);
    expect(rows).toMatchObject({ contacts: 20, mail_counts: 1, event_totals: 1 });
  });
});

describe("an import that was interrupted", () => {
  /** The file without what comes behind a part of its lines. */
  async function cutOff(path: string, part: number): Promise<string> {
    const lines = (await textOf(path)).split("\n");
    const cut = newFile();
    await Bun.write(
      cut,
      zstdCompressSync(Buffer.from(`${lines.slice(0, lines.length * part).join("\n")}\n`)),
    );
    return cut;
  }

  test("goes on from what was committed, and is complete then; meanwhile no segment is worked out", async () => {
    await fill(50);
    await disableProject(here, project.id, null);
    const path = await exported();
    expect((await settled(imported(await cutOff(path, 0.15)))).message).toContain("cut off");
    expect((await settled(imported(await cutOff(path, 0.5), { resume: true }))).message).toContain("cut off");
    expect((await settled(imported(path))).message).toContain("--resume");
    const partial = await countsOf(there.pool, project.id);
    await sweepSegments(there);
    await sweepProjectSegments(there, project.id);
    await noteSegmentSizes(there);
    await imported(path, { resume: true });
    const [rows, before] = [await rowsOf(there.pool, project.id), await rowsOf(here.pool, project.id)];

    expect(partial.contacts).toBe(50);
    expect(partial.workflows).toBeUndefined();
    for (const table of [
      "contacts",
      "segment_members",
      "segment_sizes",
      "emails",
      "events",
      "event_count_deltas",
    ]) {
      expect([table, rows[table]]).toEqual([table, before[table]]);
    }
    expect((await settled(imported(path, { resume: true }))).message).toContain("completely");
  });
});

/** What a promise was rejected with. */
const settled = async (work: Promise<unknown>): Promise<Error> =>
  await work.then(
    () => new Error("done"),
    (e) => e,
  );

describe("what cannot be moved is refused, and changes nothing", () => {
  let path: string;

  beforeEach(async () => {
    await fill(3);
    await disableProject(here, project.id, null);
    path = await exported();
  });

  test("a wrong passphrase, a short one, a foreign file, a damaged one, --resume of nothing", async () => {
    const foreign = newFile();
    await Bun.write(foreign, zstdCompressSync(Buffer.from('{"hello": 1}\n')));
    const text = newFile();
    await Bun.write(text, "no Zstandard");
    const newer = newFile();
    const [head, ...rest] = (await textOf(path)).split("\n");
    const later = JSON.stringify({ ...JSON.parse(head!), migration: "9999_later.sql" });
    await Bun.write(newer, zstdCompressSync(Buffer.from([later, ...rest].join("\n"))));
    const messages = [
      await settled(imported(path, { passphrase: "another passphrase" })),
      await settled(exportProject(here, project.id, { path: newFile(), ledger: false, passphrase: "short" })),
      await settled(imported(foreign)),
      await settled(imported(text)),
      await settled(imported(newer)),
      await settled(imported(path, { resume: true })),
      await settled(exportProject(here, project.id, { path, ledger: false, passphrase: PASSPHRASE })),
    ].map(({ message }) => message);

    expect(messages).toEqual([
      expect.stringContaining("passphrase is not the one"),
      expect.stringContaining("needs 12"),
      expect.stringContaining("not an export"),
      expect.stringContaining("Cannot import this file"),
      expect.stringContaining("newer version"),
      expect.stringContaining("Leave --resume out"),
      expect.stringContaining("there is a file"),
    ]);
    expect(await countsOf(there.pool, project.id)).toEqual({});
  });

  test("a project whose id is taken", async () => {
    const before = await rowsOf(here.pool, project.id);
    const error = await settled(importProject(here, { path, passphrase: PASSPHRASE, resume: false }));

    expect(error.message).toContain("there is one with its id");
    expect(await rowsOf(here.pool, project.id)).toEqual(before);
  });

  test("mails that are being handed over, a reset in progress, an unknown project", async () => {
    const trying = () =>
      settled(exportProject(here, project.id, { path: newFile(), ledger: true, passphrase: PASSPHRASE }));
    await here.pool`update emails set status = 'SENDING' where project_id = ${project.id}`;
    const sending = await trying();
    await here.pool`insert into resets (project_id, asked_at) values (${project.id}, now())`;
    const reset = await trying();
    const unknown = await admin("export", Bun.randomUUIDv7(), newFile(), "--passphrase-file", passphraseFile);
    const nameless = await admin("export", project.id, newFile());

    expect(sending.message).toContain("handed to the mail server");
    expect(reset.message).toContain("being reset");
    expect([unknown.exitCode, unknown.err]).toEqual([1, expect.stringContaining("project")]);
    expect([nameless.exitCode, nameless.err]).toEqual([1, expect.stringContaining("--passphrase-file")]);
  });
});
