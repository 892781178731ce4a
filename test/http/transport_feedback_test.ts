// Webhooks of the provider behind a transport: the secret that proves them, and whose mails they may tell about.
import { beforeAll, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { FollowedMail } from "../../src/sending/compose/followed_mail.ts";
import { addTransport } from "../../src/sending/transports/mod.ts";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { useFollowedMails } from "../support/followed_mails.ts";
import { useService } from "../support/service.ts";

const service = useService();
const mails = useFollowedMails(service);
const POSTMARK = "smtp://ada:password@smtp.postmarkapp.com:587";
const SECRET = "hook:a-long-password";
const PUBLIC_KEY = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .publicKey.export({ type: "spki", format: "der" })
  .toString("base64");

let project: NewProject;
let stranger: NewProject;
let owner: Person;

beforeAll(async () => {
  project = await service.createProject();
  stranger = await service.createProject();
  owner = await signUp(service);
  await join(service, owner, project.id, "OWNER");
});

const as = (method: string, path: string, body?: unknown) =>
  owner.request(method, path, body, { projectId: project.id });

async function add(input: object = {}): Promise<Record<string, any>> {
  const body = { name: "Own", kind: "SMTP", url: POSTMARK, feedbackSecret: SECRET, ...input };
  const answer = await as("POST", "/transports", body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** What the provider says about a mail, to the address of a transport. */
async function tell(
  { id, provider = "postmark" }: { id: string; provider?: string },
  { projectId, emailId }: FollowedMail,
  { secret = SECRET, messageId = crypto.randomUUID() as string } = {},
): Promise<number> {
  const event = {
    RecordType: "SpamComplaint",
    ID: 43,
    MessageID: messageId,
    Email: "ada@example.com",
    BouncedAt: "2026-11-27T10:00:00Z",
    Metadata: { postrider: `${projectId}.${emailId}` },
    // As Brevo names these.
    event: "spam",
    "X-Mailin-custom": `${projectId}.${emailId}`,
  };
  const authorization = secret.includes(":")
    ? `Basic ${Buffer.from(secret).toString("base64")}`
    : `Bearer ${secret}`;
  const { status } = await service.app.handle(
    new Request(`http://localhost/webhooks/incoming/${provider}/${id}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization },
      body: JSON.stringify(event),
    }),
  );
  return status;
}

const statusOf = async (mail: FollowedMail) => (await mails.row(mail)).status as string;

describe("the secret of a transport's webhook", () => {
  test("is shown to nobody, and kept sealed", async () => {
    const made = await add();
    const [row] =
      await service.pool`select to_jsonb(t)::text as text from transports t where id = ${made.id}`;
    const [line] = await service.pool`
      select string_agg(to_jsonb(a)::text, ' ') as text from audit a where project_id = ${project.id}`;
    const again = (await as("PATCH", `/transports/${made.id}`, { feedbackSecret: "hook:another-one" })).body;

    expect(made.feedback).toEqual({
      provider: "postmark",
      url: `${service.config.BASE_URL}/webhooks/incoming/postmark/${made.id}`,
      hasSecret: true,
    });
    for (const text of [JSON.stringify([made, again]), row!.text, line!.text]) {
      expect(text).not.toMatch(/a-long-password|another-one/);
    }
    expect(await tell(made as { id: string }, await mails.mail({}, project))).toBe(403);
  });

  test("stays with its provider, and ends with it", async () => {
    const { id } = await add();
    const patch = async (body: object) => (await as("PATCH", `/transports/${id}`, body)).body.feedback;
    const mail = await mails.mail({}, project);

    expect(await patch({ url: "smtp://ada:other@smtp.postmarkapp.com:587", name: "Renamed" })).toMatchObject({
      hasSecret: true,
    });
    expect(await patch({ url: "smtp://ada:password@smtp.mailgun.org:587" })).toMatchObject({
      provider: "mailgun",
      hasSecret: false,
    });
    expect(await tell({ id }, mail)).toBe(404);
    expect(await patch({ url: POSTMARK, feedbackSecret: SECRET })).toMatchObject({ hasSecret: true });
    expect(await patch({ feedbackSecret: null })).toMatchObject({ provider: "postmark", hasSecret: false });
    expect(await tell({ id }, mail)).toBe(404);
    expect(await patch({ url: "smtp://ada:password@smtp.example.com" })).toMatchObject({ provider: "arf" });
    expect(await patch({ url: "smtp://ada:password@smtp.example.com?provider=brevo" })).toMatchObject({
      provider: "brevo",
    });
    expect(await statusOf(mail)).toBe("SENT");
  });

  test.each([
    [{ url: "smtp://ada:password@smtp.example.com", feedbackSecret: "short" }, "at least 8"],
    [{ kind: "CAPTURE", url: undefined, feedbackSecret: SECRET }, "kind CAPTURE has no webhook"],
    [{ feedbackSecret: "hook-without-a-user" }, "user and password"],
    [{ feedbackSecret: "hook:with blanks" }, "no blanks"],
    [{ feedbackSecret: "a:b" }, "at least 8"],
    [{ feedbackSecret: "" }, "at least 8"],
    [{ url: "smtp://a:b@smtp.resend.com", feedbackSecret: "re_12345678901" }, "whsec_"],
    [{ url: "smtp://a:b@smtp.sendgrid.net", feedbackSecret: "SG.12345678901" }, "verification key"],
  ])("%j is refused: %s", async (given, words) => {
    const body = { name: "Own", kind: "SMTP", url: POSTMARK, ...given };
    const { status, body: answer } = await as("POST", "/transports", body);
    const { feedbackSecret } = given;

    expect(status).toBe(422);
    expect(answer.error.errors).toEqual([
      expect.objectContaining({ field: "feedbackSecret", message: expect.stringContaining(words) }),
    ]);
    if (feedbackSecret !== "") expect(JSON.stringify(answer)).not.toContain(feedbackSecret);
  });

  test("is asked of its own provider alone: what is public of one is no password of another", async () => {
    const { id } = await add({ url: "smtp://a:b@smtp.sendgrid.net", feedbackSecret: PUBLIC_KEY });
    const mail = await mails.mail({}, project);

    expect(await tell({ id, provider: "brevo" }, mail, { secret: PUBLIC_KEY })).toBe(404);
    expect(await tell({ id, provider: "sendgrid" }, mail, { secret: PUBLIC_KEY })).toBe(403);
    expect(await statusOf(mail)).toBe("SENT");
  });
});

describe("what is told about a transport", () => {
  test("of a project changes mails of this project, and of no other", async () => {
    const { id } = await add();
    const [own, other] = [await mails.mail({}, project), await mails.mail({}, stranger)];

    expect([await tell({ id }, own), await tell({ id }, other)]).toEqual([200, 200]);
    expect([await statusOf(own), await statusOf(other)]).toEqual(["COMPLAINED", "SENT"]);
    // Nor by a name of ours that is made up, beside the id that the provider gave to the mail of another.
    const [made] = [{ projectId: project.id, emailId: crypto.randomUUID() }];
    const known = await mails.mail({ provider_id: "known-at-the-provider" }, stranger);
    expect(await tell({ id }, made!)).toBe(200);
    expect(await statusOf(known)).toBe("SENT");
  });

  test("by the id of the provider, too, is found in this project alone", async () => {
    const { applyNotices } = await import("../../src/sending/feedback/mod.ts");
    const providerId = crypto.randomUUID();
    const [own, other] = [
      await mails.mail({ provider_id: providerId }, project),
      await mails.mail({ provider_id: providerId }, stranger),
    ];
    const mail = { projectId: null, emailId: null, providerId, within: project.id };
    const at = new Date();
    await applyNotices(service, [{ kind: "delivery", mail, at, sentAt: null, recipient: null }]);

    expect([await statusOf(own), await statusOf(other)]).toEqual(["DELIVERED", "SENT"]);
  });

  test("of the installation changes mails of all projects", async () => {
    const input = { name: "Shared", kind: "SMTP", url: POSTMARK, feedbackSecret: SECRET } as const;
    const { id } = await addTransport(service, INSTALLATION, input, OPERATOR);
    const both = [await mails.mail({}, project), await mails.mail({}, stranger)];
    for (const mail of both) expect(await tell({ id }, mail)).toBe(200);

    expect(await Promise.all(both.map(statusOf))).toEqual(["COMPLAINED", "COMPLAINED"]);
  });

  test("cannot take the place of what is told about another", async () => {
    const [first, second] = [await add(), await add()];
    const mail = await mails.mail({}, project);
    const same = { messageId: "the-same-event" };

    // About nobody's mail, but with the id of the event that is to come.
    expect(await tell(first as { id: string }, await mails.mail({}, stranger), same)).toBe(200);
    expect(await tell(second as { id: string }, mail, same)).toBe(200);
    expect(await statusOf(mail)).toBe("COMPLAINED");
  });

  test("that there is not, or not any more, is refused", async () => {
    const { id } = await add();
    const mail = await mails.mail({}, project);
    expect((await as("DELETE", `/transports/${id}`)).status).toBe(204);

    expect(await tell({ id }, mail)).toBe(404);
    expect(await tell({ id: "nonsense" }, mail)).toBe(404);
    expect(await tell({ id: crypto.randomUUID() }, mail)).toBe(404);
  });
});
