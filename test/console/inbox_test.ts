// The inbox of the console, where there is no mail server.
import { beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { join } from "../support/accounts.ts";
import { eventually } from "./eventually.ts";
import { browserTest, type OpenPage, tour, useConsole } from "./support.ts";

const stage = useConsole({ SMTP_URL: "" });
const FROM = "hello@shop.example";
const GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
let other: NewProject;

const send = async (to: string, more: object, key = stage.project.secret): Promise<string> => {
  const body = { to, from: FROM, subject: "Your order", body: "<p>Thank you.</p>", ...more };
  const answer = await stage.service.request("POST", "/v1/send", { key, body });
  expect(answer.status).toBe(200);
  return answer.body.data.emails[0].email;
};
const statusOf = async (emailId: string) =>
  (await stage.service.pool`select status from emails where id = ${emailId}`)[0]!.status as string;

beforeAll(async () => {
  const { service, owner } = stage;
  for (let n = 1; n <= 12; n++) await send(`reader${n}@people.example`, { subject: `News number ${n}` });
  await send("buchhaltung.und.rechnungswesen@fahrradgrosshandelsgesellschaft-nord-und-sued.example", {
    subject: "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller: Ihre Auftragsbestätigung",
  });
  // Mails that are due together are captured in any order: this one is the newest.
  await service.runJobs();
  await send("ada@people.example", {
    subject: "Your invoice",
    body: '<h1>Thank you</h1><img src="cid:logo" alt="The shop"><p>The invoice is attached.</p>',
    attachments: [
      { filename: "invoice.txt", content: btoa("Total: 12.00 EUR"), contentType: "text/plain" },
      {
        filename: "logo.gif",
        content: GIF,
        contentType: "image/gif",
        contentId: "logo",
        disposition: "inline",
      },
    ],
  });
  await service.runJobs();
  other = await service.createProject();
  await service.pool`update projects set name = 'The omega shop' where id = ${other.id}`;
  await join(service, owner, other.id, "OWNER");
});

const row = (page: Page, text: string) =>
  page.getByRole("table", { name: "Captured mails" }).getByRole("row").filter({ hasText: text }).first();

tour(stage, "inbox", {
  path: "/inbox",
  ready: (page) => row(page, "ada@people.example"),
  states: {
    menu: async (page) => {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Release: needs a mail server" }).waitFor();
    },
    delete: async (page) => {
      await page.getByRole("menuitem", { name: "Delete all…" }).click();
      await page.getByRole("dialog", { name: "Delete 14 mails from the inbox?" }).waitFor();
    },
    nothing: async (page) => {
      await stage.visit(page, "/inbox?search=zebra");
      await page.getByText("No captured mail matches").waitFor();
    },
    empty: async (page) => {
      await stage.visit(page, `~/p/${other.id}/inbox`);
      await page.getByText("Nothing was captured yet").waitFor();
    },
  },
});

tour(stage, "inbox-mail", {
  path: "/inbox?search=invoice",
  ready: (page) => row(page, "ada@people.example"),
  // oxlint-disable-next-line unicorn/no-thenable
  then: async (page) => {
    await row(page, "ada@people.example").click();
    await page.frameLocator("iframe").getByText("The invoice is attached.").waitFor();
  },
  states: {
    source: async (page) => {
      await page.getByText("Source", { exact: true }).click();
      await page.getByText("MIME-Version").waitFor();
    },
    headers: async (page) => {
      await page.getByText("Headers", { exact: true }).click();
      await page.getByText("Message-ID").waitFor();
    },
  },
});

async function on(path: string, visit: (page: OpenPage) => Promise<void>, as = stage.owner): Promise<void> {
  const page = await stage.open(path, { as });
  await visit(page);
  expect(page.complaints).toEqual([]);
  await page.context().close();
}

browserTest(
  "a mail is read with its pictures and files, marked, and deleted; the list knows it",
  async () => {
    await on("/inbox?show=unread", async (page) => {
      await row(page, "reader11@people.example").click();
      await page.frameLocator("iframe").getByText("Thank you.").waitFor();
      await page.getByRole("link", { name: "Inbox", exact: true }).first().click();
      await row(page, "reader10@people.example").getByText("Unread.").waitFor({ state: "attached" });
      await eventually(() => row(page, "reader11@people.example").getByText("Unread.").count()).toBe(0);
      await row(page, "ada@people.example").click();
      const picture = page.frameLocator("iframe").getByRole("img", { name: "The shop" });
      await picture.waitFor();
      await eventually(() => picture.getAttribute("src")).toStartWith("data:image/gif");
      const file = page.getByRole("link", { name: /invoice\.txt/ });
      const text = await (
        await page.request.get((await file.getAttribute("href"))!.replace(/^\//, `${stage.origin}/`))
      ).text();
      expect(text).toBe("Total: 12.00 EUR");
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Mark as unread" }).click();
      await row(page, "ada@people.example").getByText("Unread.").waitFor({ state: "attached" });
      await row(page, "reader9@people.example").click();
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await row(page, "ada@people.example").waitFor();
      await page.getByText("reader9@people.example").waitFor({ state: "detached" });
      // Several at once, by their boxes and by the key.
      await row(page, "reader8@people.example").getByRole("checkbox").check();
      await row(page, "reader7@people.example").focus();
      await page.keyboard.press("x");
      const bar = page.getByRole("toolbar", { name: "Chosen mails" });
      await bar.getByText("2 mails chosen").waitFor();
      await bar.getByRole("button", { name: "Mark as read" }).click();
      await row(page, "reader8@people.example").getByText("Unread.").waitFor({ state: "detached" });
      await eventually(() => row(page, "reader7@people.example").getByText("Unread.").count()).toBe(0);
      await bar.waitFor({ state: "detached" });
      await row(page, "reader8@people.example").getByRole("checkbox").check();
      await row(page, "reader7@people.example").getByRole("checkbox").check();
      await bar.getByRole("button", { name: "Delete…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete 2 mails" }).click();
      await page.getByText("reader8@people.example").waitFor({ state: "detached" });
      await eventually(() => page.getByText("reader7@people.example").count()).toBe(0);
    });
  },
);

browserTest(
  "by the keyboard alone: the inbox is reached, a mail is opened, and leads to what became of it",
  async () => {
    await on("/emails", async (page) => {
      await page.getByRole("table", { name: "Sent mails" }).getByText("ada@people.example").waitFor();
      await page.keyboard.press("g");
      await page.keyboard.press("n");
      await row(page, "ada@people.example").waitFor();
      await page.keyboard.press("j");
      await page.locator("[role=row]:focus").waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Show history" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("Captured, not sent").waitFor();
      // Its picture is attached, and not part of what is read here: its words stand in.
      await page.frameLocator("iframe").getByRole("img", { name: "The shop" }).waitFor();
      await page.getByRole("list", { name: "History" }).getByText("Captured in the inbox").waitFor();
    });
  },
);

browserTest("owners give captured mails up; members see that only owners may", async () => {
  const id = await send("never@people.example", { subject: "Never mind" });
  await stage.service.runJobs();
  await on("/inbox?search=never", async (page) => {
    await row(page, "never@people.example").click();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Discard…" }).click();
    const dialog = page.getByRole("dialog", { name: "Discard 1 mail?" });
    await dialog.getByRole("button", { name: "Discard" }).click();
    await page.getByText("1 mail discarded").waitFor();
    expect(await statusOf(id)).toBe("SUPPRESSED");
  });
  const member = await stage.member("MEMBER");
  await on(
    "/inbox",
    async (page) => {
      await row(page, "ada@people.example").waitFor();
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByText("Only owners can release or discard mails").waitFor();
      await eventually(() => page.getByRole("menuitem", { name: "Discard all…" }).isDisabled()).toBe(true);
    },
    member,
  );
});

browserTest("all are marked and all are deleted, of this project alone", async () => {
  const theirs = stage.service.pool`
    insert into captured_mails (project_id, from_address, to_address, subject, source)
    values (${other.id}, ${FROM}, 'omega@people.example', 'Theirs', ${Buffer.from("Subject: Theirs\r\n\r\nHi")})`;
  await theirs;
  await on("/inbox", async (page) => {
    await row(page, "ada@people.example").waitFor();
    await eventually(() => page.getByText("omega@people.example").count()).toBe(0);
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await page.getByText("marked as read").waitFor();
    await eventually(() => row(page, "ada@people.example").getByText("Unread.").count()).toBe(0);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Delete all…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete all" }).click();
    await page.getByText("Nothing was captured yet").waitFor();
    await stage.visit(page, `~/p/${other.id}/inbox`);
    await row(page, "omega@people.example").waitFor();
    await eventually(() => page.getByText("ada@people.example").count()).toBe(0);
  });
});
