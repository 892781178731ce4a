import { beforeAll, expect } from "bun:test";
import { saveContact } from "../../src/audience/contacts/mod.ts";
import { eventually } from "./eventually.ts";
import { type Console, browserTest, expectSound, type OpenPage, tour, useConsole } from "./support.ts";

const stage = useConsole();
const NAMES = ["Ada", "Béla", "Chen", "Dunya", "Emil", "Fatima", "Goran", "Hana", "Ines", "Jonas"];
const CITIES = ["Berlin", "Lisboa", "Oslo", "Praha"];
const COUNT = 60;
/** What a page has to find room for. */
const LONG = {
  unternehmensbezeichnung: "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller",
  website:
    "https://www.fahrradgrosshandelsgesellschaft-nord-und-sued.example/haendler/sondervereinbarungen?id=1234567890",
  lieferanschrift: {
    street: "Straße des 17. Juni 135",
    city: "Garmisch-Partenkirchen",
    tags: ["vip", "wholesale"],
  },
};
let adaId: string;
let vipId: string;

const ask = async (method: string, path: string, body?: unknown, key = stage.project.secret) => {
  const answer = await stage.service.request(method, path, { key, body });
  if (answer.status >= 400) throw new Error(JSON.stringify(answer.body));
  return answer.body;
};

/** A contact by its address, as the service has it now. */
const contactOf = async (search: string) => (await ask("GET", `/contacts?search=${search}`)).data[0];

beforeAll(() => fill(stage));

async function fill({ service, project }: Console): Promise<void> {
  for (let n = 0; n < COUNT; n++) {
    await saveContact(service, project.id, {
      email: `${NAMES[n % 10]!.toLowerCase().replace("é", "e")}.${n}@people.example`,
      subscribed: n % 5 !== 4,
      data: {
        firstName: n === 57 ? "Karl-Theodor Maria Nikolaus Johann Jacob Philipp Franz" : NAMES[n % 10]!,
        city: CITIES[n % 4]!,
        orders: n === 56 ? 123_456_789_012 : n % 12,
        plan: n % 3 ? "free" : "pro",
        ...(n === 0 && LONG),
      },
    });
  }
  adaId = (await contactOf("ada.0@")).id;
  vipId = (await ask("POST", "/segments", { name: "Founding customers", type: "STATIC" })).id;
  const filters = [{ field: "data.plan", operator: "equals", value: "pro" }];
  await ask("POST", "/segments", {
    name: "On the pro plan",
    condition: { logic: "AND", groups: [{ filters }] },
  });
  await ask(
    "POST",
    "/v1/track",
    {
      email: "ada.0@people.example",
      event: "order placed",
      data: { total: 49.5 },
    },
    project.public,
  );
  await ask("POST", "/v1/send", {
    to: "ada.0@people.example",
    from: "hello@shop.example",
    subject: "Your order is on its way",
    body: "<h1>Thank you</h1><p>It arrives on Friday.</p>",
  });
  await service.runJobs();
}

/** Closes the page at the end. */
async function on(path: string, visit: (page: OpenPage) => Promise<void>): Promise<void> {
  const page = await stage.open(path);
  await visit(page);
  expect(page.complaints).toEqual([]);
  await page.context().close();
}

tour(stage, "contacts", {
  path: "/contacts",
  ready: (page) => page.getByText("jonas.59@people.example"),
  states: {
    conditions: async (page) => {
      await page.getByRole("button", { name: "Conditions" }).click();
      await page.getByText("to see the condition in words").waitFor();
    },
  },
});

tour(stage, "contact", {
  path: () => `/contacts/${adaId}`,
  ready: (page) => page.getByText("order placed"),
  states: {
    "new-field": async (page) => {
      await page.getByRole("button", { name: "Add a field" }).click();
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("Enter a name for the field").waitFor();
    },
    mails: async (page) => {
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("tab", { name: "Mails" }).click();
      await page.getByRole("button", { name: /Your order is on its way/ }).waitFor();
    },
    mail: async (page) => {
      await page.getByRole("button", { name: /Your order is on its way/ }).click();
      await page.frameLocator("iframe").getByText("It arrives on Friday.").waitFor();
    },
    why: async (page) => {
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Why in On the pro plan" }).click();
      await page.getByText("found: pro").waitFor();
    },
    delete: async (page) => {
      await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await page.getByRole("dialog", { name: /^Delete ada/ }).waitFor();
    },
  },
});

browserTest("a search, a subscription and a segment narrow the list, and stand in the address", async () => {
  await on("/contacts", async (page) => {
    await page.getByText("jonas.59@people.example").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("ada.");
    await page.getByRole("table", { name: "Contacts" }).getByText("ada.50@people.example").waitFor();
    await page.getByText("jonas.59@people.example").waitFor({ state: "detached" });
    await eventually(async () => page.url()).toContain("search=ada.");
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.getByText("jonas.59@people.example").waitFor();
    await eventually(() => page.getByLabel("Search by address").inputValue()).toBe("");
    await page.getByLabel("Subscription").first().click();
    await page.getByRole("option", { name: "Unsubscribed" }).click();
    // What was found before stays until the answer is there.
    await page.getByText("hana.57@people.example").waitFor({ state: "detached" });
    await page.getByText("emil.54@people.example").waitFor();
    await page.goBack();
    await page.getByText("hana.57@people.example").waitFor();
  });
});

browserTest("by the keyboard alone: two contacts are chosen, unsubscribed and subscribed again", async () => {
  await on("/contacts?search=chen.", async (page) => {
    await page.getByText("chen.52@people.example").waitFor();
    for (const key of ["j", "x", "j", "x"]) {
      await page.keyboard.press(key);
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
    }
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Unsubscribe", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Unsubscribing contacts").waitFor();
    await Promise.all([page.getByText("2 contacts unsubscribed").waitFor(), stage.service.runJobs()]);
    expect((await contactOf("chen.52@")).subscribed).toBe(false);
    await page.getByRole("button", { name: "Undo" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Subscribing contacts").waitFor();
    await Promise.all([page.getByText("2 contacts subscribed").waitFor(), stage.service.runJobs()]);
    expect((await contactOf("chen.52@")).subscribed).toBe(true);
  });
});

browserTest(
  "a field is edited, refused, added and removed where it stands, the removal is taken back, and a segment is entered",
  async () => {
    await on(`/contacts/${adaId}`, async (page) => {
      await page.getByRole("button", { name: "Edit Orders" }).click();
      await page.getByRole("textbox", { name: "Orders" }).fill("many");
      await page.keyboard.press("Enter");
      await page.getByText("This is not a number").waitFor();
      await page.getByRole("textbox", { name: "Orders" }).fill("41");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Edit Orders" }).filter({ hasText: "41" }).waitFor();
      await page.getByRole("button", { name: "Edit Email address" }).click();
      await page.getByRole("textbox", { name: "Email address" }).fill("bela.1@people.example");
      await page.keyboard.press("Enter");
      await page.getByText(/another contact in the project has it/).waitFor();
      expect(page.complaints.splice(0)).toEqual([expect.stringContaining("409")]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Add a field" }).click();
      await page.getByLabel("Field", { exact: true }).first().fill("birthday");
      await page.getByLabel("Kind").first().click();
      await page.getByRole("option", { name: "Date" }).click();
      await page.getByLabel("Value", { exact: true }).fill("1990-05-17");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Edit Birthday" }).waitFor();
      await page.getByRole("button", { name: "Remove City" }).click();
      await page.getByRole("button", { name: "Edit City" }).waitFor({ state: "detached" });
      expect((await contactOf("ada.0@")).data).toEqual({
        ...LONG,
        firstName: "Ada",
        total: 49.5,
        orders: 41,
        plan: "pro",
        birthday: "1990-05-17",
      });
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("button", { name: "Edit City" }).waitFor();
      await page.getByRole("button", { name: "Others" }).click();
      await page.getByRole("menuitem", { name: "Founding customers" }).click();
      await page.getByRole("button", { name: "Remove from Founding customers" }).waitFor();
      expect((await ask("GET", `/segments/${vipId}/contacts`)).total).toBe(1);
    });
  },
);

const CSV = [
  "E-Mail;First name;Kunde seit;Notiz",
  "ada.0@people.example;Augusta;2024-02-01;",
  "new.one@people.example;Zoë;2025-06-30;called twice",
  "not an address;Nobody;;",
].join("\n");

browserTest(
  "a file that holds no table is refused where it was dropped; one that does is mapped, tried, imported and undone",
  async () => {
    await on("/contacts", async (page) => {
      await page.getByRole("link", { name: "Import" }).click();
      await page.getByRole("button", { name: "Choose a file" }).waitFor();
      await page
        .locator("input[type=file]")
        .setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer: Buffer.from("PK\u0003\u0004zip") });
      await page.getByText("This is an Excel workbook").waitFor();
      await page
        .locator("input[type=file]")
        .setInputFiles({ name: "none.csv", mimeType: "text/csv", buffer: Buffer.from("email\nnobody\n") });
      await page.getByRole("button", { name: "See what will happen" }).click();
      await page.getByText("Reading the file").waitFor();
      // Who goes back does not want to know it any more: nobody does that work.
      await page.getByRole("button", { name: "Back to the columns" }).click();
      const trials = async () =>
        (await stage.service.pool`select failed_reason from contact_imports where dry_run`).map(
          ({ failedReason }) => failedReason,
        );
      await eventually(trials).toEqual(["Cancelled"]);
      await page.getByRole("button", { name: "See what will happen" }).click();
      await page.getByText("Reading the file").waitFor();
      await stage.service.runJobs();
      await page.getByText("No row can be imported").waitFor();
      await eventually(() => page.getByRole("button", { name: "Import now" }).isDisabled()).toBe(true);
      await page.getByRole("button", { name: "Back to the columns" }).click();
      await page.getByRole("button", { name: "Another file" }).click();
      await page
        .locator("input[type=file]")
        // As a spreadsheet saves it on a system that is not set to UTF-8.
        .setInputFiles({ name: "kunden.csv", mimeType: "text/csv", buffer: Buffer.from(CSV, "latin1") });
      await page.getByText("read as Western European (Windows-1252)").waitFor();
      await page.getByText("What Notiz becomes").or(page.getByLabel("What Notiz becomes")).first().click();
      await page.getByRole("option", { name: "Leave it out" }).click();
      await expectSound(page);
      await page.getByRole("button", { name: "See what will happen" }).click();
      await page.getByText("Reading the file").waitFor();
      await stage.service.runJobs();
      await page.getByText("Nothing has changed yet").waitFor();
      await page.getByText("Augusta").waitFor();
      await page.getByText("This is not an email address").waitFor();
      expect((await contactOf("ada.0@")).data.firstName).toBe("Ada");
      await expectSound(page);
      await page.getByRole("button", { name: "Import now" }).click();
      await page.getByText("Importing").first().waitFor();
      await stage.service.runJobs();
      await page.getByRole("button", { name: "Undo" }).waitFor();
      expect((await contactOf("ada.0@")).data).toMatchObject({
        firstName: "Augusta",
        kundeSeit: "2024-02-01",
      });
      expect((await contactOf("new.one@")).data).toEqual({ firstName: "Zoë", kundeSeit: "2025-06-30" });
      await expectSound(page);
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("button", { name: "Undo the import" }).click();
      await page.getByText("Undoing the import").first().waitFor();
      await stage.service.runJobs();
      await page.getByText("This import was undone").waitFor();
      expect(await contactOf("new.one@")).toBeUndefined();
      expect((await contactOf("ada.0@")).data.firstName).toBe("Ada");
      await page.getByRole("link", { name: "Imports" }).click();
      await page.getByRole("link", { name: "kunden.csv" }).first().waitFor();
      await page.getByText("Undone").waitFor();

      const { body } = await stage.service.request("POST", "/contacts/imports?fileName=wrong.csv", {
        key: stage.project.secret,
        raw: new TextEncoder().encode("email\nwrong.one@people.example\n"),
        headers: { "content-type": "text/csv" },
      });
      await stage.visit(page, `/imports/${body.jobId}`);
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByRole("button", { name: "Stop the import" }).click();
      await page.getByText("This import was stopped").waitFor();
      await page.getByText("Stopped", { exact: true }).waitFor();
      await stage.service.runJobs();
      expect(await contactOf("wrong.one@")).toBeUndefined();
    });
  },
);
