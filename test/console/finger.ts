// A finger on a page: the driver's own drag is that of a mouse.
import type { Locator, Page } from "playwright-core";

/** Drags from the middle of one element to a place in another, waits for `taken`, and lets go. */
export async function dragByFinger(
  page: Page,
  from: Locator,
  to: Locator,
  { position, taken }: { position?: { x: number; y: number }; taken: Locator },
): Promise<void> {
  const [start, target] = [(await from.boundingBox())!, (await to.boundingBox())!];
  const at = {
    x: target.x + (position?.x ?? target.width / 2),
    y: target.y + (position?.y ?? target.height / 2),
  };
  const begin = { x: start.x + start.width / 2, y: start.y + start.height / 2 };
  const cdp = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: { x: number; y: number }[]) =>
    cdp.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", begin);
  await touch("touchMove", { x: (begin.x + at.x) / 2, y: (begin.y + at.y) / 2 });
  await touch("touchMove", at);
  await taken.waitFor();
  await touch("touchEnd");
  await cdp.detach();
}
