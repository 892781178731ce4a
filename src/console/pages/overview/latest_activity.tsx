// What happens, as it happens.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Activity } from "../../api.gen.ts";
import { type Answer, linkTo } from "../../api.ts";
import { Panel } from "../../parts/panel.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useProjectId } from "../../place.ts";
import { keyOf, useApi } from "../../queries.ts";
import classes from "./overview.module.css";

const SHOWN = 12;
const INPUT = { query: { limit: SHOWN } };

export function LatestActivity() {
  const query = useApi("GET /activity", INPUT);
  const isLive = useLive(query.isSuccess);
  return (
    <Panel
      title="Latest activity"
      aside={isLive && <span className={`${classes.aside} ${classes.live}`}>Live</span>}
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={classes.quiet}>
              Nothing has happened yet: mails, opens, clicks and events appear here within a second.
            </p>
          ) : (
            <ul className={classes.list}>
              {data.map((item) => (
                <li key={item.id} className={classes.item}>
                  <span className={classes.itemWords}>{wordsOf(item)}</span>
                  <Time at={item.timestamp} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Adds what the stream tells to what was read. Only while somebody can see it: a project has ten streams. */
function useLive(isRead: boolean): boolean {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    if (!isRead) return;
    const key = keyOf(projectId, "GET /activity", INPUT);
    let source: EventSource | undefined;
    const listen = () => {
      source = new EventSource(linkTo("GET /activity/stream", {}, projectId));
      source.addEventListener("open", () => setLive(true));
      source.addEventListener("error", () => setLive(false));
      source.addEventListener("cut", () => void cache.invalidateQueries({ queryKey: key }));
      source.addEventListener("message", ({ data }: MessageEvent<string>) => {
        const item = JSON.parse(data) as Activity;
        cache.setQueryData<Answer<"GET /activity">>(
          key,
          (before) => before && { ...before, data: added(item, before.data) },
        );
      });
    };
    const follow = () => {
      source?.close();
      source = undefined;
      setLive(false);
      if (document.visibilityState === "hidden") return;
      listen();
    };
    const onVisible = () => {
      follow();
      if (document.visibilityState === "visible") void cache.invalidateQueries({ queryKey: key });
    };
    follow();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      document.removeEventListener("visibilitychange", onVisible);
      source?.close();
    };
  }, [isRead, projectId, cache]);
  return isLive;
}

/** The newest first. What comes twice has the same id. */
function added(item: Activity, before: Activity[]): Activity[] {
  if (before.some(({ id }) => id === item.id)) return before;
  return [item, ...before].toSorted((a, b) => b.timestamp.localeCompare(a.timestamp)).slice(0, SHOWN);
}

const WORDS: Record<Activity["type"], string> = {
  "event.triggered": "did",
  "email.sent": "was sent",
  "email.delivered": "received",
  "email.received": "wrote",
  "email.opened": "opened",
  "email.clicked": "clicked in",
  "email.bounced": "did not receive",
  "email.complaint": "complained about",
  "contact.subscribed": "subscribed",
  "contact.unsubscribed": "unsubscribed",
  "campaign.sent": "was sent",
  "campaign.scheduled": "is scheduled",
  "workflow.started": "began",
  "workflow.completed": "finished",
};

function wordsOf({ type, contactEmail, metadata }: Activity): string {
  const text = (name: string) => (typeof metadata[name] === "string" ? (metadata[name] as string) : "");
  const thing =
    text("eventName") || text("subject") || text("campaignName") || text("workflowName") || text("name");
  if (type.startsWith("campaign.")) return `Campaign ${thing} ${WORDS[type]}`;
  return [contactEmail ?? "Somebody", WORDS[type], thing].filter(Boolean).join(" ");
}
