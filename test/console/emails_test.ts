// The ledger in the console: the list with its filters, one mail with what became of it, and sending one again.
import { beforeAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { followHtml } from "../../src/sending/compose/followed_mail.ts";
import { fetchApart } from "../../src/sending/delivery/mod.ts";
import { join } from "../support/accounts.ts";
import { BROWSER } from "../support/followed_mails.ts";
import { until } from "../support/process.ts";
import { eventually } from "./eventually.ts";
import { browserTest, type OpenPage, settled, tour, useConsole } from "./support.ts";

const stage = useConsole();
const FROM = "hello@shop.example";
const LINK =
  "https://shop.example/orders/4711/tracking?utm_source=mail&utm_campaign=receipts-and-shipping-notices";
const LONG_ADDRESS = "buchhaltung.und.rechnungswesen@fahrradgrosshandelsgesellschaft-nord-und-sued.example";
const LONG_SUBJECT =
  "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenhersteller: Ihre Auftragsbestätigung";
const COUNT = 240;

/** Mails of one state each, by that state. */
const mails: Record<string, string> = {};
let main: string;
let other: NewProject;

const ask = async (method: string, path: string, body?: unknown, key = stage.project.secret) => {
  const answer = await stage.service.request(method, path, { key, body });
  if (answer.status >= 400) throw new Error(JSON.stringify(answer.body));
  return answer.body;
};

/** Sends one, and answers its id. */
const send = async (to: string, more: object = {}, key?: string): Promise<string> => {
  const body = { to, from: FROM, subject: "Your order", body: "<p>Thank you.</p>", ...more };
  return (await ask("POST", "/v1/send", body, key)).data.emails[0].email;
};

beforeAll(async () => {
  const { service, project, owner } = stage;
  await service.pool`update projects set tracking = 'ENABLED' where id = ${project.id}`;
  await addHistory();
  for (const status of ["BOUNCED", "IN_DOUBT", "SUPPRESSED", "FAILED", "PENDING", "REMOVED"]) {
    mails[status] = await send(`${status.toLowerCase()}@people.example`, { subject: `It is ${status}` });
  }
  mails.COPIED = await send("parent@people.example", {
    subject: "For both of you",
    cc: { email: LONG_ADDRESS, name: "Buchhaltung" },
    bcc: "archive@people.example",
  });
  const { data: siblings } = await ask("GET", `/emails?parentId=${mails.COPIED}&dir=asc`);
  mails.COPY = siblings[1].id;
  mails.LONG = await send(LONG_ADDRESS, { subject: LONG_SUBJECT });
  main = await send("ada@people.example", {
    subject: "Order {{number}} is on its way",
    body: `<table width="600"><tr><td>Of a fixed width</td></tr></table><h1>Thank you</h1><p>It arrives on Friday. <a href="${LINK}">Where is it?</a></p><img src="https://elsewhere.example/a.png" alt="A bicycle">`,
    data: { number: { value: "4711", persistent: false } },
    headers: { "X-Order": "4711" },
    attachments: [{ filename: "invoice.pdf", content: btoa("a file"), contentType: "application/pdf" }],
  });
  // On a busy machine some wait apart for a moment, and what is changed below would be changed again by their sending.
  await until("all of them are sent", async () => {
    await service.runJobs();
    await fetchApart(service);
    return (await service.pool`select from emails where status in ('PENDING', 'SENDING')`).length === 0;
  });
  const html = followHtml(service, project.id, `<a href="${LINK}">x</a>`);
  const path = /"http:\/\/[^/]+(\/t\/c\/[^"]+)"/.exec(html.complete(html.html, main))![1]!;
  await service.request("GET", path, { headers: { "user-agent": BROWSER } });
  await until("the click is recorded", async () => {
    const [mail] = await service.pool`select clicks from emails where id = ${main}`;
    return mail!.clicks === 1;
  });
  await service.pool`
    update emails set status = 'BOUNCED', bounced_at = now(), error = '550 5.1.1 No such user here' where id = ${mails.BOUNCED!}`;
  await service.pool`
    update emails
    set status = 'IN_DOUBT', sent_at = null, doubted_at = now(), due_at = 'infinity',
      error = 'The process that was sending this mail ended before it knew the answer'
    where id = ${mails.IN_DOUBT!}`;
  await service.pool`
    update emails set status = 'SUPPRESSED', sent_at = null, error = 'The address is on the suppression list (MANUAL)'
    where id = ${mails.SUPPRESSED!}`;
  await service.pool`
    update emails set status = 'FAILED', sent_at = null, error = '554 5.7.1 Message rejected' where id = ${mails.FAILED!}`;
  await service.pool`
    update emails
    set status = 'PENDING', sent_at = null, attempts = 3, error = '451 4.7.1 Try again later',
      due_at = now() + interval '20 minutes'
    where id = ${mails.PENDING!}`;
  await service.pool`
    update contents set html = null, emptied_at = now()
    where id = (select content_id from emails where id = ${mails.REMOVED!})`;
  other = await service.createProject();
  await service.pool`update projects set name = 'The omega shop' where id = ${other.id}`;
  await join(service, owner, other.id, "OWNER");
});

/** Older mails, a minute apart, from before what is sent here. */
async function addHistory(): Promise<void> {
  const { service, project } = stage;
  const [content] = await service.pool`
    insert into contents (project_id, subject, html, from_email, shared)
    values (${project.id}, 'The news of October', '<p>News</p>', ${FROM}, true) returning id`;
  await service.pool`
    insert into emails (
      project_id, id, address, content_id, source_type, status, due_at, queued_at, sent_at, opened_at, opens, clicks
    )
    select
      ${project.id}, first_id_at(at), 'reader' || lpad(n::text, 4, '0') || '@people.example', ${content!.id},
      'TRANSACTIONAL', case when n % 3 = 0 then 'OPENED' else 'SENT' end::email_status, at, at, at,
      case when n % 3 = 0 then at end, case when n % 3 = 0 then n else 0 end, 0
    from generate_series(1, ${COUNT}::int) as n
    cross join lateral (select now() - interval '1 day' - n * interval '1 minute' as at) as t`;
}

const row = (page: Page, text: string) =>
  page.getByRole("table", { name: "Sent mails" }).getByRole("row").filter({ hasText: text }).first();
const openMail = async (page: OpenPage, id: string) => {
  await stage.visit(page, `/emails/${id}`);
  await page.getByRole("list", { name: "History" }).waitFor();
};

tour(stage, "emails", {
  path: "/emails",
  ready: (page) => row(page, "ada@people.example"),
  states: {
    bounced: async (page) => {
      await stage.visit(page, "/emails?status=BOUNCED");
      await row(page, "bounced@people.example").waitFor();
    },
    filters: async (page) => {
      await page.getByRole("button", { name: "More filters" }).click();
      await page.getByLabel("Workflow").first().waitFor();
    },
    nothing: async (page) => {
      await page.getByRole("button", { name: "Clear" }).click();
      await page.getByLabel("Search address or subject").fill("zebra");
      await page.getByText("No mail matches").waitFor();
    },
  },
});

tour(stage, "email", {
  path: () => `/emails/${main}`,
  ready: (page) => page.getByRole("list", { name: "History" }).getByText(LINK),
  states: {
    dark: async (page) => {
      const frame = page.locator("iframe").contentFrame().locator("html");
      const isWhole = () => frame.evaluate((root) => root.scrollWidth <= root.clientWidth + 1);
      await page.setViewportSize({ width: 390, height: 844 });
      await eventually(() => frame.evaluate((root) => Number(root.style.zoom || 1))).toBeLessThan(0.7);
      await eventually(isWhole).toBe(true);
      await page.setViewportSize({ width: 1280, height: 860 });
      const zoom = () => frame.evaluate((root) => Number(root.style.zoom || 1));
      await eventually(zoom).toBeGreaterThan(0.9);
      // A picture that comes late, and is wider than all the rest.
      await frame.evaluate((root) => {
        const late = new Image();
        root.querySelector("body")!.append(late);
        late.src = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="9"/>')}`;
      });
      await eventually(zoom).toBeLessThan(0.4);
      await page.getByRole("button", { name: "Dark" }).click();
      await page.locator("iframe").waitFor();
    },
    headers: async (page) => {
      await page.getByText("Headers", { exact: true }).click();
      await page.getByText("X-Order").waitFor();
    },
    again: async (page) => {
      await page.getByRole("button", { name: "Send again" }).click();
      await page.getByRole("dialog", { name: "Send this mail again?" }).waitFor();
    },
    doubt: async (page) => {
      await openMail(page, mails.IN_DOUBT!);
      await page.getByText("It is unknown whether it was sent").waitFor();
    },
    bounced: async (page) => {
      await openMail(page, mails.BOUNCED!);
      await page.getByText("550 5.1.1 No such user here").waitFor();
    },
    pending: async (page) => {
      await openMail(page, mails.PENDING!);
      await page.getByText("It was refused temporarily").waitFor();
    },
    removed: async (page) => {
      await openMail(page, mails.REMOVED!);
      await page.getByText("is no longer kept").first().waitFor();
    },
    copies: async (page) => {
      await openMail(page, mails.COPY!);
      const last = page.getByRole("list", { name: "Recipients" }).getByText("archive@people.example");
      await last.waitFor();
      await last.scrollIntoViewIfNeeded();
    },
    long: async (page) => {
      await openMail(page, mails.LONG!);
      await page.getByRole("heading", { name: LONG_SUBJECT }).waitFor();
    },
  },
});

tour(stage, "emails-unused", {
  path: () => `~/p/${other.id}/emails`,
  ready: (page) => page.getByRole("button", { name: "Send one to yourself" }),
});

/** Closes the page at the end. */
async function on(path: string, visit: (page: OpenPage) => Promise<void>, as = stage.owner): Promise<void> {
  const page = await stage.open(path, { as });
  await visit(page);
  expect(page.complaints).toEqual([]);
  await page.context().close();
}

browserTest(
  "filters stand in the address; those that exclude each other give way, and it is said",
  async () => {
    await on("/emails", async (page) => {
      await row(page, "ada@people.example").waitFor();
      await page.getByLabel("Status").first().click();
      await page.getByRole("option", { name: "Opened" }).click();
      await row(page, "reader0003@people.example").waitFor();
      await eventually(() => page.getByText("reader0002@people.example").count()).toBe(0);
      await eventually(async () => page.url()).toContain("status=OPENED");
      await page.getByLabel("Sent by").first().click();
      await page.getByRole("option", { name: "Single mails" }).click();
      await page.getByText("Without the status:").waitFor();
      await row(page, "ada@people.example").waitFor();
      await eventually(async () => page.url()).not.toContain("status=");
      await page.getByRole("button", { name: "More filters" }).click();
      await page.getByLabel("Contact", { exact: true }).first().fill("ada@");
      await page.getByRole("option", { name: "ada@people.example" }).click();
      await page.getByText("reader0001@people.example").waitFor({ state: "detached" });
      await eventually(async () => page.url()).toContain("source=TRANSACTIONAL");
      await page.getByLabel("Search address or subject").fill("no");
      await page.getByText("Type 3 letters or more").waitFor();
      await page.getByLabel("Search address or subject").fill("bounced");
      await page.waitForURL(/search=bounced/);
      await row(page, "bounced@people.example").waitFor();
      await eventually(async () => new URL(page.url()).search).toBe("?search=bounced");
      await page.goBack();
      await row(page, "reader0001@people.example").waitFor();
    });
  },
);

browserTest("a mail is sent again, and both know of each other; the list follows by itself", async () => {
  const id = await send("again@people.example", { subject: "Your invoice" });
  await on(`/emails/${id}`, async (page) => {
    await page.getByRole("note", { name: "It is still on its way" }).waitFor();
    await stage.service.runJobs();
    await page.getByRole("main").getByText("Sent", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    const dialog = page.getByRole("dialog", { name: "Send this mail again?" });
    await dialog.getByText("again@people.example").waitFor();
    await dialog.getByRole("button", { name: "Send again" }).click();
    await page.getByRole("link", { name: "an earlier mail" }).waitFor();
    await eventually(async () => page.url()).not.toContain(id);
    await page.getByRole("link", { name: "Sent mails" }).first().click();
    await row(page, "again@people.example").getByText("Pending").waitFor();
    await stage.service.runJobs();
    await row(page, "again@people.example").getByText("Sent", { exact: true }).waitFor();
    await row(page, "again@people.example").click();
    await page.getByRole("link", { name: "an earlier mail" }).click();
    await page.getByRole("link", { name: "Sent again" }).waitFor();
    // A question is about its page, and leaves with it.
    await page.getByRole("button", { name: "Send again" }).click();
    await dialog.waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "an earlier mail" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(stage.service.smtp.received.filter(({ to }) => to[0] === "again@people.example")).toHaveLength(2);
  });
});

browserTest(
  "a scheduled mail says when, gets another time, and is cancelled; its tag leads to its like",
  async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
    const tags = [{ name: "category", value: "reminder" }];
    const id = await send("later@people.example", { subject: "See you", sendAt: inDays(2), tags });
    await on(`/emails/${id}`, async (page) => {
      await page.getByText("Scheduled for").first().waitFor();
      await page.getByRole("button", { name: "Change time" }).click();
      const dialog = page.getByRole("dialog", { name: "Send it at another time" });
      const time = `${inDays(3).toISOString().slice(0, 10)}T09:00`;
      await dialog.getByLabel("Day and time").fill(time);
      await dialog.getByRole("button", { name: "Change time" }).click();
      await page.getByText("It has another time").waitFor();
      const scheduledFor = async () => (await ask("GET", `/emails/${id}`)).scheduledFor as string;
      const asTyped = await page.evaluate((text) => new Date(text).toISOString(), time);
      await eventually(scheduledFor).toBe(asTyped);
      await page.getByRole("button", { name: "Cancel", exact: true }).click();
      await page.getByRole("button", { name: "Cancel the mail" }).click();
      await page.getByText("Cancelled before it was sent").first().waitFor();
      await page.getByRole("link", { name: "category: reminder" }).click();
      await row(page, "later@people.example").waitFor();
      await eventually(() => page.getByText("reader0001@people.example").count()).toBe(0);
      await eventually(() => page.getByLabel("Tag").inputValue()).toBe("category:reminder");
    });
  },
);

browserTest("by the keyboard alone: a mail is found, opened and sent again by a member", async () => {
  await on(
    "/",
    async (page) => {
      await page.getByRole("heading", { level: 1 }).waitFor();
      await settled(page);
      await page.keyboard.press("g");
      await page.keyboard.press("m");
      await row(page, "ada@people.example").waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("ada@people");
      await page.getByText("reader0001@people.example").waitFor({ state: "detached" });
      await page.keyboard.press("Enter");
      await page.locator("[role=table]:focus").waitFor();
      await page.keyboard.press("j");
      await page.locator("[role=row]:focus").filter({ hasText: "ada@people.example" }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Order 4711 is on its way" }).waitFor();
      const file = page.getByRole("link", { name: /invoice\.pdf/ });
      const saved = await page.request.get(new URL((await file.getAttribute("href"))!, stage.origin).href);
      expect(await saved.text()).toBe("a file");
      await page.getByRole("button", { name: "Send again" }).and(page.locator(":enabled")).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Send this mail again?" }).waitFor();
      await settled(page);
      await page.getByRole("dialog").getByRole("button", { name: "Send again" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "an earlier mail" }).waitFor();
    },
    await stage.member("MEMBER"),
  );
});

browserTest("the first mail takes one click; another project's mails are nowhere", async () => {
  await on(`~/p/${other.id}/emails`, async (page) => {
    await page.getByRole("button", { name: "Send one to yourself" }).click();
    await page.getByRole("heading", { name: "The first mail of The omega shop" }).waitFor();
    await stage.service.runJobs();
    await page.getByRole("main").getByText("Sent", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Sent mails" }).first().click();
    await row(page, "The first mail of").waitFor();
    await eventually(() => page.getByText("people.example").filter({ hasText: "reader" }).count()).toBe(0);
    await page.goto(`${stage.origin}/app/p/${other.id}/emails/${main}`);
    await page.getByText("There is no such mail").waitFor();
    expect(page.complaints.splice(0).every((complaint) => complaint.includes("404"))).toBe(true);
    await page.goto(`${stage.origin}/app/p/${stage.project.id}/emails/${main}`);
    await page.getByRole("heading", { name: "Order 4711 is on its way" }).waitFor();
  });
});

browserTest(
  "what was captured before there was a mail server is released by its owner, and counted first",
  async () => {
    const { service, project } = stage;
    const id = await send("early@people.example", { subject: "Too early" });
    await service.dropJobs();
    await service.pool`
    update emails set status = 'CAPTURED', captured_at = now() where id = ${id}`;
    await service.pool`
    insert into captured_mails (project_id, email_id, from_address, to_address, subject, source)
    values (${project.id}, ${id}, ${FROM}, 'early@people.example', 'Too early', ${Buffer.from("Subject: Too early\r\n\r\nHi")})`;
    await on("/inbox", async (page) => {
      await page.getByText("Mails are now sent.").waitFor();
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Release all…" }).click();
      const dialog = page.getByRole("dialog", { name: "Send 1 captured mail?" });
      await dialog.getByRole("button", { name: "Send now" }).click();
      await page.getByText("1 mail on the way").waitFor();
      await service.runJobs();
      expect((await ask("GET", `/emails/${id}`)).status).toBe("SENT");
    });
  },
);
