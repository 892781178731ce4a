// What the pages of account mails say to whoever comes with a link: one that counts, or one that does not any more.
import { afterEach, describe, expect, test } from "bun:test";
import { makeToken, type TokenPurpose } from "../../src/accounts/people/tokens.ts";
import { newInvitationToken } from "../../src/accounts/projects/invitations.ts";
import { openPool } from "../../src/db/pool.ts";
import { createApp } from "../../src/http/mod.ts";
import { PASSWORD, type Person, signUp } from "../support/accounts.ts";
import { until } from "../support/process.ts";
import { readMail } from "../support/received_mail.ts";
import { useService } from "../support/service.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });

afterEach(async () => {
  service.smtp.received.length = 0;
  await service.dropJobs();
});

const tokenFor = async (of: Person, purpose: TokenPurpose) => (await makeToken(service, of.userId, purpose))!;
const look = (path: string, cookie = "") => service.request("GET", path, { headers: { cookie } });
const press = (path: string, fields: Record<string, string>, cookie = "") =>
  service.request("POST", `${path}/page`, {
    raw: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin", cookie },
  });
const headingOf = (body: string) => /<h1>([^<]+)<\/h1>/.exec(body)?.[1];
const buttonOf = (body: string) => /<button>([^<]+)<\/button>/.exec(body)?.[1];
const linksOf = (body: string) => [...body.matchAll(/href="(\/[^"]+)"/g)].map(([, href]) => href!);
const isProven = async (of: Person) => (await of.request("GET", "/users/@me")).body.emailProven as boolean;

describe("the page of “Yes, it was me”", () => {
  const path = "/auth/verify-email";

  test("asks as its mail does: first whose the address is, then, once that is known, whose the account is", async () => {
    const person = await signUp(service);
    await person.request("POST", "/users/@me/projects", { name: "Live shop" });
    const token = await tokenFor(person, "VERIFY_EMAIL");
    const first = await look(`${path}?token=${token}`);
    await press(path, { token });
    const second = await look(`${path}?token=${token}`, person.cookie);
    await person.request("POST", "/auth/request-verification");
    await service.runJobs();
    const { subject } = await readMail(service.smtp.received.at(-1)!.source);

    expect([headingOf(first.body), buttonOf(first.body)]).toEqual([
      "Is this your address?",
      "Yes, it was me",
    ]);
    expect([headingOf(second.body), buttonOf(second.body)]).toEqual([
      "Is this your account?",
      "Yes, it is mine",
    ]);
    expect(subject).toBe("Is this your account?");
    expect(second.body).toContain("Its projects: “Live shop”");
    expect(second.body).not.toContain("nothing else changes");
    expect(linksOf(second.body)).toEqual([
      `/auth/request-password-reset?email=${encodeURIComponent(person.email)}`,
    ]);
  });

  test("says after pressing where nobody is logged in that it has to be pressed once more to invite people", async () => {
    const person = await signUp(service);
    const token = await tokenFor(person, "VERIFY_EMAIL");
    const elsewhere = await press(path, { token });
    const between = await isProven(person);
    const own = await press(path, { token }, person.cookie);

    expect(headingOf(elsewhere.body)).toBe("Your address is verified.");
    expect(elsewhere.body).toContain("log in and press the button in the mail again in the same browser");
    expect(headingOf(own.body)).toBe("Your address is verified.");
    expect(own.body).toContain("You can now invite people");
    expect(own.body).not.toContain("log in");
    expect([between, await isProven(person)]).toEqual([false, true]);
  });

  test("has no button where it would add nothing: it says to log in first, also to a page that was open", async () => {
    const person = await signUp(service);
    const stranger = await signUp(service);
    const token = await tokenFor(person, "VERIFY_EMAIL");
    await press(path, { token });
    const answers = [
      await look(`${path}?token=${token}`),
      await look(`${path}?token=${token}`, stranger.cookie),
      await press(path, { token }),
    ];

    for (const { status, body } of answers) {
      expect([status, headingOf(body), buttonOf(body)]).toEqual([200, "Log in first", undefined]);
      expect(body).toContain("in the same browser");
    }
    expect(await isProven(person)).toBe(false);
  });

  test("says that nothing is left to do for an account that is proven", async () => {
    const person = await signUp(service);
    const token = await tokenFor(person, "VERIFY_EMAIL");
    await service.pool`update users set email_verified_at = now() where id = ${person.userId}`;
    const { status, body } = await look(`${path}?token=${token}`);

    expect([status, buttonOf(body), body.includes("nothing left to do")]).toEqual([200, undefined, true]);
  });
});

describe("a link that is used, too old, made up or missing", () => {
  const DEAD = "This link has been used or has expired";
  const usedReset = async () => {
    const token = await tokenFor(await signUp(service), "RESET_PASSWORD");
    await press("/auth/reset-password", { token, password: "another horse, another staple" });
    return token;
  };
  const usedVerification = async () => {
    const person = await signUp(service);
    const token = await tokenFor(person, "VERIFY_EMAIL");
    await press("/auth/verify-email", { token }, person.cookie);
    return token;
  };

  test.each([
    ["/auth/reset-password", "/auth/request-password-reset", usedReset],
    ["/auth/verify-email", "/auth/request-verification", usedVerification],
  ])("says so on %s before anything is asked for, and leads to another mail", async (path, again, used) => {
    const links = ["", "?token=made-up", `?token=${await used()}`];
    const answers = await Promise.all(links.map((query) => look(path + query)));
    answers.push(await press(path, { token: "made-up", password: PASSWORD }));

    for (const { status, body } of answers) {
      expect([status, headingOf(body), buttonOf(body)]).toEqual([400, DEAD, undefined]);
      expect(linksOf(body)).toEqual([again]);
    }
    expect((await look(again)).status).toBe(200);
  });

  test("has a page where another verification mail is asked for, as a mail program would bring it", async () => {
    const { email } = await signUp(service);
    await service.dropJobs();
    const known = await press("/auth/request-verification", { email });
    const unknown = await press("/auth/request-verification", { email: "nobody@example.com" });
    await service.runJobs();

    expect(known.body).toBe(unknown.body);
    expect(service.smtp.received.map(({ to }) => to)).toEqual([[email]]);
  });

  test("is called a link, and no token, by the API too", async () => {
    const { body } = await service.request("POST", "/auth/verify-email", { body: { token: "made-up" } });

    expect(body.error.message).toStartWith("Cannot use this link");
  });
});

describe("the page of an invitation", () => {
  const invited = async (email: string) => {
    const project = await service.createProject();
    const { token, tokenHash } = newInvitationToken();
    await service.pool`
      insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
      values (${project.id}, ${email}, 'MEMBER', ${tokenHash}, now(), now() + interval '1 hour')`;
    return token;
  };
  const fields = (email: string, invitation: string) => ({ email, invitation, password: PASSWORD });
  const query = (email: string, invitation: string) =>
    `/auth/signup?${new URLSearchParams({ email, invitation })}`;

  test("promises the project to who is invited only, with the very address", async () => {
    const email = "guest1@people.example";
    const [plain, mine] = [await look("/auth/signup"), await look(query(email, await invited(email)))];

    expect(plain.body).not.toContain("the project");
    expect(mine.body).toContain("With this address you join the project at once.");
    expect(mine.body).toContain(`value="${email}" readonly`);
  });

  test("that was used, withdrawn or made up says so, has no form, and makes no account", async () => {
    const email = "guest2@people.example";
    const token = await invited(email);
    const withdrawn = await invited("guest3@people.example");
    await service.pool`delete from invitations where email = 'guest3@people.example'`;
    const joined = await press("/auth/signup", fields(email, token));
    const answers = [
      await look(query(email, token)),
      await press("/auth/signup", fields(email, token)),
      await look(query("guest3@people.example", withdrawn)),
      await press("/auth/signup", fields("guest3@people.example", withdrawn)),
      await look(query("guest3@people.example", "made-up")),
      await press("/auth/signup", fields("guest3@people.example", "made-up")),
    ];

    expect([joined.status, joined.body.includes("You have joined the project.")]).toEqual([200, true]);
    for (const { status, body } of answers) {
      expect([status, buttonOf(body)]).toEqual([400, undefined]);
      expect(headingOf(body)).toBe("This invitation has been used or withdrawn, or has expired");
      expect(body).toContain("Ask for a new one.");
      expect(linksOf(body)[0]).toStartWith("/auth/request-password-reset?email=guest");
    }
    expect((await service.pool`select from users where email = 'guest3@people.example'`).length).toBe(0);
  });

  test("leads who signs up with an address that has an account to a new password", async () => {
    const { email } = await signUp(service);
    const { status, body } = await press("/auth/signup", { email, password: "another horse, another one" });

    expect([status, body.includes("an account with this address already exists")]).toEqual([409, true]);
    expect(linksOf(body)).toEqual([`/auth/request-password-reset?email=${encodeURIComponent(email)}`]);
  });
});

describe("when the database is away", () => {
  test.each([
    ["GET", "/auth/not-me?token=x"],
    ["GET", "/auth/verify-email?token=x"],
    ["GET", "/auth/reset-password?token=x"],
    ["GET", "/auth/signup?email=a@b.example&invitation=" + "0".repeat(64)],
    ["POST", "/auth/verify-email/page"],
    ["POST", "/auth/request-password-reset/page"],
  ])("%s %s is answered with a page, and noted as a fault", async (method, path) => {
    const pool = openPool("postgres://nobody@127.0.0.1:9/nothing", { max: 1 });
    const app = createApp({ ...service, pool, sql: pool });
    const id = crypto.randomUUID();
    const answer = await app.handle(
      new Request(`http://localhost:3000${path}`, {
        method,
        headers: { "x-request-id": id, "content-type": "application/x-www-form-urlencoded" },
        ...(method === "POST" && { body: "token=x&email=ada@example.com" }),
      }),
    );
    const text = await answer.text();
    await pool.end();

    expect([answer.status, answer.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect([headingOf(text), text.includes("Cannot reach the database")]).toEqual([
      "Something went wrong",
      true,
    ]);
    const line = () => service.lines.find(({ requestId }) => requestId === id);
    await until("the line is written", () => line() !== undefined);
    expect(line()).toMatchObject({
      level: "error",
      status: 503,
      error: expect.any(String),
    });
  });
});

describe("the mails", () => {
  test("of a verification say no more than two paragraphs before the button, and where to go afterwards", async () => {
    await signUp(service);
    await service.runJobs();
    const { text = "" } = await readMail(service.smtp.received[0]!.source);
    const [before = "", after = ""] = text.split("Yes, it was me:");

    // The subject comes first.
    expect(before.trim().split("\n\n").length).toBe(3);
    expect(before.replace(/\s+/g, " ")).toContain("preferably in the browser in which you are logged in");
    expect(after.indexOf("If it was not you")).toBeLessThan(after.indexOf("This was not me:"));
    expect(after.replace(/\s+/g, " ")).toContain("After that, “This was not me” leads to a password reset");
  });

  test("of an invitation speak to who has an account, or to who has none, in plain words", async () => {
    const [owner, other] = [await signUp(service), await signUp(service)];
    await service.pool`update users set email_verified_at = now() where id = ${owner.userId}`;
    const { id } = (await owner.request("POST", "/users/@me/projects", { name: "Shop" })).body;
    const mailTo = async (email: string) => {
      await service.runJobs();
      service.smtp.received.length = 0;
      await owner.request("POST", `/projects/${id}/members`, { email, role: "MEMBER" });
      await service.runJobs();
      const { text = "" } = await readMail(service.smtp.received[0]!.source);
      return text.replace(/\s+/g, " ");
    };
    const [known, unknown] = [await mailTo(other.email), await mailTo("new@people.example")];

    for (const text of [known, unknown]) expect(text).toContain("the project “Shop” as a member.");
    expect(known).toContain("There is already an account with your address");
    expect(known).not.toContain("Sign up");
    expect(unknown).toContain("Sign up with your address, new@people.example, to join.");
    expect(unknown).not.toContain("password");
  });
});
