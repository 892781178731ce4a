import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { type Language, PHRASES } from "../../src/content/languages/mod.ts";
import { subscriptionUrls } from "../../src/sending/compose/subscription_links.ts";
import { ARTEFACTS, CHROMIUM, closeContexts, noChromium, openBrowser } from "../support/chromium.ts";
import { useService } from "../support/service.ts";

const DEVICES = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
};

const ALL_LOOKS = (["phone", "desktop"] as const).flatMap((device) =>
  (["light", "dark"] as const).map((colorScheme) => [device, colorScheme] as const),
);
/** `bun run test:tour` looks at each device in each scheme, the suite at each of them once. */
const isLong = process.env.TOUR === "long";
const LOOKS = isLong
  ? ALL_LOOKS
  : ([
      ["phone", "dark"],
      ["desktop", "light"],
    ] as const);
const inLooks = isLong ? "in every look, " : "";

// The contrast of every text with what it stands on (WCAG 2.2, 1.4.3), and how far the page is wider than the window.
const MEASURE = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).slice(0, 3).map((c) => c / 255).map((c) =>
      c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((channels(color)[3] ?? 1) === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = [...document.body.querySelectorAll("*")].filter((element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""));
  return {
    contrasts: texts.map((element) => {
      const [light, dark] = [getComputedStyle(element).color, ground(element)]
        .map(luminance).sort((a, b) => b - a);
      return { text: element.textContent.trim(), ratio: (light + 0.05) / (dark + 0.05) };
    }),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    smallestTarget: Math.min(...[...document.querySelectorAll("button, label")]
      .map((element) => element.getBoundingClientRect().height)),
  };
})()`;

interface Measured {
  contrasts: { text: string; ratio: number }[];
  overflow: number;
  smallestTarget: number;
}

const service = useService();

describe.skipIf(!CHROMIUM)(`the pages in a browser without JavaScript${noChromium}`, () => {
  let browser: Browser;
  let server: Bun.Server<undefined>;
  let project: NewProject;
  let page: Page;
  let requested: string[] = [];
  const pages = new Map<keyof typeof DEVICES, Promise<Page>>();

  beforeAll(async () => {
    server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: service.app.fetch });
    project = await service.createProject();
    await service.pool`update projects set name = 'Fjord & Finch' where id = ${project.id}`;
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closeContexts();
    await server?.stop(true);
  });

  let serial = 0;

  /** The links of a new contact, on the server of this test. */
  async function links(locale: Language = "en") {
    const email = `${locale}${serial++}.lovelace@example.com`;
    const { body } = await service.request("POST", "/contacts", {
      key: project.secret,
      body: { email, data: { locale } },
    });
    const at = (url: string) => url.replace(service.config.BASE_URL, server.url.origin);
    const { unsubscribeUrl, subscribeUrl, manageUrl } = subscriptionUrls(service, project.id, body.id);
    const isSubscribed = async () => {
      const [row] = await service.pool`select subscribed from contacts where id = ${body.id}`;
      return row!.subscribed as boolean;
    };
    return {
      unsubscribe: at(unsubscribeUrl),
      subscribe: at(subscribeUrl),
      manage: at(manageUrl),
      isSubscribed,
    };
  }

  /** The one window of a device: these pages keep nothing in it. */
  async function windowOf(device: keyof typeof DEVICES): Promise<Page> {
    const made = await browser.newPage({
      javaScriptEnabled: false,
      deviceScaleFactor: device === "phone" ? 2 : 1,
    });
    made.on("request", (sent) =>
      requested.push(`${sent.method()} ${new URL(sent.url()).pathname.split("/")[1]}`),
    );
    return made;
  }

  /** Turns to the window of a device; what it asks for is noted from now on. */
  async function look(
    device: keyof typeof DEVICES,
    colorScheme: "light" | "dark",
    viewport = DEVICES[device],
  ) {
    if (!pages.has(device)) pages.set(device, windowOf(device));
    page = await pages.get(device)!;
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    requested = [];
  }

  const heading = async () => await page.getByRole("heading", { level: 1 }).textContent();

  /** Takes a picture, and measures what is in it. */
  async function inspect(name: string) {
    await page.screenshot({ path: `${ARTEFACTS}subscription_${name}.png`, fullPage: true });
    const { contrasts, overflow, smallestTarget } = (await page.evaluate(MEASURE)) as Measured;
    expect(contrasts.length).toBeGreaterThan(1);
    expect(contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    expect(overflow).toBe(0);
    expect(smallestTarget).toBeGreaterThanOrEqual(44);
  }

  /** Goes to the next thing that the keyboard reaches, and makes sure that its outline is seen. */
  async function tab(): Promise<string> {
    await page.keyboard.press("Tab");
    const { name, outline } = (await page.evaluate(`(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      const element = document.activeElement;
      return { name: (element.labels?.[0] ?? element).textContent.trim(), outline: outlineStyle + outlineWidth };
    })()`)) as { name: string; outline: string };
    expect(outline).toBe("solid3px");
    return name;
  }

  test.each(LOOKS)(
    `${inLooks}on a %s in %s: out, and back in, by keyboard alone`,
    async (device, colorScheme) => {
      const { unsubscribe, isSubscribed } = await links();
      const { leave, left, joined } = PHRASES.en;
      const shot = (name: string) => inspect(`${device}_${colorScheme}_${name}`);
      await look(device, colorScheme);

      await page.goto(unsubscribe);
      expect(await heading()).toBe(leave.heading);
      await shot("1_ask");
      expect(await isSubscribed()).toBe(true);
      expect(await tab()).toBe(leave.button);
      await page.keyboard.press("Enter");

      await page.getByRole("heading", { name: left.heading }).waitFor();
      await shot("2_done");
      expect(await isSubscribed()).toBe(false);
      expect(await tab()).toBe(left.button);
      await page.keyboard.press("Enter");

      await page.getByRole("heading", { name: joined.heading }).waitFor();
      await shot("3_undone");
      expect(await isSubscribed()).toBe(true);
      expect(requested).toEqual(["GET unsubscribe", "POST unsubscribe", "POST subscribe"]);
    },
  );

  test.each(LOOKS)(
    `${inLooks}on a %s in %s: the choice is made by keyboard alone`,
    async (device, colorScheme) => {
      const { manage, subscribe, isSubscribed } = await links("de");
      const phrases = PHRASES.de;
      const shot = (name: string) => inspect(`${device}_${colorScheme}_${name}`);
      await look(device, colorScheme);

      await page.goto(manage);
      expect(await heading()).toBe(phrases.manage.heading);
      await shot("4_manage");
      expect(await tab()).toBe(phrases.manage.yes);
      await page.keyboard.press("ArrowDown");
      expect(await tab()).toBe(phrases.manage.button);
      await page.keyboard.press("Enter");

      await page.getByText(phrases.manage.saved).waitFor();
      expect(await page.getByRole("radio", { name: phrases.manage.no }).isChecked()).toBe(true);
      await shot("5_managed");
      expect(await isSubscribed()).toBe(false);

      await page.goto(subscribe);
      expect(await heading()).toBe(phrases.join.heading);
      await shot("6_join");
    },
  );

  test.each(LOOKS)(
    `${inLooks}on a %s in %s: a link that does not work is no dead end of JSON`,
    async (device, colorScheme) => {
      await look(device, colorScheme);

      const answer = await page.goto(`${server.url}manage/nothing`);

      expect(answer!.status()).toBe(404);
      expect(await heading()).toBe(PHRASES.en.missing.heading);
      await inspectNotice(`${device}_${colorScheme}_7_missing`);
    },
  );

  /** As {@linkcode inspect}, for a page without anything to press. */
  async function inspectNotice(name: string) {
    await page.screenshot({ path: `${ARTEFACTS}subscription_${name}.png`, fullPage: true });
    const { contrasts, overflow } = (await page.evaluate(MEASURE)) as Measured;
    expect(contrasts.length).toBe(2);
    expect(contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
    expect(overflow).toBe(0);
  }

  test("every language fits a narrow phone, with a name and an address of any length", async () => {
    await look("phone", "light", { width: 320, height: 640 });
    const name = "Donaudampfschifffahrtsgesellschaftskapitänsmützenmanufaktur & Söhne, Wien";
    await service.pool`update projects set name = ${name} where id = ${project.id}`;

    for (const language of Object.keys(PHRASES) as Language[]) {
      const { unsubscribe, manage } = await links(language);
      for (const url of [unsubscribe, manage]) {
        await page.goto(url);
        expect(await page.getAttribute("html", "lang")).toBe(language);
        await inspect(`narrow_${language}_${url === manage ? "manage" : "ask"}`);
      }
    }
  });
});
