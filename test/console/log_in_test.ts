// The ways in: a log-in with its second step, a new account, an invitation, and the links of account mails.
import { beforeAll, describe, expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { makeToken } from "../../src/accounts/people/tokens.ts";
import { newInvitationToken } from "../../src/accounts/projects/invitations.ts";
import { join, PASSWORD, type Person, signUp } from "../support/accounts.ts";
import { readMail } from "../support/received_mail.ts";
import { eventually } from "./eventually.ts";
import {
  expectSound,
  browserTest,
  describeInBrowser,
  keepPicture,
  type OpenPage,
  tour,
  useConsole,
} from "./support.ts";

const stage = useConsole({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });
const NEW_PASSWORD = "another horse, another staple";

/** Somebody with an authenticator app. */
let careful: Person & { secret: string; recoveryCodes: string[] };

beforeAll(async () => {
  const person = await proven("careful@people.example");
  const { body } = await person.request("POST", "/users/@me/two-factor/totp");
  const { status, body: codes } = await person.request("POST", "/users/@me/two-factor/totp/confirm", {
    code: codeOf(body.secret),
  });
  expect(status).toBe(200);
  careful = { ...person, secret: body.secret, recoveryCodes: codes.recoveryCodes };
  await join(stage.service, careful, stage.project.id);
});

async function proven(email?: string): Promise<Person> {
  const person = await signUp(stage.service, email);
  await stage.service.pool`update users set email_verified_at = now() where id = ${person.userId}`;
  return person;
}

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

/** No code of the app was used yet. */
const forgetCodes = () => stage.service.pool`update totp_secrets set last_step = null`;

const heading = (page: OpenPage, name: string | RegExp) => page.getByRole("heading", { level: 1, name });

async function enterPassword(page: OpenPage, email: string) {
  await page.getByLabel("Address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.keyboard.press("Enter");
}

/** The address of this page in the mail that is sent next. */
async function linkIn(path: string): Promise<string> {
  stage.service.smtp.received.length = 0;
  await stage.service.runJobs();
  const texts = await Promise.all(
    stage.service.smtp.received.map(async ({ source }) => (await readMail(source)).text!),
  );
  const links = texts.flatMap((text) => text.match(/http:\S+/g) ?? []);
  return links.find((link) => link.startsWith(`${stage.origin}/app${path}`))!;
}

async function invite(email: string, role = "MEMBER"): Promise<string> {
  const { token, tokenHash } = newInvitationToken();
  await stage.service.pool`
    insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
    values (${stage.project.id}, ${email}, ${role}, ${tokenHash}, now(), now() + interval '7 days')`;
  return `~/sign-up?${new URLSearchParams({ email, invitation: token })}`;
}

const resetToken = async (person: Person) =>
  (await makeToken(stage.service, person.userId, "RESET_PASSWORD"))!;

describe("the pages", () => {
  tour(stage, "log-in", {
    path: "~/log-in",
    as: null,
    ready: (page) => page.getByRole("button", { name: "Log in" }),
  });
  tour(stage, "sign-up", { path: "~/sign-up", as: null, ready: (page) => page.getByLabel("Password") });
  tour(stage, "second-step", {
    path: "~/log-in",
    as: null,
    ready: (page) => page.getByLabel("Address"),
    // oxlint-disable-next-line unicorn/no-thenable
    then: async (page) => {
      await enterPassword(page as OpenPage, careful.email);
      await page.getByLabel("Code").waitFor();
      await page.getByLabel("Code").fill("000000");
      await page.getByText("This code is wrong").waitFor();
    },
    refused: [401],
  });
  tour(stage, "dead-link", {
    path: "~/reset-password?token=used&email=ada%40people.example",
    as: null,
    ready: (page) => page.getByRole("heading", { name: "This link no longer works" }),
    refused: [400],
  });
});

describeInBrowser("the second step", () => {
  test("is taken by the keyboard alone, with a code that is pasted with its space, and leads on to where one wanted to", async () => {
    await forgetCodes();
    const page = await stage.open("/contacts?search=ada", { as: null });
    await heading(page, "Log in").waitFor();
    await page.keyboard.type(careful.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    const field = page.getByLabel("Code");
    await field.waitFor();
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await eventually(() => field.getAttribute("autocomplete")).toBe("one-time-code");
    await page.keyboard.type("000000");
    await page.getByText("This code is wrong").waitFor();
    await eventually(() => field.inputValue()).toBe("000000");
    await eventually(() => field.getAttribute("aria-invalid")).toBe("true");

    // What was wrong is selected: what is pasted replaces it.
    const code = codeOf(careful.secret);
    await page.keyboard.insertText(`${code.slice(0, 3)} ${code.slice(3)}`);
    await heading(page, "Contacts").waitFor();
    await eventually(async () => new URL(page.url()).search).toBe("?search=ada");
    await page.context().close();
  });

  test("takes a recovery code", async () => {
    const page = await stage.open("~/log-in", { as: null });
    await enterPassword(page, careful.email);
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(careful.recoveryCodes[0]!.toUpperCase());
    await page.keyboard.press("Enter");
    await heading(page, "Overview").waitFor();
    await page.context().close();
  });

  test("that took too long leads back to the log-in, with the address", async () => {
    const page = await stage.open("~/log-in", { as: null });
    await enterPassword(page, careful.email);
    await page.getByLabel("Code").waitFor();
    await stage.service.pool`delete from login_challenges`;
    await page.getByLabel("Code").fill(codeOf(careful.secret));
    await page.getByText("That took more than ten minutes").waitFor();

    await eventually(() => page.getByLabel("Address").inputValue()).toBe(careful.email);
    await expectSound(page, { refused: [401] });
    await page.context().close();
  });
});

describeInBrowser("a new password by mail", () => {
  test("asks for the second factor, and lets nobody in without", async () => {
    await forgetCodes();
    const page = await stage.open(`~/reset-password?token=${await resetToken(careful)}`, { as: null });
    await page.getByLabel("New password").fill("12345678");
    await page.getByRole("button", { name: "Set the password and log in" }).click();
    await page.getByText("Not a good password").waitFor();
    await eventually(() => page.getByLabel("New password").getAttribute("aria-invalid")).toBe("true");
    await keepPicture(page, "new-password-light-1280");
    await page.getByLabel("New password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByLabel("Code").waitFor();
    expect((await page.context().cookies()).filter(({ value }) => value !== "")).toEqual([]);
    await page.getByLabel("Code").fill(codeOf(careful.secret));
    await heading(page, "Overview").waitFor();
    await page.context().close();
  });

  test("is asked for, set, and one is logged in; the same link then offers a new one in one click", async () => {
    const person = await proven();
    await stage.service.runJobs();
    const page = await stage.open(`~/log-in?email=${encodeURIComponent(person.email)}`, { as: null });
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByRole("button", { name: "Send the mail" }).click();
    await heading(page, "Check your mail").waitFor();
    const link = await linkIn("/reset-password");
    await page.goto(link);
    await page.getByLabel("New password").fill(NEW_PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Your first project").waitFor();
    await page.goto(link);
    await heading(page, "This link no longer works").waitFor();
    await page.getByRole("button", { name: "Send the mail" }).click();
    await heading(page, "Check your mail").waitFor();

    expect(await linkIn("/reset-password")).not.toBe(link);
    await page.context().close();
  });
});

describeInBrowser("an account of one's own", () => {
  test("is made, and its address verified by the mail; the link says so when it is opened again", async () => {
    await stage.service.runJobs();
    const page = await stage.open("~/sign-up", { as: null });
    await enterPassword(page, "newcomer@people.example");
    await heading(page, "Your first project").waitFor();
    const link = await linkIn("/verify-email");
    await page.goto(link);
    await page.getByRole("button", { name: "Yes, it was me" }).click();
    await page.getByText("You can now invite people").waitFor();
    await page.goto(link);
    await page.getByText("There is nothing left to do").waitFor();
    await page.context().close();
  });

  test("that is verified where nobody is logged in is proven after the log-in, by the same link", async () => {
    const person = await signUp(stage.service);
    const link = await linkIn("/verify-email");
    const page = await stage.open(link.slice(link.indexOf("/app") + 4).replace(/^/, "~"), { as: null });
    await page.getByRole("button", { name: "Yes, it was me" }).click();
    await page.getByText("You are not logged in to the account").waitFor();
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Yes, it is mine" }).click();
    await page.getByText("You can now invite people").waitFor();

    expect((await person.request("GET", "/users/@me")).body.emailProven).toBe(true);
    await page.context().close();
  });

  test("gets another address by the mail to it", async () => {
    const person = await proven();
    await person.request("POST", "/users/@me/email", { email: "moved@people.example" });
    const link = await linkIn("/change-email");
    const page = await stage.open(`~${link.slice(link.indexOf("/app") + 4)}`, { as: null });
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.getByRole("button", { name: "Use this address" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "The address has been changed").waitFor();
    await page.goto(link);
    await heading(page, "This link no longer works").waitFor();

    expect((await person.request("GET", "/users/@me")).body.email).toBe("moved@people.example");
    await page.context().close();
  });
});

describeInBrowser("an invitation", () => {
  test("makes an account that is in the project; used, it leads to the log-in with the address", async () => {
    const path = await invite("guest@people.example", "ADMIN");
    const page = await stage.open(path, { as: null });
    await page.getByText("You are invited as an admin").waitFor();
    await keepPicture(page, "invitation-light-1280");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Overview").waitFor();
    await eventually(async () => page.url()).toContain(stage.project.id);

    await page.goto(`${stage.origin}/app${path.slice(1)}`);
    await heading(page, "This invitation is no longer valid").waitFor();
    await page.getByRole("button", { name: "Log in" }).click();
    await eventually(() => page.getByLabel("Address").inputValue()).toBe("guest@people.example");
    await page.context().close();
  });

  test("of somebody with an account asks for its password, and makes no other one", async () => {
    const person = await signUp(stage.service);
    const page = await stage.open(await invite(person.email), { as: null });
    await page.getByText("There is an account with this address already").waitFor();
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Overview").waitFor();
    await page.context().close();
  });
});

browserTest("a project that asks for two-factor log-in says so, and leads to setting it up", async () => {
  const project = await stage.service.createProject();
  await stage.service.pool`update projects set name = 'Bank' where id = ${project.id}`;
  const person = await proven();
  await join(stage.service, person, project.id);
  const page = await stage.open(`~/p/${project.id}`, { as: person });
  await heading(page, "Overview").waitFor();
  await stage.service.pool`update projects set requires_two_factor = true where id = ${project.id}`;
  // Whatever is asked next is refused: a figure that was on its way, or this.
  await page
    .getByRole("link", { name: "Contacts" })
    .first()
    .click({ timeout: 2_000 })
    .catch(() => {});
  await heading(page, "Bank asks for two-factor log-in").waitFor();
  await keepPicture(page, "two-factor-needed-light-1280");
  await page.getByRole("button", { name: "Set it up" }).click();
  await page.getByText("Bank lets nobody in without it").waitFor();
  await page.getByRole("button", { name: "Set up the app" }).waitFor();
  await expectSound(page, { refused: [403] });
  await page.context().close();
});
