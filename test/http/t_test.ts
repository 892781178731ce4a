import { describe, expect, test } from "bun:test";
import { derivedKey, signToken } from "../../src/accounts/secrets.ts";
import { openPool } from "../../src/db/pool.ts";
import { createApp } from "../../src/http/mod.ts";
import { type FollowedMail, followHtml } from "../../src/sending/compose/followed_mail.ts";
import { BROWSER, useFollowedMails } from "../support/followed_mails.ts";
import { useService } from "../support/service.ts";

const service = useService();
const mails = useFollowedMails(service);

const LINK = "https://x.example/offer?a=1&amp;b=2#top";
const TARGET = "https://x.example/offer?a=1&b=2#top";

const visit = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  service.request(method, path, { headers: { "user-agent": BROWSER, ...headers } });

const counts = async (mail: FollowedMail) => {
  const { status, opens, clicks } = await mails.row(mail);
  return { status, opens, clicks };
};

const NOTHING = { status: "SENT", opens: 0, clicks: 0 };

/** The token with one letter changed: the 10th, which is in the middle of what was signed. */
const tampered = (token: string) => token.slice(0, 10) + (token[10] === "A" ? "B" : "A") + token.slice(11);

describe("GET /t/o/:token", () => {
  test("is a picture of one point that nobody keeps, and records the open", async () => {
    const mail = await mails.mail();
    const response = await service.app.handle(
      new Request(`http://localhost${mails.paths(mail).open}`, { headers: { "user-agent": BROWSER } }),
    );
    const picture = Buffer.from(await response.arrayBuffer());

    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("image/gif");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(response.headers.get("x-request-id")).toBeString();
    expect(picture.toString("latin1")).toStartWith("GIF89a\u0001\0\u0001\0");
    expect(await counts(mail)).toEqual({ status: "OPENED", opens: 1, clicks: 0 });
  });

  test("needs no key and takes nothing from the limit of the project", async () => {
    const mail = await mails.mail();
    const { headers } = await visit(mails.paths(mail).open);

    expect(headers.get("ratelimit-remaining")).toBeNull();
  });

  test("with a token that is not ours is the same picture, and records nothing", async () => {
    const mail = await mails.mail();
    const token = mails.paths(mail).open.slice("/t/o/".length);
    const otherPurpose = signToken(
      service,
      "subscription links",
      Buffer.from(token, "base64url").subarray(0, 32),
    );
    for (const wrong of [tampered(token), token.slice(0, -1), "x", "%00", otherPurpose, `${token}AAAA`]) {
      const { status, headers } = await visit(`/t/o/${wrong}`);
      expect([wrong, status, headers.get("content-type")]).toEqual([wrong, 200, "image/gif"]);
    }

    expect(await counts(mail)).toEqual(NOTHING);
    expect(await mails.events(mail)).toEqual([]);
  });
});

describe("GET /t/c/:token", () => {
  test("leads on to where the link led, without telling that place where from, and records the click", async () => {
    const mail = await mails.mail();
    const { status, headers, body } = await visit(mails.paths(mail, LINK).clicks[0]!);

    expect([status, body]).toEqual([302, ""]);
    expect(headers.get("location")).toBe(TARGET);
    expect(headers.get("cache-control")).toContain("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-request-id")).toBeString();
    expect(await counts(mail)).toEqual({ status: "CLICKED", opens: 0, clicks: 1 });
    const [event] = await mails.events(mail);
    expect([event!.name, event!.data.link]).toEqual(["email.click", TARGET]);
  });

  test("of several links records each by its own address", async () => {
    const mail = await mails.mail();
    const links = ["https://x.example/1", "https://x.example/2", "https://x.example/1"];
    for (const path of mails.paths(mail, ...links).clicks) await visit(path);

    expect((await mails.events(mail)).map(({ data }) => [data.link, data.clicks, data.isFirstClick])).toEqual(
      [
        ["https://x.example/1", 1, true],
        ["https://x.example/2", 2, false],
        ["https://x.example/1", 3, false],
      ],
    );
  });

  test.each([
    [
      "letters of other scripts",
      "https://bücher.example/日本?q=å b",
      "https://xn--bcher-kva.example/%E6%97%A5%E6%9C%AC?q=%C3%A5%20b",
    ],
    ["a user name", "http://a:b@x.example", "http://a:b@x.example/"],
  ])("spells %s as a browser would", async (_, link, location) => {
    const mail = await mails.mail();
    const { headers } = await visit(mails.paths(mail, link).clicks[0]!);

    expect(headers.get("location")).toBe(location);
  });

  test("whose link was changed is a page that says so, and never leads anywhere", async () => {
    const mail = await mails.mail();
    const [path] = mails.paths(mail, LINK).clicks;
    const [mailToken, linkToken] = path!.slice("/t/c/".length).split(".");
    const forged = Buffer.concat([Buffer.from("https://evil.example"), Buffer.alloc(16)]).toString(
      "base64url",
    );
    const paths = [
      `${mailToken}.${tampered(linkToken!)}`,
      `${mailToken}.${forged}`,
      `${mailToken}.`,
      mailToken!,
      "x.y",
    ];
    paths.push(`${mailToken}.https%3A%2F%2Fevil.example`, `${mailToken}.${mailToken}`, `${linkToken}`);
    for (const wrong of paths) {
      const { status, headers, body } = await visit(`/t/c/${wrong}?url=https://evil.example`);
      expect([wrong, status, headers.get("location")]).toEqual([wrong, 404, null]);
      expect(headers.get("content-type")).toContain("text/html");
      expect(body).toContain("This link is broken");
      expect(body).not.toContain("evil");
    }

    expect(await counts(mail)).toEqual(NOTHING);
  });

  test("whose link is whole leads on, even where the mail is not known by what is left of its token", async () => {
    const mail = await mails.mail();
    const [mailToken, linkToken] = mails.paths(mail, LINK).clicks[0]!.slice("/t/c/".length).split(".");
    for (const wrong of [tampered(mailToken!), mailToken!.slice(0, 20), ""]) {
      const { status, headers } = await visit(`/t/c/${wrong}.${linkToken}`);
      expect([wrong, status, headers.get("location")]).toEqual([wrong, 302, TARGET]);
    }

    expect(await counts(mail)).toEqual(NOTHING);
  });

  test.each([
    ["mailto:ada@example.com", 302],
    ["javascript:alert(1)", 404],
    ["data:text/html,x", 404],
    ["ftp://x.example/", 404],
    ["file:///etc/passwd", 404],
    ["/relative", 404],
  ])("to %s, were it ever signed, answers %i", async (target, expected) => {
    const { status, headers } = await visit(
      `/t/c/x.${signToken(service, "click targets", Buffer.from(target))}`,
    );

    expect([status, headers.get("location")]).toEqual([expected, expected === 302 ? target : null]);
  });

  test("of a link that was signed with another secret leads nowhere", async () => {
    const pool = openPool(service.databaseUrl, { max: 1 });
    const stranger = {
      ...service,
      pool,
      config: { ...service.config, SECRET_KEY: "another secret of another service" },
    };
    const token = signToken(stranger, "click targets", Buffer.from("https://evil.example"));
    const { status } = await visit(`/t/c/x.${token}`);
    await pool.end();

    expect(derivedKey(stranger, "click targets")).not.toEqual(derivedKey(service, "click targets"));
    expect(status).toBe(404);
  });
});

describe("HEAD", () => {
  test("is answered as GET is, and records nothing", async () => {
    const mail = await mails.mail();
    const { open, clicks } = mails.paths(mail, LINK);
    const picture = await visit(open, {}, "HEAD");
    const link = await visit(clicks[0]!, {}, "HEAD");
    const broken = await visit("/t/c/x.y", {}, "HEAD");

    expect([picture.status, picture.headers.get("content-type"), picture.body]).toEqual([
      200,
      "image/gif",
      "",
    ]);
    expect([link.status, link.headers.get("location"), link.body]).toEqual([302, TARGET, ""]);
    expect([broken.status, broken.body]).toEqual([404, ""]);
    expect(await counts(mail)).toEqual(NOTHING);
    expect(await mails.events(mail)).toEqual([]);
  });

  test("and GET are all there is", async () => {
    const mail = await mails.mail();
    const answer = await visit(mails.paths(mail, LINK).clicks[0]!, {}, "POST");

    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(await counts(mail)).toEqual(NOTHING);
  });
});

describe("who asks", () => {
  const opened = async (headers: Record<string, string>) => {
    const mail = await mails.mail();
    const { open, clicks } = mails.paths(mail, LINK);
    await visit(open, headers);
    await visit(clicks[0]!, headers);
    const events = await mails.events(mail);
    expect(events).toHaveLength(2);
    return { ...(await counts(mail)), machine: events.map(({ data }) => data.machine ?? false) };
  };

  test.each([
    ["a browser", BROWSER],
    [
      "a phone",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
    ],
    [
      "Outlook",
      "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Trident/7.0; .NET4.0C; Microsoft Outlook 16.0.10730; ms-office; MSOffice 16)",
    ],
    ["Outlook on a phone", "Outlook-Android/2.0"],
    ["Thunderbird", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.4.0"],
    [
      "Gmail's proxy",
      "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    ],
    ["Yahoo's proxy", "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html"],
  ])("%s is a person", async (_, userAgent) => {
    expect(await opened({ "user-agent": userAgent })).toEqual({
      status: "CLICKED",
      opens: 1,
      clicks: 1,
      machine: [false, false],
    });
  });

  const machines: [string, Record<string, string>][] = [
    ["Apple's privacy proxy", { "user-agent": "Mozilla/5.0" }],
    ["nobody by name", { "user-agent": "" }],
    [
      "Gmail ahead of its user",
      {
        "user-agent":
          "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0",
      },
    ],
    [
      "a search engine",
      { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" },
    ],
    [
      "a chat that shows a preview",
      { "user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" },
    ],
    ["a script", { "user-agent": "python-requests/2.32.3" }],
    ["Barracuda", { "user-agent": "Barracuda Sentinel (EE)" }],
    ["Proofpoint", { "user-agent": "Mozilla/5.0 (compatible; Proofpoint URL Defense)" }],
    ["Mimecast", { "user-agent": "Mozilla/5.0 (Windows NT 10.0) Mimecast" }],
    ["SafeLinks", { "user-agent": "Mozilla/5.0 (Windows NT 10.0) Microsoft Office SafeLinks Protection" }],
    ["Exchange", { "user-agent": "Microsoft Exchange/15.20 (Windows NT 10.0; Win64; x64)" }],
    ["Office, looking whether it is there", { "user-agent": "Microsoft Office Existence Discovery" }],
    ["a browser ahead of its user", { "sec-purpose": "prefetch;prerender" }],
    ["an older one", { purpose: "prefetch" }],
  ];
  test.each(machines)("%s is a machine", async (_, headers) => {
    expect(await opened(headers)).toEqual({ ...NOTHING, machine: [true, true] } as never);
  });
});

describe("when the database is away", () => {
  test("people get the picture and are led on all the same, and the log says what was lost", async () => {
    const mail = await mails.mail();
    const { open, clicks } = mails.paths(mail, LINK);
    const pool = openPool("postgres://nobody@127.0.0.1:9/nowhere", { max: 1 });
    const app = createApp({ ...service, pool, sql: pool });
    const ask = (path: string) =>
      app.handle(new Request(`http://localhost${path}`, { headers: { "user-agent": BROWSER } }));
    service.lines.length = 0;
    const [picture, link] = await Promise.all([ask(open), ask(clicks[0]!)]);
    await pool.end({ timeout: 1 });

    expect([picture.status, link.status, link.headers.get("location")]).toEqual([200, 302, TARGET]);
    const lost = service.lines.filter((line) => line.message === "opens or clicks not recorded");
    expect(lost.reduce((sum, line) => sum + Number(line.count), 0)).toBe(2);
    expect(await counts(mail)).toEqual(NOTHING);
  });

  test("or held up, nobody waits for it, and the click is recorded when it goes on", async () => {
    const mail = await mails.mail();
    const [path] = mails.paths(mail, LINK).clicks;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    const lock = service.pool.begin(async (tx) => {
      await tx`select from emails where id = ${mail.emailId} for update`;
      hold();
      await released;
    });
    await held;
    const answer = await visit(path!);
    const meanwhile = await counts(mail);
    release();
    await lock;
    for (let i = 0; i < 500 && (await counts(mail)).clicks === 0; i++) await Bun.sleep(10);

    expect([answer.status, answer.headers.get("location")]).toEqual([302, TARGET]);
    expect(meanwhile).toEqual(NOTHING);
    expect(await counts(mail)).toEqual({ status: "CLICKED", opens: 0, clicks: 1 });
  });
});

describe("the addresses of a mail", () => {
  test("are shorter than what programs cut off: a link that would be longer is left as it is", async () => {
    const mail = await mails.mail();
    const short = `https://x.example/${"a".repeat(1_300)}`;
    const long = `https://x.example/${"a".repeat(1_450)}`;
    const { clicks } = mails.paths(mail, short, long);

    expect(clicks).toHaveLength(1);
    expect(clicks[0]!.length).toBeLessThan(2_000);
    expect((await visit(clicks[0]!)).headers.get("location")).toBe(short);
  });

  test("of our own pages are not followed", async () => {
    const mail = await mails.mail();
    const base = service.config.BASE_URL;
    const own = [`${base}/unsubscribe/x`, `${base}/manage/x`, `${base}/subscribe/x`, `${base}/t/c/x.y`];

    expect(mails.paths(mail, `${base}/unsubscribed`, `${base}/docs`).clicks).toHaveLength(2);
    expect(mails.paths(mail, ...own).clicks.filter((path) => !/^\/t\/c\/x\.y$/.test(path))).toEqual([]);
  });

  test("are its own: the pixel stands at the end of the body, wherever that is", () => {
    const ids = { projectId: mails.project.id, emailId: Bun.randomUUIDv7() };
    const followed = (html: string) => {
      const template = followHtml(service, ids.projectId, html);
      return template.complete(template.html, ids.emailId).replace(/<img [^>]*>/, "PIXEL");
    };

    expect(followed("<body><p>a</p></body></html>")).toBe("<body><p>a</p>PIXEL</body></html>");
    expect(followed("<BODY>a</BODY >")).toBe("<BODY>aPIXEL</BODY >");
    expect(followed("<p>a</p>")).toBe("<p>a</p>PIXEL");
    expect(mails.paths(ids).open).toBe(mails.paths(ids).open);
    expect(mails.paths(ids).open).not.toBe(mails.paths({ ...ids, emailId: Bun.randomUUIDv7() }).open);
  });

  test("are not in the reference", async () => {
    const { body } = await service.request("GET", "/openapi.json");

    expect(Object.keys(body.paths).filter((path) => path.startsWith("/t/"))).toEqual([]);
  });
});
