// One template: written as code or as blocks, looked at, saved, and what becomes of two who write at once.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { DOMAIN } from "../support/service.ts";
import { eventually } from "./eventually.ts";
import { describeInBrowser, expectSound, keepPicture, tour, useConsole } from "./support.ts";

const stage = useConsole();
const ids: Record<string, string> = {};
let contactId: string;

const MJML = `<mjml>
  <mj-body>
    <!-- what stands first -->
    <mj-section background-color="#ffffff">
      <mj-column>
        <mj-text font-size="20px">Hello {{firstName ?? there}}</mj-text>
        {{#if plan}}
        <mj-button href="https://shop.example/?a=1&amp;b={{plan}}">To your plan</mj-button>
        {{/if}}
        <mj-divider border-width="1px"/>
        <mj-social mode="horizontal">
          <mj-social-element name="github" href="https://github.example">GitHub</mj-social-element>
        </mj-social>
      </mj-column>
    </mj-section>
    <mj-section>
      <mj-column><mj-text>Left</mj-text></mj-column>
      <mj-column><mj-text>Right</mj-text></mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;

const SECTION = `<mj-section><mj-column><mj-text font-size="20px">Hello</mj-text></mj-column></mj-section>\n`;

const api = async (method: string, path: string, body?: unknown) =>
  (await stage.service.request(method, path, { key: stage.project.secret, body })).body;
const make = async (name: string, more: object = {}) => {
  const { id } = await api("POST", "/templates", {
    name,
    subject: "Hello {{firstName ?? there}}",
    body: "<h1>Hello {{firstName ?? there}}</h1>\n<p>You are on the plan {{plan}}.</p>\n",
    from: `hello@${DOMAIN}`,
    ...more,
  });
  return (ids[name] = id as string);
};
const bodyOf = async (id: string): Promise<string> => (await api("GET", `/templates/${id}`)).body;

const mail = (page: Page) => page.frameLocator("section[aria-label=Preview] iframe");
const code = (page: Page) => page.getByRole("textbox", { name: "Body" });
const save = async (page: Page) => {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Not saved yet").waitFor({ state: "detached" });
};
const edited = async (page: Page, text: string) => {
  await code(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
};

beforeAll(async () => {
  ({ id: contactId } = await api("POST", "/contacts", {
    email: "ada@people.example",
    data: { firstName: "Ada", plan: "pro", city: "Oslo" },
  }));
  await api("POST", "/contacts", { email: "bob@people.example", data: { firstName: "Bob" } });
  await make("Plan change");
  await make("Blocks", { body: MJML });
  for (const [n, subject] of ["Hello", "Hello again", "Hello {{firstName}}"].entries()) {
    await api("PATCH", `/templates/${ids["Plan change"]}`, {
      subject,
      body: `<h1>Hello {{firstName ?? there}}</h1>\n<p>You are on the plan {{plan}}.</p>\n<p>Version ${n}</p>\n`,
    });
  }
}, 60_000);

tour(stage, "template", {
  path: () => `/templates/${ids.Blocks}?contact=${contactId}`,
  ready: (page) => page.getByLabel("Blocks of the mail"),
  states: {
    code: async (page) => {
      await page.getByText("Code", { exact: true }).click();
      await code(page).waitFor();
    },
    details: async (page) => {
      await page.getByRole("tab", { name: "Details" }).click();
      await page.getByLabel("Reply to").waitFor();
    },
    uses: async (page) => {
      await page.getByRole("tab", { name: "Usage" }).click();
      await page.getByRole("heading", { name: "Not in use yet" }).waitFor();
    },
  },
});
tour(stage, "template-versions", {
  path: () => `/templates/${ids["Plan change"]}?tab=versions`,
  ready: (page) => page.getByText("Version 4 · now"),
  // oxlint-disable-next-line unicorn/no-thenable
  then: (page) => page.locator(".cm-changedLine").first().waitFor(),
});

describeInBrowser("code", () => {
  test("is completed: fields of contacts, helpers, and elements of MJML where they may stand", async () => {
    const page = await stage.open(`/templates/${await make("Completed")}`);
    await edited(page, "{{ci");
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /^city/ }).click();
    await edited(page, "{{upp");
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /^upper/ }).waitFor();
    await keepPicture(page, "template--completion");
    // A preview that was asked for in the middle of an expression is refused.
    await expectSound(page, { refused: [422] });
    await page.getByRole("option", { name: /^upper/ }).click();
    await save(page);
    expect(await bodyOf(ids.Completed!)).toEndWith("{{city}}{{upper value}}");

    const other = await stage.open(`/templates/${await make("Completed MJML", { body: MJML })}?edit=code`);
    await code(other).getByText("Left").click();
    await other.keyboard.press("Home");
    await other.keyboard.press("Enter");
    await other.keyboard.press("ArrowUp");
    await other.keyboard.insertText("<mj-col");
    await other.keyboard.press("Control+Space");
    await other.getByRole("option", { name: /^mj-column/ }).waitFor();
    await eventually(() => other.getByRole("option", { name: /^mj-text/ }).count()).toBe(0);
    await page.context().close();
    await other.context().close();
  });

  test("is completed where it stands, also when the browser is too slow to have read that far", async () => {
    const body = `<mjml><mj-body>\n${SECTION.repeat(300)}</mj-body></mjml>\n`;
    const page = await stage.open(`/templates/${await make("Long", { body })}?edit=code`);
    await code(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.press("ArrowUp");
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: 20 });
    await page.keyboard.insertText("<mj-s");
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /^mj-section/ }).waitFor();
    await page.context().close();
  });

  test("with a fault says so at its line and keeps the mail of before; saving says the same and loses nothing, nor where an alias is taken", async () => {
    const page = await stage.open(`/templates/${await make("Faulty")}`);
    await mail(page).getByRole("heading", { name: "Hello there" }).waitFor();
    await edited(page, "{{#if plan}}never closed");
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByText(/line 3/).waitFor();
    await page.locator(".cm-lint-marker-error").waitFor();
    await eventually(() => mail(page).getByRole("heading", { name: "Hello there" }).count()).toBe(1);
    await keepPicture(page, "template--fault");
    await expectSound(page, { refused: [422] });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Not saved yet").waitFor();
    await edited(page, "{{/if}}");
    await preview.getByText(/line 3/).waitFor({ state: "detached" });
    await save(page);
    expect(await bodyOf(ids.Faulty!)).toContain("{{#if plan}}never closed{{/if}}");
    await make("Other", { alias: "welcome" });
    await page.getByRole("tab", { name: "Details" }).click();
    const alias = page.getByRole("textbox", { name: "Alias" });
    await alias.fill("welcome");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Another template of the project has this alias").first().waitFor();
    await eventually(() => alias.inputValue()).toBe("welcome");
    await alias.fill("welcome-2");
    await save(page);
    expect((await api("GET", `/templates/${ids.Faulty}`)).alias).toBe("welcome-2");
    await page.context().close();
  });

  test("is shown for a contact, as text, on a phone, and in the dark; what has no value is marked", async () => {
    const page = await stage.open(`/templates/${await make("Looked at")}`);
    const preview = page.getByRole("region", { name: "Preview" });
    // The name has words that stand in for it.
    await preview.getByText("No value for plan", { exact: true }).waitFor();
    await page.locator(".cm-lintRange-warning").first().waitFor();
    await preview.getByRole("combobox", { name: "Preview for" }).fill("ada");
    await page.getByRole("option", { name: "ada@people.example" }).click();
    await mail(page).getByText("You are on the plan pro.").waitFor();
    await preview.getByText(/^No value for/).waitFor({ state: "detached" });
    await preview.getByText("Phone", { exact: true }).click();
    await preview.getByRole("button", { name: "Dark" }).click();
    await page.waitForURL(/view=phone&dark=1|dark=1&view=phone/);
    const width = await preview.locator("iframe").evaluate((frame) => frame.clientWidth);
    expect(width).toBeLessThanOrEqual(375);
    await keepPicture(page, "template--phone-dark");
    await preview.getByText("Text", { exact: true }).click();
    await preview
      .getByText(/HELLO ADA|Hello Ada/i)
      .last()
      .waitFor();
    await page.context().close();
  });
});

describeInBrowser("what is written", () => {
  test("two write at once: the second sees both, saves theirs over it or with it, or takes the other and takes that back", async () => {
    const id = await make("Two people");
    const page = await stage.open(`/templates/${id}`);
    await page.getByLabel("Subject").fill("Mine");
    await api("PATCH", `/templates/${id}`, { subject: "Theirs", preheader: "Only theirs" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const alert = page.getByRole("alert");
    await alert.getByRole("cell", { name: "Theirs" }).waitFor();
    await alert.getByRole("cell", { name: "Mine" }).waitFor();
    await keepPicture(page, "template--two-people");
    await expectSound(page, { refused: [412] });
    await alert.getByRole("button", { name: "Take theirs" }).click();
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Theirs");
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.waitForFunction(
      () => (document.querySelector("input[maxlength='998']") as HTMLInputElement).value === "Mine",
    );
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await alert.getByRole("button", { name: "Save mine over theirs" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const { subject, preheader } = await api("GET", `/templates/${id}`);
    expect([subject, preheader]).toEqual(["Mine", "Only theirs"]);
    const versions = await api("GET", `/templates/${id}/versions`);
    expect(versions.map((one: { subject: string }) => one.subject)).toContain("Theirs");
    await page.context().close();
  });

  test("is there again after the window was closed, until it is saved or discarded", async () => {
    const page = await stage.open(`/templates/${await make("Kept")}`);
    page.on("dialog", (dialog) => void dialog.accept());
    await edited(page, "<p>Half a sen</p>");
    await page.getByLabel("Subject").fill("Half a subject");
    await page.reload();
    await page.getByText(/^What you wrote .* and did not save is here again\.$/).waitFor();
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Half a subject");
    await code(page).getByText("<p>Half a sen</p>").waitFor();
    await keepPicture(page, "template--restored");
    await expectSound(page);
    await page.getByRole("button", { name: "Discard it" }).click();
    await code(page).getByText("Half a sen").waitFor({ state: "detached" });
    await page.reload();
    await page.getByText(/^Saved /).waitFor();
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Hello {{firstName ?? there}}");

    // Who leaves the page and says so does not find it again.
    await page.getByLabel("Subject").fill("Thrown away");
    await page.getByRole("link", { name: "Images" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await page.getByRole("heading", { level: 1, name: "Images" }).waitFor();
    await page.goBack();
    await page.getByText(/^Saved /).waitFor();
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Hello {{firstName ?? there}}");
    await page.context().close();
  });

  test("is not lost with the connection: saving works as soon as it is back", async () => {
    const id = await make("Offline");
    const page = await stage.open(`/templates/${id}`);
    await code(page).waitFor();
    await page.context().setOffline(true);
    await edited(page, "<p>Written in a tunnel</p>");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Not saved yet").waitFor();
    await code(page).getByText("Written in a tunnel").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    expect(await bodyOf(id)).toContain("Written in a tunnel");

    // Nor with the session, and not with the window after that.
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await page.getByLabel("Subject").fill("Typed at the end");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("what you have written is still here").waitFor();
    await page.context().addCookies(cookies);
    await page.goto("about:blank");
    await page.goBack();
    await page.getByText(/and did not save is here again/).waitFor();
    await eventually(() => page.getByLabel("Subject").inputValue()).toBe("Typed at the end");
    await page.context().close();
  });

  test("a version is compared and restored, and that is taken back", async () => {
    const id = ids["Plan change"]!;
    const page = await stage.open(`/templates/${id}?tab=versions`);
    await page.getByRole("button", { name: /^Version 2/ }).click();
    await page.getByText("Compared with now", { exact: true }).click();
    await page.waitForURL(/version=2&against=now/);
    await page.getByRole("cell", { name: "Hello {{firstName}}", exact: true }).waitFor();
    await page.locator(".cm-deletedChunk").first().waitFor();
    await page.getByRole("button", { name: "Restore this version" }).click();
    await page.getByText("Version 2 was restored").waitFor();
    expect((await api("GET", `/templates/${id}`)).subject).toBe("Hello");
    await page.getByRole("button", { name: /^Version 5 · now/ }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("It is as it was before").waitFor();
    expect((await api("GET", `/templates/${id}`)).subject).toBe("Hello {{firstName}}");
    await page.context().close();
  });
});
