// Colours that cannot be read are found, whatever was judged before: each of these is broken on purpose.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { closeContexts, openBrowser } from "../support/chromium.ts";
import { colourFindings } from "../support/colours.ts";
import { loadAxe } from "../support/axe.ts";
import { describeInBrowser } from "./support.ts";

const STYLE = `<style>
  body { margin: 0; font: 16px/1.5 sans-serif; color: #222; background: #fff; }
  a { color: #0645ad; }
</style>`;
let page: Page;

/** The rules that are broken. */
const found = async (html: string) => {
  await page.setContent(`${STYLE}<main>${html}</main>`);
  await loadAxe(page);
  return (await colourFindings(page)).map((finding) => finding.split(":")[0]);
};

describeInBrowser("colours", () => {
  beforeAll(async () => {
    page = await (await openBrowser()).newPage({ viewport: { width: 600, height: 400 } });
    // All that is good in what follows has been passed by then.
    const good = `
      <p>Words</p><p style="color: #777; font-size: 24px">Large words</p><input value="Words">
      <div style="background: #111; color: #777; font-size: 24px">Large words on black</div>
      <p>Words with <a href="/">a link</a></p>`;
    expect([await found(good), await found(good)]).toEqual([[], []]);
  });

  afterAll(closeContexts);

  test.each([
    ["in a colour of their own", `<p>Words</p><p style="color: #ccc">Words</p>`],
    ["in a good colour before another ground", `<div style="background: #333"><p>Words</p></div>`],
    ["in a good colour that is faded", `<div style="opacity: 0.3"><p>Words</p></div>`],
    ["that are smaller than those which were passed", `<p style="color: #777; font-size: 12px">Words</p>`],
    ["in a field", `<input value="Words" style="color: #ccc">`],
    [
      "that lie on something which they do not stand in",
      `<div style="position: absolute; top: 0; left: 0; width: 300px; height: 100px; background: #333"></div>
       <p style="position: relative">Words</p>`,
    ],
    ["below the fold", `<div style="height: 900px"></div><p style="color: #ccc">Words</p>`],
  ])("of words %s are found, and found again", async (_, html) => {
    expect(await found(html)).toEqual(["color-contrast"]);
    expect(await found(html)).toEqual(["color-contrast"]);
  });

  test("of a link that is told from the words around it by its colour alone are found", async () => {
    const html = `<p>Words with <a href="/" style="text-decoration: none; color: #333">a link</a> and more of them</p>`;
    expect(await found(html)).toEqual(["link-in-text-block"]);
  });
});
