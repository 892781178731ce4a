// The exports of Mailchimp, Brevo and SendGrid come into a project by the commands of the guide.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { IncomingReport } from "../../src/moving/incoming_types.ts";
import { useAdmin } from "../support/admin.ts";
import { useService } from "../support/service.ts";
import { zipOf } from "../support/zip.ts";

const service = useService();
const { admin } = useAdmin(service);
const folder = mkdtempSync(join(tmpdir(), "export-"));
const GUIDE = readFileSync(join(import.meta.dir, "../../src/http/pages/guides/moving.md"), "utf8");
let project: NewProject;

beforeEach(async () => {
  project = await service.createProject();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** The command after this mark in the guide, with the files of the test. */
async function byGuide(mark: string, ...more: string[]): Promise<IncomingReport> {
  const [, command = ""] =
    new RegExp(`<!-- ${mark} -->\\s+\`\`\`sh\\nbun run admin (.*)\\n`).exec(GUIDE) ?? [];
  const words = command
    .replace('"$PROJECT"', project.id)
    .split(" ")
    .map((word) => (/\.(csv|zip)$/.test(word) ? join(folder, word) : word));
  const { out, err, exitCode } = await admin(...words, ...more);
  expect([err, exitCode]).toEqual(["", 0]);
  return JSON.parse(out) as IncomingReport;
}

const contactsHere = async () => {
  const rows = await service.pool`
    select email, subscribed, data, created_at as "createdAt" from contacts where project_id = ${project.id}`;
  return new Map(rows.map(({ email, ...row }) => [email as string, row]));
};

const suppressedHere = async () =>
  Object.fromEntries(
    (await service.pool`select email, reason from suppressions where project_id = ${project.id}`).map(
      ({ email, reason }) => [email as string, reason as string],
    ),
  );

async function assertQuiet(): Promise<void> {
  await service.runJobs();
  const [quiet] = await service.pool`
    select
      (select count(*)::int from events where project_id = ${project.id}) as events,
      (select count(*)::int from emails where project_id = ${project.id}) as mails,
      (select count(*)::int from executions where project_id = ${project.id}) as executions`;
  expect(quiet).toEqual({ events: 0, mails: 0, executions: 0 });
}

test("Mailchimp: the zip of an audience comes with its consent, and tags become static segments", async () => {
  const columns =
    "Email Address,First Name,Last Name,Favourite Colour,Phone Number,MEMBER_RATING,OPTIN_TIME,LEID,TAGS";
  const zip = zipOf({
    "export/subscribed_email_audience_export_1.csv":
      `${columns}\r\nADA@example.com,Ada,Lovelace,blue,4712345678,4,2021-03-04 05:06:07,1,"""VIP"",""Early, bird"""\r\n` +
      `both@example.com,Bo,,,,2,,2,"""VIP"""\r\nno address,X,,,,2,,3,\r\nshifted@example.com,a,b,c,d,1,,4,x,y\r\n` +
      Array.from({ length: 1_200 }, (_, n) => `c${n}@example.com,C${n},,,,1,,9,\r\n`).join(""),
    "export/unsubscribed_email_audience_export_1.csv": `${columns},UNSUB_TIME\nbye@example.com,Bye,,,,1,,5,"""VIP""",2022-01-01 00:00:00\nboth@example.com,,,,,1,,6,,2022-01-01 00:00:00\n`,
    "export/nonsubscribed_email_audience_export_1.csv": `${columns}\nshopper@example.com,,,,,1,,7,\n`,
    "export/cleaned_email_audience_export_1.csv": `${columns},CLEAN_TIME\ngone@example.com,,,,,1,,8,,2022-01-01 00:00:00\n`,
    "export/campaigns.csv": "Title,Subject\nNews,Hi\n",
    "export/news.html": "<p>Hi</p>",
  });
  write("audience_export.zip", zip);
  const foreseen = await byGuide("mailchimp");
  const before = await contactsHere();
  const report = await byGuide("mailchimp", "--yes");
  const again = await byGuide("mailchimp", "--yes");
  const here = await contactsHere();
  const segments = await service.pool`
    select name, member_count as members from segments where project_id = ${project.id} order by name`;

  expect([foreseen.dryRun, before.size]).toEqual([true, 0]);
  expect(report).toMatchObject({
    from: "mailchimp",
    contacts: { read: 1_207, created: 1_205, refused: 1 },
    suppressions: 1,
    segments: { created: 2, existing: 0 },
  });
  expect(again).toMatchObject({
    contacts: { created: 0, changed: 0 },
    segments: { created: 0, existing: 2 },
  });
  expect(here.get("ada@example.com")).toEqual({
    subscribed: true,
    data: {
      firstName: "Ada",
      lastName: "Lovelace",
      favouriteColour: "blue",
      phone: "4712345678",
      memberRating: 4,
    },
    createdAt: new Date("2021-03-04T05:06:07Z"),
  });
  const subscribed = (name: string) => here.get(`${name}@example.com`)?.subscribed;
  expect(["both", "bye", "shopper", "gone", "c1199", "shifted"].map(subscribed)).toEqual([
    false,
    false,
    false,
    false,
    true,
    undefined,
  ]);
  expect(await suppressedHere()).toEqual({ "gone@example.com": "BOUNCE" });
  expect([...segments]).toEqual([
    { name: "Early, bird", members: 1 },
    { name: "VIP", members: 3 },
  ]);
  const left = report.leftOut.map(({ what, why }) => `${what}: ${why}`);
  for (const what of [
    "contact no address",
    "row 5 of subscribed_",
    "campaigns.csv: it has no column",
    "other files of the zip: 1",
    "LEID",
  ])
    expect(left).toContainEqual(expect.stringContaining(what));
  await assertQuiet();
});

test("Brevo and SendGrid: whoever is in a file of unsubscribed, bounced or complained ones gets no mail", async () => {
  write(
    "contacts.csv",
    "CONTACT ID;EMAIL;FIRSTNAME;SMS;FIRST_CLASS;ADDED_TIME\n1;ada@example.com;Ada;4712345678;yoga;2021-03-04 05:06:07\n2;bye@example.com;Bye;;;\n",
  );
  write("blocklisted.csv", "EMAIL\nbye@example.com\n");
  const brevo = await byGuide("brevo", "--yes");
  const first = await contactsHere();
  write(
    "contacts.csv",
    "EMAIL,FIRST_NAME,city,CREATED_AT\nada@example.com,Augusta,Oslo,\nleft@example.com,Lea,,\nspam@example.com,Sam,,2021-03-04T05:06:07Z\n",
  );
  write(
    "global_unsubscribes.csv",
    "email,created\nleft@example.com,1614834367\nnever@example.com,1614834367\n",
  );
  write("bounces.csv", "status,reason,email,created\n5.1.1,550 no,Gone@example.com,1614834367\n,,nobody,\n");
  write("spam_reports.csv", "email,created,ip\nspam@example.com,1614834367,192.0.2.1\n");
  const sendgrid = await byGuide("sendgrid", "--yes");
  const here = await contactsHere();

  expect(brevo).toMatchObject({ contacts: { read: 3, created: 2 }, suppressions: 0 });
  expect(first.get("ada@example.com")).toEqual({
    subscribed: true,
    data: { firstName: "Ada", phone: "4712345678", firstClass: "yoga" },
    createdAt: new Date("2021-03-04T05:06:07Z"),
  });
  expect(first.get("bye@example.com")).toMatchObject({ subscribed: false, data: { firstName: "Bye" } });
  expect(sendgrid).toMatchObject({ contacts: { read: 5, created: 3, refused: 0 }, suppressions: 2 });
  expect(here.get("ada@example.com")!.data).toMatchObject({ firstName: "Ada", city: "Oslo" });
  expect(here.get("left@example.com")!.subscribed).toBe(false);
  expect(here.get("never@example.com")).toMatchObject({ subscribed: false, data: {} });
  expect(here.has("gone@example.com")).toBe(false);
  expect(await suppressedHere()).toEqual({ "gone@example.com": "BOUNCE", "spam@example.com": "COMPLAINT" });
  expect(sendgrid.leftOut.map(({ what }) => what)).toContain("row 3 of bounces.csv");
  await assertQuiet();
});

test("a file that does not say its state, no such file, a broken zip and one that lies about its size are refused", async () => {
  const contacts = write(
    "people.csv",
    "EMAIL,FIRSTNAME,EMAIL_BLACKLISTED\na@example.com,A,false\nb@example.com,B,true\n",
  );
  const plain = write("plain.csv", "EMAIL,FIRSTNAME\np@example.com,P\n");
  const refused = async (...words: string[]) => {
    const { err, exitCode } = await admin("import", ...words, "--project", project.id, "--yes");
    expect(exitCode).toBe(1);
    return err;
  };
  const bomb = write(
    "bomb.zip",
    zipOf({ "subscribed_1.csv": `Email Address\n${"a@example.com\n".repeat(100_000)}` }, { claimed: 20 }),
  );

  expect(await refused("sendgrid", plain)).toContain(
    "--as subscribed|unsubscribed|bounced|complained|blocked",
  );
  expect(await refused("mailchimp", plain)).toContain("Keep the name");
  expect(await refused("brevo")).toContain("without the files");
  expect(await refused("brevo", plain, "--as", "maybe")).toContain("Cannot read --as");
  expect(await refused("brevo", join(folder, "none.csv"))).toContain("there is no such file");
  expect(await refused("mailchimp", write("broken.zip", "PK nothing"))).toContain("Cannot read");
  expect(await refused("mailchimp", bomb)).toContain("Cannot import subscribed_1.csv");
  expect([await contactsHere(), await suppressedHere()]).toEqual([new Map(), {}]);

  await admin("import", "brevo", contacts, plain, "--as", "blocked", "--project", project.id, "--yes");
  const here = await contactsHere();
  expect(["a", "b", "p"].map((name) => here.get(`${name}@example.com`)?.subscribed)).toEqual([
    true,
    false,
    false,
  ]);
  expect(await suppressedHere()).toEqual({ "p@example.com": "MANUAL" });
});

test("keys and passwords are read from files", async () => {
  const key = write("key", "sk_from_file\nsecond line\n");
  const asked: (string | null)[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push(request.headers.get("authorization"));
      return new Response("", { status: 403 });
    },
  });
  const to = ["--project", project.id, "--url", `http://127.0.0.1:${server.port}`];
  await admin("import", "plunk", ...to, "--key-file", key);
  await admin("import", "listmonk", ...to, "--user", "api", "--password-file", key);
  expect(asked).toEqual(["Bearer sk_from_file", `Basic ${btoa("api:sk_from_file")}`]);
});
