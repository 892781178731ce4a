// Where mail comes from and where it does not go: domains, suppressions, images.
import { beforeAll, describe, expect } from "bun:test";
import { png } from "../support/images.ts";
import { addDomain } from "../../src/sending/domains/mod.ts";
import { SERVICE } from "../../src/accounts/audit.ts";
import { eventually } from "./eventually.ts";
import { expectSound, browserTest, keepPicture, settled, tour, useConsole } from "./support.ts";

const stage = useConsole();
const STATES = { "DKIM TXT": "MISMATCH", "SPF TXT": "VERIFIED", "DMARC TXT": "MISSING" };
const FOUND = {
  "DKIM TXT": {
    found: ["v=DKIM1; k=rsa; p=AAAA"],
    reason: "The key is another one: replace the value with this one",
  },
  "SPF TXT": { found: ["v=spf1 mx ~all"], reason: null },
  "DMARC TXT": { found: [], reason: "There is no DMARC record at this name" },
};
const LONG_DOMAIN = "mitteilungen.fahrradgrosshandelsgesellschaft-nord-und-sued.example";
let domainId: string;

beforeAll(async () => {
  const { service, project } = stage;
  ({ id: domainId } = await addDomain(service, project.id, "acme.example", SERVICE));
  await addDomain(service, project.id, LONG_DOMAIN, SERVICE);
  await service.pool`
    update domains
    set record_states = ${JSON.stringify(STATES)}::text::jsonb,
      record_findings = ${JSON.stringify(FOUND)}::text::jsonb, last_checked_at = now()
    where id = ${domainId}`;
  await service.pool`
    insert into suppressions (project_id, email, reason, created_at)
    select ${project.id}, 'person' || lpad(n::text, 4, '0') || case n
        when 3 then ${`.buchhaltung.und.rechnungswesen@${LONG_DOMAIN}`} else '@example.com'
      end,
      (array['BOUNCE', 'COMPLAINT', 'MANUAL'])[1 + n % 3]::suppression_reason, now() - n * interval '3 hours'
    from generate_series(1, 400) as n`;
});

describe("domains", () => {
  tour(stage, "domains", {
    path: "/domains",
    ready: (page) => page.getByRole("link", { name: /acme\.example/ }),
    states: {
      new: async (page) => {
        await page.getByRole("button", { name: "Add a domain" }).click();
        await page.getByRole("textbox", { name: "Domain" }).waitFor();
      },
    },
  });
  tour(stage, "domain", {
    path: () => `/domains/${domainId}?provider=cloudflare`,
    ready: (page) => page.getByRole("heading", { name: "acme.example" }),
  });

  browserTest("a domain is added, and its records are shown beside what was found", async () => {
    const page = await stage.open("/domains");
    await page.getByRole("button", { name: "Add a domain" }).click();
    await page.getByRole("textbox", { name: "Domain" }).fill("not a domain");
    await page.keyboard.press("Enter");
    await page
      .getByText(/domain name|Expected|registrable/i)
      .first()
      .waitFor();
    await eventually(() => page.getByRole("textbox", { name: "Domain" }).inputValue()).toBe("not a domain");
    await page.getByRole("textbox", { name: "Domain" }).fill("News.Example");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "news.example", level: 1 }).waitFor();

    await eventually(() =>
      page.getByRole("region", { name: "Signature (DKIM), TXT" }).textContent(),
    ).toContain("v=DKIM1; k=rsa; p=");
    await page.context().close();
  });

  browserTest("a record that is not right says what was found, and why", async () => {
    const page = await stage.open(`/domains/${domainId}`);
    const record = page.getByRole("region", { name: "Signature (DKIM), TXT" });
    await record.waitFor();

    await eventually(() => record.textContent()).toContain("v=DKIM1; k=rsa; p=AAAA");
    await eventually(() => record.textContent()).toContain("The key is another one");
    await page.context().close();
  });

  browserTest("a domain is removed after a question that says what it means", async () => {
    const { service, project } = stage;
    const { id } = await addDomain(service, project.id, "gone.example", SERVICE);
    const page = await stage.open(`/domains/${id}`);
    await page.getByRole("button", { name: "Remove" }).click();
    const dialog = page.getByRole("dialog", { name: "Remove gone.example?" });
    await eventually(() => dialog.textContent()).toContain("its key is deleted");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("gone.example was removed").waitFor();

    expect(await service.pool`select from domains where id = ${id}`).toHaveLength(0);
    await page.context().close();
  });

  browserTest("a member sees why a domain cannot be added", async () => {
    const page = await stage.open("/domains", { as: await stage.member("MEMBER") });
    const button = page.getByRole("button", { name: "Add a domain" });
    await button.waitFor();

    await eventually(() => button.isDisabled()).toBe(true);
    await eventually(() => page.getByLabel("Only owners and admins of the project can do this").count()).toBe(
      1,
    );
    await page.context().close();
  });
});

describe("suppressions", () => {
  tour(stage, "suppressions", {
    path: "/suppressions",
    ready: (page) => page.getByText(/^person0\d+@example.com$/),
    states: {
      add: async (page) => {
        await page.getByRole("button", { name: "Add addresses" }).click();
        await page.getByLabel("Addresses", { exact: true }).waitFor();
      },
      remove: async (page) => {
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
        await page.getByRole("button", { name: "Remove" }).first().click();
        await page.getByRole("dialog", { name: /^Write to/ }).waitFor();
      },
    },
  });

  browserTest("are found, added from a pasted list, removed, and put back", async () => {
    const page = await stage.open("/suppressions");
    await page.getByLabel("Search addresses").fill("person0007");
    await page.waitForURL(/search=person0007/);
    await page
      .getByRole("row", { name: /person0007/ })
      .getByRole("button", { name: "Remove" })
      .click();
    await page.getByRole("button", { name: "Remove from the list" }).click();
    await page.getByText("No address matches").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("row", { name: /person0007/ }).waitFor();
    await page.getByRole("button", { name: "Add addresses" }).click();
    await page
      .getByLabel("Addresses", { exact: true })
      .fill("one@example.com, two@example.com\nperson0001@example.com");
    await page.getByRole("button", { name: "Suppress" }).click();

    await page.getByText("2 addresses added, 1 was there already").waitFor();
    await page.context().close();
  });

  browserTest("are read from a file, whose bad rows are named", async () => {
    const page = await stage.open("/suppressions");
    await page.getByRole("button", { name: "Import and export" }).click();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("menuitem", { name: "Import a CSV file" }).click(),
    ]);
    const buffer = Buffer.from("email,reason\nfile@example.com,BOUNCE\nnobody,\n");
    await chooser.setFiles({ name: "list.csv", mimeType: "text/csv", buffer });
    await page.getByText(/1 address was added/).waitFor();

    await eventually(() =>
      page.getByRole("table", { name: "Rows that could not be read" }).textContent(),
    ).toContain("nobody");
    await page.context().close();
  });
});

describe("images", () => {
  browserTest("are uploaded, looked at and deleted", async () => {
    const page = await stage.open("/images");
    await page.getByRole("heading", { name: "No images yet" }).waitFor();
    await keepPicture(page, "images--empty");
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Upload images" }).click(),
    ]);
    await chooser.setFiles([
      { name: "a.png", mimeType: "image/png", buffer: png(320, 200) },
      { name: "b.png", mimeType: "image/png", buffer: Buffer.from("no picture") },
    ]);
    await page.getByText(/^b\.png: /).waitFor();
    const tile = page.getByRole("button", { name: /^Image / }).first();
    await keepPicture(page, "images-light-1280");
    await tile.click();
    await page.getByText("No template and no campaign.").waitFor();
    await keepPicture(page, "images--one");
    await expectSound(page, { refused: [415] });
    await page.getByRole("button", { name: "Delete" }).click();
    await page
      .getByRole("dialog", { name: "Delete this image?" })
      .getByRole("button", { name: "Delete" })
      .click();

    await page.getByRole("heading", { name: "No images yet" }).waitFor();
    await settled(page);
    await page.context().close();
  });
});
