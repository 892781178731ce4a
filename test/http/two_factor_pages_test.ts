// Two-factor log-in through pages: after a sign-in at a provider, and by the link of a development installation.
import { beforeEach, describe, expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { q } from "../../src/db/queries.ts";
import { beginTotp, confirmTotp } from "../../src/accounts/people/factors/totp.ts";
import { addFirstOwner, enterByStartToken, makeStartToken } from "../../src/accounts/people/start_links.ts";
import type { SessionUser } from "../../src/accounts/people/sessions.ts";
import { ORIGIN, useOauth } from "../support/oauth_stage.ts";

const stage = useOauth();
const { service, oidc, browser, signIn, whoIs } = stage;
const STEP_MS = 30_000;

let name: string;
let serial = 0;

beforeEach(() => {
  // The middle of a step: no test runs over its end.
  service.setNow(new Date(Math.ceil(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2));
  name = `factor${++serial}`;
  oidc.people.set(name, { email: `${name}@example.com`, email_verified: true });
});

const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now().getTime() });

/** Switches it on for somebody, and moves on to the next code. */
async function withApp(id: string) {
  const found = await q.users.byId(service, { userId: id });
  const user = {
    ...found,
    emailVerified: true,
    twoFactor: false,
    sessionId: crypto.randomUUID(),
  } satisfies SessionUser;
  const { secret } = await beginTotp(service, user);
  const { recoveryCodes } = await confirmTotp(service, user, codeOf(secret));
  service.setNow(new Date(service.now().getTime() + STEP_MS));
  return { secret, recoveryCodes: recoveryCodes! };
}

describe("a sign-in at a provider", () => {
  async function atTheSecondStep() {
    const first = browser(name);
    await signIn(first, "oidc");
    const factors = await withApp((await whoIs(first))!.id);
    const who = browser(name);
    const page = await signIn(who, "oidc");
    return { ...factors, who, page };
  }

  test("gives no session, and leads to a page that asks for the second factor", async () => {
    const { who, page } = await atTheSecondStep();

    expect([page.status, page.url.pathname, await whoIs(who)]).toEqual([200, "/auth/two-factor", null]);
    expect(page.text).toContain('autocomplete="one-time-code"');
  });

  test("with the code it is logged in, and goes on to where it wanted to", async () => {
    const { who, page, secret } = await atTheSecondStep();
    const wrong = await who.submit(page, { code: "000000" });
    const early = await whoIs(who);
    const done = await who.submit(page, { code: codeOf(secret) });

    expect([wrong.status, early, done.status]).toEqual([401, null, 200]);
    expect([done.headers.get("refresh"), (await whoIs(who))?.email]).toEqual([
      `0; url=${ORIGIN}/done`,
      `${name}@example.com`,
    ]);
  });

  test("takes a recovery code in the same field, and the page is over after that", async () => {
    const { who, page, recoveryCodes } = await atTheSecondStep();
    const done = await who.submit(page, { code: recoveryCodes[0]! });

    expect([done.status, (await whoIs(who)) !== null]).toEqual([200, true]);
    expect((await who.request(`${ORIGIN}/auth/two-factor`)).status).toBe(400);
  });

  test("the page is for the browser that has passed the first step", async () => {
    await atTheSecondStep();

    const page = await browser(name).request(`${ORIGIN}/auth/two-factor`);
    expect([page.status, page.text.includes('<a href="https://app.example.com">Log in</a>')]).toEqual([
      400,
      true,
    ]);
  });
});

test("the link of a development installation gives no session while two-factor log-in is on", async () => {
  const project = await service.createProject();
  await addFirstOwner(service, project.id);
  const token = (await makeStartToken(service))!;
  const user = (await q.users.byEmail(service, { email: "owner@sandbox.example" }))!;
  await withApp(user.id);
  const admission = await enterByStartToken(service, token, {
    network: null,
    userAgent: null,
    replaces: null,
  });

  expect(Object.keys(admission)).toEqual(["challenge"]);
  expect(await service.pool`select from sessions where user_id = ${user.id}`).toHaveLength(0);
});
