// What does not fit: the window, the sheet, and within them text and controls that spill out of their box, stand on each other,
// or are cut off without an ellipsis.
import type { Page } from "playwright-core";

/** What does not fit on a page, each with its words. What lies below the fold is looked at too, what is covered is not. */
export async function overflows(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    /** Lines of text are a little higher than the room that they are given, and widths are rounded. */
    const SLACK = 1.5;
    const LEAST_OVERLAP = 2;
    /** A canvas is moved: what lies on it may reach out of sight. */
    const CANVAS = "[role=application]";

    interface Leaf {
      element: Element;
      words: string;
      rect: DOMRect;
      isText: boolean;
    }

    const nameOf = (element: Element) => {
      const role = element.getAttribute("role");
      const name = element.getAttribute("aria-label");
      return `${element.tagName.toLowerCase()}${role ? `[${role}]` : ""}${name ? ` “${name}”` : ""}`;
    };
    const styles = new Map<Element, CSSStyleDeclaration>();
    const styleOf = (element: Element) => {
      const known = styles.get(element);
      if (known) return known;
      const style = getComputedStyle(element);
      styles.set(element, style);
      return style;
    };
    const isClear = (color: string) => color === "transparent" || /, 0\)$|\/ 0\)$/.test(color);

    /** Shown to nobody: for readers of the screen. */
    const isHidden = (element: Element) => {
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
      for (let one: Element | null = element; one; one = one.parentElement) {
        const { width, height } = one.getBoundingClientRect();
        if (width <= 1 && height <= 1 && styleOf(one).overflowX !== "visible") return true;
      }
      return false;
    };

    /** A thing with an edge that people see: a panel, a button, a row, a cell. */
    const isBox = (element: Element) => {
      if (element.matches("td, th, li, [role=row], [role=cell], [role=dialog], main, body")) return true;
      const style = styleOf(element);
      const hasEdge = style.borderRightStyle !== "none" && parseFloat(style.borderRightWidth) > 0;
      return hasEdge || !isClear(style.backgroundColor);
    };

    const leaves = (): Leaf[] => {
      const found: Leaf[] = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        const words = node.textContent?.trim() ?? "";
        if (
          !element ||
          words === "" ||
          element.closest(`svg, script, style, .cm-editor, ${CANVAS}`) ||
          isHidden(element)
        ) {
          continue;
        }
        range.selectNodeContents(node);
        for (const rect of range.getClientRects()) {
          if (rect.width > 0) found.push({ element, words: words.slice(0, 60), rect, isText: true });
        }
      }
      for (const element of document.querySelectorAll("button, input, select, textarea, [role=img], table")) {
        if (
          element.closest(`svg, script, style, .cm-editor, ${CANVAS}`) ||
          isHidden(element) ||
          !element.parentElement
        )
          continue;
        const rect = element.getBoundingClientRect();
        if (rect.width > 0) found.push({ element, words: nameOf(element), rect, isText: false });
      }
      return found;
    };

    /** How far something reaches out of a box, at either side. */
    const beyond = (rect: DOMRect, box: DOMRect) => Math.max(rect.right - box.right, box.left - rect.left);

    /** Whether it leaves the box that it stands in, or is cut off by what is around it. */
    const spillOf = ({ element, words, rect, isText }: Leaf): string | null => {
      for (let one = isText ? element : element.parentElement; one; one = one.parentElement) {
        const style = styleOf(one);
        const box = one.getBoundingClientRect();
        const by = beyond(rect, box);
        if (/auto|scroll/.test(style.overflowX)) return null;
        if (style.overflowX !== "visible") {
          const isShort = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
          return by > SLACK && !isShort ? `“${words}” is cut off by ${nameOf(one)}` : null;
        }
        if (isBox(one)) return by > SLACK ? `“${words}” spills out of ${nameOf(one)}` : null;
        if (style.position === "fixed") return null;
      }
      return null;
    };

    /** Whether a point of it has been scrolled out of what it stands in. */
    const isScrolledAway = (element: Element, x: number, y: number) => {
      for (let one: Element | null = element; one; one = one.parentElement) {
        const { overflowX, position } = styleOf(one);
        const { left, right, top, bottom } = one.getBoundingClientRect();
        if (overflowX !== "visible" && (x < left || x > right || y < top || y > bottom)) return true;
        if (position === "fixed") return false;
      }
      return false;
    };

    /** Whether people see it: within the window, and behind nothing that has a colour. */
    const isSeen = ({ element, rect }: Leaf) => {
      const [x, y] = [rect.left + rect.width / 2, rect.top + rect.height / 2];
      if (isScrolledAway(element, x, y)) return false;
      for (const above of document.elementsFromPoint(x, y)) {
        if (above === element || above.contains(element)) return true;
        if (!element.contains(above) && !isClear(styleOf(above).backgroundColor)) return false;
      }
      return false;
    };

    /** Text that stands on other text. Lines are compared by their middle: their edges touch. */
    const collisions = (all: Leaf[]): string[] => {
      const texts = all.filter((leaf) => leaf.isText).toSorted((a, b) => a.rect.top - b.rect.top);
      const found: string[] = [];
      const middle = ({ top, height }: DOMRect) => [top + height * 0.3, top + height * 0.7] as const;
      for (const [n, one] of texts.entries()) {
        const [top, bottom] = middle(one.rect);
        for (const other of texts.slice(n + 1)) {
          if (other.rect.top > one.rect.bottom) break;
          const [otherTop, otherBottom] = middle(other.rect);
          const high = Math.min(bottom, otherBottom) - Math.max(top, otherTop);
          const wide = Math.min(one.rect.right, other.rect.right) - Math.max(one.rect.left, other.rect.left);
          if (high <= 0 || wide < LEAST_OVERLAP || isShortened(one) || isShortened(other)) continue;
          if (isSeen(one) && isSeen(other)) found.push(`“${one.words}” and “${other.words}” overlap`);
        }
      }
      return found;
    };

    /** What is behind an ellipsis is not there. */
    const isShortened = ({ element, rect }: Leaf) => {
      for (let one: Element | null = element; one; one = one.parentElement) {
        if (styleOf(one).overflowX !== "visible") return beyond(rect, one.getBoundingClientRect()) > 0;
      }
      return false;
    };

    const wide = [document.documentElement, ...document.querySelectorAll("main")]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => `${nameOf(element)}: ${element.scrollWidth} > ${element.clientWidth}`);
    const all = leaves();
    const spilled = all.map(spillOf).filter((fault) => fault !== null);
    return [...new Set([...wide, ...spilled, ...collisions(all)])];
  });
}
