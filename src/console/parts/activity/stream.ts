// What happens in the project, as it happens: followed while somebody can see it, and told once for each frame of the screen,
// however much it is.
import { useEffect, useEffectEvent, useState } from "react";
import type { Activity } from "../../api.gen.ts";
import { type Input, linkTo } from "../../api.ts";
import { useProjectId } from "../../place.ts";

/** An item, and the cursor of the list behind it. */
export interface Told {
  item: Activity;
  cursor: string;
}

/** `away`: it cannot be followed at the moment; it is tried again by itself. */
export type StreamState = "connecting" | "live" | "away";

interface Options {
  query?: Omit<NonNullable<Input<"GET /activity/stream">["query"]>, "projectId">;
  /** False: not yet. */
  isOn?: boolean;
  /** What is new, newest first. What comes twice has the same id. */
  tell: (news: Told[]) => void;
  /** More may have happened than is told: the list has it. */
  miss: () => void;
}

/** What was refused, as with too many streams, is asked for again after this time. */
const AGAIN_MS = 10_000;

/** Follows the activity of the project in the address. */
export function useActivityStream({ query = {}, isOn = true, tell, miss }: Options): StreamState {
  const projectId = useProjectId();
  const [state, setState] = useState<StreamState>("connecting");
  const onNews = useEffectEvent(tell);
  const onMiss = useEffectEvent(miss);
  const address = linkTo("GET /activity/stream", { query }, projectId);
  useEffect(() => {
    if (!isOn) return;
    const news = batched<Told>((items) => onNews(items.toReversed()));
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wasOpen = false;
    const leave = () => {
      source?.close();
      clearTimeout(timer);
      news.drop();
    };
    const follow = () => {
      leave();
      // A project has so many streams and no more.
      if (document.visibilityState === "hidden") return setState("away");
      source = new EventSource(address);
      source.addEventListener("open", () => {
        setState("live");
        if (wasOpen) onMiss();
        wasOpen = true;
      });
      source.addEventListener("error", () => {
        setState("away");
        // A connection that breaks is made again by the browser; one that is refused is not.
        if (source!.readyState === EventSource.CLOSED) timer = setTimeout(follow, AGAIN_MS);
      });
      source.addEventListener("cut", () => onMiss());
      source.addEventListener("message", ({ data, lastEventId }: MessageEvent<string>) =>
        news.add({ item: JSON.parse(data) as Activity, cursor: lastEventId }),
      );
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      leave();
    };
  }, [isOn, address]);
  return state;
}

/** Gives on what is added once for each frame. */
function batched<T>(give: (items: T[]) => void) {
  let items: T[] = [];
  let frame = 0;
  return {
    add(item: T): void {
      items.push(item);
      frame ||= requestAnimationFrame(() => {
        const given = items;
        items = [];
        frame = 0;
        give(given);
      });
    },
    drop(): void {
      cancelAnimationFrame(frame);
      items = [];
      frame = 0;
    },
  };
}
