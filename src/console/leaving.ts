// The way out of a page where something is being written. Links, keys, another project and the back button ask first, and so
// does the browser before it closes the window. Entries of the history are numbered, so that a step back can be taken back.
import type { AroundNavHandler, BaseLocationHook } from "wouter";
import { navigate, useLocationProperty } from "wouter/use-browser-location";
import { confirm } from "./parts/question.ts";

/** Something that is being written. */
export interface Draft {
  isUnsaved: () => boolean;
  /** Whether it goes away with any part of the address, and not with the page only: in a dialog that the address opens. */
  isInAddress: boolean;
  /** Told when somebody has chosen to lose it: what is kept of it elsewhere goes, too. */
  discard?: (() => void) | undefined;
}

const drafts = new Set<Draft>();

/** Has the console ask before this is lost, until the function that it returns is called. */
export function addDraft(draft: Draft): () => void {
  if (drafts.size === 0) window.addEventListener("beforeunload", askToClose);
  drafts.add(draft);
  return () => forget([draft]);
}

function forget(some: Iterable<Draft>): void {
  for (const draft of some) drafts.delete(draft);
  if (drafts.size === 0) window.removeEventListener("beforeunload", askToClose);
}

/** Whether something has been written and not saved. */
export const hasUnsaved = (some: Iterable<Draft> = drafts): boolean =>
  [...some].some((draft) => drafts.has(draft) && draft.isUnsaved());

/** Does it at once where nothing is lost by it, and asks first where something is. `some`: what goes away, if not all. */
export function leave(go: () => unknown, some: Iterable<Draft> = drafts): void {
  const lost = [...some];
  if (!hasUnsaved(lost)) return void go();
  confirm({
    title: "Discard your changes?",
    children: "It is not saved yet.",
    action: "Discard",
    stay: "Keep writing",
    act: async () => {
      for (const draft of lost) if (drafts.has(draft) && draft.isUnsaved()) draft.discard?.();
      forget(lost);
      await go();
    },
  });
}

function askToClose(event: BeforeUnloadEvent): void {
  if (hasUnsaved()) event.preventDefault();
}

/** An entry of the history. */
interface Entry {
  number: number;
  pathname: string;
  search: string;
}

/** What is shown. While a step is taken back, the browser is elsewhere. */
let here: Entry;
let isReturning = false;
/** How many entries further the step led that is taken back. */
let wanted = 0;

/** Begins. Called once, before anything is shown. */
export function watchHistory(): void {
  settle(numberOf(window.history.state) ?? 0);
  window.history.replaceState({ ...window.history.state, entry: here.number }, "");
  // Before the router sees it.
  window.addEventListener("popstate", onStep, { capture: true });
}

/** For the router: the path. */
export const usePlace: BaseLocationHook = () => [useLocationProperty(() => place().pathname), navigate];

/** For the router: what follows the path. */
export const usePlaceSearch = () => useLocationProperty(() => place().search);

/** For the router: asks before it continues, and numbers what it adds to the history. */
export const aroundNav: AroundNavHandler = (next, to, options = {}) => {
  const go = () => {
    const number = options.replace ? here.number : here.number + 1;
    next(to, { ...options, state: { ...options.state, entry: number } });
    settle(number);
  };
  leave(go, lostBy(new URL(to, window.location.href)));
};

function onStep(event: PopStateEvent): void {
  const number = numberOf(event.state) ?? numbered();
  if (isReturning) {
    event.stopImmediatePropagation();
    if (number !== here.number) return window.history.go(here.number - number);
    isReturning = false;
    return leave(() => window.history.go(wanted));
  }
  if (number === here.number || !hasUnsaved(lostBy(window.location))) return settle(number);
  event.stopImmediatePropagation();
  isReturning = true;
  wanted = number - here.number;
  window.history.go(-wanted);
}

const place = () => (isReturning ? here : window.location);

function settle(number: number): void {
  const { pathname, search } = window.location;
  here = { number, pathname, search };
}

function numberOf(state: unknown): number | undefined {
  return (state as { entry?: number } | null)?.entry;
}

/** A link within the page, such as the one past the navigation, has added an entry by itself. */
function numbered(): number {
  const number = here.number + 1;
  window.history.replaceState({ entry: number }, "");
  return number;
}

function lostBy(to: URL | Location): Draft[] {
  const isOtherPage = to.pathname !== here.pathname;
  const isOther = isOtherPage || to.search !== here.search;
  return [...drafts].filter(({ isInAddress }) => isOtherPage || (isInAddress && isOther));
}
