// Passkeys: as the second factor, as a log-in of their own, and as a proof. With an authenticator in software.
import { beforeEach, describe, expect, test } from "bun:test";
import { cookieOf, PASSWORD, type Person, personOf, signUp } from "../support/accounts.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { type Answer, useService } from "../support/service.ts";

const service = useService();

let ada: Person;
let device: ReturnType<typeof createAuthenticator>;

beforeEach(async () => {
  service.setNow(new Date());
  await service.pool`delete from login_failures`;
  ada = await signUp(service);
  await service.pool`update users set email_verified_at = now() where id = ${ada.userId}`;
  device = createAuthenticator();
});

const outcome = ({ status, body }: Answer) => [status, body?.error?.code ?? "ok"];
const post = (path: string, body?: unknown) => service.request("POST", path, { body });
const options = async (person = ada) =>
  (await person.request("POST", "/users/@me/two-factor/passkeys/options")).body;
const add = (passkey: object, person = ada, name = "Laptop") =>
  person.request("POST", "/users/@me/two-factor/passkeys", { name, passkey });
const withPasskey = async () => (await add(device.create(await options()))).body;
const challengeOf = async () =>
  (await post("/auth/login", { email: ada.email, password: PASSWORD })).body.error.details;
const logInOptions = async () => (await post("/auth/passkey/options")).body;

describe("a passkey", () => {
  test("is added with its name, switches two-factor log-in on, and is listed without its key", async () => {
    const added = await add(device.create(await options()));
    const { body } = await ada.request("GET", "/users/@me/two-factor");

    expect([outcome(added), added.body.recoveryCodes.length]).toEqual([[201, "ok"], 10]);
    expect([body.enabled, body.passkeys]).toEqual([true, [added.body.passkey]]);
    expect(Object.keys(body.passkeys[0]).toSorted()).toEqual(["createdAt", "id", "lastUsedAt", "name"]);
  });

  test("is the second factor", async () => {
    await withPasskey();
    const { challenge, methods } = await challengeOf();
    const asked = await post("/auth/two-factor/passkey-options", { challenge });
    const done = await post("/auth/two-factor", { challenge, passkey: device.get(asked.body) });

    expect([methods, outcome(done)]).toEqual([
      ["passkey", "recoveryCode"],
      [200, "ok"],
    ]);
    expect((await personOf(service, done).request("GET", "/users/@me")).status).toBe(200);
  });

  test("that has made sure who it is logs in without address and password", async () => {
    await withPasskey();
    const done = await post("/auth/passkey", { passkey: device.get(await logInOptions()) });
    const unsure = await post("/auth/passkey", {
      passkey: device.get(await logInOptions(), { verified: false }),
    });

    expect([done.body.data.id, outcome(unsure), cookieOf(unsure.headers)]).toEqual([
      ada.userId,
      [401, "INVALID_CREDENTIALS"],
      null,
    ]);
  });

  test("is proof enough to remove it, after which the password alone is enough", async () => {
    const { passkey } = await withPasskey();
    service.setNow(new Date(Date.now() + 11 * 60_000));
    const path = `/users/@me/two-factor/passkeys/${passkey.id}`;
    const stale = await ada.request("DELETE", path);
    const asked = await ada.request("POST", "/auth/reauthenticate/passkey-options");
    const proof = await ada.request("POST", "/auth/reauthenticate", { passkey: device.get(asked.body) });
    const removed = await ada.request("DELETE", path);
    const login = await post("/auth/login", { email: ada.email, password: PASSWORD });

    expect([outcome(stale), proof.status, removed.status, login.status]).toEqual([
      [403, "REAUTHENTICATION_REQUIRED"],
      200,
      204,
      200,
    ]);
  });

  test("is renamed and removed by its owner alone", async () => {
    const { passkey } = await withPasskey();
    const path = `/users/@me/two-factor/passkeys/${passkey.id}`;
    const stranger = await signUp(service);
    const foreign = [
      await stranger.request("PATCH", path, { name: "Mine" }),
      await stranger.request("DELETE", path),
    ];
    const renamed = await ada.request("PATCH", path, { name: "Phone" });

    expect(foreign.map(outcome)).toEqual(Array(2).fill([404, "RESOURCE_NOT_FOUND"]));
    expect(renamed.body.name).toBe("Phone");
  });
});

describe("an answer", () => {
  test.each([
    ["of another page", { origin: "https://evil.example" }],
    ["for another host", { rpId: "evil.example" }],
    ["to a challenge that we have not made", { challenge: Buffer.alloc(64, 7).toString("base64url") }],
  ])("%s neither adds a passkey nor lets in", async (_what, deviation) => {
    const refused = await add(device.create(await options(), deviation));
    device = createAuthenticator();
    await withPasskey();
    const { challenge } = await challengeOf();
    const asked = await post("/auth/two-factor/passkey-options", { challenge });
    const second = await post("/auth/two-factor", { challenge, passkey: device.get(asked.body, deviation) });
    const alone = await post("/auth/passkey", { passkey: device.get(await logInOptions(), deviation) });

    expect([refused, second, alone].map(outcome)).toEqual([
      [422, "VALIDATION_ERROR"],
      [401, "INVALID_CREDENTIALS"],
      [401, "INVALID_CREDENTIALS"],
    ]);
  });

  test("counts once, even when it comes twice at the same moment", async () => {
    await withPasskey();
    const passkey = device.get(await logInOptions());
    const answers = await Promise.all([
      post("/auth/passkey", { passkey }),
      post("/auth/passkey", { passkey }),
    ]);
    const again = await post("/auth/passkey", { passkey });

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect([...answers, again].filter(({ headers }) => cookieOf(headers) !== null)).toHaveLength(1);
  });

  test("to another question is of no use: each is for one purpose and one account", async () => {
    await withPasskey();
    const asked = await ada.request("POST", "/auth/reauthenticate/passkey-options");
    const elsewhere = await post("/auth/passkey", { passkey: device.get(asked.body) });
    const { challenge } = await challengeOf();
    const wrong = await post("/auth/two-factor", { challenge, passkey: device.get(await logInOptions()) });

    expect([elsewhere, wrong].map(outcome)).toEqual(Array(2).fill([401, "INVALID_CREDENTIALS"]));
  });

  test("whose counter goes back is that of a copy", async () => {
    await withPasskey();
    const first = await post("/auth/passkey", { passkey: device.get(await logInOptions(), { counter: 9 }) });
    const copy = await post("/auth/passkey", { passkey: device.get(await logInOptions(), { counter: 4 }) });

    expect([first.status, outcome(copy)]).toEqual([200, [401, "INVALID_CREDENTIALS"]]);
  });

  test("that comes after ten minutes is too late", async () => {
    await withPasskey();
    const asked = await logInOptions();
    service.setNow(new Date(Date.now() + 10 * 60_000 + 1_000));

    expect(outcome(await post("/auth/passkey", { passkey: device.get(asked) }))).toEqual([
      401,
      "INVALID_CREDENTIALS",
    ]);
  });

  test("that is nonsense is refused without harm", async () => {
    await withPasskey();
    const good = device.get(await logInOptions());
    const nonsense = { ...good, response: { ...good.response, authenticatorData: "AAAA", signature: "%" } };

    expect(outcome(await post("/auth/passkey", { passkey: nonsense }))).toEqual([401, "INVALID_CREDENTIALS"]);
    expect(outcome(await post("/auth/passkey", { passkey: { id: "x" } }))).toEqual([422, "VALIDATION_ERROR"]);
  });

  test("asked for by strangers is stored nowhere", async () => {
    const rows = async () =>
      (await service.pool`select count(*)::int as n from passkey_answers`)[0]!.n as number;
    const before = await rows();
    for (let i = 0; i < 20; i++) await logInOptions();

    expect(await rows()).toBe(before);
  });
});
