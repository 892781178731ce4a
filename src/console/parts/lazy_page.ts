// Pages that are loaded when they are needed.
import { type ComponentType, lazy, type LazyExoticComponent } from "react";

const NAME = "postrider.reloaded";
/** A page that was just reloaded, and still cannot be loaded, has another fault. */
const AGAIN_MS = 20_000;

/** A page that can be loaded before it is shown. */
export type LazyPage<P = object> = LazyExoticComponent<ComponentType<P>> & { load(): Promise<unknown> };

/**
 * A page whose code comes with its first visit. After an update of the service the files that this window knows are gone:
 * then the window is reloaded, once.
 */
export function lazyPage<P = object>(load: () => Promise<{ default: ComponentType<P> }>): LazyPage<P> {
  const guarded = () =>
    load().catch((error: unknown) => {
      const before = Number(sessionStorage.getItem(NAME));
      if (!navigator.onLine || Date.now() - before < AGAIN_MS) throw error;
      sessionStorage.setItem(NAME, String(Date.now()));
      window.location.reload();
      // Nothing is shown until then.
      return new Promise<never>(() => {});
    });
  return Object.assign(lazy(guarded), { load });
}

const IDLE_MS = 2_000;

/**
 * Loads pages one after the other while the browser has nothing else to do, so that a step by key, which no pointer comes
 * before, finds them there. Not for those who save data. Returns what ends it.
 */
export function loadAhead(pages: LazyPage[]): () => void {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  let isOver = connection?.saveData === true;
  const rest = [...pages];
  const next = () => {
    const page = isOver ? undefined : rest.shift();
    // One that cannot be loaded says so when it is shown.
    if (page) void page.load().then(wait, () => {});
  };
  // Safari has no idle times.
  const wait = () =>
    "requestIdleCallback" in window
      ? void requestIdleCallback(next, { timeout: IDLE_MS * 5 })
      : void setTimeout(next, IDLE_MS / 10);
  const timer = setTimeout(wait, IDLE_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
