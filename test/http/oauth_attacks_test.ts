// What somebody may try who is between a browser, the service and a provider; and providers that fail or lie.
import { afterEach, describe, expect, test } from "bun:test";
import { openPool } from "../../src/db/pool.ts";
import { PUBLIC_REQUESTS_PER_MINUTE } from "../../src/http/entry/public_limits.ts";
import type { Browser, Page } from "../support/browser.ts";
import { ORIGIN, useOauth } from "../support/oauth_stage.ts";
import type { Forgery } from "../support/openid_provider.ts";

const stage = useOauth();
const { service, oidc, google, github, browser, comeBack, signIn, whoIs } = stage;

let serial = 0;
const newPerson = () => {
  const name = `person${++serial}`;
  const person = { email: `${name}@example.com`, email_verified: true };
  oidc.people.set(name, person);
  google.people.set(name, person);
  github.people.set(name, { id: serial, emails: [{ email: person.email, primary: true, verified: true }] });
  return name;
};

afterEach(() => {
  for (const provider of [oidc, google]) {
    provider.lies.clear();
    provider.answers.clear();
  }
  github.answers.clear();
});

/** Nobody is signed in, and a person who sees the page knows why. */
async function expectRefusal(who: Browser, page: Page, status: number, reason: string): Promise<void> {
  expect([page.status, page.text.includes(reason)]).toEqual([status, true]);
  expect(page.headers.get("content-type")).toContain("text/html");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.headers.get("location")).toBeNull();
  expect(page.headers.getSetCookie().filter((line) => line.startsWith("postrider_session"))).toEqual([]);
  expect(await whoIs(who)).toBeNull();
}

const STALE = "it was started in another browser, has expired or is already complete";
const FAILED = "is not reachable, or its response is not valid";

const changed = (url: URL, change: (query: URLSearchParams) => void): URL => {
  const copy = new URL(url);
  change(copy.searchParams);
  return copy;
};

describe("the way back", () => {
  test.each<[string, (query: URLSearchParams) => void]>([
    ["without a state", (query) => query.delete("state")],
    ["with an empty state", (query) => query.set("state", "")],
    ["with another state", (query) => query.set("state", "A".repeat(43))],
    ["with a state that begins the same", (query) => query.set("state", `${query.get("state")}A`)],
  ])("%s leads nowhere, and does not spoil the sign-in that is under way", async (_, change) => {
    const who = browser(newPerson());
    const url = await comeBack(who, "oidc");
    oidc.requests.length = 0;
    await expectRefusal(who, await who.request(changed(url, change)), 400, STALE);

    expect(oidc.requests).toEqual([]);
    expect((await who.request(url)).status).toBe(302);
  });

  test.each<[string, (query: URLSearchParams) => void, number, string]>([
    ["two states", (query) => query.append("state", "other"), 502, FAILED],
    ["two codes", (query) => query.append("code", "other"), 502, FAILED],
    ["no code", (query) => query.delete("code"), 502, FAILED],
    ["another code", (query) => query.set("code", "made-up"), 400, STALE],
    ["a token instead of a code", (query) => query.set("id_token", "a.b.c"), 502, FAILED],
    ["the issuer of somebody else", (query) => query.set("iss", "https://evil.example"), 502, FAILED],
    ["no issuer", (query) => query.delete("iss"), 502, FAILED],
  ])("with %s leads nowhere", async (_, change, status, reason) => {
    const who = browser(newPerson());
    const url = await comeBack(who, "oidc");

    await expectRefusal(who, await who.request(changed(url, change)), status, reason);
  });

  test("an address that was begun in another browser signs nobody in: neither without nor with a cookie of its own", async () => {
    const [attacker, victim] = [browser(newPerson()), browser(newPerson())];
    const url = await comeBack(attacker, "oidc");
    await expectRefusal(victim, await victim.request(url), 400, STALE);
    await comeBack(victim, "oidc");

    await expectRefusal(victim, await victim.request(url), 400, STALE);
  });

  test("what a browser keeps for one provider is of no use at another", async () => {
    const who = browser(newPerson());
    const url = await comeBack(who, "oidc");
    const sealed = who.cookies.get(ORIGIN)!.get("postrider_oauth_oidc")!;
    who.keep(ORIGIN, `postrider_oauth_google=${sealed}`);
    google.requests.length = 0;

    const page = await who.request(new URL(`${ORIGIN}/oauth/google/callback${url.search}`));
    await expectRefusal(who, page, 400, STALE);
    expect(google.requests).toEqual([]);
  });

  test("an answer of one provider, brought to another where a sign-in is under way too, leads nowhere", async () => {
    const who = browser(newPerson());
    const fromOidc = await comeBack(who, "oidc");
    const fromGoogle = await comeBack(who, "google");
    const mixed = new URL(fromGoogle);
    mixed.searchParams.set("code", fromOidc.searchParams.get("code")!);
    mixed.searchParams.set("iss", fromOidc.searchParams.get("iss")!);
    google.requests.length = 0;

    await expectRefusal(who, await who.request(mixed), 502, FAILED);
    // The code was not handed to the one that it does not belong to.
    expect(google.requests).not.toContain("/token");
  });

  test("it is gone once: the same address and cookie a second time do nothing, and ask nobody", async () => {
    const who = browser(newPerson());
    const url = await comeBack(who, "oidc");
    const sealed = who.cookies.get(ORIGIN)!.get("postrider_oauth_oidc")!;
    const first = await who.request(url);
    const again = browser("");
    again.keep(ORIGIN, `postrider_oauth_oidc=${sealed}`);
    oidc.requests.length = 0;

    expect(first.status).toBe(302);
    await expectRefusal(again, await again.request(url), 400, STALE);
    expect(oidc.requests).toEqual([]);
  });

  test("twice at the same moment signs in once", async () => {
    const who = browser(newPerson());
    const url = await comeBack(who, "oidc");
    const pages = await Promise.all(Array.from({ length: 8 }, () => who.request(url)));

    expect(pages.map(({ status }) => status).sort()).toEqual([302, ...Array(7).fill(400)]);
  });

  test.each(["oidc", "google", "github"])(
    "%s: the code of somebody else, in a sign-in of one's own, does not fit",
    async (provider) => {
      const [victim, attacker] = [browser(newPerson()), browser(newPerson())];
      const stolen = (await comeBack(victim, provider)).searchParams.get("code")!;
      const url = await comeBack(attacker, provider);
      const page = await attacker.request(changed(url, (query) => query.set("code", stolen)));

      await expectRefusal(attacker, page, 400, STALE);
    },
  );

  test.each(["oidc", "github"])("%s: a code that was used is refused", async (provider) => {
    const [who, again] = [browser(newPerson()), browser(newPerson())];
    const url = await comeBack(who, provider);
    await who.request(url);
    const second = await comeBack(again, provider);
    const page = await again.request(
      changed(second, (query) => query.set("code", url.searchParams.get("code")!)),
    );

    await expectRefusal(again, page, 400, STALE);
  });

  test("after ten minutes it is too late", async () => {
    const who = browser(newPerson());
    const url = await comeBack(who, "oidc");
    service.setNow(new Date(Date.now() + 601_000));
    const page = await who.request(url);
    service.setNow(new Date());

    await expectRefusal(who, page, 400, STALE);
  });

  test.each(["", "x", "AAAA", "%00", "{}", Buffer.alloc(200, 1).toString("base64url")])(
    "a cookie of %j is nothing",
    async (sealed) => {
      const who = browser(newPerson());
      const url = await comeBack(who, "oidc");
      who.keep(ORIGIN, `postrider_oauth_oidc=${sealed}`);

      await expectRefusal(who, await who.request(url), 400, STALE);
    },
  );

  test("a cookie with one bit changed is nothing", async () => {
    const who = browser(newPerson());
    const url = await comeBack(who, "oidc");
    const bytes = Buffer.from(who.cookies.get(ORIGIN)!.get("postrider_oauth_oidc")!, "base64url");
    bytes[60]! ^= 1;
    who.keep(ORIGIN, `postrider_oauth_oidc=${bytes.toString("base64url")}`);

    await expectRefusal(who, await who.request(url), 400, STALE);
  });
});

describe("a token that is not what it seems", () => {
  type Claims = Record<string, unknown>;
  const now = () => Math.floor(Date.now() / 1_000);

  test("the forger's tools are good: a token that says the truth is taken", async () => {
    oidc.lies.set("/token", (truth) => ({ ...truth, id_token: oidc.forge(truth.id_token, (c) => c) }));
    const who = browser(newPerson());
    await signIn(who, "oidc");

    expect(await whoIs(who)).not.toBeNull();
  });

  test.each<[string, (claims: Claims) => Claims, Forgery?]>([
    ["another nonce", (claims) => ({ ...claims, nonce: "other" })],
    ["no nonce", (claims) => without(claims, "nonce")],
    ["another audience", (claims) => ({ ...claims, aud: "another client" })],
    [
      "two audiences, and meant for the other",
      (claims) => ({ ...claims, aud: ["postrider", "x"], azp: "x" }),
    ],
    ["another issuer", (claims) => ({ ...claims, iss: "https://evil.example" })],
    ["no subject", (claims) => without(claims, "sub")],
    ["a time that is over", (claims) => ({ ...claims, exp: now() - 3_600 })],
    ["no end", (claims) => without(claims, "exp")],
    ["a time that has not begun", (claims) => ({ ...claims, nbf: now() + 3_600 })],
    ["no signature (alg none)", (claims) => claims, { alg: "none" }],
    ["a signature with our own secret", (claims) => claims, { alg: "HS256" }],
    ["the signature of another key", (claims) => claims, { otherKey: true }],
  ])("%s: nobody is signed in", async (_, change, forgery = {}) => {
    oidc.lies.set("/token", (truth) => ({
      ...truth,
      id_token: oidc.forge(truth.id_token, change, forgery),
    }));
    const who = browser(newPerson());

    await expectRefusal(who, await signIn(who, "oidc"), 502, FAILED);
  });

  test.each<[string, (truth: Claims) => unknown]>([
    ["none at all", (truth) => without(truth, "id_token")],
    ["no access token", (truth) => without(truth, "access_token")],
    ["one that is no token", (truth) => ({ ...truth, id_token: "a.b" })],
    ["one whose text was changed", (truth) => ({ ...truth, id_token: swapPayload(String(truth.id_token)) })],
    ["a list", () => []],
    ["a word", () => "fine"],
  ])("%s: nobody is signed in", async (_, lie) => {
    oidc.lies.set("/token", lie);
    const who = browser(newPerson());

    await expectRefusal(who, await signIn(who, "oidc"), 502, FAILED);
  });

  test("what is told of another subject than that of the token does not count", async () => {
    oidc.lies.set("/me", (truth) => ({ ...truth, sub: "somebody else" }));
    const who = browser(newPerson());

    await expectRefusal(who, await signIn(who, "oidc"), 502, FAILED);
  });

  test("an address of one answer is not verified by the word of another", async () => {
    const name = newPerson();
    oidc.lies.set("/token", (truth) => ({
      ...truth,
      id_token: oidc.forge(truth.id_token, (claims) => ({ ...claims, email: "victim@example.com" })),
    }));
    const who = browser(name);
    await signIn(who, "oidc");

    expect((await whoIs(who))!.email).toBe(`${name}@example.com`);
  });
});

function without(fields: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
}

function swapPayload(token: string): string {
  const [head, payload, signature] = token.split(".");
  const claims = { ...JSON.parse(Buffer.from(payload!, "base64url").toString()), sub: "admin" };
  return [head, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
}

describe("a provider that fails", () => {
  test.each(["oidc", "github"])(
    "%s: who declines there reads that here, and can begin again",
    async (provider) => {
      const who = browser("nobody");
      const page = await signIn(who, provider);

      await expectRefusal(who, page, 403, "the request was declined at");
      expect(page.text).toContain(`href="/oauth/${provider}/outbound"`);
    },
  );

  test("words that come with the answer are not shown", async () => {
    const who = browser(newPerson());
    const url = await comeBack(who, "oidc");
    const page = await who.request(
      changed(url, (query) => {
        query.delete("code");
        query.set("error", "<b>call");
        query.set("error_description", "<script>alert(1)</script> call 555-1234");
      }),
    );

    await expectRefusal(who, page, 502, FAILED);
    expect(page.text).not.toMatch(/call|alert/);
  });

  test.each([
    ["/token", 500, ""],
    ["/token", 200, "<html>"],
    ["/token", 302, ""],
    ["/me", 503, ""],
    ["/me", 200, "null"],
    ["/jwks", 404, "{}"],
  ])("%s answers %d %.20s", async (path, status, body) => {
    const app = stage.newApp();
    const who = browser(newPerson(), app);
    const url = await comeBack(who, "oidc");
    oidc.answers.set(path, (_, response) => {
      response.writeHead(status, {
        "content-type": "application/json",
        ...(status === 302 && { location: `${google.issuer}/token` }),
      });
      response.end(body);
    });
    google.requests.length = 0;
    service.lines.length = 0;

    await expectRefusal(who, await who.request(url), 502, FAILED);
    expect(google.requests).toEqual([]);
  });

  test("one that answers without end is not read to the end, however right it is", async () => {
    oidc.lies.set("/me", (truth) => ({ ...truth, more: "x".repeat(300_000) }));
    const who = browser(newPerson());

    await expectRefusal(who, await signIn(who, "oidc"), 502, FAILED);
  });

  test.each([
    ["never begins to answer", () => {}],
    ["never ends", (write: (text: string) => void) => write('{"sub": "')],
  ])("one that %s is not waited for longer than is allowed", async (_, begin) => {
    const who = browser(newPerson(), stage.newApp({}, { timeoutS: 0.3 }));
    const url = await comeBack(who, "oidc");
    oidc.answers.set("/me", (_request, response) => {
      response.on("error", () => {});
      begin((text) => void response.writeHead(200, { "content-type": "application/json" }).write(text));
    });

    await expectRefusal(who, await who.request(url), 502, FAILED);
  });

  test.each<[string, string, () => Response]>([
    ["/login/oauth/access_token", "is busy", () => new Response("busy", { status: 503 })],
    [
      "/login/oauth/access_token",
      "does not know us",
      () => Response.json({ error: "incorrect_client_credentials" }),
    ],
    ["/user", "is busy", () => new Response("busy", { status: 502 })],
    ["/user", "tells no number", () => Response.json({ login: "somebody" })],
    ["/user", "tells nothing", () => Response.json(null)],
    ["/user/emails", "must not be read", () => Response.json({ message: "Not Found" }, { status: 404 })],
    ["/user/emails", "is no list of addresses", () => Response.json([null, 3])],
  ])("GitHub's %s that %s", async (path, _, answer) => {
    github.answers.set(path, answer);
    const who = browser(newPerson());

    await expectRefusal(who, await signIn(who, "github"), 502, FAILED);
  });

  test.each([
    ["no list", { message: "something" }],
    ["nothing", []],
    ["no texts", [{ email: 7, primary: true, verified: true }]],
  ])("GitHub that has %s for addresses signs nobody in", async (_, emails) => {
    github.answers.set("/user/emails", () => Response.json(emails));
    const who = browser(newPerson());

    await expectRefusal(
      who,
      await signIn(who, "github"),
      403,
      "does not confirm that your address is verified",
    );
  });

  test("what went wrong stands in the log, without codes and tokens", async () => {
    const who = browser(newPerson(), { origin: ORIGIN, handle: (request) => service.app.handle(request) });
    const url = await comeBack(who, "oidc");
    oidc.answers.set("/token", (_, response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "invalid_client", error_description: "a secret" }));
    });
    const page = await who.request(url);

    expect(page.status).toBe(502);
    const logged = () => service.lines.find(({ status }) => status === 502);
    // It is written a moment after the answer.
    while (!logged()) await Bun.sleep(5);
    const line = JSON.stringify(logged());
    expect(line).toContain("oidc: server responded with an error in the response body: invalid_client");
    expect(line).toContain('"route":"/oauth/:provider/callback"');
    for (const [name, value] of url.searchParams) if (name !== "iss") expect(line).not.toContain(value);
    expect(line).not.toContain("a secret");
  });
});

describe("when we are in trouble ourselves", () => {
  test("a browser reads so, and nothing is shown of what went wrong", async () => {
    const pool = openPool("postgres://nobody:secret@127.0.0.1:9/none", { max: 1 });
    const who = browser(newPerson(), stage.newApp({}, {}, { pool, sql: pool }));
    const url = await comeBack(who, "oidc");
    const page = await who.request(url);
    await pool.end({ timeout: 0 });

    expect([page.status, page.text.includes("Cannot reach the database")]).toEqual([503, true]);
    expect(page.text).not.toContain("secret");
  });

  test("somebody who comes without end is asked to wait", async () => {
    // The clock stands, so that the minute does not end in between.
    const now = new Date();
    const app = stage.newApp({}, {}, { now: () => now });
    app.server({ requestIP: () => ({ address: "203.0.113.9" }) });
    const who = browser("", app);
    const statuses = [];
    for (let i = 0; i <= PUBLIC_REQUESTS_PER_MINUTE; i++) {
      statuses.push((await who.request(`${ORIGIN}/oauth/oidc/callback?state=x&code=y`)).status);
    }
    const page = await who.request(`${ORIGIN}/oauth/oidc/outbound`);

    expect(statuses[0]).toBe(400);
    expect([statuses.at(-1), page.status]).toEqual([429, 429]);
    expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("what an issuer says of itself", () => {
  const DISCOVERY = "/.well-known/openid-configuration";
  const begin = async (app: ReturnType<typeof stage.newApp>) =>
    (await browser("", app).request(`${ORIGIN}/oauth/oidc/outbound`)).status;
  const asked = () => oidc.requests.filter((path) => path === DISCOVERY).length;

  test("is asked for once, also by many at once, and again after an hour", async () => {
    const app = stage.newApp();
    oidc.requests.length = 0;
    const first = await Promise.all(Array.from({ length: 20 }, () => begin(app)));
    await begin(app);
    const soon = asked();
    service.setNow(new Date(Date.now() + 3_601_000));
    await begin(app);
    service.setNow(new Date());

    expect(first).toEqual(Array(20).fill(302));
    expect([soon, asked()]).toEqual([1, 2]);
  });

  test("while it cannot be reached a person reads so, and a moment later it works again", async () => {
    const app = stage.newApp();
    await oidc.stop();
    const page = await browser("", app).request(`${ORIGIN}/oauth/oidc/outbound`);
    await oidc.start();
    const atOnce = await begin(app);
    service.setNow(new Date(Date.now() + 6_000));
    const later = await begin(app);
    service.setNow(new Date());

    expect([page.status, page.text.includes(FAILED)]).toEqual([502, true]);
    // Those who come at once are not let at it: it would be asked by everybody.
    expect([atOnce, later]).toEqual([502, 302]);
  });

  test.each([
    ["another issuer", { issuer: "https://evil.example" }],
    ["no place to sign in", { authorization_endpoint: undefined }],
    ["a place that is a script", { authorization_endpoint: "javascript:alert(1)" }],
  ])("does not count where it names %s", async (_, change) => {
    const app = stage.newApp();
    const truth = (await (await fetch(oidc.issuer + DISCOVERY)).json()) as object;
    oidc.answers.set(DISCOVERY, (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...truth, ...change }));
    });

    expect(await begin(app)).toBe(502);
  });
});

describe("the sweep", () => {
  test("forgets sign-ins that are over, and not those that may still be tried again", async () => {
    const who = browser(newPerson());
    await signIn(who, "oidc");
    const { upkeepTasks } = await import("../../tasks/upkeep.ts");
    const count = async () => (await service.pool`select from oauth_callbacks`).length;
    await upkeepTasks.purge_expired(service);
    const soon = await count();
    service.setNow(new Date(Date.now() + 3_600_000));
    await upkeepTasks.purge_expired(service);
    service.setNow(new Date());

    expect(soon).toBeGreaterThan(0);
    expect(await count()).toBe(0);
  });
});
