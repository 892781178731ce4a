// The frame around every page: ways in and out, keys, search, projects, and what happens when something is missing.
import { afterEach, expect, test } from "bun:test";
import { PASSWORD, join, signUp } from "../support/accounts.ts";
import { eventually } from "./eventually.ts";
import { describeInBrowser, keepPicture, type OpenPage, expectSound, useConsole } from "./support.ts";

const stage = useConsole();
const open: OpenPage[] = [];

const opened = async (...given: Parameters<typeof stage.open>) => {
  const page = await stage.open(...given);
  open.push(page);
  return page;
};
const heading = (page: OpenPage, name: string) => page.getByRole("heading", { level: 1, name });

afterEach(async () => {
  for (const page of open.splice(0)) await page.context().close();
});

describeInBrowser("ways in and out", () => {
  test("a link is led to the log-in and back to its place, with its filters; logging out leads there again", async () => {
    const page = await opened("/?period=7d", { as: null });
    await page.getByLabel("Address").fill(stage.owner.email);
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Overview").waitFor();

    await eventually(async () => new URL(page.url()).pathname.replace(/\/$/, "")).toBe(
      `/app/p/${stage.project.id}`,
    );
    await eventually(async () => new URL(page.url()).search).toBe("?period=7d");
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await heading(page, "Log in").waitFor();
    await page.goto(`${stage.origin}/app/p/${stage.project.id}`);
    await heading(page, "Log in").waitFor();
  });

  test("nobody is led to another site after the log-in", async () => {
    const page = await opened("~/log-in?return=//elsewhere.example", { as: null });
    await page.getByLabel("Address").fill(stage.owner.email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Overview").waitFor();

    await eventually(async () => new URL(page.url()).origin).toBe(stage.origin);
  });

  test("a session that ends elsewhere leads to the log-in, with the way back", async () => {
    const person = await stage.member("MEMBER");
    const page = await opened("/", { as: person });
    await heading(page, "Overview").waitFor();
    await person.request("GET", "/auth/logout");
    // Whatever asks the service next leads there: a figure that was on its way, or this.
    const led = heading(page, "Log in").waitFor();
    const asked = page.getByText("90 days").click();
    await Promise.race([led, asked.catch(() => {})]);
    await led;

    await eventually(async () => new URL(page.url()).searchParams.get("return")).toStartWith(
      `/p/${stage.project.id}`,
    );
  });
});

describeInBrowser("projects", () => {
  test("switching shows the other one only, and back leads to the first; a stranger's is not there", async () => {
    const other = await stage.service.createProject();
    await stage.service.pool`update projects set name = 'Other shop' where id = ${other.id}`;
    const stranger = await stage.service.createProject();
    const person = await signUp(stage.service);
    await join(stage.service, person, stage.project.id, "OWNER");
    await join(stage.service, person, other.id, "MEMBER");
    await stage.service.request("POST", "/contacts", {
      key: stage.project.secret,
      body: { email: "only-here@example.com" },
    });
    const page = await opened("/", { as: person });
    const asked: (string | undefined)[] = [];
    await page.getByText("1 contact", { exact: false }).first().waitFor();
    page.on("request", (request) => asked.push(request.headers()["x-project-id"]));
    await page.getByRole("button", { name: /^Project:/ }).click();
    await page.getByRole("menuitem", { name: "Other shop" }).click();
    await page.getByText("0 contacts").waitFor();

    await eventually(async () => page.url()).toContain(other.id);
    expect(asked.filter((id) => id === stage.project.id)).toEqual([]);
    await page.goBack();
    await page.getByText("1 contact", { exact: false }).first().waitFor();
    await page.goto(`${stage.origin}/app/p/${stranger.id}`);
    await page.getByRole("heading", { name: "Nothing is here" }).waitFor();
  });

  test("somebody without any makes the first", async () => {
    const page = await opened("~", { as: await signUp(stage.service) });
    await page.getByLabel("Name").fill("First shop");
    await page.keyboard.press("Enter");
    await heading(page, "Overview").waitFor();

    await eventually(() => page.getByRole("button", { name: /^Project:/ }).textContent()).toContain(
      "First shop",
    );
  });
});

describeInBrowser("the keyboard", () => {
  test("the first Tab leads past the navigation; ? lists the keys, and the search finds pages and does things", async () => {
    const page = await opened("/members");
    await heading(page, "Members").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");

    await eventually(() => page.locator("main:focus").count()).toBe(1);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await keepPicture(page, "keys-light-1280");
    await expectSound(page);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("textbox", { name: "Search" }).fill("over");
    await page.getByRole("button", { name: /Overview/ }).waitFor();
    await keepPicture(page, "search-light-1280");
    await expectSound(page);
  });
});

describeInBrowser("what can go wrong", () => {
  test("an address that leads nowhere says so, inside and outside of a project", async () => {
    const page = await opened("/nowhere");
    await page.getByRole("heading", { name: "Nothing is here" }).waitFor();
    await page.goto(`${stage.origin}/app/nowhere`);
    await page.getByRole("heading", { name: "Nothing is here" }).waitFor();
  });

  test("a lost connection is a banner that goes away by itself", async () => {
    const page = await opened("/");
    await heading(page, "Overview").waitFor();
    await page.route("**/analytics/**", (route) => route.abort());
    await page.route("**/auth/session", (route) => route.abort());
    await page.getByText("7 days").first().click();
    await page.getByText("No connection to the service").waitFor();
    await page.unroute("**/analytics/**");
    await page.unroute("**/auth/session");
    await page.getByText("No connection to the service").waitFor({ state: "detached" });
  });

  test("after an update, a page whose file is gone is loaded again, once", async () => {
    const page = await opened("~/log-in", { as: null });
    let loads = 0;
    page.on("framenavigated", () => loads++);
    await page.route("**/assets/sign_up-*", (route) => route.fulfill({ status: 404, body: "" }), {
      times: 1,
    });
    await page.getByRole("link", { name: "Create an account" }).click();
    await heading(page, "Create an account").waitFor();

    expect(loads).toBeGreaterThan(0);
  });

  test("a page whose file stays away says so after it was loaded again once, and the others work", async () => {
    const page = await opened("/members");
    await heading(page, "Members").waitFor();
    let loads = 0;
    page.on("load", () => loads++);
    await page.route("**/assets/images-*", (route) => route.fulfill({ status: 404, body: "" }));
    await page.getByRole("link", { name: "Images" }).click();
    await page.getByRole("alert").getByText("This page has broken").waitFor();

    expect(loads).toBe(1);
    await page.getByRole("link", { name: "Domains" }).click();
    await heading(page, "Domains").waitFor();
  });

  test("the choice of colours stays", async () => {
    const page = await opened("/members");
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByText("Dark", { exact: true }).click();
    await page.reload();
    await heading(page, "Members").waitFor();

    await eventually(() => page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
  });
});
