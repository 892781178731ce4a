// The first hour of a shop, by mouse: an account, a project, a domain that proves itself, an audience from a file, a segment.
import { afterAll, beforeAll, expect } from "bun:test";
import { createApp } from "../../src/http/mod.ts";
import { createDns } from "../../src/mail/dns.ts";
import { PASSWORD } from "../support/accounts.ts";
import { type NameServer, startNameServer } from "../support/name_server.ts";
import { readMail } from "../support/received_mail.ts";
import { browserTest, keepPicture, type OpenPage, useConsole } from "./support.ts";

const stage = useConsole({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });
let names: NameServer;

beforeAll(async () => {
  names = await startNameServer();
  const { service } = stage;
  const { server } = service.app;
  service.app = createApp({ ...service, dns: createDns({ servers: [names.address] }) });
  service.app.server = server;
});

afterAll(() => names.stop());

const CSV = [
  "E-Mail;First name;plan",
  ...Array.from({ length: 24 }, (_, n) => `person.${n}@people.example;Person ${n};${n % 4 ? "free" : "pro"}`),
].join("\n");

const heading = (page: OpenPage, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
const go = (page: OpenPage, name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).click();

/** The link in the mail that is sent next. */
async function nextLink(): Promise<string> {
  await stage.service.runJobs();
  const { text } = await readMail(stage.service.smtp.received.at(-1)!.source);
  return text!.match(/http:\S+\/verify-email\S+/)![0];
}

browserTest("from the sign-up to a verified domain, an audience and a segment", async () => {
  // The mails that are waiting from before are to others.
  await stage.service.runJobs();
  const page = await stage.open("~/sign-up", { as: null });
  await page.getByLabel("Address").fill("founder@people.example");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create the account" }).click();
  await heading(page, "Your first project");
  await page.goto(await nextLink());
  await page.getByRole("button", { name: "Yes, it was me" }).click();
  await page.getByText("You can now invite people").waitFor();
  await page.getByRole("button", { name: "To the console" }).click();
  await page.getByLabel("Name").fill("Lamp shop");
  await page.getByRole("button", { name: "Create the project" }).click();
  await heading(page, "Overview");
  await page.getByText("0 of 4 done").waitFor();

  await page.getByRole("link", { name: "Add a domain" }).click();
  await page.getByRole("button", { name: "Add a domain" }).click();
  await page.getByRole("textbox", { name: "Domain" }).fill("lamps.example");
  await page.getByRole("button", { name: "Add, and show its records" }).click();
  await heading(page, "lamps.example");
  const record = page.getByRole("region", { name: "Signature (DKIM), TXT" });
  const [name, value] = await record
    .locator("code")
    .allTextContents()
    .then((texts) => texts.slice(1));
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("the required record is not there yet").waitFor();
  // What was looked up just now is not looked up again.
  stage.service.setNow(new Date(Date.now() + 120_000));
  names.set(name!, "TXT", [value!.match(/.{1,255}/g)!]);
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("The domain is verified").waitFor();
  await record.getByText("In place").waitFor();
  await keepPicture(page, "domain--verified-light-1280");

  await go(page, "Contacts");
  await page.getByRole("link", { name: "Import" }).first().click();
  await page.locator("input[type=file]").setInputFiles({
    name: "customers.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(CSV),
  });
  await page.getByRole("button", { name: "See what will happen" }).click();
  await page.getByText("Reading the file").waitFor();
  await stage.service.runJobs();
  await page.getByText("Nothing has changed yet").waitFor();
  await page.getByRole("button", { name: "Import now" }).click();
  await page.getByText("Importing").first().waitFor();
  await stage.service.runJobs();
  await page.getByRole("button", { name: "Undo" }).waitFor();

  await go(page, "Segments");
  await page.getByRole("link", { name: "New segment" }).click();
  await page.getByLabel("Name").fill("Pro");
  await page.getByRole("combobox", { name: "Field" }).fill("plan");
  await page.getByRole("option", { name: "plan", exact: true }).click();
  await page.getByRole("combobox", { name: "Value", exact: true }).click();
  await page.getByRole("option", { name: "pro" }).click();
  await page.getByLabel("Preview").getByText("6 contacts", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Create segment" }).click();
  await heading(page, "Pro");
  await go(page, "Overview");
  await page.getByText("2 of 4 done").waitFor();
  expect(page.complaints).toEqual([]);
  await page.context().close();
});
