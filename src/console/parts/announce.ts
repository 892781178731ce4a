// What screen readers are told, though nothing has the focus: a new page, a result, a state that has changed.

const CLEAR_MS = 1_000;

/** Has it said after what is being said. The shell has the region. */
export function announce(text: string): void {
  const region = document.getElementById("announcements");
  if (!region) return;
  // The same words twice are said twice.
  region.textContent = "";
  setTimeout(() => (region.textContent = text), CLEAR_MS / 10);
  setTimeout(() => region.textContent === text && (region.textContent = ""), CLEAR_MS * 5);
}
