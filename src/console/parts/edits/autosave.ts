// Saving by itself: when the typing pauses, when the service answers again, and when the page is left.
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react";
import { connection } from "../../connection.ts";
import { forgetDraft, keepDraft } from "../kept_drafts.ts";
import type { Kept } from "./kept.ts";

const PAUSE_MS = 1_200;

interface Props<W> {
  isOn: boolean;
  /** Whether there is something that can be saved now. */
  isDue: boolean;
  /** Whether there is something to save, as soon as what is on its way has arrived. */
  isOwed: boolean;
  /** Under which it is kept in this browser. */
  name: string;
  /** What is not saved; null: nothing. */
  kept: Kept<W> | null;
  save: () => Promise<void>;
  /** Saves it when nothing of the page is there any more. Rejects where it is refused. */
  saveOnTheWayOut: () => Promise<void>;
}

/** Saves what is due. What cannot be saved on the way out stays in this browser, and is found there by the next visit. */
export function useSavingItself<W>({
  isOn,
  isDue,
  isOwed,
  name,
  kept,
  save,
  saveOnTheWayOut,
}: Props<W>): void {
  const isLost = useSyncExternalStore(connection.subscribe, connection.isLost);
  const act = useEffectEvent(() => void save());
  const words = kept?.words;
  useEffect(() => {
    if (!isOn || !isDue || isLost) return;
    const timer = setTimeout(act, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isOn, isDue, isLost, words]);

  const latest = useRef<(() => void) | null>(null);
  useEffect(() => {
    latest.current =
      isOn && kept
        ? () => {
            keepDraft(name, kept);
            if (isOwed) void saveOnTheWayOut().then(() => forgetDraft(name), noop);
          }
        : null;
  });
  useEffect(() => () => latest.current?.(), []);
}

const noop = () => {};
