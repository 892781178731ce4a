// Pages that are loaded when they are needed.
import { type ComponentType, lazy, type LazyExoticComponent } from "react";

const NAME = "postrider.reloaded";
/** A page that was just reloaded, and still cannot be loaded, has another fault. */
const AGAIN_MS = 20_000;

/** A page that can be loaded before it is shown. */
export type LazyPage<P = object> = LazyExoticComponent<ComponentType<P>> & { load(): Promise<unknown> };

/**
 * A page whose code comes with its first visit. After an update of the service the files that this window knows are gone:
 * then the window is loaded anew, once.
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
