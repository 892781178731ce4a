// The colours of a page, judged by axe once for each look: whether text can be read depends on its colour and size and on what
// lies behind and before it, and on nothing else. To judge every text of every page again is a third of what tests of pages cost.
import type { Page } from "playwright-core";

/** Those that {@linkcode colourFindings} judges. */
const RULES = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** Looks that axe has passed, of all pages of this process. */
const passed = new Set<string>();

/** What axe finds in the looks that it has not passed yet. The page has axe. */
export async function colourFindings(page: Page): Promise<string[]> {
  const unknown = (await page.evaluate(collectLooks)).filter((look) => !passed.has(look));
  if (unknown.length === 0) return [];
  const { findings, good } = await page.evaluate(judge, { looks: unknown, rules: RULES });
  for (const look of findings.length === 0 ? good : []) passed.add(look);
  return findings;
}

interface Judged {
  findings: string[];
  /** The looks that were passed. Of text that axe cannot judge it says neither: it is asked again. */
  good: string[];
}

/** Runs in the page. */
async function judge({ looks, rules }: { looks: string[]; rules: object }): Promise<Judged> {
  // oxlint-disable-next-line typescript/no-explicit-any
  const { axe, postriderLooks } = globalThis as any as {
    // oxlint-disable-next-line typescript/no-explicit-any
    axe: { run(context: unknown, options: unknown): Promise<any> };
    postriderLooks: Map<string, Element[]>;
  };
  const elements = looks.flatMap((look) => postriderLooks.get(look)!);
  const options = { runOnly: rules, resultTypes: ["violations", "passes"], elementRef: true };
  const { violations, passes } = await axe.run({ include: elements }, options);
  const good = new Set<Element>(passes.flatMap((rule: any) => rule.nodes.map((node: any) => node.element)));
  return {
    findings: violations.flatMap((rule: any) =>
      rule.nodes.map((node: any) => `${rule.id}: ${node.target.join(" ")} ${node.failureSummary}`),
    ),
    good: looks.filter(
      (look) => look.startsWith("link") || postriderLooks.get(look)!.some((element) => good.has(element)),
    ),
  };
}

/** Runs in the page: the looks of its texts, which it remembers with their elements. */
function collectLooks(): string[] {
  const looks = new Map<string, Element[]>();
  Object.assign(globalThis, { postriderLooks: looks });

  const styles = new Map<Element, CSSStyleDeclaration>();
  const styleOf = (element: Element) => {
    const style = styles.get(element) ?? getComputedStyle(element);
    styles.set(element, style);
    return style;
  };
  /** What an element adds to what is seen of those within it; empty where it adds nothing. */
  const groundOf = (element: Element) => {
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode } = styleOf(element);
    const color = /, 0\)$|\/ 0\)$|^transparent$/.test(backgroundColor) ? "" : backgroundColor;
    const image = backgroundImage === "none" ? "" : backgroundImage;
    const rest = opacity + filter + mixBlendMode;
    return color + image + (rest === "1nonenormal" ? "" : rest);
  };
  const grounds = new Map<Element, string>();
  /** All that lies behind it because it stands in it. */
  const groundsOf = (element: Element): string => {
    const known = grounds.get(element);
    if (known !== undefined) return known;
    const parent = element.parentElement;
    const all = `${groundOf(element)}<${parent ? groundsOf(parent) : ""}`.replace(/^<(?=.)/, "");
    grounds.set(element, all);
    return all;
  };
  /** What lies before and behind a point of it though it does not stand in it; `?`: it cannot be pointed at there. */
  const neighboursAt = (element: Element, { left, top, width, height }: DOMRect): string => {
    const stack = document.elementsFromPoint(left + width / 2, top + height / 2);
    const at = stack.findIndex((one) => one === element || element.contains(one));
    const others = stack
      .map((one, n) => ({ one, isBefore: n < at }))
      .filter(({ one }) => !one.contains(element) && !element.contains(one) && groundOf(one) !== "");
    const isOut = at < 0 && stack.length > 0 ? "?" : "";
    return isOut + others.map(({ one, isBefore }) => `${isBefore ? "+" : "-"}${groundOf(one)}`).join("");
  };
  const range = document.createRange();
  /** Where its own words are, line by line. */
  const linesOf = (element: Element): DOMRect[] =>
    [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .flatMap((node) => (range.selectNodeContents(node), [...range.getClientRects()]));
  const fontOf = (element: Element) => {
    const { color, fontSize, fontWeight, textShadow } = styleOf(element);
    return `${color} ${fontSize} ${fontWeight} ${textShadow}`;
  };
  const lineOf = (element: Element) => {
    const { textDecorationLine, fontStyle, borderBottom, display } = styleOf(element);
    return `${fontOf(element)} ${textDecorationLine} ${fontStyle} ${borderBottom} ${display}`;
  };
  const remember = (look: string, element: Element) =>
    void (looks.get(look)?.push(element) ?? looks.set(look, [element]));

  const ownText = (element: Element) =>
    [...element.childNodes]
      .map((node) => (node.nodeType === Node.TEXT_NODE ? node.nodeValue : ""))
      .join("")
      .trim();
  /** To axe a single sign is no text, of what is drawn it cannot tell, and what is switched off need not be read. */
  const isJudged = (element: Element, text: string) =>
    text.length > 1 &&
    !element.closest(":disabled, [aria-disabled=true], [aria-hidden=true], [inert], script, style, svg");

  for (const element of document.body.querySelectorAll("*")) {
    const isField = element.matches("input, select, textarea");
    const text = isField ? (element as HTMLInputElement).value : ownText(element);
    if (
      !isJudged(element, text) ||
      !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    )
      continue;
    const { right, bottom, width, height } = element.getBoundingClientRect();
    // For readers of the screen, or out of sight until it has the focus.
    if (width <= 1 || height <= 1 || right + scrollX <= 0 || bottom + scrollY <= 0) continue;
    const lines = isField ? [element.getBoundingClientRect()] : linesOf(element);
    const neighbours = [...new Set(lines.map((line) => neighboursAt(element, line)))].join("/");
    remember(
      `${isField ? "field" : "text"} ${fontOf(element)} on ${groundsOf(element)} near ${neighbours}`,
      element,
    );
    const around = element.closest("a[href]")?.parentElement;
    if (around && ownText(around) !== "") {
      const link = element.closest("a[href]")!;
      remember(`link ${lineOf(link)} in ${lineOf(around)} on ${groundsOf(link)}`, link);
    }
  }
  return [...looks.keys()];
}
