// Which project to open first. It is a suggestion only: what a page shows is said by its address.
const NAME = "postrider.project";

/** The id of the project that was opened last in this browser. */
export function lastProject(): string | null {
  try {
    return localStorage.getItem(NAME);
  } catch {
    return null;
  }
}

/** Remembers it. Browsers that keep nothing open the first project. */
export function rememberProject(id: string): void {
  try {
    localStorage.setItem(NAME, id);
  } catch {
    // Storage is full, or forbidden.
  }
}
