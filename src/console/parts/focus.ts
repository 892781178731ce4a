// Where the focus was. A dialog gives it back to what had it; if that has gone, such as an entry of a menu, it is lost.

const REMEMBERED = 12;
let before: HTMLElement[] = [];

/** Begins to remember what has the focus. Called once. */
export function watchFocus(): void {
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    before = [target, ...before.filter((element) => element !== target && element.isConnected)];
    before.length = Math.min(before.length, REMEMBERED);
  });
}

/** Puts the focus where it was last, if nothing has it: what had it is gone. */
export function bringFocusBack(): void {
  if (document.activeElement !== document.body) return;
  const last = before.find((element) => element.isConnected && element.checkVisibility());
  last?.focus({ preventScroll: true });
}
