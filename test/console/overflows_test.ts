// Pages that do not fit are found: each of these is broken on purpose.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { closeContexts, openBrowser } from "../support/chromium.ts";
import { overflows } from "./overflows.ts";
import { describeInBrowser } from "./support.ts";

const STYLE = `<style>
  body { margin: 0; font: 16px/1.5 sans-serif; }
  .panel { width: 200px; padding: 10px; border: 1px solid; background: #fff; }
  .line { white-space: nowrap; }
  .cut { overflow: hidden; white-space: nowrap; }
  .short { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
</style>`;
const LONG = "Donaudampfschifffahrtsgesellschaftskapitän";
let page: Page;

const found = async (html: string) => {
  await page.setContent(`${STYLE}<main>${html}</main>`);
  await page.evaluate(() => document.querySelector(".scrolled")?.scrollTo({ top: 24 }));
  return await overflows(page);
};

describeInBrowser("what does not fit", () => {
  beforeAll(async () => {
    page = await (await openBrowser()).newPage({ viewport: { width: 600, height: 400 } });
  });

  afterAll(closeContexts);

  test.each([
    [
      "a word that is longer than its panel",
      `<div class="panel">${LONG}</div>`,
      [`“${LONG}” spills out of div`],
    ],
    [
      "a line in a list that goes on beside it",
      `<ul class="panel"><li class="line">one two three four five six seven</li></ul>`,
      ["“one two three four five six seven” spills out of li"],
    ],
    [
      "a cell whose text runs into the next one",
      `<table style="table-layout: fixed; width: 200px"><tr><td class="line">one two three four five</td><td>six</td></tr></table>`,
      ["“one two three four five” spills out of td", "“one two three four five” and “six” overlap"],
    ],
    [
      "text on top of other text in a panel",
      `<div class="panel"><p>The first one</p><p style="margin-top: -40px">The other one</p></div>`,
      ["“The first one” and “The other one” overlap"],
    ],
    [
      "text that is cut off without a word",
      `<div class="panel"><div class="cut">one two three four five six seven</div></div>`,
      ["“one two three four five six seven” is cut off by div"],
    ],
    [
      "a button out of its card",
      `<div class="panel"><button aria-label="Save" style="width: 260px"></button></div>`,
      ["“button “Save”” spills out of div"],
    ],
    [
      "more than the window",
      `<div style="width: 700px; height: 10px"></div>`,
      ["html: 700 > 600", "main: 700 > 600"],
    ],
  ])("%s is found", async (_what, html, faults) => {
    expect(await found(html)).toEqual(faults);
  });

  test.each([
    ["what ends with an ellipsis", `<div class="panel"><div class="short">${LONG}</div></div>`],
    [
      "what can be scrolled",
      `<div class="panel"><div style="overflow-x: auto" class="line">${LONG} ${LONG}</div></div>`,
    ],
    [
      "text behind a dialog",
      `<p>The page below</p><div role="dialog" class="panel" style="position: fixed; top: 0">The dialog above</div>`,
    ],
    [
      "text that was scrolled away beneath other text",
      `<p style="margin: 0">The bar</p><div style="height: 60px; overflow: auto" class="scrolled"><p style="margin: 0">The first line</p><p>A second</p><p>A third</p></div>`,
    ],
    [
      "words for readers of the screen",
      `<div class="panel"><span style="position: absolute; width: 1px; height: 1px; overflow: hidden">${LONG}</span></div>`,
    ],
    [
      "lines that follow each other closely",
      `<div class="panel" style="line-height: 1">one two three four five six</div>`,
    ],
  ])("%s is not", async (_what, html) => {
    expect(await found(html)).toEqual([]);
  });
});
