import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type postgres from "postgres";
import { loadConfig } from "../../src/config/mod.ts";
import type { Context } from "../../src/context.ts";
import { createApp } from "../../src/http/mod.ts";
import { createLog } from "../../src/log.ts";
import { createDns } from "../../src/mail/dns.ts";
import type { Attachment, Mail, Mailer } from "../../src/mail/mailer.ts";
import { createInboxMailer } from "../../src/sending/captured/mod.ts";
import { ARTEFACTS, CHROMIUM, closeContexts, noChromium, openBrowser } from "../support/chromium.ts";
import { dropDatabase, newDatabase, openTestPool } from "../support/postgres.ts";

const SECRET_KEY = "a secret key of at least thirty-two characters";
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==",
  "base64",
);

let database: string;
let pool: postgres.Sql;
let mailer: Mailer;

beforeAll(async () => {
  database = await newDatabase();
  pool = openTestPool(database);
  mailer = createInboxMailer({ sql: pool });
});

beforeEach(async () => {
  await pool`delete from captured_mails`;
});

afterAll(async () => {
  await pool.end();
  await dropDatabase(database);
});

describe("GET /inbox/mails", () => {
  test("the newest mail is first, and `after` leaves out what is known", async () => {
    const first = await capture({ subject: "Grüße aus Oslo 🎉" });
    const second = await capture({ subject: "<script>alert(1)</script>" });

    const all = await get("/inbox/mails");
    const since = await get(`/inbox/mails?after=${first}`);

    expect(all.headers.get("cache-control")).toBe("no-store");
    expect((await all.json()).data).toEqual([
      {
        id: second,
        from: "hello@acme.test",
        to: "ada@example.com",
        subject: "<script>alert(1)</script>",
        capturedAt: expect.any(String),
        readAt: null,
        projectId: null,
        emailId: null,
      },
      {
        id: first,
        from: "hello@acme.test",
        to: "ada@example.com",
        subject: "Grüße aus Oslo 🎉",
        capturedAt: expect.any(String),
        readAt: null,
        projectId: null,
        emailId: null,
      },
    ]);
    expect((await since.json()).data).toMatchObject([{ id: second }]);
    expect((await get("/inbox/mails?after=yesterday")).status).toBe(400);
  });

  test("nothing new is answered with 304, a new mail and an emptied inbox are not", async () => {
    await capture({});
    const etag = (await get("/inbox/mails")).headers.get("etag")!;

    const same = await get("/inbox/mails", { "if-none-match": etag });
    await capture({});
    const more = await get("/inbox/mails", { "if-none-match": etag });

    expect(same.status).toBe(304);
    expect(more.status).toBe(200);
  });

  test("the newest 500 are kept, also by a process that captures but one", async () => {
    await pool`insert into captured_mails (from_address, to_address, subject, source)
      select 'a@acme.test', 'b@acme.test', 'old ' || n, '' from generate_series(1, 510) n order by n`;
    // Before Postgres 18 ids are in order by the millisecond only.
    await Bun.sleep(2);
    await createInboxMailer({ sql: pool }).send(mail({ subject: "newest" }));

    const { data, ...rest } = await (await get("/inbox/mails?limit=500")).json();
    expect(data).toHaveLength(500);
    expect(data[0].subject).toBe("newest");
    expect(rest).toEqual({ cursor: null, hasMore: false, total: 500, estimated: false, unread: 500 });
  });
});

describe("GET /inbox/mails/:id", () => {
  test("a mail is taken apart: headers decoded, text, files with type and size", async () => {
    const id = await capture({
      subject: "Grüße 🎉",
      attachments: [picture("logo@acme"), file("Übersicht.pdf", "application/pdf")],
    });

    const opened = await (await get(`/inbox/mails/${id}`)).json();

    expect(opened).toMatchObject({
      id,
      subject: "Grüße 🎉",
      to: "ada@example.com",
      hasHtml: true,
      text: "Hello Ada\n",
    });
    expect(opened.headers).toContainEqual({ name: "From", value: "Zoë of Acme <hello@acme.test>" });
    expect(opened.headers).toContainEqual({ name: "Subject", value: "Grüße 🎉" });
    expect(opened.headers).toContainEqual({ name: "List-Unsubscribe", value: "<https://acme.test/out>" });
    expect(opened.attachments).toEqual([
      { index: 0, filename: "logo.png", contentType: "image/png", sizeBytes: PIXEL.length, inline: true },
      { index: 1, filename: "Übersicht.pdf", contentType: "application/pdf", sizeBytes: 7, inline: false },
    ]);
  });

  test.each([
    ["an id that is none", "/inbox/mails/nothing"],
    ["a mail that is gone", "/inbox/mails/01920000-0000-7000-8000-000000000000/html"],
    ["its source", "/inbox/mails/01920000-0000-7000-8000-000000000000/source"],
    ["a file of it", "/inbox/mails/nothing/attachments/0"],
  ])("%s is not found", async (_what, path) => {
    const answer = await get(path);

    expect(answer.status).toBe(404);
    expect((await answer.json()).error).toMatchObject({
      code: "RESOURCE_NOT_FOUND",
      details: { resource: "captured mail" },
    });
  });
});

describe("GET /inbox/mails/:id/html", () => {
  test("of a deleted mail is 404, and for a frame a page that says so and may be framed", async () => {
    const path = `/inbox/mails/${crypto.randomUUID()}/html`;
    const framed = await get(path, { "sec-fetch-dest": "iframe" });

    expect((await get(path)).status).toBe(404);
    expect([framed.status, await framed.text()]).toEqual([200, expect.stringContaining("was deleted")]);
    expect(framed.headers.get("content-security-policy")).toContain("frame-ancestors 'self'; sandbox");
  });

  test("hostile HTML comes in a sandbox that runs no script, with links in new tabs", async () => {
    const hostile = `<!doctype html><html><head><base href="https://evil.test/"></head><body onload="alert(1)"><script>alert(1)</script></body></html>`;
    const id = await capture({ html: hostile });

    const answer = await get(`/inbox/mails/${id}/html`);

    const csp = answer.headers.get("content-security-policy")!;
    expect(csp).toStartWith("default-src 'none';");
    expect(csp).toContain("base-uri 'none'");
    expect(csp).toEndWith("sandbox allow-popups allow-popups-to-escape-sandbox");
    expect(csp).not.toContain("script");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await answer.text()).toStartWith('<!doctype html><base target="_blank"><html>');
  });

  test.each([
    ["<!-- a --> \n<!--[if mso]>b<![endif]--><!--><!-- c --><!DOCTYPE html >", "<p>d</p>"],
    ["<!---->\n".repeat(20_000) + "<!doctype html>", "<p>d</p>"],
    ["", "<!-- <!doctype html> --><p>a</p>"],
    ["", "<p>a</p><!doctype html>"],
  ])("our base stands behind the doctype, whatever is before it: %#", async (head, rest) => {
    const id = await capture({ html: head + rest });

    const body = await (await get(`/inbox/mails/${id}/html`)).text();

    expect(body.trimEnd().replaceAll("\r\n", "\n")).toBe(`${head}<base target="_blank">${rest}`);
  });

  test("many comments and no doctype cost no more than other HTML of the size", async () => {
    const hostile = await capture({ html: "<!---->".repeat(29) });
    const harmless = await capture({ html: "<p></p>".repeat(29) });
    const time = async (id: string) => {
      const startedAt = performance.now();
      await get(`/inbox/mails/${id}/html`);
      return performance.now() - startedAt;
    };
    await time(harmless);

    expect(await time(hostile)).toBeLessThan(20 * (await time(harmless)) + 20);
  });

  test("pictures of the mail stand in the place of their cid, others are left as they are", async () => {
    const html = `<img src="cid:logo@acme"><img src='cid:logo%40acme'><td style="background:url(cid:logo@acme)"><img src="cid:missing"> cid:logo@acme`;
    const id = await capture({
      html,
      attachments: [file("terms.pdf", "application/pdf"), picture("logo@acme")],
    });

    const body = await (await get(`/inbox/mails/${id}/html`)).text();

    const address = `data:image/png;base64,${PIXEL.toString("base64")}`;
    expect(body.trim()).toBe(
      `<base target="_blank"><img src="${address}"><img src='${address}'><td style="background:url(${address})"><img src="cid:missing"> cid:logo@acme`,
    );
  });
});

describe("GET /inbox/mails/:id/source and /attachments/:n", () => {
  test("the source is what would have gone over the wire, as plain text", async () => {
    const answer = await get(`/inbox/mails/${await capture({})}/source`);

    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await answer.text()).toContain("Message-ID: <1@acme.test>\r\n");
  });

  test.each([
    [
      "a picture of the HTML is shown",
      picture("logo"),
      "image/png",
      `inline; filename="logo.png"; filename*=UTF-8''logo.png`,
    ],
    [
      "a name keeps its letters",
      file("Übersicht (1).pdf", "application/pdf"),
      "application/octet-stream",
      `attachment; filename="_bersicht (1).pdf"; filename*=UTF-8''%C3%9Cbersicht%20%281%29.pdf`,
    ],
    [
      "HTML is a download",
      file("page.html", "text/html"),
      "application/octet-stream",
      `attachment; filename="page.html"; filename*=UTF-8''page.html`,
    ],
    [
      "SVG is one even as a picture",
      { ...picture("logo"), filename: '../a"b.svg', contentType: "image/svg+xml" },
      "application/octet-stream",
      `attachment; filename=".._a_b.svg"; filename*=UTF-8''.._a%22b.svg`,
    ],
  ])("%s", async (_what, attachment, type, disposition) => {
    const id = await capture({ attachments: [attachment] });

    const answer = await get(`/inbox/mails/${id}/attachments/0`);

    expect(answer.headers.get("content-type")).toBe(type);
    expect(answer.headers.get("content-disposition")).toBe(disposition);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(attachment.content));
    expect((await get(`/inbox/mails/${id}/attachments/1`)).status).toBe(404);
    expect((await get(`/inbox/mails/${id}/attachments/x`)).status).toBe(404);
  });
});

describe("DELETE /inbox/mails", () => {
  test.each([
    ["our own page", { "sec-fetch-site": "same-origin" }, 204],
    ["a browser without Sec-Fetch-Site", { origin: "http://localhost:3000" }, 204],
    ["a terminal", {}, 204],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["another port", { "sec-fetch-site": "same-site", origin: "http://localhost:8080" }, 403],
    ["another site in an old browser", { origin: "https://evil.test" }, 403],
    ["a sandboxed mail", { origin: "null" }, 403],
  ])("%s is answered as it deserves", async (_who, headers: Record<string, string>, status) => {
    await capture({});

    const answer = await app().handle(request("/inbox/mails", headers, "DELETE"));

    expect(answer.status).toBe(status);
    expect((await (await get("/inbox/mails")).json()).data).toHaveLength(status === 204 ? 0 : 1);
  });
});

describe("who may look", () => {
  const paths = ["/inbox", "/inbox/inbox.js", "/inbox/mails", "/inbox/mails/nothing"];

  test("with an SMTP server there is no page and no operator's view: the API is for members and keys", async () => {
    const sending = app({ SMTP_URL: "smtp://127.0.0.1:2525" });

    for (const path of paths) {
      const { status } = await sending.handle(request(path));
      expect([path, status]).toEqual([path, path.startsWith("/inbox/mails") ? 401 : 404]);
    }
  });

  test("in production the password is asked for, before anything else", async () => {
    const guarded = app({ NODE_ENV: "production", SECRET_KEY });
    const asked = async (path: string, authorization?: string) =>
      await guarded.handle(request(path, authorization ? { authorization } : {}));

    for (const path of [...paths, "/inbox/mails?after=x"]) {
      const answer = await asked(path);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe('Basic realm="Postrider inbox", charset="UTF-8"');
    }
    for (const wrong of [
      basic("ada", "guess"),
      basic("ada", ""),
      `Bearer ${SECRET_KEY}`,
      "Basic !",
      basic("ada", `${SECRET_KEY} `),
    ]) {
      expect((await asked("/inbox/mails", wrong)).status).toBe(401);
    }
    expect((await guarded.handle(request("/inbox/mails", {}, "DELETE"))).status).toBe(401);
    expect((await asked("/inbox/mails", basic("anyone", SECRET_KEY))).status).toBe(200);
  });

  test("the page runs no inline script and tells how to send a mail", async () => {
    const answer = await get("/inbox");

    expect(answer.headers.get("content-security-policy")).toContain("script-src 'self';");
    const html = await answer.text();
    expect(html).toContain("curl http://localhost:3000/v1/send");
    expect(html).toContain("&lt;secret key&gt;");
    expect(html.match(/rel="icon" href="data:image/g)).toHaveLength(1);
    expect(html.match(/rel="icon"/g)).toHaveLength(1);
    expect(html).not.toMatch(/<script(?! type="module" src=)/);
  });
});

describe.skipIf(!CHROMIUM)(`the page in a browser${noChromium}`, () => {
  let browser: Browser;
  let server: Bun.Server<undefined>;
  let page: Page;
  let requested: string[];

  beforeAll(async () => {
    server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app().fetch });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closeContexts();
    await server?.stop(true);
  });

  /** Opens the inbox in a window of its own. */
  async function look({ width = 1280, height = 800, colorScheme = "light" as "light" | "dark" } = {}) {
    page = await browser.newPage({ viewport: { width, height }, colorScheme });
    requested = [];
    page.on("request", (sent) => requested.push(sent.url()));
    await page.goto(`${server.url}inbox`);
  }

  const subjects = async () =>
    (await page.locator("#list .subject").allTextContents()).map((text) => text.replace("Unread: ", ""));
  const title = async () => await page.locator("#mail h2").textContent();
  const shot = async (name: string) => await page.screenshot({ path: `${ARTEFACTS}inbox_${name}.png` });

  test("an empty inbox shows how to send a mail, and the mail appears by itself", async () => {
    await look();
    await page.getByText("No mail yet").waitFor();
    expect(await page.locator("#command").textContent()).toContain("/v1/send");
    await shot("empty");

    await capture({ subject: "The first <b>mail</b>" });

    await page.getByRole("heading", { name: "The first <b>mail</b>" }).waitFor();
    await capture({ subject: "The second" });
    await page.locator("#list .unopened").waitFor();
    expect(await subjects()).toEqual(["The second", "The first <b>mail</b>"]);
    expect(await page.title()).toBe("(1) Inbox · Postrider");
    expect(await title()).toBe("The first <b>mail</b>");
    await page.close();
  });

  test("a hostile mail is shown and runs nothing, and no request leaves the service", async () => {
    const html = `<h1>Shown</h1><img src="cid:logo"><img src="/nothing" onerror="document.body.append('RAN')">
      <script>document.body.append("RAN"); parent.document.title = "RAN"; top.location = "/docs"</script>
      <svg onload="document.body.append('RAN')"></svg><a href="javascript:document.write('RAN')">link</a>`;
    await capture({ subject: "<script>document.title='RAN'</script>", html, attachments: [picture("logo")] });
    await look();

    const frame = page.frameLocator("#mail iframe");
    await frame.getByRole("heading", { name: "Shown" }).waitFor();
    await frame.getByText("link").click();
    await page.getByRole("tab", { name: "Attachments" }).click();
    await page.getByRole("link", { name: "logo.png" }).waitFor();
    await page.getByRole("tab", { name: "HTML" }).click();
    const drawn = await frame
      .locator("img")
      .first()
      .evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth);

    expect(drawn).toBe(1);
    expect(await frame.locator("body").textContent()).not.toContain("append('RAN')RAN");
    expect(await frame.locator("body").innerText()).not.toContain("RAN");
    expect(await page.title()).toBe("Inbox · Postrider");
    expect(await subjects()).toEqual(["<script>document.title='RAN'</script>"]);
    expect(requested.filter((url) => !url.startsWith(server.url.href) && !url.startsWith("data:"))).toEqual(
      [],
    );
    await page.close();
  });

  test("the keyboard goes through mails and views", async () => {
    for (const subject of ["Third", "Second", "First"])
      await capture({ subject, text: `Text of ${subject}` });
    await look();
    await page.getByRole("heading", { name: "First" }).waitFor();

    await page.keyboard.press("j");
    await page.getByRole("heading", { name: "Second" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("heading", { name: "Third" }).waitFor();
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "Second" }).waitFor();
    await page.keyboard.press("2");
    await page.getByText("Text of Second").waitFor();
    await page.getByRole("tab", { name: "Text" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tabpanel", { name: "Source" }).getByText("Message-ID: <1@acme.test>").waitFor();

    expect(await page.locator("#list a[aria-current]").textContent()).toContain("Second");
    expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Source");
    await page.close();
  });

  test("clearing asks once more, and leaves an empty inbox", async () => {
    await capture({});
    await look();

    await page.getByRole("button", { name: "Clear" }).click();
    expect(await pool`select from captured_mails`).toHaveLength(1);
    await page.getByRole("button", { name: "Delete this mail?" }).click();
    await page.getByText("No mail yet").waitFor();

    expect(await pool`select from captured_mails`).toHaveLength(0);
    await page.close();
  });

  test("in production clearing says that the mails can still be sent, and only the list is cleared", async () => {
    await capture({});
    const guarded = app({ NODE_ENV: "production", SECRET_KEY });
    const live = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: guarded.fetch });
    for (const [name, width, colorScheme] of [
      ["wide", 1280, "light"],
      ["phone", 390, "dark"],
    ] as const) {
      const context = await browser.newContext({
        viewport: { width, height: 720 },
        colorScheme,
        httpCredentials: { username: "ada", password: SECRET_KEY },
      });
      page = await context.newPage();
      await page.goto(`${live.url}inbox`);
      await page.getByRole("button", { name: "Clear" }).click();
      await page.getByText("bun run admin release can still send them").waitFor();
      expect(await page.getByRole("button", { name: "Clear the list?" }).count()).toBe(1);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      await shot(`clear_${name}`);
      if (width === 390) {
        await page.getByRole("button", { name: "Clear the list?" }).click();
        await page.getByText("No mail yet").waitFor();
        expect(await page.getByText("can still send them").isVisible()).toBe(false);
        expect(await page.locator("#command").textContent()).not.toContain("sandbox.example");
      }
      await context.close();
    }
    await live.stop(true);

    expect(await pool`select from captured_mails`).toHaveLength(0);
  });

  test("it is readable in light, in dark and on a phone", async () => {
    for (const given of SAMPLES) await capture(given);
    for (const colorScheme of ["light", "dark"] as const) {
      await look({ colorScheme });
      await page.frameLocator("#mail iframe").getByRole("heading").first().waitFor();
      await shot(colorScheme);
      await page.getByRole("tab", { name: "Attachments" }).click();
      await shot(`${colorScheme}_attachments`);
      await page.close();
    }
    await look({ width: 375, height: 720 });
    await page.locator("#list a").first().waitFor();
    await shot("phone_list");
    await page.locator("#list a").first().click();
    await page.frameLocator("#mail iframe").getByRole("heading").first().waitFor();
    await shot("phone_mail");

    const { scrollWidth } = (await page.evaluate(
      "({ scrollWidth: document.documentElement.scrollWidth })",
    )) as { scrollWidth: number };
    expect(scrollWidth).toBe(375);
    await page.getByRole("link", { name: "Inbox" }).click();
    await page.locator("#list").waitFor({ state: "visible" });
    await page.close();
  });
});

const SAMPLES: Given[] = [
  { subject: "Your receipt from Acme", to: "grace@example.com" },
  { subject: "パスワードの再設定", to: "yukihiro@example.jp" },
  {
    subject:
      "An uncommonly long subject line that goes on and on, as the subjects of newsletters do when nobody stops them",
  },
  {
    subject: "Reset your password",
    to: "linus@example.fi",
    text: "Open https://acme.test/reset?token=123 within an hour.",
  },
  {
    subject: "Welcome to Acme, Ada 👋",
    html: `<!doctype html><body style="margin:0;background:#f2efe9;font-family:Georgia,serif;color:#2b2a28">
      <div style="max-width:560px;margin:0 auto;padding:40px 24px"><div style="background:#fff;border-radius:12px;padding:40px">
      <img src="cid:logo" width="48" height="48" alt="" style="border-radius:10px"><h1 style="font-weight:400">Welcome, Ada</h1>
      <p style="line-height:1.6">We are glad that you are here. Your account is ready, and your first project is waiting for you.</p>
      <p><a href="https://acme.test/start" style="display:inline-block;padding:12px 22px;border-radius:8px;background:#22543d;color:#fff;text-decoration:none">Open your project</a></p>
      <p style="color:#777;font-size:14px">You get this mail because you signed up at acme.test.</p></div></div></body>`,
    attachments: [
      picture("logo"),
      file("Terms of service.pdf", "application/pdf"),
      file("Übersicht 2026.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ],
  },
];

interface Given {
  subject?: string;
  html?: string;
  text?: string;
  to?: string;
  attachments?: Attachment[];
}

function mail({
  subject = "Hello",
  html = "<p>Hello Ada</p>",
  text = "Hello Ada",
  to = "ada@example.com",
  attachments = [],
}: Given): Mail {
  return {
    messageId: "1@acme.test",
    envelope: { from: "hello@acme.test", to },
    from: { name: "Zoë of Acme", address: "hello@acme.test" },
    to: { name: "", address: to },
    replyTo: null,
    subject,
    html,
    text,
    headers: { "List-Unsubscribe": "<https://acme.test/out>" },
    attachments,
    date: new Date(),
  };
}

/** Captures a mail as the worker does, and gives its id. */
async function capture(given: Given): Promise<string> {
  const handover = await mailer.send(mail(given));
  expect(handover.state).toBe("captured");
  const [row] = await pool`select id from captured_mails order by id desc limit 1`;
  return row!.id as string;
}

function picture(cid: string): Attachment {
  return { filename: "logo.png", contentType: "image/png", cid, disposition: "inline", content: PIXEL };
}

function file(filename: string, contentType: string): Attachment {
  return { filename, contentType, cid: null, disposition: "attachment", content: Buffer.from("content") };
}

function app(env: Record<string, string> = {}) {
  const ctx: Context = {
    config: loadConfig(env),
    pool,
    sql: pool,
    mailer,
    dns: createDns({ servers: [] }),
    log: createLog("error"),
    now: () => new Date(),
    workerId: "test",
  };
  return createApp(ctx);
}

function request(path: string, headers: Record<string, string> = {}, method = "GET"): Request {
  return new Request(`http://localhost:3000${path}`, { method, headers });
}

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return await app().handle(request(path, headers));
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
