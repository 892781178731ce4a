// Which passwords nobody may choose, wherever one is chosen.
import { afterEach, describe, expect, test } from "bun:test";
import { makeToken } from "../../src/accounts/people/tokens.ts";
import { assertGoodPassword } from "../../src/accounts/people/password_rules.ts";
import { logIn, PASSWORD, signUp } from "../support/accounts.ts";
import { type Answer, useService } from "../support/service.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });

afterEach(async () => {
  await service.dropJobs();
});

const post = (path: string, body: unknown) => service.request("POST", `/auth/${path}`, { body });
const EMAIL = "ada.lovelace+news@analytical.example";
let serial = 0;

/** What is said of a password that is refused; null for one that is taken. */
const said = ({ status, body }: Answer) =>
  status === 422 ? [body.error.errors[0].field, body.error.errors[0].code, body.error.message] : null;
const COMMON = expect.stringContaining("one of the most common passwords");
const PATTERN = expect.stringContaining("it repeats or counts through a few characters");
const OWN = expect.stringContaining("your address or part of it");

describe("at sign-up", () => {
  test.each([
    ["password", COMMON],
    ["12345678", COMMON],
    ["PassWord123", COMMON],
    ["iloveyou", COMMON],
    ["qwertyuiop", COMMON],
    [" sunshine ", COMMON],
    // Letters of the width of Chinese ones: the same password, once it is kept.
    ["ｐａｓｓｗｏｒｄ", COMMON],
    ["Password1!", COMMON],
    ["Password123!", COMMON],
    ["Passw0rd!", COMMON],
    ["p@ssw0rd2024", COMMON],
    ["password\u200b", COMMON],
    ["        ", PATTERN],
    [EMAIL, OWN],
    [EMAIL.toUpperCase(), OWN],
    [`${EMAIL}1!`, OWN],
    ["ada.lovelace", OWN],
    ["Ada.Lovelace+News", OWN],
    ["ada.lovelace99", OWN],
    ["analytical.example", OWN],
    ["adalovelace", OWN],
    ["Analytical1", OWN],
    ["lovelace1", COMMON],
  ])("%p is refused, and it is said why", async (password, why) => {
    const answer = await post("signup", { email: EMAIL, password });

    expect(said(answer)).toEqual(["password", "custom", why]);
    expect(answer.body.error.suggestion).toContain("Choose another one");
    expect((await service.pool`select from users where email = ${EMAIL}`).length).toBe(0);
  });

  test.each([
    ..."00000000 66666666 1111111111 aaaaaaaa 123123123 12341234 87654321 abcdefgh zyxwvuts".split(" "),
    ..."xyxyxyxy qzpkqzpk qzpkqzpk12 bcdefghijk".split(" "),
  ])("%p is refused: nobody has to know a list for it", async (password) => {
    const answer = await post("signup", { email: EMAIL, password });

    expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, "password"]);
  });

  test.each(["my password is a sentence", "ada.lovelace wrote the first program", PASSWORD, "x7!kqpzw"])(
    "%p is taken",
    async (password) => {
      const email = `ada.lovelace+${++serial}@analytical.example`;

      expect((await post("signup", { email, password })).status).toBe(200);
    },
  );

  test("a short part of an address stands in many words", async () => {
    expect((await post("signup", { email: "eva@example.com", password: "evaporate" })).status).toBe(200);
    expect(said(await post("signup", { email: "eva-maria@example.com", password: "eva-maria" }))).toEqual([
      "password",
      "custom",
      OWN,
    ]);
  });

  test("costs no attempt and no hash: however many are refused, the next one is taken", async () => {
    await service.pool`delete from login_failures`;
    for (let i = 0; i < 30; i++) await post("signup", { email: EMAIL, password: "password1" });

    expect((await service.pool`select from login_failures`).length).toBe(0);
    expect((await post("signup", { email: "patient@example.com", password: PASSWORD })).status).toBe(200);
  });
});

describe("what is made by chance", () => {
  // Printed with a failure, so that it can be run again.
  const SEED = 20_261_123;
  const words =
    "anchor birch candle delta ember fjord grape harbor iris jungle kettle lemon maple needle".split(" ");
  const CHARACTERS =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&()*+,-./:;=?@[]^_{}~";

  test(`is never refused: passphrases, and strings of 10 characters and more (seed ${SEED})`, async () => {
    let state = SEED;
    const below = (limit: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    const pick = <T>(from: ArrayLike<T>) => from[below(from.length)]!;
    const shuffled = () => words.map((word) => [below(1e9), word] as const).toSorted(([a], [b]) => a - b);
    const refused: string[] = [];
    for (let i = 0; i < 20_000; i++) {
      const phrase = shuffled()
        .slice(0, 3 + below(3))
        .map(([, word]) => word)
        .join(pick([" ", "-", ""]));
      const random = Array.from({ length: 10 + below(20) }, () => pick(CHARACTERS)).join("");
      for (const password of [phrase, random]) {
        await assertGoodPassword(password, EMAIL, "password").catch(() => refused.push(password));
      }
    }

    expect(refused).toEqual([]);
  }, 240_000);
});

describe("for a new password", () => {
  test("by mail, the token is kept for a better one", async () => {
    const person = await signUp(service);
    const token = (await makeToken(service, person.userId, "RESET_PASSWORD"))!;
    const refused = [
      await post("reset-password", { token, newPassword: "password1" }),
      await post("reset-password", { token, newPassword: person.email }),
    ];
    const taken = await post("reset-password", { token, newPassword: "another horse" });

    expect(refused.map(said)).toEqual([
      ["newPassword", "custom", COMMON],
      ["newPassword", "custom", OWN],
    ]);
    expect(taken.status).toBe(200);
    await logIn(service, person.email, "another horse");
  });

  test("by mail, a bad token is told before a bad password: nobody learns whose address it is", async () => {
    const answer = await post("reset-password", { token: "made-up", newPassword: "password1" });

    expect([answer.status, answer.body.error.code]).toEqual([400, "BAD_REQUEST"]);
  });

  test("with the old one, nothing changes and no session ends", async () => {
    const person = await signUp(service);
    const other = await logIn(service, person.email);
    const change = (newPassword: string) =>
      person.request("POST", "/auth/change-password", { password: PASSWORD, newPassword });
    const refused = [await change("letmein123"), await change(person.email)];

    expect(refused.map(said)).toEqual([
      ["newPassword", "custom", COMMON],
      ["newPassword", "custom", OWN],
    ]);
    expect((await other.request("GET", "/users/@me")).status).toBe(200);
  });

  test("on the page of the link, it says why", async () => {
    const person = await signUp(service);
    const token = (await makeToken(service, person.userId, "RESET_PASSWORD"))!;
    const { status, body } = await service.request("POST", "/auth/reset-password/page", {
      raw: new URLSearchParams({ token, password: "password1" }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
    });

    expect(status).toBe(422);
    expect(body).toContain("it is one of the most common passwords");
  });
});

test("somebody who has a common one from before logs in with it", async () => {
  const person = await signUp(service, undefined, "password1");

  await logIn(service, person.email, "password1");
});
