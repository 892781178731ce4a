import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { hostedInstead } from "../../src/accounts/people/links.ts";
import { newInvitationToken } from "../../src/accounts/projects/invitations.ts";
import { cookieOf, logIn, PASSWORD, signUp } from "../support/accounts.ts";
import { CHROMIUM, closeContexts, noChromium, openBrowser } from "../support/chromium.ts";
import { readMail } from "../support/received_mail.ts";
import { useService } from "../support/service.ts";

const service = useService({ PLATFORM_FROM: "Postrider <postrider@mail.example>" });
const NEW_PASSWORD = "another horse, another staple";

afterEach(async () => {
  service.smtp.received.length = 0;
  await service.dropJobs();
});

/** The path of the hosted page that the link in the mail that comes next leads to where there is no script. */
async function nextLink(): Promise<string> {
  service.smtp.received.length = 0;
  await service.runJobs();
  const { text = "" } = await readMail(service.smtp.received.at(-1)!.source);
  return hostedInstead(new URL(/http:\/\/localhost:3000\/app\/\S+/.exec(text)![0]))!;
}

async function resetLink(email: string): Promise<string> {
  await service.runJobs();
  await service.request("POST", "/auth/request-password-reset", { body: { email } });
  return await nextLink();
}

const look = (path: string) => service.request("GET", path);

/** Sends the form of a page, as a browser does. */
const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  service.request("POST", `${path}/page`, {
    raw: new URLSearchParams(fields).toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "sec-fetch-site": "same-origin",
      ...headers,
    },
  });

const tokenOf = (link: string) => new URL(link, "http://localhost").searchParams.get("token")!;

describe("the page that the link of a mail leads to", () => {
  test("asks, and changes nothing before its button is pressed", async () => {
    const person = await signUp(service);
    const link = await nextLink();
    const verified = async () => (await person.request("GET", "/users/@me")).body.emailVerified;
    const page = await look(link);
    await look(link);
    const before = await verified();
    const done = await send("/auth/verify-email", { token: tokenOf(link) }, { cookie: person.cookie });

    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.body).toContain('action="/auth/verify-email/page"');
    expect([before, done.status, await verified()]).toEqual([false, 200, true]);
    expect(done.body).toContain("Your address is verified.");
  });

  test("verifies in a browser that is not logged in, too, and takes nothing from the person who made the account", async () => {
    const person = await signUp(service);
    const page = await look(await nextLink());
    const [, token = ""] = /name="token" value="([^"]+)"/.exec(page.body)!;
    const done = await send("/auth/verify-email", { token });

    expect(page.body).toContain("the account stays with the person who created it");
    expect(page.body).toContain("follow the other link in the mail instead");
    expect([done.status, cookieOf(done.headers)]).toEqual([200, null]);
    expect(done.body).not.toContain("<form");
    expect((await person.request("GET", "/users/@me")).body.emailVerified).toBe(true);
    await logIn(service, person.email);
  });

  test("sets a new password, and says what is wrong with one that is too short, or with a link that was used", async () => {
    const { email } = await signUp(service);
    const token = tokenOf(await resetLink(email));
    const short = await send("/auth/reset-password", { token, password: "short" });
    const done = await send("/auth/reset-password", { token, password: NEW_PASSWORD });
    const again = await send("/auth/reset-password", { token, password: NEW_PASSWORD });

    expect([short.status, done.status, again.status]).toEqual([400, 200, 400]);
    expect(short.body).toContain("8 to 128 characters");
    expect(short.body).toContain(`value="${token}"`);
    expect(again.body).toContain("This link has been used or has expired");
    await logIn(service, email, NEW_PASSWORD);
  });

  test("signs up who was invited, who is in the project then", async () => {
    const project = await service.createProject();
    const { token, tokenHash } = newInvitationToken();
    const until = new Date(service.now().getTime() + 3_600_000);
    await service.pool`
      insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
      values (${project.id}, 'guest@example.com', 'MEMBER', ${tokenHash}, now(), ${until})`;
    const page = await look(`/auth/signup?email=guest%40example.com&invitation=${token}`);
    const done = await send("/auth/signup", {
      email: "guest@example.com",
      invitation: token,
      password: NEW_PASSWORD,
    });
    const contacts = await service.request("GET", "/contacts", {
      headers: { cookie: cookieOf(done.headers)!, "x-project-id": project.id },
    });

    expect(page.body).toContain('value="guest@example.com"');
    expect([done.status, contacts.status]).toEqual([200, 200]);
  });

  test("asks who has an account for its password, to join with it, and offers a new one by mail", async () => {
    const person = await signUp(service);
    const { email } = person;
    const project = await service.createProject();
    const { token, tokenHash } = newInvitationToken();
    const until = new Date(service.now().getTime() + 3_600_000);
    await service.pool`
      insert into invitations (project_id, email, role, token_hash, created_at, expires_at)
      values (${project.id}, ${email}, 'MEMBER', ${tokenHash}, now(), ${until})`;
    const page = await look(`/auth/signup?email=${encodeURIComponent(email)}&invitation=${token}`);
    const [, help = ""] = /href="([^"]+)"/.exec(page.body.slice(page.body.indexOf("<main>")))!;
    const asked = await look(help);
    const wrong = await send("/auth/signup", { email, invitation: token, password: NEW_PASSWORD });
    const before = await person.request("GET", "/contacts", undefined, { projectId: project.id });
    const done = await send("/auth/signup", { email, invitation: token, password: PASSWORD });
    const after = await person.request("GET", "/contacts", undefined, { projectId: project.id });

    expect(page.body).toContain("There is already an account with this address.");
    expect(page.body).toContain('autocomplete="current-password"');
    expect(asked.body).toContain(`value="${email}"`);
    expect([wrong.status, cookieOf(wrong.headers), before.status]).toEqual([409, null, 403]);
    expect(wrong.body).toContain("the password is wrong");
    expect([done.status, done.body.includes("You have joined"), after.status]).toEqual([200, true, 200]);
  });

  test("has a mail sent with a way to a new password, whether or not there is an account", async () => {
    const { email } = await signUp(service);
    await service.runJobs();
    const answers = [
      await send("/auth/request-password-reset", { email }),
      await send("/auth/request-password-reset", { email: "nobody@example.com" }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]!.body).toBe(answers[0]!.body);
    expect(await nextLink()).toStartWith("/auth/reset-password?token=");
    expect((await send("/auth/request-password-reset", { email: "nonsense" })).status).toBe(400);
  });

  test.each([
    "/auth/request-verification?email=",
    "/auth/request-password-reset?email=",
    "/auth/signup?email=",
  ])("%s shows what the address brings as text", async (path) => {
    const { body } = await look(`${path}${encodeURIComponent('"><script>alert(1)</script>')}`);

    expect(body).not.toContain("<script");
    expect(body).toContain("&quot;&gt;&lt;script&gt;");
  });

  test("runs no script, is framed by nobody, and tells no other site its address", async () => {
    const { headers } = await look("/auth/reset-password?token=x");
    const policy = headers.get("content-security-policy")!;

    for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"]) {
      expect(policy).toContain(rule);
    }
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("takes no form of another site", async () => {
    const person = await signUp(service);
    const token = tokenOf(await nextLink());
    const foreign = [
      await send("/auth/verify-email", { token }, { "sec-fetch-site": "cross-site" }),
      await send("/auth/signup", { email: "x@example.com", password: NEW_PASSWORD }, { origin: "https://evil.example", "sec-fetch-site": "cross-site" }), // prettier-ignore
    ];

    expect(foreign.map(({ status }) => status)).toEqual([403, 403]);
    expect(foreign.map(({ headers }) => cookieOf(headers))).toEqual([null, null]);
    expect((await person.request("GET", "/users/@me")).body.emailVerified).toBe(false);
  });

  test("refuses a form that is too large with a page", async () => {
    const { status, body } = await send("/auth/verify-email", { token: "x".repeat(20_000) });

    expect([status, body.includes("<main>")]).toEqual([413, true]);
  });
});

describe.skipIf(!CHROMIUM)(`in a browser${noChromium}`, () => {
  let server: Bun.Server<undefined>;
  let browser: Browser;

  beforeAll(async () => {
    server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: service.app.fetch });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closeContexts();
    await server?.stop(true);
  });

  test("a person sets a new password with keyboard alone, and nothing is blocked", async () => {
    const { email } = await signUp(service);
    const link = await resetLink(email);
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(`http://127.0.0.1:${server.port}${link}`);
    await page.keyboard.press("Tab");
    await page.keyboard.type(NEW_PASSWORD);
    await Promise.all([page.waitForURL("**/auth/reset-password/page"), page.keyboard.press("Enter")]);
    const heading = await page.locator("h1").textContent();
    const width = await page.evaluate("getComputedStyle(document.body).maxWidth");

    expect(heading).toBe("Your password has been changed: log in with it.");
    expect([width, complaints]).toEqual([expect.stringMatching(/px$/), []]);
    await logIn(service, email, NEW_PASSWORD);
  });

  test("what another page sends is refused, also where the browser lets the cookie come along", async () => {
    const person = await signUp(service);
    // Another port is another origin, and the same site.
    const neighbour = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response("<p>Hi</p>", { headers: { "content-type": "text/html" } }),
    });
    const context = await browser.newContext();
    const [name = "", value = ""] = person.cookie.split("=");
    await context.addCookies([
      { name, value, url: `http://127.0.0.1:${server.port}`, httpOnly: true, sameSite: "Lax" },
    ]);
    const page = await context.newPage();
    const create = (project: string) => `
      fetch("http://127.0.0.1:${server.port}/users/@me/projects", {
        method: "POST",
        credentials: "include",
        headers: { "content-type": "text/plain" },
        body: '{"name":"${project}"}',
      }).then((answer) => answer.status, () => "unread")`;
    await page.goto(`http://127.0.0.1:${server.port}/docs/api`);
    const own = await page.evaluate(create("Own"));
    await page.goto(neighbour.url.href);
    const foreign = await page.evaluate(create("Foreign"));
    const answered = service.lines.filter(
      (line) => line.method === "POST" && String(line.route).startsWith("/users"),
    );
    const { body: projects } = await person.request("GET", "/users/@me/projects");
    await context.close();
    await neighbour.stop(true);

    expect([own, foreign]).toEqual([201, "unread"]);
    expect(answered.map(({ status }) => status)).toEqual([201, 403]);
    expect(projects.map((project: { name: string }) => project.name)).toEqual(["Own"]);
  });
});
