// A sign-in at a provider that meets an account which anybody may have made with its address.
import { beforeEach, describe, expect, test } from "bun:test";
import { makeToken } from "../../src/accounts/people/tokens.ts";
import type { Browser } from "../support/browser.ts";
import { ORIGIN, useOauth } from "../support/oauth_stage.ts";

const stage = useOauth();
const { service, oidc, google, github, browser, signIn, whoIs } = stage;
const PROVIDERS = ["oidc", "google", "github"];
const PASSWORD = "known to who was first";
const OWN_PASSWORD = "chosen by the owner";

let name: string;
let email: string;
let first: Browser;
let firstId: string;
let serial = 0;

beforeEach(async () => {
  name = `person${++serial}`;
  email = `${name}@example.com`;
  const person = { email, email_verified: true };
  oidc.people.set(name, person);
  google.people.set(name, person);
  github.people.set(name, { id: serial, emails: [{ email, primary: true, verified: true }] });
  first = await stage.signUp(email, PASSWORD);
  firstId = (await whoIs(first))!.id;
  await service.pool`delete from login_failures`;
});

const verifyElsewhere = () =>
  service.pool`update users set email_verified_at = now(), verified_elsewhere = true where id = ${firstId}`;
const links = async () => (await service.pool`select from identities where user_id = ${firstId}`).length;
const isProven = async () =>
  (await service.pool`select verified_elsewhere, email_verified_at from users where id = ${firstId}`).some(
    (user) => user.emailVerifiedAt !== null && !user.verifiedElsewhere,
  );
const logIn = async (password: string) =>
  (await service.request("POST", "/auth/login", { body: { email, password } })).status;

describe.each([
  ["never verified", async () => {}],
  ["verified in another browser", async () => void (await verifyElsewhere())],
])("an account that was %s", (_state, before) => {
  test.each(PROVIDERS)(
    "%s: nobody is signed in, nothing is linked, and its password is asked for",
    async (provider) => {
      await before();
      const who = browser(name);
      const page = await signIn(who, provider);

      expect([page.status, page.url.pathname]).toEqual([200, `/oauth/${provider}/link`]);
      expect(page.text).toContain(email);
      expect(page.text).toContain('autocomplete="current-password"');
      expect([await whoIs(who), await links(), await isProven()]).toEqual([null, 0, false]);
      expect([await whoIs(first), await logIn(PASSWORD)]).toEqual([expect.anything(), 200]);
    },
  );

  test("with its password it is linked, it is known to be theirs, and nobody is asked again", async () => {
    await before();
    const who = browser(name);
    const page = await who.submit(await signIn(who, "google"), { password: PASSWORD });
    const again = browser(name);
    const ended = await signIn(again, "google");
    const other = browser(name);
    await signIn(other, "github");

    expect([page.status, page.headers.get("refresh")]).toEqual([200, `0; url=${ORIGIN}/done`]);
    expect(page.text).toContain(`href="${ORIGIN}/done"`);
    expect((await whoIs(who))!.id).toBe(firstId);
    expect([ended.url.pathname, (await whoIs(again))!.id, (await whoIs(other))!.id]).toEqual([
      "/done",
      firstId,
      firstId,
    ]);
    expect([await links(), await isProven()]).toEqual([2, true]);
    // Whoever knows the password has made it: no session ends.
    expect(await whoIs(first)).not.toBeNull();
  });

  test("with another password nothing happens, and it counts as a failed log-in", async () => {
    await before();
    const who = browser(name);
    const page = await signIn(who, "google");
    const statuses = [];
    for (let i = 0; i < 11; i++) statuses.push((await who.submit(page, { password: OWN_PASSWORD })).status);
    const right = await who.submit(page, { password: PASSWORD });

    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect([right.status, await whoIs(who), await links(), await isProven()]).toEqual([429, null, 0, false]);
  });

  test("by a new password by mail it is the owner's, who then signs in at the provider at once", async () => {
    await before();
    const who = browser(name);
    const page = await signIn(who, "google");
    expect(page.text).toContain(`href="/auth/request-password-reset?email=${encodeURIComponent(email)}"`);
    const token = await makeToken(service, firstId, "RESET_PASSWORD");
    await service.request("POST", "/auth/reset-password", { body: { token, newPassword: OWN_PASSWORD } });
    const ended = await signIn(who, "google");

    expect([ended.url.pathname, (await whoIs(who))!.id]).toEqual(["/done", firstId]);
    expect([await whoIs(first), await logIn(PASSWORD), await logIn(OWN_PASSWORD)]).toEqual([null, 401, 200]);
  });
});

describe("the page that asks for the password", () => {
  const linkPage = (who: Browser, provider = "google") => who.request(`${ORIGIN}/oauth/${provider}/link`);
  const kept = (who: Browser) => who.cookies.get(ORIGIN)!.get("postrider_link_google")!;

  test("is for the browser that came back from the provider, and for that provider", async () => {
    const [who, other] = [browser(name), browser(name)];
    await signIn(who, "google");
    const answers = [await linkPage(other), await linkPage(who, "oidc"), await linkPage(browser(""))];
    other.keep(ORIGIN, `postrider_link_oidc=${kept(who)}`);
    answers.push(await linkPage(other, "oidc"));

    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(400));
    expect((await linkPage(who)).status).toBe(200);
  });

  test("takes nothing that was made up or changed, and nothing after ten minutes", async () => {
    const who = browser(name);
    const page = await signIn(who, "google");
    const sealed = kept(who);
    const changed = Buffer.from(sealed, "base64url");
    changed[40]! ^= 1;
    const statuses = [];
    for (const value of ["", "x", "{}", changed.toString("base64url"), sealed.slice(0, -4)]) {
      who.keep(ORIGIN, `postrider_link_google=${value}`);
      statuses.push((await who.submit(page, { password: PASSWORD })).status);
    }
    who.keep(ORIGIN, `postrider_link_google=${sealed}`);
    service.setNow(new Date(Date.now() + 601_000));
    statuses.push((await who.submit(page, { password: PASSWORD })).status);
    service.setNow(new Date());

    expect(statuses).toEqual(Array(6).fill(400));
    expect([await whoIs(who), await links()]).toEqual([null, 0]);
  });

  test("takes no form of another site", async () => {
    const who = browser(name);
    await signIn(who, "google");
    const answer = await stage.newApp().handle(
      new Request(`${ORIGIN}/oauth/google/link/page`, {
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          "sec-fetch-site": "cross-site",
          cookie: `postrider_link_google=${kept(who)}`,
        },
        body: `password=${encodeURIComponent(PASSWORD)}`,
      }),
    );

    expect([answer.status, answer.headers.getSetCookie(), await links()]).toEqual([403, [], 0]);
  });

  test("leaves no way to link by what was kept once it was used, and ends the session that the browser had", async () => {
    const who = browser(name);
    const page = await signIn(who, "google");
    who.keep(ORIGIN, `postrider_session=${first.cookies.get(ORIGIN)!.get("postrider_session")}`);
    await who.submit(page, { password: PASSWORD });

    expect(who.cookies.get(ORIGIN)!.has("postrider_link_google")).toBe(false);
    expect([await whoIs(first), (await whoIs(who))!.id]).toEqual([null, firstId]);
  });

  test("of a provider that is not set up, or unknown, is none", async () => {
    const { GOOGLE_OAUTH_CLIENT: _, GOOGLE_OAUTH_SECRET: __, ...config } = service.config;
    const bare = stage.newApp({}, {}, { config });
    const answers = [
      await browser("", bare).request(`${ORIGIN}/oauth/google/link`),
      await linkPage(browser(""), "myspace"),
    ];

    expect(answers.map(({ status }) => status)).toEqual([501, 404]);
  });

  test("shows what the provider and the address bring as text", async () => {
    const who = browser(name);
    const page = await signIn(who, "google", "/done?x=<script>alert(1)</script>&y='\"");
    const asked = page.url.pathname.endsWith("/link") ? page : await linkPage(who);
    const done = await who.submit(asked, { password: PASSWORD });

    expect(done.status).toBe(200);
    expect(done.text).not.toContain("<script");
    expect(done.headers.get("refresh")).not.toMatch(/["<>]/);
  });
});

test("nobody's account is opened by a link that began before somebody else took the sign-in", async () => {
  const who = browser(name);
  const page = await signIn(who, "google");
  // Meanwhile the same sign-in has come to belong to another account.
  const [other] = await service.pool`
    insert into users (email, email_verified_at) values (${`other-${email}`}, now()) returning id`;
  await service.pool`
    insert into identities (issuer, subject, user_id)
    select ${google.issuer}, ${name}, ${other!.id}`;
  const answer = await who.submit(page, { password: PASSWORD });

  expect([answer.status, await whoIs(who), await links()]).toEqual([400, null, 0]);
});
