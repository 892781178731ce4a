import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { loadConfig } from "../../src/config/mod.ts";
import { LEVELS } from "../../src/sending/feedback/_reputation_levels.ts";
import { readGuide, tableBelow, tablesOf } from "../support/guides.ts";

/** Where each limit stands in the code: the file below `src/`, and the line with what the guide says as a number. */
const KNOWN: Record<string, [file: string, holds: string | RegExp]> = {
  "requests to public pages and links, from one network": [
    "http/entry/public_limits.ts",
    "PUBLIC_REQUESTS_PER_MINUTE = 600",
  ],
  "JSON body": ["http/entry/body.ts", " BODY_LIMIT = 5 * 1_048_576"],
  "body of `/v1/send`": ["http/entry/body.ts", "SEND_BODY_LIMIT = 50 * 1_048_576"],
  "a page of a list": ["http/routes/_lists.ts", /DEFAULT_LIMIT = 20;\nconst MAX_LIMIT = 100;/],
  "open activity streams of a project": ["http/entry/event_stream.ts", "STREAMS_OF_PROJECT = 100"],
  "open activity streams of a member in a project": ["http/entry/event_stream.ts", "STREAMS_OF_MEMBER = 10"],
  "body of a refused request in the log": ["insight/requests/_redaction.ts", "MAX_BODY_BYTES = 4_096"],
  "requests are kept in the log for": ["insight/requests/mod.ts", "KEPT_DAYS = 7"],
  "recipients of one `/v1/send`": ["http/routes/_send_schemas.ts", "maxItems: 1000"],
  "recipients of one message with `cc` or `bcc`": ["sending/send/recipients.ts", "MAX_NAMED = 50"],
  "messages of one `/v1/send/batch`": ["sending/send/batch.ts", "MAX_BATCH = 1_000"],
  "recipients of one `/v1/send/batch`": ["sending/send/batch.ts", "MAX_BATCH_RECIPIENTS = 5_000"],
  "days that a mail is scheduled ahead": ["sending/send/send_at.ts", "MAX_DAYS_AHEAD = 90"],
  "tags of a mail": ["http/routes/_email_schemas.ts", "{ maxItems: 10 }"],
  "name and value of a tag": ["http/routes/_email_schemas.ts", "maxLength: 256"],
  "addresses for replies": ["http/routes/_send_schemas.ts", "{ minItems: 1, maxItems: 10 }"],
  "recipients of one message over SMTP": ["mail/submission_smtp.ts", "recipients: 1_000"],
  subject: ["http/routes/_send_schemas.ts", "maxLength: 998"],
  body: ["http/routes/_send_schemas.ts", "MAX_BODY_CHARS = 1_048_576"],
  "attachments of a mail": ["http/routes/_send_schemas.ts", "t.Array(Attachment, { maxItems: 10 })"],
  "a whole message, as it is sent": ["sending/send/input.ts", "MAX_MESSAGE_BYTES = 40 * 1_048_576"],
  "value of a custom header": ["sending/send/input.ts", "value.length > 998"],
  "tracked links of a template": ["content/links.ts", "MAX_LINKS = 2_000"],
  "a temporary failure is retried for": ["sending/delivery/outcomes.ts", "GIVE_UP_AFTER_MS = 24 * 3_600_000"],
  "links and images requested by a campaign check": ["sending/check/_links.ts", "MAX_VISITED = 100"],
  "addresses in one `POST /suppressions`": ["http/routes/suppressions.ts", "maxItems: 1000"],
  "file of `POST /suppressions/import`": [
    "sending/suppression_files.ts",
    "MAX_SUPPRESSIONS_BYTES = 50 * 1_048_576",
  ],
  "data of a contact": ["audience/contacts/data.ts", "MAX_BYTES = 65_536"],
  "name of a key": ["audience/contacts/data.ts", "MAX_KEY_LENGTH = 128"],
  "depth of a value": ["audience/contacts/data.ts", "MAX_DEPTH = 64"],
  "CSV file": ["audience/contacts/imports.ts", "MAX_FILE_BYTES = 5 * 1_048_576"],
  "streamed CSV file": ["audience/contacts/imports.ts", "MAX_UPLOAD_BYTES = 200 * 1_048_576"],
  "concurrent imports of a project": ["audience/contacts/imports.ts", "MAX_UNFINISHED = 5"],
  "concurrent exports of a project": ["http/entry/streams.ts", "MAX_OF_PROJECT = 2"],
  "columns of a CSV file": ["audience/contacts/_csv.ts", "MAX_COLUMNS = 1_000"],
  "addresses in one `POST /contacts/lookup`": ["http/routes/contacts.ts", "MAX_LOOKUP = 500"],
  "ids in one bulk operation": ["http/routes/contact_jobs.ts", "MAX_IDS = 1_000"],
  "excluded ids in one bulk operation": ["http/routes/contact_jobs.ts", "MAX_EXCLUDED = 10_000"],
  "members in one request": ["http/routes/_segment_schemas.ts", "{ minItems: 1, maxItems: 500 }"],
  "name of a segment": ["http/routes/_segment_schemas.ts", "maxLength: 100"],
  "description of a segment": ["http/routes/_segment_schemas.ts", "Text({ maxLength: 500 })"],
  "levels of a condition": ["audience/conditions/tree.ts", "MAX_DEPTH = 10"],
  "groups of a node": ["audience/conditions/tree.ts", "MAX_GROUPS = 200"],
  "filters of a condition": ["audience/conditions/tree.ts", "MAX_FILTERS = 200"],
  "filters including those of the segments it refers to": [
    "audience/conditions/tree.ts",
    "MAX_FILTERS_IN_STATEMENT = 1_000",
  ],
  "levels of nested segments": ["audience/conditions/tree.ts", "MAX_SEGMENTS_DEEP = 10"],
  "a template": ["content/handlebars/syntax.ts", "MAX_SOURCE_CHARS = 1_000_000"],
  "all expressions of a template": ["content/handlebars/syntax.ts", "MAX_EXPRESSION_CHARS = 10_000"],
  "levels of nested blocks": ["content/handlebars/syntax.ts", "MAX_NESTED_BLOCKS = 50"],
  "iterations of all loops of a mail": ["content/handlebars/_rendering.ts", "MAX_ROUNDS = 10_000"],
  "output of one rendering": ["content/handlebars/_rendering.ts", "MAX_OUTPUT_CHARS = 5_000_000"],
  "elements of an MJML body": ["content/mjml/_source.ts", "MAX_ELEMENTS = 3_000"],
  "HTML compiled from MJML": ["content/mjml/mod.ts", "MAX_HTML_CHARS = 1_000_000"],
  "uploaded image": ["content/images/mod.ts", "MAX_IMAGE_BYTES = 10 * 1_048_576"],
  "width or height of an image": ["content/images/_faults.ts", "MAX_SIDE = 10_000"],
  preheader: ["content/preheader.ts", "MAX_PREHEADER = 255"],
  "versions of a template": ["../sql/migrations/0018_edits.sql", "up to 100"],
  "name of an event": ["http/routes/v1.ts", "maxLength: 255,\n      trimmed: true"],
  "steps of a workflow": ["automation/workflows/_graph_edits.ts", "MAX_STEPS = 500"],
  "transitions of a workflow": ["automation/workflows/rules.ts", "MAX_TRANSITIONS = 2_000"],
  "all configs of a workflow": ["automation/workflows/_graph_edits.ts", "MAX_CONFIGS_BYTES = 1_000_000"],
  "branches of a `CONDITION`": ["automation/steps/_questions.ts", "MAX_BRANCHES = 20"],
  "`DELAY` and `WAIT_FOR_EVENT`": ["automation/steps/step_type.ts", "MAX_WAIT_SECONDS = 31_536_000"],
  "headers of a webhook": ["automation/steps/_webhook_faults.ts", "MAX_HEADERS = 50"],
  "stored response of a webhook": ["net/guarded_request.ts", "MAX_ANSWER_BYTES = 65_536"],
  "timeout of a webhook": ["net/guarded_request.ts", "TIMEOUT_MS = 10_000"],
  "redirects of a webhook": ["net/guarded_request.ts", "MAX_REDIRECTS = 3"],
  "workflows that start each other": ["automation/engine/start.ts", "MAX_DEPTH = 20"],
  "projects that one person owns": ["accounts/projects/own.ts", "MAX_PROJECTS = 100"],
  "members and invitations of a project": ["accounts/projects/members.ts", "MAX_MEMBERS = 100"],
  "domains of a project": ["sending/domains/mod.ts", "MAX_DOMAINS = 1_000"],
  "transports of a project": ["sending/transports/mod.ts", "MAX_TRANSPORTS = 50"],
  "warm-up plans of a project": ["sending/transports/warmup_plans.ts", "MAX_WARMUP_PLANS = 50"],
  "days of a warm-up plan": ["sending/transports/warmup_plans.ts", "MAX_WARMUP_DAYS = 90"],
  "rules of routes": ["http/routes/_route_schemas.ts", "maxItems: 50,"],
  "transports of a rule": ["http/routes/_route_schemas.ts", "maxItems: 20,"],
  "test mails by transports of a project": ["sending/transports/trial.ts", "MAX_TRIALS_A_DAY = 200"],
  "name of a project": ["accounts/names.ts", "MAX_NAME = 100"],
  "postal address of a project": [
    "accounts/projects/mod.ts",
    /MAX_POSTAL_ADDRESS = 500;\nconst MAX_ADDRESS_LINES = 10;/,
  ],
  "named keys of a project": ["accounts/projects/named_keys.ts", "MAX_KEYS = 50"],
  "passkeys of an account": ["accounts/people/factors/passkeys.ts", "MAX_PASSKEYS = 20"],
  "recovery codes of an account": ["accounts/people/factors/recovery_codes.ts", "CODES = 10"],
  "second step of a log-in": ["accounts/people/admission.ts", "CHALLENGE_MS = 10 * 60_000"],
  "failures of an account's second factor": [
    "accounts/people/login_limits.ts",
    "SECOND_FACTOR_FAILURES = 10",
  ],
  "setting up an authenticator app": ["accounts/people/factors/totp.ts", "PENDING_MS = 3_600_000"],
  "`POST /auth/reauthenticate` is valid for": ["accounts/people/recent_proof.ts", "PROOF_MS = 10 * 60_000"],
  "an invitation is valid for": ["accounts/projects/invitations.ts", "INVITATION_DAYS = 14"],
};

/** Those of a setting, with its default. */
const SET: Record<string, string> = {
  "requests for one project": "RATE_LIMIT_PER_MINUTE",
  "`Idempotency-Key`": "IDEMPOTENCY_KEY_TTL_HOURS",
  "logged requests of a project": "REQUEST_LOG_PER_MINUTE",
  "failed log-ins for one address": "LOGIN_LIMIT_PER_EMAIL",
  "failed log-ins from one network": "LOGIN_LIMIT_PER_NETWORK",
  "new accounts from one network": "SIGNUP_LIMIT_PER_NETWORK",
  "all attachments of a mail": "MAX_ATTACHMENT_SIZE_MB",
  "mails a second": "SEND_RATE_PER_SECOND",
};

const UNITS: Record<string, number> = { MB: 1_048_576, KB: 1024, hours: 3_600_000, seconds: 1000 };

const rows = tablesOf(readGuide("limits")).flatMap((table) => table.rows);

/** The numbers that a text says, also in other units and written as in code. */
function numbersIn(text: string): number[] {
  return [...text.matchAll(/(\d[\d,]*)(?: (MB|KB|hours|seconds)\b)?/g)].flatMap(([, digits, unit]) => {
    const number = Number(digits!.replaceAll(",", ""));
    return unit === undefined ? [number] : [number, number * UNITS[unit]!];
  });
}

/** The number that a line of code ends with, where it is a product. */
function valueOf(code: string): number {
  const [, product = ""] = /([\d_]+(?: \* [\d_]+)*)[^\d]*$/.exec(code)!;
  return product
    .split(" * ")
    .map((factor) => Number(factor.replaceAll("_", "")))
    .reduce((a, b) => a * b, 1);
}

describe("the guide on limits", () => {
  test("has every limit that is known here, and no other", () => {
    const told = rows.map(([what]) => what!);

    expect(told.toSorted()).toEqual([...Object.keys(KNOWN), ...Object.keys(SET)].toSorted());
  });

  test.each(rows.filter(([what = ""]) => what in KNOWN))("%s: %s", (what, says) => {
    const [file, holds] = KNOWN[what!]!;
    const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), "utf8");

    if (typeof holds === "string") {
      expect(source).toContain(holds);
      expect(numbersIn(says!)).toContain(valueOf(holds));
    } else {
      expect(source).toMatch(holds);
    }
  });

  test.each(rows.filter(([what = ""]) => what in SET))("%s: %s, by a setting", (what, says, setting) => {
    const value = loadConfig({})[SET[what!] as "RATE_LIMIT_PER_MINUTE"];

    expect(setting).toBe(`\`${SET[what!]}\``);
    if (value === 0) expect(says).toStartWith("as many as");
    else expect(numbersIn(says!)).toContain(value);
  });

  test("names settings that there are", () => {
    const names = rows.flatMap(([, , setting = ""]) => setting.match(/[A-Z]{2,}_[A-Z_]+/g) ?? []);

    for (const name of names) expect(Object.keys(loadConfig({}))).toContain(name);
  });
});

describe("figures of other guides", () => {
  test("the levels of bounces and complaints", () => {
    const guide = readGuide("domains");
    const { bounceRate, complaintRate, minimumMails } = LEVELS;
    const told = tableBelow(guide, "Reputation").rows.map((row) => row.slice(0, 3));

    expect(guide).toContain(`at least ${minimumMails} mails`);
    expect(told).toEqual([
      ["warning", `over ${bounceRate.warning} %`, `over ${complaintRate.warning} %`],
      ["critical", `over ${bounceRate.critical} %`, `over ${complaintRate.critical} %`],
    ]);
  });

  test("the pauses between the calls of a webhook", () => {
    const source = readFileSync(new URL("../../src/automation/webhooks/mod.ts", import.meta.url), "utf8");

    expect(source).toContain("PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000]");
    expect(readGuide("webhooks").replace(/\s+/g, " ")).toContain(
      "after 5 seconds, 30 seconds, 2 minutes, 10 minutes and 1 hour",
    );
  });
});
