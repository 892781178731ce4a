// The account of a person: two-factor log-in with an app and with passkeys, a new address, and the end of it.
import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import decodeQr from "qr/decode.js";
import sharp from "sharp";
import { CHALLENGE_MS } from "../../src/accounts/people/admission.ts";
import { askForFactor } from "../../src/http/pages/two_factor_page.ts";
import type { Answering } from "../../src/http/entry/session.ts";
import { join, logIn, PASSWORD, type Person, signUp } from "../support/accounts.ts";
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
const open: OpenPage[] = [];

/** Somebody with an app, two passkeys, and an address that waits for its mail. */
let shown: Person;

async function proven(): Promise<Person> {
  const person = await signUp(stage.service);
  await stage.service.pool`update users set email_verified_at = now() where id = ${person.userId}`;
  return person;
}

beforeAll(async () => {
  const { service } = stage;
  shown = stage.owner;
  await service.pool`update users set email_verified_at = now() where id = ${shown.userId}`;
  const { body } = await shown.request("POST", "/users/@me/two-factor/totp");
  await shown.request("POST", "/users/@me/two-factor/totp/confirm", { code: codeOf(body.secret) });
  await service.pool`
    insert into passkeys (user_id, id, credential_id, public_key, counter, transports, name, created_at, last_used_at)
    select ${shown.userId}, uuid_v7(), 'seen' || n, '\\x00', 1, '{internal}', (array['Laptop', 'Security key'])[n],
      now() - n * interval '40 days', case n when 1 then now() - interval '2 hours' end
    from generate_series(1, 2) as n`;
  await service.pool`
    delete from recovery_codes where ctid in (select ctid from recovery_codes where user_id = ${shown.userId} limit 7)`;
  await shown.request("POST", "/users/@me/email", { email: "ada.lovelace@people.example" });
  await service.runJobs();
});

afterEach(async () => {
  for (const page of open.splice(0)) await page.context().close();
});

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
const heading = (page: OpenPage, name: string) => page.getByRole("heading", { level: 1, name });
const twoFactor = async (person: Person) => (await person.request("GET", "/users/@me/two-factor")).body;

async function opened(path: string, as: Person | null): Promise<OpenPage> {
  const page = await stage.open(path, { as });
  open.push(page);
  return page;
}

/** Gives the browser a device that keeps passkeys, and answers at once. */
async function withAuthenticator(page: OpenPage): Promise<() => Promise<void>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return async () => {
    await devtools.send("WebAuthn.disable");
    await devtools.detach();
  };
}

/** What a camera reads on the screen. */
async function readQr(page: OpenPage): Promise<string> {
  const picture = await page.getByRole("img", { name: "QR code" }).screenshot({ scale: "css" });
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return decodeQr({ width: info.width, height: info.height, data });
}

/** The session began too long ago for what changes who may log in. */
const longAgo = ({ userId }: Person) => stage.service.pool`
  update sessions set created_at = now() - interval '1 hour', proven_at = null where user_id = ${userId}`;

tour(stage, "account", {
  path: "~/account",
  ready: (page) => page.getByText("Security key"),
  states: {
    "two-factor": async (page) => {
      await page.getByText("Recovery codes").scrollIntoViewIfNeeded();
    },
    app: async (page) => {
      await page.getByRole("button", { name: "Move to another phone" }).click();
      await page.getByRole("img", { name: "QR code" }).waitFor();
    },
    codes: async (page) => {
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Generate new codes" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Generate new codes" }).click();
      await page.getByRole("list", { name: "Recovery codes" }).waitFor();
    },
  },
});

describeInBrowser("an authenticator app", () => {
  test("is set up by what a camera reads; its recovery codes are shown once, kept as a file, and made again", async () => {
    const person = await proven();
    await longAgo(person);
    const page = await opened("~/account", person);
    await page.getByRole("button", { name: "Set up the app" }).click();
    const proof = page.getByRole("dialog", { name: "Is it you?" });
    await proof.getByLabel("Your password").fill("not the password");
    await page.keyboard.press("Enter");
    await proof.getByText("This is not the password of your account").waitFor();
    await proof.getByLabel("Your password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    const uri = new URL(await readQr(page));
    const secret = uri.searchParams.get("secret")!;
    expect([uri.protocol, uri.searchParams.get("issuer")]).toEqual(["otpauth:", "Postrider"]);
    await eventually(() => page.getByRole("dialog").locator("code").textContent()).toBe(secret);
    await page.getByLabel("Enter the code").fill("000000");
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Not the code that the app shows now").waitFor();
    await eventually(() => page.getByLabel("Enter the code").inputValue()).toBe("000000");
    await page.getByLabel("Enter the code").fill(codeOf(secret));
    await page.keyboard.press("Enter");

    const dialog = page.getByRole("dialog", { name: "Your recovery codes" });
    await dialog.getByRole("listitem").first().waitFor();
    const codes = await dialog.getByRole("listitem").allTextContents();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download" }).click(),
    ]);
    const kept = await Bun.file((await file.path())!).text();
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "I have kept them" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByText("10 of 10 left").waitFor();
    expect(codes).toHaveLength(10);
    for (const code of codes) expect(kept).toContain(code);
    expect(await page.content()).not.toContain(codes[0]!);

    await page.getByRole("button", { name: "Generate new codes" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Generate new codes" }).click();
    await dialog.getByRole("button", { name: "I have kept them" }).click();
    const { challenge } = await challengeOf(person);
    const body = { challenge, recoveryCode: codes[0] };
    expect((await stage.service.request("POST", "/auth/two-factor", { body })).status).toBe(401);
  });

  test("is taken away with all else by turning it off, for those who show with it that it is them", async () => {
    const person = await proven();
    const { body } = await person.request("POST", "/users/@me/two-factor/totp");
    await person.request("POST", "/users/@me/two-factor/totp/confirm", { code: codeOf(body.secret) });
    // The same code is asked for below, and is taken once.
    await stage.service.pool`update totp_secrets set last_step = null`;
    await stage.service.pool`update users set password_hash = null where id = ${person.userId}`;
    await longAgo(person);
    const page = await opened("~/account", person);
    await page.getByRole("button", { name: "Turn off" }).click();
    const question = page.getByRole("dialog", { name: "Turn two-factor log-in off?" });
    await question.getByText("the authenticator app and 10 recovery codes").waitFor();
    await question.getByRole("button", { name: "Turn off" }).click();
    await page.getByLabel("Code", { exact: true }).fill(codeOf(body.secret));
    await page.getByRole("button", { name: "Set up the app" }).waitFor();

    expect(await twoFactor(person)).toMatchObject({ enabled: false, totp: null, recoveryCodesLeft: 0 });
  });
});

async function challengeOf({ email }: Person) {
  const { body } = await stage.service.request("POST", "/auth/login", {
    body: { email, password: PASSWORD },
  });
  return body.error.details as { challenge: string };
}

describeInBrowser("a passkey", () => {
  test("is added, logs in alone, is the second step of a log-in and of a page of ours, gets a name, and is removed", async () => {
    const person = await proven();
    const page = await opened("~/account", person);
    const takeAway = await withAuthenticator(page);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("Give it a name").waitFor();
    await page.getByRole("dialog").getByLabel("Name").fill("Test laptop");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "I have kept them" }).click();
    await page.getByText(/Passkey, not used yet/).waitFor();
    expect((await twoFactor(person)).passkeys.map(({ name }: { name: string }) => name)).toEqual([
      "Test laptop",
    ]);

    // A second one on the same device is refused by the device.
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("This device already has a passkey for your account").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();

    await page.getByRole("button", { name: "Log out" }).first().click();
    await heading(page, "Log in").waitFor();
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByText("Passkey, used", { exact: false }).waitFor();

    await page.context().clearCookies();
    await page.goto(`${stage.origin}/app/log-in?return=%2Faccount`);
    await page.getByLabel("Address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "One more step").waitFor();
    await keepPicture(page, "second-step-passkey-light-1280");
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await heading(page, "Account").waitFor();

    // The page after a sign-in elsewhere, with a script of its own.
    await page.context().clearCookies();
    await keepChallenge(page, (await challengeOf(person)).challenge);
    await page.goto(`${stage.origin}/auth/two-factor`);
    await keepPicture(page, "hosted-second-step-light-1280");
    // The first step of a log-in is refused, and so is what an ended session asks for, and the second passkey of a device.
    await expectSound(page, { refused: [401] });
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await heading(page, "Account").waitFor();

    await page.getByRole("button", { name: "Rename Test laptop" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Old laptop");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove Old laptop" }).click();
    await page.getByText("Without another one, two-factor log-in is off").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("“Old laptop” was removed").waitFor();
    expect(await stage.service.pool`select from passkeys where user_id = ${person.userId}`).toHaveLength(0);
    await takeAway();
    expect(page.complaints.filter((complaint) => !/status of (401|400|403) /.test(complaint))).toEqual([]);
  });

  /** As after a sign-in at a provider: what waits for the factor is in a cookie that no script reads. */
  async function keepChallenge(page: OpenPage, challenge: string): Promise<void> {
    const set: Answering = { headers: {} };
    askForFactor(stage.service, set, { challenge, returnTo: `${stage.origin}/app/account` });
    const [, name, value] = /^([^=]+)=([^;]*)/.exec([set.headers["set-cookie"]!].flat()[0]!)!;
    const expires = Math.round((Date.now() + CHALLENGE_MS) / 1000);
    await page
      .context()
      .addCookies([{ name: name!, value: value!, url: stage.origin, expires, httpOnly: true }]);
  }
});

browserTest(
  "another address takes the password where the log-in is long ago; it is shown while it waits for its mail, which is sent again, and withdrawn",
  async () => {
    const person = await proven();
    const page = await opened("~/account", person);
    await page.getByLabel("New address").fill(person.email);
    await page.keyboard.press("Enter");
    await page.getByText("It is the address of the account already").waitFor();
    await longAgo(person);
    await page.getByLabel("New address").fill("waiting@people.example");
    await page.getByRole("button", { name: "Change the address" }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText("Waiting for waiting@people.example").waitFor();
    await page.getByRole("button", { name: "Send the mail again" }).click();
    await page
      .getByText(/^A mail to waiting@people.example is on its way/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Keep the current address" }).click();
    await page.getByText("Waiting for waiting@people.example").waitFor({ state: "detached" });
    stage.service.smtp.received.length = 0;
    await stage.service.runJobs();

    expect(stage.service.smtp.received.flatMap(({ to }) => to)).not.toContain("waiting@people.example");
  },
);

browserTest(
  "the end of an account says what becomes of each project, and waits where others depend on it",
  async () => {
    const { service } = stage;
    const [person, other] = [await proven(), await signUp(service)];
    const made = async (name: string) =>
      (await person.request("POST", "/users/@me/projects", { name })).body.id as string;
    const [, ours, shared] = [await made("Alone"), await made("Ours"), await made("Shared")];
    await join(service, other, ours, "MEMBER");
    await join(service, other, shared, "OWNER");
    const page = await opened("~/account", person);
    await page.getByRole("link", { name: "Ours" }).waitFor();
    await eventually(() => page.getByRole("button", { name: "Delete the account" }).isDisabled()).toBe(true);
    await join(service, other, ours, "OWNER");
    await page.reload();
    await page.getByRole("button", { name: "Delete the account" }).click();
    const question = page.getByRole("dialog", { name: "Delete your account?" });
    await question
      .getByText("Deleted with all contacts, mails and domains: Alone. Nobody else is in it.")
      .waitFor();
    await question.getByText("Go on without you: Ours and Shared.").waitFor();
    await keepPicture(page, "delete-account-light-1280");
    await question.getByLabel(/^Type/).fill(person.email);
    await question.getByRole("button", { name: "Delete" }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Log in").waitFor();

    expect(await service.pool`select from users where id = ${person.userId}`).toHaveLength(0);
  },
);

describe("a session", () => {
  browserTest(
    "is ended, and lets nobody in any more; before the address is known to be theirs, there is no factor to add",
    async () => {
      const { service } = stage;
      const person = await signUp(service);
      const other = await logIn(service, person.email);
      const page = await stage.open("~/account", { as: person });
      await page.getByText("First show that the address is yours").waitFor();
      await eventually(() => page.getByRole("button", { name: "Set up the app" }).isDisabled()).toBe(true);
      await eventually(() => page.getByRole("button", { name: "Add a passkey" }).isDisabled()).toBe(true);
      await page.getByRole("button", { name: /^End the session in/ }).click();
      await page.getByText(/^The session in .* has ended$/).waitFor();

      expect((await other.request("GET", "/users/@me")).status).toBe(401);
      expect((await person.request("GET", "/users/@me")).status).toBe(200);
      await page.context().close();
    },
  );
});
