// Keys. Each is told with the words that `?` lists it under; two letters one after another are written `g c`.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

/** One key, or two in a row. `mod+k` is ⌘K on a Mac, and Ctrl+K elsewhere. */
export interface Shortcut {
  keys: string;
  label: string;
  /** Under which heading `?` lists it. */
  group: string;
}

interface Registered extends Shortcut {
  act: () => void;
}

const THIS_PAGE = "This page";
const PAUSE_MS = 1_200;
export const isMac = /mac|iphone|ipad/i.test(navigator.platform);

let registered: readonly Registered[] = [];
const listeners = new Set<() => void>();
let first: { key: string; at: number } | null = null;

/** Makes keys do something as long as the page or part is shown. Of two with the same keys the later one counts. */
export function useShortcut(
  keys: string | undefined,
  label: string,
  run: () => void,
  group = THIS_PAGE,
): void {
  const latest = useEffectEvent(run);
  useEffect(() => {
    if (!keys) return;
    const entry: Registered = { keys, label, group, act: () => latest() };
    change([...registered, entry]);
    return () => change(registered.filter((one) => one !== entry));
  }, [keys, label, group]);
}

/** All keys that do something now. */
export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => registered,
  );
}

/** Listens. Called once, by the shell. */
export function listenForKeys(): () => void {
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}

/** How a key is written: `⌘K`, `g c`. */
export function writtenKeys(keys: string): string[] {
  if (keys === "mod+k") return isMac ? ["⌘", "K"] : ["Ctrl", "K"];
  return keys.split(" ");
}

function change(next: readonly Registered[]): void {
  registered = next;
  for (const listener of listeners) listener();
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const isMod = isMac ? event.metaKey : event.ctrlKey;
  if (isMod && event.key.toLowerCase() === "k") return act("mod+k", event);
  // Letters belong to fields, and to dialogs while they are open.
  if (event.metaKey || event.ctrlKey || event.altKey || isTaken(event.target)) return;
  const isSecond = first !== null && event.timeStamp - first.at < PAUSE_MS;
  const pair = isSecond ? `${first!.key} ${event.key}` : null;
  first = null;
  if (pair && find(pair)) return act(pair, event);
  if (registered.some(({ keys }) => keys.startsWith(`${event.key} `))) {
    first = { key: event.key, at: event.timeStamp };
    return;
  }
  act(event.key, event);
}

function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[aria-modal="true"], [role="menu"]')) return true;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, [role=textbox]") !== null;
}

/** What a page does with keys goes before what they do everywhere. */
function find(keys: string): Registered | undefined {
  const all = registered.filter((one) => one.keys === keys);
  return all.findLast(({ group }) => group === THIS_PAGE) ?? all.at(-1);
}

function act(keys: string, event: KeyboardEvent): void {
  const shortcut = find(keys);
  if (!shortcut) return;
  event.preventDefault();
  shortcut.act();
}
