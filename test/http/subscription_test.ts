import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { deleteContact } from "../../src/audience/contacts/deletion.ts";
import { type Language, PHRASES } from "../../src/content/languages/mod.ts";
import { openPool } from "../../src/db/pool.ts";
import { createApp } from "../../src/http/mod.ts";
import { readSubscriptionToken, subscriptionUrls } from "../../src/sending/compose/subscription_links.ts";
import { untilBlocked } from "../support/locks.ts";
import { useService } from "../support/service.ts";

const service = useService();
const LANGUAGES = Object.keys(PHRASES) as Language[];
const PLACES = ["unsubscribe", "subscribe", "manage"] as const;
const ONE_CLICK = "List-Unsubscribe=One-Click";
const URLENCODED = { "content-type": "application/x-www-form-urlencoded" };

let project: NewProject;
let serial = 0;

beforeAll(async () => {
  project = await service.createProject();
});

interface Given {
  email?: string;
  subscribed?: boolean;
  data?: Record<string, unknown>;
  of?: NewProject;
}

/** A contact, and the token of its links. */
async function contact({ email, subscribed = true, data = {}, of = project }: Given = {}) {
  const address = email ?? `ada${serial++}@example.com`;
  const { body, status } = await service.request("POST", "/contacts", {
    key: of.secret,
    body: { email: address, subscribed, data },
  });
  expect(status).toBe(201);
  return { id: body.id as string, address, token: tokenOf(body.id, undefined, of) };
}

function tokenOf(contactId: string, emailId?: string, of = project): string {
  return subscriptionUrls(service, of.id, contactId, emailId).unsubscribeUrl.split("/").at(-1)!;
}

/** A campaign with one mail to this contact, as the ledger holds it. */
async function mailTo(contactId: string) {
  const [campaign] = await service.pool`
    insert into campaigns (project_id, name, subject, body, html, from_email, audience_type)
    values (${project.id}, 'News', 's', 'b', 'b', 'news@shop.example', 'ALL')
    returning id`;
  const campaignId = campaign!.id as string;
  return { campaignId, emailId: await oneMoreMail(campaignId, contactId) };
}

async function oneMoreMail(campaignId: string, contactId: string): Promise<string> {
  const [email] = await service.pool`
    insert into emails
      (project_id, contact_id, address, source_type, campaign_id, status, due_at, queued_at, sent_at)
    values
      (${project.id}, ${contactId}, 'x@example.com', 'CAMPAIGN', ${campaignId}, 'SENT', now(), now(), now())
    returning id`;
  return email!.id as string;
}

const row = async (id: string) => (await service.pool`select * from contacts where id = ${id}`)[0]!;

const eventsOf = async (id: string) =>
  (await service.pool`select name, email_id from events where contact_id = ${id} order by id`).map(
    ({ name, emailId }) => [name, emailId] as [string, string | null],
  );

const unsubscriptionsOf = async (campaignId: string) => {
  const [counted] = await service.pool`
    select coalesce(sum(unsubscribed), 0)::int as n
    from campaign_count_deltas where campaign_id = ${campaignId}`;
  return counted!.n as number;
};

const everything = async () => [
  await service.pool`select * from contacts order by id`,
  await service.pool`select * from events order by id`,
  await service.pool`select * from emails order by id`,
  await service.pool`select * from campaign_count_deltas`,
];

const get = (place: string, token: string, headers: Record<string, string> = {}) =>
  service.request("GET", `/${place}/${token}`, { headers });

const post = (place: string, token: string, raw = ONE_CLICK, headers: Record<string, string> = URLENCODED) =>
  service.request("POST", `/${place}/${token}`, { raw, headers });

/** The text of a page, as a reader has it. */
function textOf(html: string): string {
  const body = html.slice(html.indexOf("<body>"));
  const text = body.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  return text.replaceAll("&amp;", "&").replaceAll("&#x27;", "'").replaceAll("&quot;", '"');
}

/** The lines of a request in the log, which come a moment after its answer. */
async function linesOf(requestId: string, count: number) {
  for (let i = 0; i < 200; i++) {
    const lines = service.lines.filter((line) => line.requestId === requestId);
    if (lines.length >= count) return lines;
    await Bun.sleep(5);
  }
  throw new Error(`Fewer than ${count} lines of ${requestId}`);
}

const headingOf = (html: string) => /<h1>(.*?)<\/h1>/s.exec(html)![1]!;

describe("the pages", () => {
  test.each(LANGUAGES)("speak %s, in every state", async (locale) => {
    const there = await contact({ email: `zoe.${locale}@example.org`, data: { locale } });
    const { leave, left, join, joined, manage } = PHRASES[locale];
    const sequence = [
      [await get("unsubscribe", there.token), leave],
      [await get("subscribe", there.token), joined],
      [await get("manage", there.token), manage],
      [await post("unsubscribe", there.token), left],
      [await get("unsubscribe", there.token), left],
      [await get("subscribe", there.token), join],
      [await get("manage", there.token), manage],
      [await post("subscribe", there.token), joined],
      [await post("manage", there.token, "subscribed=false"), manage],
    ] as const;

    for (const [{ status, body }, phrases] of sequence) {
      expect(status).toBe(200);
      expect(body).toStartWith(`<!doctype html>\n<html lang="${locale}">`);
      expect(headingOf(body)).toBe(Bun.escapeHTML(phrases.heading));
      expect(body).toContain(`<title>${Bun.escapeHTML(phrases.heading)} · Test</title>`);
      expect(textOf(body)).toContain(phrases.button);
      expect(textOf(body)).toContain("z•••@example.org");
      expect(body).not.toContain(there.address);
      expect(textOf(body)).not.toMatch(/[{}]/);
    }
    expect(textOf(sequence.at(-1)![0].body)).toContain(manage.saved);
  });

  test.each([
    ["de-AT", "de"],
    ["pt_BR", "pt"],
    ["FR", "fr"],
    ["ja", "nl"],
    ["dex", "nl"],
    ["", "nl"],
  ])("the locale %p is answered in %s, in a project that speaks nl", async (locale, language) => {
    const dutch = await service.createProject();
    await service.pool`update projects set language = 'nl' where id = ${dutch.id}`;
    const there = await contact({ data: { locale }, of: dutch });

    expect((await get("manage", there.token)).body).toContain(`<html lang="${language}">`);
  });

  test("have one main part, one heading, a form that posts, and neither script nor foreign address", async () => {
    const { token } = await contact();

    for (const place of PLACES) {
      const { body } = await get(place, token);
      expect(body.match(/<main>/g)).toHaveLength(1);
      expect(body.match(/<h1>/g)).toHaveLength(1);
      expect(body.match(/<button/g)).toHaveLength(1);
      expect(body).toMatch(new RegExp(`<form method="post" action="/(un)?(subscribe|manage)/${token}">`));
      expect(body).toContain('<meta name="robots" content="noindex">');
      expect(body).not.toMatch(/<script|\son\w+=|style="|https?:/);
    }
  });

  test("are nobody else's to keep, to frame, to find or to hear of", async () => {
    const { token } = await contact();

    for (const path of [...PLACES.map((place) => `/${place}/${token}`), "/manage/nothing"]) {
      const { headers } = await service.request("GET", path);
      const policy = headers.get("content-security-policy")!;
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-robots-tag")).toBe("noindex");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(policy).toStartWith("default-src 'none'; style-src 'sha256-");
      expect(policy).toContain("form-action 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers.get("set-cookie")).toBeNull();
    }
  });

  test("show a name as it is, whatever it is", async () => {
    const odd = await service.createProject();
    const name = `<b>Tom & "Jerry's"</b> {address} $& `;
    await service.pool`update projects set name = ${name} where id = ${odd.id}`;
    const { token } = await contact({ of: odd });

    const { body } = await get("unsubscribe", token);

    expect(textOf(body)).toContain(`&lt;b&gt;Tom & "Jerry's"&lt;/b&gt; {address} $&`);
    expect(body).not.toContain("<b>");
  });

  test("stay under the path that the service has behind its proxy", async () => {
    const config = { ...service.config, BASE_URL: "https://example.com/mail/v2" };
    const { token } = await contact();

    const answer = await createApp({ ...service, config }).handle(
      new Request(`http://localhost/manage/${token}`),
    );

    expect(await answer.text()).toContain(`action="/mail/v2/manage/${token}"`);
  });

  test("a disabled project cannot keep anyone from leaving", async () => {
    const closed = await service.createProject();
    const { id, token } = await contact({ of: closed });
    await service.pool`update projects set disabled_at = now() where id = ${closed.id}`;

    expect((await get("unsubscribe", token)).status).toBe(200);
    expect((await post("unsubscribe", token)).status).toBe(200);
    expect((await row(id)).subscribed).toBe(false);
  });

  test("the links of a test mail lead to a page that says so", async () => {
    for (const place of PLACES) {
      const answer = await get(place, "preview", { "accept-language": "it" });
      expect([place, answer.status]).toEqual([place, 200]);
      expect(headingOf(answer.body)).toBe(PHRASES.it.preview.heading);
    }
  });

  test("no line of the log holds a token", async () => {
    const { token } = await contact();
    const headers = { "x-request-id": crypto.randomUUID() };

    await get("manage", token, headers);
    await post("unsubscribe", token, "", headers);
    await get("unsubscribe", `${token}x`, headers);

    const lines = await linesOf(headers["x-request-id"], 3);
    expect(lines.map((line) => [line.method, line.route, line.status])).toEqual([
      ["GET", "/manage/:token", 200],
      ["POST", "/unsubscribe/:token", 200],
      ["GET", "/unsubscribe/:token", 404],
    ]);
    expect(JSON.stringify(lines)).not.toContain(token.slice(0, 20));
  });

  test("are no part of the API's document", async () => {
    const { body } = await service.request("GET", "/openapi.json");

    const paths = Object.keys(body.paths);
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => path.includes("{token}"))).toEqual([]);
  });
});

describe("GET and HEAD", () => {
  test.each([true, false])("change nothing, whether subscribed (%p) or not", async (subscribed) => {
    const { id, token } = await contact({ subscribed });
    const { emailId } = await mailTo(id);
    const before = await everything();

    for (const named of [token, tokenOf(id, emailId)]) {
      for (const place of PLACES) {
        expect((await get(place, named)).status).toBe(200);
        const head = await service.request("HEAD", `/${place}/${named}`);
        expect([head.status, head.body]).toEqual([200, ""]);
        expect((await get(place, `${named}?List-Unsubscribe=One-Click&subscribed=false`)).status).toBe(200);
      }
    }

    expect(await everything()).toEqual(before);
  });
});

describe("a link that belongs to nobody", () => {
  const wrongTokens = async () => {
    const { id, token } = await contact();
    const signedForAnother = tokenOf(id, undefined, await service.createProject());
    const other = (await contact()).token;
    return {
      "of no length": "x",
      truncated: token.slice(0, -1),
      "truncated by much": token.slice(0, 20),
      longer: `${token}A`,
      "of another contact's signature": token.slice(0, 42) + other.slice(42),
      "of another project": signedForAnother,
      "with a space": `%20${token}`,
      "with NUL": `${token.slice(0, -1)}%00`,
      "in bad escapes": "%E0%A4%A",
    };
  };

  test("is answered with a friendly page, in the language of the browser", async () => {
    for (const [what, token] of Object.entries(await wrongTokens())) {
      for (const place of PLACES) {
        const answer = await get(place, token, { "accept-language": "xx, fr-CA;q=0.9, de;q=0.8" });
        expect([what, answer.status]).toEqual([what, 404]);
        expect([what, headingOf(answer.body)]).toEqual([what, PHRASES.fr.missing.heading]);
      }
    }
    expect((await get("manage", "x")).body).toContain(PHRASES.en.missing.heading);
  });

  test("is told 200 by one click, and changes nothing", async () => {
    const tokens = await wrongTokens();
    const before = await everything();

    for (const [what, token] of Object.entries(tokens)) {
      expect([what, (await post("unsubscribe", token)).status]).toEqual([what, 200]);
      expect([what, (await post("subscribe", token)).status]).toEqual([what, 404]);
      expect([what, (await post("manage", token, "subscribed=false")).status]).toEqual([what, 404]);
    }

    expect(await everything()).toEqual(before);
  });

  test("every letter of a token counts", async () => {
    const { id } = await contact();
    const token = tokenOf(id, crypto.randomUUID());
    const tampered = [...token].map((letter, at) => {
      // Another value of the lowest bit: the smallest change there is.
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      return token.slice(0, at) + alphabet[alphabet.indexOf(letter) ^ 1] + token.slice(at + 1);
    });

    const opened = await Promise.all(tampered.map((each) => readSubscriptionToken(service, each)));

    expect(await readSubscriptionToken(service, token)).not.toBeNull();
    expect(opened.filter((each) => each !== null)).toEqual([]);
  });

  test("a contact that is gone: 404, and one click is told 200", async () => {
    const { id, token } = await contact();
    const { emailId } = await mailTo(id);
    await deleteContact(service, project.id, id, OPERATOR);
    const before = await everything();

    for (const named of [token, tokenOf(id, emailId)]) {
      for (const place of PLACES) expect((await get(place, named)).status).toBe(404);
      expect((await post("unsubscribe", named)).status).toBe(200);
      expect((await post("subscribe", named)).status).toBe(404);
    }

    expect(await everything()).toEqual(before);
  });
});

describe("POST /unsubscribe/:token", () => {
  const multipart =
    '--b\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n';

  test.each([
    ["a form", ONE_CLICK, URLENCODED],
    [
      "a form with a charset",
      ONE_CLICK,
      { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" },
    ],
    ["a multipart form", multipart, { "content-type": "multipart/form-data; boundary=b" }],
    [
      "a multipart form without its boundary",
      multipart,
      { "content-type": "multipart/form-data" } as Record<string, string>,
    ],
    ["text", ONE_CLICK, { "content-type": "text/plain" }],
    ["what calls itself JSON", ONE_CLICK, { "content-type": "application/json" }],
    ["what has a type that is none", ONE_CLICK, { "content-type": "x" }],
    ["nothing", "", URLENCODED],
    ["more than anyone reads", "x".repeat(2_000_000), URLENCODED],
  ])("%s unsubscribes", async (_what, raw, headers: Record<string, string>) => {
    const { id, token } = await contact();

    const answer = await post("unsubscribe", token, raw, headers);

    expect(answer.status).toBe(200);
    expect(await row(id)).toMatchObject({ subscribed: false, optedOutAt: expect.any(Date) });
    expect(await eventsOf(id)).toEqual([["contact.unsubscribed", null]]);
  });

  test("a request without any content type unsubscribes", async () => {
    const { id, token } = await contact();
    const body = new Blob([ONE_CLICK]);

    const request = new Request(`http://localhost/unsubscribe/${token}`, { method: "POST", body });
    request.headers.delete("content-type");
    const answer = await service.app.handle(request);

    expect(answer.status).toBe(200);
    expect((await row(id)).subscribed).toBe(false);
  });

  test("answers without a redirect, with a page whose button takes it back", async () => {
    const { id, token } = await contact();

    const done = await post("unsubscribe", token);
    expect(done.headers.get("location")).toBeNull();
    expect(done.body).toContain(`<form method="post" action="/subscribe/${token}">`);
    const undone = await post("subscribe", token, "");

    expect(undone.status).toBe(200);
    expect(undone.body).toContain(`<form method="post" action="/unsubscribe/${token}">`);
    expect(await row(id)).toMatchObject({ subscribed: true, optedOutAt: null, wasSubscribed: false });
    expect((await eventsOf(id)).map(([name]) => name)).toEqual([
      "contact.unsubscribed",
      "contact.subscribed",
    ]);
  });

  test("twenty clicks at once are one unsubscription, and so are later ones", async () => {
    const { id } = await contact();
    const { campaignId, emailId } = await mailTo(id);
    const token = tokenOf(id, emailId);

    const answers = await Promise.all(Array.from({ length: 20 }, () => post("unsubscribe", token)));
    const { updatedAt } = await row(id);
    await post("unsubscribe", token);

    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    expect(await eventsOf(id)).toEqual([["contact.unsubscribed", emailId]]);
    expect(await unsubscriptionsOf(campaignId)).toBe(1);
    expect((await row(id)).updatedAt).toEqual(updatedAt);
  });

  test("clicks of both kinds at once leave one event for each change", async () => {
    const { id } = await contact();
    const { emailId } = await mailTo(id);
    const token = tokenOf(id, emailId);

    await Promise.all(
      Array.from({ length: 40 }, (_, i) => post(i % 2 ? "subscribe" : "unsubscribe", token, "")),
    );

    const names = (await eventsOf(id)).map(([name]) => name);
    const left = names.filter((name) => name === "contact.unsubscribed").length;
    expect(left - (names.length - left)).toBe((await row(id)).subscribed ? 0 : 1);
  });

  test("is counted for the mail whose link was used, and for its campaign", async () => {
    const { id, token } = await contact();
    const { campaignId, emailId } = await mailTo(id);
    const second = await oneMoreMail(campaignId, id);
    const unsubscribedAt = async (of: string) =>
      (await service.pool`select unsubscribed_at from emails where id = ${of}`)[0]!.unsubscribedAt as unknown;

    await post("unsubscribe", tokenOf(id, emailId));
    await post("unsubscribe", tokenOf(id, second));
    expect(await unsubscribedAt(emailId)).toBeInstanceOf(Date);
    expect(await unsubscribedAt(second)).toBeNull();
    expect(await unsubscriptionsOf(campaignId)).toBe(1);

    // The link of a mail counts that mail once; a link that stood in none counts nothing.
    const first = await unsubscribedAt(emailId);
    await post("subscribe", token, "");
    await post("unsubscribe", tokenOf(id, emailId));
    expect(await unsubscribedAt(emailId)).toEqual(first);
    await post("subscribe", token, "");
    await post("unsubscribe", token);
    expect(await unsubscriptionsOf(campaignId)).toBe(1);

    await post("subscribe", token, "");
    await post("manage", tokenOf(id, second), "subscribed=false");
    expect(await unsubscribedAt(second)).toBeInstanceOf(Date);
    expect(await unsubscriptionsOf(campaignId)).toBe(2);
  });

  test("who was not subscribed is opted out from now on, which is no change of the subscription", async () => {
    const { id, token } = await contact({ subscribed: false });
    const { campaignId, emailId } = await mailTo(id);
    expect((await row(id)).optedOutAt).toBeNull();

    await post("unsubscribe", tokenOf(id, emailId));
    const { optedOutAt } = await row(id);
    await post("unsubscribe", token);

    expect(optedOutAt).toBeInstanceOf(Date);
    expect((await row(id)).optedOutAt).toEqual(optedOutAt);
    expect(await eventsOf(id)).toEqual([]);
    expect(await unsubscriptionsOf(campaignId)).toBe(0);
  });

  test("waits for a mail without holding its contact: what else changes both takes the mail first", async () => {
    const { id } = await contact();
    const { emailId } = await mailTo(id);
    let click: ReturnType<typeof post>;

    await service.pool.begin(async (tx) => {
      await tx`update emails set complained_at = now() where id = ${emailId}`;
      click = post("unsubscribe", tokenOf(id, emailId));
      await untilBlocked(service.pool, { statement: "emails" });
      // Refused at once if the click held it.
      await tx`select from contacts where id = ${id} for no key update nowait`;
    });

    expect((await click!).status).toBe(200);
    expect(await eventsOf(id)).toEqual([["contact.unsubscribed", emailId]]);
  });

  test("a click that meets the deletion of its contact leaves nothing half done", async () => {
    for (let i = 0; i < 10; i++) {
      const { id } = await contact();
      const { campaignId, emailId } = await mailTo(id);

      const [answer] = await Promise.all([
        post("unsubscribe", tokenOf(id, emailId)),
        deleteContact(service, project.id, id, OPERATOR),
      ]);

      const [mail] = await service.pool`select unsubscribed_at from emails where id = ${emailId}`;
      expect(answer.status).toBe(200);
      expect(await unsubscriptionsOf(campaignId)).toBe(mail!.unsubscribedAt ? 1 : 0);
    }
  });
});

describe("POST /manage/:token", () => {
  test.each([
    ["a form", "subscribed=false", URLENCODED],
    [
      "a form with a charset",
      "a=b&subscribed=false",
      { "content-type": `${URLENCODED["content-type"]};charset=utf-8` },
    ],
    [
      "a multipart form",
      '--b\r\ncontent-disposition: form-data; name="subscribed"\r\n\r\nfalse\r\n--b--\r\n',
      { "content-type": 'multipart/form-data; boundary="b"' },
    ],
  ])("%s sets the choice, and shows it", async (_what, raw, headers: Record<string, string>) => {
    const { id, token } = await contact();

    const chosen = await post("manage", token, raw, headers);
    const again = await post("manage", token, raw, headers);

    expect(chosen.status).toBe(200);
    expect(chosen.body).toMatch(/value="false" checked/);
    expect(again.body).toContain('role="status"');
    expect(await row(id)).toMatchObject({ subscribed: false, optedOutAt: expect.any(Date) });
    expect(await eventsOf(id)).toEqual([["contact.unsubscribed", null]]);
    expect((await post("manage", token, "subscribed=true")).body).toMatch(/value="true" checked/);
    expect((await row(id)).subscribed).toBe(true);
  });

  test.each([
    ["no choice", "", URLENCODED, 422],
    ["a choice that is none", "subscribed=perhaps", URLENCODED, 422],
    ["a form that is broken", "--b", { "content-type": "multipart/form-data; boundary=b" }, 400],
    ["a body that is too large", `subscribed=false&x=${"x".repeat(20_000)}`, URLENCODED, 413],
  ])("%s changes nothing and is told so by a page", async (_what, raw, headers, status) => {
    const { id, token } = await contact();
    const before = await row(id);

    const answer = await post("manage", token, raw, headers as Record<string, string>);

    expect(answer.status).toBe(status);
    expect(headingOf(answer.body)).toBe(PHRASES.en.trouble.heading);
    expect(await row(id)).toEqual(before);
  });
});

describe("when the database is away", () => {
  test("a page says that nothing was changed, and a mail program comes again", async () => {
    const { token } = await contact();
    const headers = { "x-request-id": crypto.randomUUID(), "accept-language": "nl" };
    const pool = openPool("postgres://nobody@127.0.0.1:9/nothing", { max: 1 });
    const app = createApp({ ...service, pool, sql: pool });
    const address = `http://localhost/unsubscribe/${token}`;

    const answers = [
      await app.handle(new Request(address, { headers })),
      await app.handle(new Request(address, { method: "POST", headers })),
    ];

    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(headingOf(await answer.text())).toBe(PHRASES.nl.trouble.heading);
    }
    for (const line of await linesOf(headers["x-request-id"], 2)) {
      expect(line).toMatchObject({ level: "error", status: 503, error: expect.any(String) });
    }
    await pool.end();
  });
});
