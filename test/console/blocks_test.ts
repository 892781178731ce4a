// A mail as blocks, over the text of its MJML.
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { png } from "../support/images.ts";
import { DOMAIN } from "../support/service.ts";
import { eventually } from "./eventually.ts";
import { dragByFinger } from "./finger.ts";
import { describeInBrowser, expectSound, keepPicture, type OpenPage, tour, useConsole } from "./support.ts";

const stage = useConsole();
const ids: Record<string, string> = {};

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

const api = async (method: string, path: string, body?: unknown) =>
  (await stage.service.request(method, path, { key: stage.project.secret, body })).body;
const make = async (name: string) => {
  const { id } = await api("POST", "/templates", {
    name,
    subject: "Hello {{firstName ?? there}}",
    body: MJML,
    from: `hello@${DOMAIN}`,
  });
  return (ids[name] = id as string);
};
const bodyOf = async (id: string): Promise<string> => (await api("GET", `/templates/${id}`)).body;

const mail = (page: Page) => page.frameLocator("section[aria-label=Preview] iframe");
const code = (page: Page) => page.getByRole("textbox", { name: "Body" });
const block = (page: Page, name: RegExp) => page.locator("[data-path]").filter({ hasText: name });
const save = async (page: Page) => {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  // The first mail of a process waits for MJML to be loaded, which takes long where others use the machine.
  await page.getByText("Not saved yet").waitFor({ state: "detached", timeout: 60_000 });
};
const edited = async (page: Page, text: string) => {
  await code(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(text);
};

beforeAll(async () => {
  await api("POST", "/contacts", {
    email: "ada@people.example",
    data: { firstName: "Ada", plan: "pro", city: "Oslo" },
  });
  await make("Blocks");
}, 60_000);

tour(stage, "template-blocks", {
  path: () => `/templates/${ids.Blocks}`,
  ready: (page) => page.getByLabel("Blocks of the mail"),
  states: {
    form: async (page) => {
      await block(page, /^Button/).click();
      await page.getByRole("group", { name: "Button: settings" }).waitFor();
    },
    social: async (page) => {
      await block(page, /^Social links/).click();
      await page.getByRole("list", { name: "Links" }).scrollIntoViewIfNeeded();
    },
    pictures: async (page) => {
      await block(page, /^Section/)
        .first()
        .click();
      await page.getByRole("button", { name: "Choose" }).click();
      await page.getByRole("heading", { name: "No pictures yet" }).waitFor();
    },
  },
});

describeInBrowser("blocks", () => {
  test("make a mail from nothing, with a picture uploaded; edited as code and back, the rest is letter by letter the same", async () => {
    const page = await stage.open("/templates/new?start=blank");
    await page.getByRole("dialog").getByLabel("Name").fill("From nothing");
    await page.getByRole("button", { name: "Create template" }).click();
    await block(page, /^Text/).click();
    const text = page.getByRole("textbox", { name: "Text", exact: true });
    await text.fill("Good morning, {{firstName ?? friend}}");
    await page.getByRole("textbox", { name: "Size" }).fill("24px");
    await page.getByRole("button", { name: "Add a block" }).click();
    await page.getByRole("menuitem", { name: "Image" }).click();
    await page.getByRole("button", { name: "Choose" }).click();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Upload a picture" }).click(),
    ]);
    await chooser.setFiles({ name: "sun.png", mimeType: "image/png", buffer: Buffer.from(png(40, 30)) });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByLabel("Alt text").fill("The sun");
    await page.getByRole("button", { name: "Add a block" }).click();
    await page.getByRole("menuitem", { name: "Button" }).click();
    await page.getByLabel("Button text").fill("Come in");
    await mail(page).getByRole("link", { name: "Come in" }).waitFor();
    await mail(page).getByRole("img", { name: "The sun" }).waitFor();
    await keepPicture(page, "template--built");
    await expectSound(page);
    await save(page);
    const id = new URL(page.url()).pathname.split("/").at(-1)!;
    const body = await bodyOf(id);
    expect(body).toMatch(
      /<mj-text font-size="24px">Good morning, \{\{firstName \?\? friend\}\}<\/mj-text>\n\s+<mj-image alt="The sun" src="http[^"]+\.png" \/>\n\s+<mj-button href="https:\/\/example.com">Come in<\/mj-button>/,
    );

    await page.getByText("Code", { exact: true }).click();
    await edited(page, "<!-- kept -->\n");
    await page.getByText("Blocks", { exact: true }).click();
    await block(page, /^Button/).click();
    await page.getByLabel("Button text").fill("Come in!");
    await save(page);
    expect(await bodyOf(id)).toBe(`${body.replace("Come in", "Come in!")}<!-- kept -->\n`);
    await page.context().close();
  });

  test("are reordered by drag, by finger, by button and by key, also into another column, and every step can be taken back", async () => {
    const page = await stage.open(`/templates/${await make("Moved")}`);
    const names = () =>
      page.locator("[data-path]").evaluateAll((all) => all.map((one) => one.textContent!.trim()));
    await block(page, /^Divider/).waitFor();
    const before = await names();
    await page.getByRole("button", { name: "Move up: Divider" }).click();
    await page.getByRole("button", { name: "Move up: Divider" }).click();
    expect((await names()).slice(0, 3).map((name) => name.split(/[A-Z][a-z]+ /)[0])).toHaveLength(3);
    await block(page, /Left/).focus();
    await page.keyboard.press("Alt+ArrowDown");
    await page.getByText("Text moved down").waitFor({ state: "attached" });
    expect(await page.evaluate(() => document.activeElement!.textContent)).toContain("Left");
    await page.keyboard.press("Delete");
    await block(page, /Left/).waitFor({ state: "detached" });
    await block(page, /Hello/).dragTo(block(page, /Right/));
    await page.waitForFunction(
      () =>
        [...document.querySelectorAll("[data-path]")].at(-1)!.textContent!.includes("Hello") ||
        [...document.querySelectorAll("[data-path]")].at(-2)!.textContent!.includes("Hello"),
    );
    const dividerAt = async () => (await names()).findIndex((name) => name.startsWith("Divider"));
    const at = await dividerAt();
    const grip = page.locator("[data-grip]").nth(at);
    await dragByFinger(page, grip, block(page, /^Social/), {
      position: { x: 4, y: 28 },
      taken: page.locator("[data-drop=after]"),
    });
    await eventually(dividerAt).toBeGreaterThan(at);
    const undo = page.getByRole("button", { name: "Undo", exact: true });
    for (let n = 0; n < 6; n++) await undo.click();
    await eventually(names).toEqual(before);
    await eventually(() => undo.isDisabled()).toBe(true);
    await eventually(() => page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
    for (let n = 0; n < 6; n++) await page.getByRole("button", { name: "Redo", exact: true }).click();
    await save(page);
    const body = await bodyOf(ids.Moved!);
    expect(body).toContain("<!-- what stands first -->");
    expect(body).toContain('href="https://shop.example/?a=1&amp;b={{plan}}"');
    expect(body).not.toContain("Left");
    await page.context().close();
  });

  test("a mail is written by keyboard alone: from the list to the saved template", async () => {
    const page = await stage.open("/templates");
    await page.getByRole("heading", { level: 1, name: "Templates" }).waitFor();
    await page.keyboard.press("n");
    const welcome = page.getByRole("button", { name: /^Welcome/ });
    await welcome.waitFor();
    await tabTo(page, /^Welcome/);
    await page.keyboard.press("Enter");
    // Drawn, and given the focus a moment later.
    await page.getByRole("dialog").locator("input:focus").waitFor();
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "By keyboard" }).waitFor();
    await tabTo(page, /^Button/);
    await page.keyboard.press("Alt+ArrowUp");
    await page.keyboard.press("Enter");
    await tabTo(page, /^Button text$/);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Go");
    await page.keyboard.press("Control+s");
    await page.getByText("Saved", { exact: true }).waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1)!;
    expect(await bodyOf(id)).toMatch(/>Go<\/mj-button>\s*<mj-text>It is good/);
    await page.context().close();
  });

  test("a section gets one more column, and the others make room for it", async () => {
    const id = await make("Columns");
    const page = await stage.open(`/templates/${id}`);
    const add = page.getByRole("button", { name: "Add a column" });
    await add.first().click();
    await page
      .locator("[data-path]:focus")
      .filter({ hasText: /^Column/ })
      .waitFor();
    await eventually(() => block(page, /^Column/).count()).toBe(4);
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Width" }).fill("40%");
    await mail(page).getByText("Your text").waitFor();
    await save(page);
    expect(await bodyOf(id)).toContain(
      '      <mj-column width="40%">\n        <mj-text>Your text</mj-text>\n      </mj-column>\n    </mj-section>',
    );
    await page.context().close();
  });

  test("a mail that is no MJML any more leads to the place in the code, and back when it is mended", async () => {
    const page = await stage.open(`/templates/${await make("Broken")}?edit=code`);
    await edited(page, "{{#if a");
    await page.getByText("Blocks", { exact: true }).click();
    await page.getByRole("heading", { name: "This mail cannot be shown as blocks" }).waitFor();
    await keepPicture(page, "template--no-blocks");
    await page.getByRole("button", { name: "Show it in the code" }).click();
    await page.keyboard.press("Control+z");
    await page.getByText("Blocks", { exact: true }).click();
    await block(page, /^Divider/).waitFor();
    await page.context().close();
  });
});

/** Steps on until what has the focus is called so. */
async function tabTo(page: OpenPage, name: RegExp): Promise<void> {
  for (let n = 0; n < 80; n++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
    });
    if (name.test(at.trim())) return;
  }
  throw new Error(`Cannot reach ${name} by Tab`);
}
