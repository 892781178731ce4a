// Pages and parts that are loaded when they are needed.
import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { LoadingPage } from "./states.tsx";

const NAME = "postrider.reloaded";
/** A page that was just reloaded, and still cannot be loaded, has another fault. */
const AGAIN_MS = 20_000;

/** A page that can be loaded before it is shown. */
export interface LazyPage<P = object> {
  (props: P): ReactNode;
  /** Loads its code, and shows nothing. Rejects where it cannot be loaded; it is tried again when it is shown. */
  load(): Promise<unknown>;
}

/**
 * A page, or a part of one, whose code comes when it is shown for the first time; until then `fallback` is there. What cannot
 * be loaded is thrown to the boundary around it. After an update of the service the files that this window knows are gone: then the
 * window is reloaded, once.
 *
 * Not React's `lazy`: it suspends even where the code is there already, and React shows what was suspended 300 ms after its fallback
 * at the earliest.
 */
export function lazyPage<P extends object = object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  fallback: ReactNode = <LoadingPage />,
): LazyPage<P> {
  let Loaded: ComponentType<P> | undefined;
  const keep = async () => {
    Loaded ??= (await load()).default;
  };
  function Lazy(props: P) {
    // Asked for at once, not after the first paint.
    const [loading] = useState(() => (Loaded ? null : keep().catch(reloadOnce)));
    const [, setLoaded] = useState(false);
    const [fault, setFault] = useState<{ error: unknown }>();
    useEffect(() => {
      let isShown = true;
      loading?.then(
        () => isShown && setLoaded(true),
        (error: unknown) => isShown && setFault({ error }),
      );
      return () => {
        isShown = false;
      };
    }, [loading]);
    if (fault) throw fault.error;
    return Loaded ? <Loaded {...props} /> : fallback;
  }
  return Object.assign(Lazy, { load: keep });
}

/** Reloads the window after what could not be loaded, or throws it again where that was tried a moment ago, or cannot help. */
function reloadOnce(error: unknown): Promise<never> {
  const before = Number(sessionStorage.getItem(NAME));
  if (!navigator.onLine || Date.now() - before < AGAIN_MS) throw error;
  sessionStorage.setItem(NAME, String(Date.now()));
  window.location.reload();
  // Nothing is shown until then.
  return new Promise<never>(() => {});
}

const IDLE_MS = 2_000;
/** Between two frames of a list that scrolls there is less: a page that comes then costs a frame of 100 ms and more. */
const FREE_MS = 30;

/**
 * Loads pages one after another while the browser has nothing else to do, so that a step by key, which no pointer comes
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
      ? void requestIdleCallback((idle) =>
          idle.timeRemaining() < FREE_MS ? void setTimeout(wait, IDLE_MS / 4) : next(),
        )
      : void setTimeout(next, IDLE_MS / 10);
  const timer = setTimeout(wait, IDLE_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
