// The links of account mails: where they lead, and what `POST /auth/link` says of them.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { hostedInstead } from "../../src/accounts/people/links.ts";
import { makeToken, type TokenPurpose } from "../../src/accounts/people/tokens.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { readMail } from "../support/received_mail.ts";
import { useService } from "../support/service.ts";

const PLATFORM_FROM = "Postrider <postrider@mail.example>";
const service = useService({ PLATFORM_FROM });
const elsewhere = useService({
  PLATFORM_FROM,
  BASE_URL: "https://mail.example/post",
  DASHBOARD_ORIGINS: "https://app.mail.example",
});

const HOUR_MS = 3_600_000;
let ada: Person;

beforeEach(async () => {
  ada = await signUp(service);
});

afterEach(async () => {
  service.setNow(new Date());
  for (const one of [service, elsewhere]) {
    one.smtp.received.length = 0;
    await one.dropJobs();
  }
});

const tokenFor = async (purpose: TokenPurpose, newEmail: string | null = null) =>
  (await makeToken(service, ada.userId, purpose, newEmail))!;
const lookUp = (token: string, cookie = "") =>
  service.request("POST", "/auth/link", { body: { token }, headers: { cookie } });

/** The addresses in the mails that are sent now. */
async function linksOf(of = service): Promise<URL[]> {
  of.smtp.received.length = 0;
  await of.runJobs();
  const texts = await Promise.all(of.smtp.received.map(async ({ source }) => (await readMail(source)).text!));
  return texts.flatMap((text) => [...text.matchAll(/https?:\/\/\S+/g)].map(([url]) => new URL(url)));
}

/** An owner invites an address to a project of this name. */
async function invite(email: string, name: string) {
  const { body: project } = await ada.request("POST", "/users/@me/projects", { name });
  await service.pool`update users set email_verified_at = now() where id = ${ada.userId}`;
  expect(
    (await ada.request("POST", `/projects/${project.id}/members`, { email, role: "ADMIN" })).status,
  ).toBe(201);
  const url = (await linksOf()).find(({ searchParams }) => searchParams.has("invitation"))!;
  return { project, url };
}

describe("the link of a mail", () => {
  test("leads to the console, with the address that it went to", async () => {
    const [verify, notMe] = await linksOf();
    await service.request("POST", "/auth/request-password-reset", { body: { email: ada.email } });
    const [reset] = await linksOf();
    await ada.request("POST", "/users/@me/email", { email: "new@people.example" });
    const change = (await linksOf()).find(({ pathname }) => pathname.endsWith("change-email"))!;
    const { url: invitation } = await invite("guest@people.example", "Shop");

    const seen = [verify!, reset!, change, invitation].map(({ pathname, searchParams }) => [
      pathname,
      searchParams.get("email"),
    ]);
    expect(seen).toEqual([
      ["/app/verify-email", ada.email],
      ["/app/reset-password", ada.email],
      ["/app/change-email", "new@people.example"],
      ["/app/sign-up", "guest@people.example"],
    ]);
    expect(notMe!.pathname).toBe("/auth/not-me");
  });

  test("leads to the dashboard of the settings where there is one, as it always did", async () => {
    await signUp(elsewhere, "ada@people.example");
    const [verify] = await linksOf(elsewhere);
    await elsewhere.request("POST", "/auth/request-password-reset", {
      body: { email: "ada@people.example" },
    });
    const [reset] = await linksOf(elsewhere);

    expect(`${verify!.origin}${verify!.pathname}`).toBe("https://app.mail.example/auth/verify-email");
    expect(`${reset!.origin}${reset!.pathname}`).toBe("https://app.mail.example/auth/reset-password");
    expect([...reset!.searchParams.keys()]).toEqual(["token"]);
  });

  test("works without a script: the page of the console leads to the hosted one, with all that it was given", async () => {
    const [verify] = await linksOf();
    const { body } = await service.request("GET", verify!.pathname + verify!.search);
    const [, address = ""] = /<noscript><meta http-equiv="refresh" content="0; url=([^"]+)">/.exec(body)!;
    const hosted = await service.request("GET", address.replaceAll("&amp;", "&"));
    const other = await service.request("GET", "/app/log-in");

    expect(address).toStartWith("/auth/verify-email?token=");
    expect(hosted.body).toContain("<h1>Is this your address?</h1>");
    expect(other.body).not.toContain("http-equiv");
  });

  test.each([
    ["/app/reset-password?email=a%40b.example", "/auth/request-password-reset?email=a%40b.example"],
    ["/app/reset-password?token=x", "/auth/reset-password?token=x"],
    ["/app/verify-email", "/auth/request-verification"],
    ["/app/sign-up?email=a%40b.example&invitation=x", "/auth/signup?email=a%40b.example&invitation=x"],
    ["/app/change-email?token=x", "/auth/change-email?token=x"],
    ["/app/contacts?token=x", null],
  ])("%s has its page without a script", (path, expected) => {
    expect(hostedInstead(new URL(path, "http://localhost"))).toBe(expected);
  });
});

describe("POST /auth/link", () => {
  test.each(["VERIFY_EMAIL", "RESET_PASSWORD", "REMOVE_ACCOUNT", "CHANGE_EMAIL"] as const)(
    "says what a token for %s is about, and leaves it as good as it is",
    async (purpose) => {
      const newEmail = purpose === "CHANGE_EMAIL" ? "new@people.example" : null;
      const token = await tokenFor(purpose, newEmail);
      const answers = [await lookUp(token), await lookUp(token, ada.cookie)];
      const account = { verified: false, proven: false, hasPassword: true };

      expect(answers.map(({ status, body }) => [status, body.data])).toEqual([
        [200, { purpose, email: ada.email, newEmail, account: { ...account, own: false }, invitation: null }],
        [200, { purpose, email: ada.email, newEmail, account: { ...account, own: true }, invitation: null }],
      ]);
    },
  );

  test("says what an invitation is to, and whether its address has an account", async () => {
    const { project, url } = await invite("newcomer@people.example", "Shop");
    const token = url.searchParams.get("invitation")!;
    const before = await lookUp(token);
    await signUp(service, "newcomer@people.example");
    const after = await lookUp(token);

    const invitation = { projectId: project.id, project: "Shop", role: "ADMIN" };
    expect([before.body.data.purpose, before.body.data.account, before.body.data.invitation]).toEqual([
      "INVITATION",
      null,
      invitation,
    ]);
    expect(after.body.data.account).toEqual({
      verified: false,
      proven: false,
      hasPassword: true,
      own: false,
    });
  });

  test("refuses what was used, has expired, was withdrawn or never was, in the same words", async () => {
    const used = await tokenFor("VERIFY_EMAIL");
    await ada.request("POST", "/auth/verify-email", { token: used });
    const { project, url } = await invite("late@people.example", "Late shop");
    const withdrawn = url.searchParams.get("invitation")!;
    const { body } = await ada.request("GET", `/projects/${project.id}/members`);
    const { userId: id } = body.data.find(({ email }: { email: string }) => email === "late@people.example");
    await ada.request("DELETE", `/projects/${project.id}/members/${id}`);
    const expired = await tokenFor("RESET_PASSWORD");
    service.setNow(new Date(service.now().getTime() + HOUR_MS));
    const answers = await Promise.all(
      [used, withdrawn, expired, "made-up", "0".repeat(64)].map((token) => lookUp(token)),
    );

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(new Set(answers.map((answer) => answer.body.error.message ?? answer.body.error)).size).toBe(1);
  });

  test("says nothing of a project that is deleted", async () => {
    const { project, url } = await invite("gone@people.example", "Gone shop");
    await ada.request("DELETE", `/users/@me/projects/${project.id}`);

    expect((await lookUp(url.searchParams.get("invitation")!)).status).toBe(400);
  });
});

describe("an address that was asked for", () => {
  const withdraw = () => ada.request("DELETE", "/users/@me/email");

  test("is withdrawn: the mail that was sent changes nothing any more", async () => {
    await ada.request("POST", "/users/@me/email", { email: "withdrawn@people.example" });
    const change = (await linksOf()).find(({ pathname }) => pathname.endsWith("change-email"))!;
    const { status } = await withdraw();
    const me = await ada.request("GET", "/users/@me");
    const late = await ada.request("POST", "/auth/change-email", { token: change.searchParams.get("token") });

    expect([status, me.body.pendingEmail, late.status]).toEqual([204, null, 400]);
    expect((await ada.request("GET", "/users/@me")).body.email).toBe(ada.email);
  });

  test("is withdrawn before its mail: none is sent", async () => {
    await linksOf();
    await ada.request("POST", "/users/@me/email", { email: "never@people.example" });
    await withdraw();
    await linksOf();

    expect(service.smtp.received.map(({ to }) => to).flat()).not.toContain("never@people.example");
    expect((await ada.request("GET", "/users/@me")).body.pendingEmail).toBe(null);
  });

  test("that there is none is no mistake, and that of others stays", async () => {
    const bob = await signUp(service);
    await bob.request("POST", "/users/@me/email", { email: "bobs@people.example" });
    await linksOf();

    expect((await withdraw()).status).toBe(204);
    expect((await bob.request("GET", "/users/@me")).body.pendingEmail).toBe("bobs@people.example");
  });
});

test("what deleting an account would do to its projects is told, and holds", async () => {
  const [bob, cy] = [await signUp(service), await signUp(service)];
  const made = async (name: string) =>
    (await ada.request("POST", "/users/@me/projects", { name })).body.id as string;
  const [alone, owned, shared] = [await made("Alone"), await made("Owned"), await made("Shared")];
  await join(service, bob, owned, "MEMBER");
  await join(service, cy, shared, "OWNER");
  const { body } = await ada.request("GET", "/users/@me/deletion");

  expect(body).toEqual({
    deleted: [{ id: alone, name: "Alone" }],
    left: [{ id: shared, name: "Shared" }],
    bound: [{ id: owned, name: "Owned" }],
  });
  await ada.request("POST", "/auth/reauthenticate", { password: "correct horse battery" });
  expect((await ada.request("DELETE", "/users/@me?deleteProjects=true")).status).toBe(409);
});
