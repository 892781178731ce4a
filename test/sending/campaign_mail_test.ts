// The mails of campaigns and sends as a mail program sees them: parsed by a parser that is not the one who wrote them.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Email } from "postal-mime";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { campaignsOf, DRAFT } from "../support/campaign.ts";
import { readMail } from "../support/received_mail.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService({ BASE_URL: "https://mail.shop.example" });
const BASE = "https://mail.shop.example";
let project: NewProject;
const { call, addContacts, create, send, get } = campaignsOf(service, () => project);

beforeEach(async () => {
  project = await service.createProject();
  service.smtp.received.length = 0;
});

afterEach(async () => {
  await service.dropJobs();
});

const source = () => service.smtp.received.at(-1)!.source;
const parse = (): Promise<Email> => readMail(source());
const header = (mail: Email, name: string) => mail.headers.find(({ key }) => key === name)?.value;

/** Sends a campaign to one contact, and reads what came. */
async function campaign(more: object = {}, contact: object = {}): Promise<Email> {
  await call("POST", "/contacts", { email: "ada@example.com", data: { firstName: "Ada" }, ...contact });
  await send(await create(more));
  await service.runJobs();
  return await parse();
}

describe("a MARKETING campaign", () => {
  test("has a text part, the sender, the recipient, and a Message-ID in the sender's domain", async () => {
    const mail = await campaign({ replyTo: "help@shop.example" });
    const [row] = await service.pool`select id, message_id from emails where project_id = ${project.id}`;

    expect(mail.from).toEqual({ name: "Shop", address: `news@${DOMAIN}` });
    expect(mail.to).toEqual([{ name: "", address: "ada@example.com" }]);
    expect(mail.replyTo?.[0]?.address).toBe("help@shop.example");
    expect(mail.subject).toBe("Hello Ada");
    expect(mail.text).toStartWith("Hello Ada, look (https://shop.example/spring)");
    expect(mail.messageId).toBe(`<${row!.id}@${DOMAIN}>`);
    expect(row!.messageId).toBe(`${row!.id}@${DOMAIN}`);
    expect(header(mail, "content-type")).toStartWith("multipart/alternative");
    expect(new Date(mail.date!).getTime()).toBeWithin(Date.now() - 60_000, Date.now() + 1_000);
  });

  test("offers one-click unsubscription by the letter of RFC 8058, and the link in it works", async () => {
    const mail = await campaign();
    const link = /^<(.+)>$/.exec(header(mail, "list-unsubscribe")!)![1]!;

    expect(header(mail, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    expect(link).toStartWith(`${BASE}/unsubscribe/`);
    const answer = await service.request("POST", link.slice(BASE.length), {
      raw: "List-Unsubscribe=One-Click",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const { body } = await call("GET", "/contacts?search=ada@example.com");
    const { data } = (await call("GET", "/campaigns")).body;

    expect(answer.status).toBe(200);
    expect(body.data[0].subscribed).toBe(false);
    expect(data[0].unsubscribedCount).toBe(1);
    expect((await call("GET", `/campaigns/${data[0].id}/stats`)).body.unsubscribeRate).toBe(100);
  });

  test("has a footer with the project's name and both links, in HTML and in text, in the contact's language", async () => {
    const german = await campaign({}, { data: { firstName: "Ada", locale: "de-AT" } });
    const link = /^<(.+)>$/.exec(header(german, "list-unsubscribe")!)![1]!;

    for (const part of [german.html!, german.text!]) {
      expect(part).toContain("Test");
      expect(part).toContain(link);
      expect(part).toContain(link.replace("/unsubscribe/", "/manage/"));
      expect(part).toContain("abbestellen");
    }
    await service.pool`update projects set language = 'fr' where id = ${project.id}`;
    await service.pool`update contacts set data = '{}' where project_id = ${project.id}`;
    await send(await create());
    await service.runJobs();
    expect((await parse()).text).toMatch(/désinscrire|désabonner/i);
  });

  test("is marked as bulk, with a Feedback-ID", async () => {
    const mail = await campaign();
    const [{ id }] = (await call("GET", "/campaigns")).body.data;

    expect(header(mail, "precedence")).toBe("bulk");
    expect(header(mail, "feedback-id")!.split(":")).toHaveLength(4);
    expect(header(mail, "feedback-id")).toContain(id.replaceAll("-", "").slice(0, 8));
    expect(header(mail, "auto-submitted")).toBeUndefined();
  });

  test("is followed: links lead over the service and back, and the pixel stands at the end", async () => {
    const mail = await campaign();
    const click = /href="(https:\/\/mail\.shop\.example\/t\/c\/[^"]+)"/.exec(mail.html!)![1]!;
    const pixel = /<img src="(https:\/\/mail\.shop\.example\/t\/o\/[^"]+)"/.exec(mail.html!)![1]!;
    const headers = {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
    };
    const opened = await service.request("GET", pixel.slice(BASE.length), { headers });
    const clicked = await service.request("GET", click.slice(BASE.length), { headers });
    const [{ id }] = (await call("GET", "/campaigns")).body.data;

    expect(opened.status).toBe(200);
    expect([clicked.status, clicked.headers.get("location")]).toEqual([302, "https://shop.example/spring"]);
    expect(await get(id)).toMatchObject({ openedCount: 1, clickedCount: 1 });
  });

  test("names and subjects in any script arrive as they were written, in lines that mail allows", async () => {
    const subject = "Grüße, 東京 и Ελλάδα 🎉 ".repeat(12).trim();
    const mail = await campaign({ subject, fromName: 'Café "Zoë" & Søn' });

    expect(mail.subject).toBe(subject);
    expect(mail.from?.name).toBe('Café "Zoë" & Søn');
    expect(
      Math.max(
        ...source()
          .split("\r\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(998);
    expect(Buffer.byteLength(source())).toBe(source().length); // ASCII alone
    expect(source()).not.toMatch(/(?<!\r)\n/);
  });

  test("a value can break out of neither header nor HTML", async () => {
    const mail = await campaign(
      { subject: "Hi {{firstName}}" },
      { data: { firstName: 'x\r\nBcc: evil@example.com\r\n\r\n<script>"' } },
    );

    expect(header(mail, "bcc")).toBeUndefined();
    expect(mail.subject).toBe('Hi x Bcc: evil@example.com <script>"');
    expect(mail.html).not.toContain("<script>");
    expect(service.smtp.received.at(-1)!.to).toEqual(["ada@example.com"]);
  });
});

describe("a campaign that is not MARKETING", () => {
  test.each(["HEADLESS", "TRANSACTIONAL"])("%s has neither footer nor header", async (type) => {
    const mail = await campaign({ type });

    expect(header(mail, "list-unsubscribe")).toBeUndefined();
    expect(mail.html).not.toContain("/unsubscribe/");
    expect(mail.text).toBe("Hello Ada, look (https://shop.example/spring)\n".trimEnd());
  });

  test.each(["unsubscribeUrl", "manageUrl"])(
    "has the header where its body offers {{%s}}, and that link is not followed",
    async (name) => {
      const mail = await campaign({ type: "HEADLESS", body: `<p><a href="{{${name}}}">Enough</a></p>` });

      expect(header(mail, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
      expect(mail.html).toContain(`<a href="${BASE}/${name === "manageUrl" ? "manage" : "unsubscribe"}/`);
    },
  );
});

describe("tracking", () => {
  const follows = (mail: Email) => [mail.html!.includes("/t/c/"), mail.html!.includes("/t/o/")];

  test.each([
    ["ENABLED", "TRANSACTIONAL", true],
    ["DISABLED", "MARKETING", false],
    ["MARKETING_ONLY", "MARKETING", true],
    ["MARKETING_ONLY", "HEADLESS", true],
    ["MARKETING_ONLY", "TRANSACTIONAL", false],
  ] as const)("%s: %s mail is followed: %p", async (tracking, type, expected) => {
    await service.pool`update projects set tracking = ${tracking} where id = ${project.id}`;

    expect(follows(await campaign({ type }))).toEqual([expected, expected]);
  });

  test("of a direct send follows the setting as well, and what is sent says that nobody wrote it by hand", async () => {
    const body = { to: "ada@example.com", from: `a@${DOMAIN}`, subject: "s", body: DRAFT.body };
    await call("POST", "/v1/send", body);
    await service.runJobs();
    const mail = await parse();

    expect(follows(mail)).toEqual([true, true]);
    expect(header(mail, "auto-submitted")).toBe("auto-generated");
    expect(header(mail, "precedence")).toBeUndefined();
  });

  test("leaves the text part readable", async () => {
    expect((await campaign()).text).not.toContain("/t/c/");
  });
});

describe("headers of the request", () => {
  test("win over ours, whatever their case", async () => {
    await call("POST", "/v1/send", {
      to: "ada@example.com",
      from: `a@${DOMAIN}`,
      subject: "s",
      body: "b",
      headers: { "auto-submitted": "no", "X-Order": "7" },
    });
    await service.runJobs();
    const mail = await parse();

    expect(mail.headers.filter(({ key }) => key === "auto-submitted").map(({ value }) => value)).toEqual([
      "no",
    ]);
    expect(header(mail, "x-order")).toBe("7");
  });
});

describe("one campaign to many", () => {
  test("gives each recipient a mail of their own, and nothing of another's", async () => {
    await addContacts(40, "many");
    await send(await create());
    await service.runJobs();
    const mails = await Promise.all(service.smtp.received.map(({ source: text }) => readMail(text)));
    const own = (pick: (mail: Email) => string | undefined) => new Set(mails.map(pick)).size;

    expect(mails).toHaveLength(40);
    expect(own((mail) => mail.messageId)).toBe(40);
    expect(own((mail) => header(mail, "list-unsubscribe"))).toBe(40);
    expect(own((mail) => /\/t\/o\/([\w-]+)/.exec(mail.html!)![1])).toBe(40);
    for (const mail of mails) {
      const n = /many(\d+)@/.exec(mail.to![0]!.address!)![1];
      expect(mail.subject).toBe(`Hello N${n}`);
      expect(mail.html).toContain(`Hello N${n},`);
      expect(mail.text).toStartWith(`Hello N${n},`);
    }
  });
});
