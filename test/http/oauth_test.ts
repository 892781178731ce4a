// Signing in at a provider: the way there and back, and whose account it is in the end.
import { beforeEach, describe, expect, test } from "bun:test";
import { ORIGIN, useOauth } from "../support/oauth_stage.ts";
import { CLIENT } from "../support/openid_provider.ts";

const stage = useOauth();
const { service, oidc, google, github, browser, signIn, whoIs } = stage;

let serial = 0;
/** Somebody whom nobody has met before, known to every provider with the same verified address. */
const newPerson = (told: { email?: string; email_verified?: boolean | string } = {}) => {
  const name = `person${++serial}`;
  const person = { email: `${name}@example.com`, email_verified: true, ...told };
  oidc.people.set(name, person);
  google.people.set(name, person);
  const emails = [{ email: person.email, primary: true, verified: person.email_verified === true }];
  github.people.set(name, { id: 1_000 + serial, emails });
  return { name, email: person.email };
};

const usersWith = async (email: string): Promise<object[]> => [
  ...(await service.pool`select id, password_hash, email_verified_at from users where email = ${email}`),
];

const PROVIDERS = ["github", "google", "oidc"];

beforeEach(() => {
  for (const provider of [oidc, google]) provider.lies.clear();
  github.answers.clear();
});

describe("GET /auth/oauth-config", () => {
  test("says which providers are set up", async () => {
    const { status, body } = await service.request("GET", "/auth/oauth-config");

    expect([status, body]).toEqual([
      200,
      { success: true, data: { github: true, google: true, oidc: true } },
    ]);
  });
});

describe("GET /oauth/:provider/outbound", () => {
  test.each(PROVIDERS)("%s: asks with state, PKCE and our own callback, new each time", async (provider) => {
    const pages = [];
    for (let i = 0; i < 2; i++) pages.push(await browser("").request(`${ORIGIN}/oauth/${provider}/outbound`));

    const [first, second] = pages.map(({ headers }) => new URL(headers.get("location")!).searchParams);
    expect(pages.map(({ status }) => status)).toEqual([302, 302]);
    expect(pages[0]!.headers.get("cache-control")).toBe("no-store");
    expect(Object.fromEntries(first!)).toMatchObject({
      client_id: CLIENT.id,
      response_type: "code",
      redirect_uri: `${ORIGIN}/oauth/${provider}/callback`,
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(first!.has("nonce")).toBe(provider !== "github");
    for (const name of ["state", "nonce", "code_challenge"]) {
      if (first!.has(name)) expect(first!.get(name)).not.toBe(second!.get(name));
    }
  });

  test("the browser keeps what it must bring back where no script sees it, sealed, for ten minutes", async () => {
    const page = await browser("").request(`${ORIGIN}/oauth/oidc/outbound?returnTo=/secret-place`);

    const [cookie] = page.headers.getSetCookie();
    expect(cookie).toMatch(/^postrider_oauth_oidc=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    const sealed = Buffer.from(/=([\w-]+)/.exec(cookie!)![1]!, "base64url").toString("latin1");
    expect(sealed).not.toContain("secret-place");
  });

  test("behind TLS the cookie is Secure, and bound to this very host", async () => {
    const app = stage.newApp({ BASE_URL: "https://mail.example.com" });
    const page = await browser("", app).request(`${ORIGIN}/oauth/oidc/outbound`);

    expect(page.headers.getSetCookie()[0]).toMatch(/^__Host-postrider_oauth_oidc=.*; Path=\/.*; Secure$/);
  });

  test("an unknown provider is 404, one that is not set up 501, on the way back too", async () => {
    const app = stage.newApp({ GITHUB_OAUTH_CLIENT: undefined as never });
    const answers = [];
    for (const path of ["myspace/outbound", "myspace/callback", "github/outbound", "github/callback"]) {
      const { status, text } = await browser("", app).request(`${ORIGIN}/oauth/${path}`);
      answers.push([path, status, JSON.parse(text).error.code]);
    }

    expect(answers).toEqual([
      ["myspace/outbound", 404, "RESOURCE_NOT_FOUND"],
      ["myspace/callback", 404, "RESOURCE_NOT_FOUND"],
      ["github/outbound", 501, "NOT_CONFIGURED"],
      ["github/callback", 501, "NOT_CONFIGURED"],
    ]);
  });
});

describe("returnTo", () => {
  test.each([
    ["left out: the first dashboard", undefined, "https://app.example.com/"],
    ["empty: the same", "", "https://app.example.com/"],
    ["a path", "/campaigns?tab=sent#top", `${ORIGIN}/campaigns?tab=sent#top`],
    ["a path with an encoded slash stays here", "/%2Fevil.example", `${ORIGIN}/%2Fevil.example`],
    ["a path with an encoded backslash stays here", "/%5Cevil.example", `${ORIGIN}/%5Cevil.example`],
    ["a path with an encoded line break keeps it encoded", "/a%0d%0ab", `${ORIGIN}/a%0d%0ab`],
    ["a path that climbs stays here", "/../..//evil.example", `${ORIGIN}//evil.example`],
    ["a dashboard's page", "https://app.example.com/welcome", "https://app.example.com/welcome"],
  ])("%s", async (_, returnTo, address) => {
    const { name } = newPerson();
    const query = returnTo === undefined ? "" : `?returnTo=${encodeURIComponent(returnTo)}`;
    const { url } = await browser(name).open(`${ORIGIN}/oauth/oidc/outbound${query}`, {
      until: ({ href }) => href === address,
    });

    expect(url.href).toBe(address);
  });

  test.each(
    [
      "//evil.example",
      "///evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "/\t/evil.example",
      "/\n/evil.example",
      "/a\r\nSet-Cookie: a=b",
      " //evil.example",
      "https://evil.example/",
      "https:evil.example",
      "https:/evil.example",
      "https://app.example.com.evil.example/",
      "https://app.example.com@evil.example/",
      "https://evil@app.example.com/",
      "http://app.example.com/",
      "https://app.example.com:444/",
      "javascript:alert(1)",
      "JavaScript:alert(1)",
      "data:text/html,x",
      "blob:https://app.example.com/6a1c7c2e-0000-4000-8000-000000000000",
      "evil.example",
      "",
      "@evil.example",
      ".evil.example",
      `/${"a".repeat(2_000)}`,
    ].filter(Boolean),
  )("%j is refused before anything begins", async (returnTo) => {
    const page = await browser("").request(
      `${ORIGIN}/oauth/oidc/outbound?returnTo=${encodeURIComponent(returnTo)}`,
    );

    expect([page.status, JSON.parse(page.text).error.code]).toEqual([400, "BAD_REQUEST"]);
    expect(page.headers.has("location")).toBe(false);
    expect(page.headers.getSetCookie()).toEqual([]);
  });

  test("what is too long for a cookie is refused too", async () => {
    const page = await browser("").request(`${ORIGIN}/oauth/oidc/outbound?returnTo=/${"a".repeat(2_000)}`);

    expect(page.status).toBe(400);
  });
});

describe("GET /oauth/:provider/callback", () => {
  test.each(PROVIDERS)(
    "%s: somebody new gets an account with a verified address, and a session",
    async (provider) => {
      const { name, email } = newPerson();
      const who = browser(name);
      const { url } = await signIn(who, provider, "/campaigns");

      expect(url.href).toBe(`${ORIGIN}/campaigns`);
      expect(await whoIs(who)).toMatchObject({ email, emailVerified: true });
      expect(await usersWith(email)).toMatchObject([{ passwordHash: null }]);
      // What had to be brought back is gone.
      expect([...who.cookies.get(ORIGIN)!.keys()]).toEqual(["postrider_session"]);
    },
  );

  test.each(PROVIDERS)(
    "%s: who comes again is the same user, with a session of its own each time",
    async (provider) => {
      const { name, email } = newPerson();
      const [first, second] = [browser(name), browser(name)];
      await signIn(first, provider);
      await signIn(second, provider);

      expect((await whoIs(second))!.id).toBe((await whoIs(first))!.id);
      const sessions = await service.pool`
      select s.id from sessions s join users u on u.id = s.user_id where u.email = ${email}`;
      expect(sessions.length).toBe(2);
    },
  );

  test("a session always begins again, and the one that the browser had ends", async () => {
    const { name } = newPerson();
    const who = browser(name);
    who.keep(ORIGIN, "postrider_session=planted");
    await signIn(who, "oidc");
    const first = who.cookies.get(ORIGIN)!.get("postrider_session")!;
    await signIn(who, "oidc");
    const thief = browser("");
    thief.keep(ORIGIN, `postrider_session=${first}`);

    expect(new Set(["planted", first, who.cookies.get(ORIGIN)!.get("postrider_session")]).size).toBe(3);
    expect(await whoIs(who)).not.toBeNull();
    expect(await whoIs(thief)).toBeNull();
  });

  test("who has another address at the provider by now is still the same user", async () => {
    const { name, email } = newPerson();
    await signIn(browser(name), "oidc");
    oidc.people.set(name, { email: "moved@example.com", email_verified: false });
    const who = browser(name);
    await signIn(who, "oidc");

    expect((await whoIs(who))!.email).toBe(email);
    expect(await usersWith("moved@example.com")).toEqual([]);
  });

  test("an address is compared in its one spelling", async () => {
    const { name, email } = newPerson();
    await signIn(browser(name), "oidc");
    google.people.set(name, { email: ` ${email.toUpperCase()}`, email_verified: true });
    const who = browser(name);
    await signIn(who, "google");

    expect((await whoIs(who))!.email).toBe(email);
  });

  test("the word `true` counts too, and an address in the token itself, without another question", async () => {
    const { name, email } = newPerson();
    oidc.lies.set("/token", (truth) => ({
      ...truth,
      id_token: oidc.forge(truth.id_token, (claims) => ({ ...claims, email, email_verified: "true" })),
    }));
    oidc.requests.length = 0;
    const who = browser(name);
    await signIn(who, "oidc");

    expect((await whoIs(who))!.email).toBe(email);
    expect(oidc.requests).not.toContain("/me");
  });

  test("one person at three providers is one user", async () => {
    const { name, email } = newPerson();
    const ids = [];
    for (const provider of PROVIDERS) {
      const who = browser(name);
      await signIn(who, provider);
      ids.push((await whoIs(who))!.id);
    }

    expect(new Set(ids).size).toBe(1);
    expect((await usersWith(email)).length).toBe(1);
  });
});

describe("whose account it is", () => {
  const verify = async (email: string) =>
    await service.pool`update users set email_verified_at = now() where email = ${email}`;
  const logIn = async (email: string, password: string) =>
    (
      await service.request("POST", "/auth/login", {
        body: { email, password },
        headers: { origin: "http://localhost" },
      })
    ).status;

  test("a verified account with the same address is signed in to, and stays as it was", async () => {
    const { name, email } = newPerson();
    const owner = await stage.signUp(email, "a long password");
    await verify(email);
    const who = browser(name);
    await signIn(who, "google");

    expect((await whoIs(who))!.id).toBe((await whoIs(owner))!.id);
    expect(await logIn(email, "a long password")).toBe(200);
  });

  test.each(PROVIDERS)(
    "%s: an address that is not verified there is refused, and leaves nothing behind",
    async (provider) => {
      const { name, email } = newPerson({ email_verified: false });
      const who = browser(name);
      const page = await signIn(who, provider);

      expect(page.status).toBe(403);
      expect(page.text).toContain("does not confirm that your address is verified");
      expect(await whoIs(who)).toBeNull();
      expect(await usersWith(email)).toEqual([]);
    },
  );

  test("nor does it open the account of somebody with that address", async () => {
    const { name, email } = newPerson({ email_verified: false });
    const owner = await stage.signUp(email, "a long password");
    await verify(email);
    const who = browser(name);
    const page = await signIn(who, "oidc");

    expect([page.status, await whoIs(who)]).toEqual([403, null]);
    expect(await whoIs(owner)).not.toBeNull();
  });

  test.each([
    ["none", {}],
    ["none that could be one", { email: "not an address", email_verified: true }],
    [
      "one with a letter that only looks like another",
      { email: "\u212Aim@example.com", email_verified: true },
    ],
    [
      "one that is verified by no more than a number",
      { email: "x1@example.com", email_verified: 1 as never },
    ],
  ])("a provider that tells %s for an address signs nobody in", async (_, told) => {
    const name = `untold${++serial}`;
    oidc.people.set(name, told);
    const who = browser(name);
    const page = await signIn(who, "oidc");

    expect([page.status, await whoIs(who)]).toEqual([403, null]);
  });

  test("GitHub: the main address counts, and no other, however verified", async () => {
    const { name, email } = newPerson();
    const account = github.people.get(name)!;
    account.emails = [
      { email: "second@example.com", primary: false, verified: true },
      { email, primary: true, verified: false },
    ];
    const refused = await signIn(browser(name), "github");
    account.emails[1]!.verified = true;
    const who = browser(name);
    await signIn(who, "github");

    expect(refused.status).toBe(403);
    expect((await whoIs(who))!.email).toBe(email);
    expect(await usersWith("second@example.com")).toEqual([]);
  });

  test("two issuers that have the same id for two people do not mix them up", async () => {
    const [one, other] = [newPerson(), newPerson()];
    google.people.set(one.name, { email: other.email, email_verified: true });
    const [atOidc, atGoogle] = [browser(one.name), browser(one.name)];
    await signIn(atOidc, "oidc");
    await signIn(atGoogle, "google");

    expect((await whoIs(atOidc))!.email).toBe(one.email);
    expect((await whoIs(atGoogle))!.email).toBe(other.email);
  });

  test("closed sign-ups are closed here too, but for who is invited, and for who is there", async () => {
    const closed = stage.newApp({ DISABLE_SIGNUPS: true });
    const [stranger, invited, old] = [newPerson(), newPerson(), newPerson()];
    const { id: projectId } = await service.createProject();
    await service.pool`
      insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
      values (${projectId}, ${invited.email}, 'MEMBER', ${Buffer.alloc(32, 1)}, now(), now() + '1 hour')`;
    await signIn(browser(old.name), "oidc");
    const pages = [];
    for (const { name } of [stranger, invited, old]) {
      pages.push(await signIn(browser(name, closed), "oidc"));
    }

    expect(pages[0]!.status).toBe(403);
    expect(pages[0]!.text).toContain("Cannot sign up");
    expect(pages.slice(1).map(({ url }) => url.pathname)).toEqual(["/done", "/done"]);
    expect(await usersWith(stranger.email)).toEqual([]);
    const members = await service.pool`
      select u.email from memberships m join users u on u.id = m.user_id where m.project_id = ${projectId}`;
    expect(members.map((row) => row.email)).toEqual([invited.email]);
  });
});

describe("at the same moment", () => {
  test("ten browsers of one new person make one user, and each has its session", async () => {
    const { name, email } = newPerson();
    const browsers = Array.from({ length: 10 }, () => browser(name));
    const callbacks = await Promise.all(browsers.map((who) => stage.comeBack(who, "oidc")));
    const pages = await Promise.all(browsers.map((who, i) => who.request(callbacks[i]!)));

    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 302));
    expect((await usersWith(email)).length).toBe(1);
    const ids = await Promise.all(browsers.map(async (who) => (await whoIs(who))!.id));
    expect(new Set(ids).size).toBe(1);
  });

  test("one new person by three providers is one user", async () => {
    const { name, email } = newPerson();
    const browsers = PROVIDERS.map(() => browser(name));
    const callbacks = await Promise.all(browsers.map((who, i) => stage.comeBack(who, PROVIDERS[i]!)));
    const pages = await Promise.all(browsers.map((who, i) => who.request(callbacks[i]!)));

    expect(pages.map(({ status }) => status)).toEqual([302, 302, 302]);
    expect((await usersWith(email)).length).toBe(1);
  });
});
