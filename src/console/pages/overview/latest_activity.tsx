// What happens, as it happens.
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Activity } from "../../api.gen.ts";
import type { Answer } from "../../api.ts";
import { type Told, useActivityStream } from "../../parts/activity/stream.ts";
import { sentenceOf } from "../../parts/activity/words.ts";
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
                  <Words item={item} />
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

/** What is about a mail leads to it. */
function Words({ item }: { item: Activity }) {
  const { emailId } = item.metadata;
  const isMail = item.type.startsWith("email.") && typeof emailId === "string";
  return (
    <span className={classes.itemWords}>
      {isMail ? (
        <Link href={`/emails/${emailId}`} className={classes.itemLink!}>
          {sentenceOf(item)}
        </Link>
      ) : (
        sentenceOf(item)
      )}
    </span>
  );
}

/** Adds what the stream tells to what was read. */
function useLive(isRead: boolean): boolean {
  const key = keyOf(useProjectId(), "GET /activity", INPUT);
  const cache = useQueryClient();
  const state = useActivityStream({
    isOn: isRead,
    tell: (news) =>
      cache.setQueryData<Answer<"GET /activity">>(
        key,
        (before) => before && { ...before, data: added(news, before.data) },
      ),
    miss: () => void cache.invalidateQueries({ queryKey: key }),
  });
  return state === "live";
}

/** The newest first. What comes twice has the same id. */
function added(news: Told[], before: Activity[]): Activity[] {
  const all = new Map([...news.map(({ item }) => item), ...before].map((item) => [item.id, item]));
  return [...all.values()].toSorted((a, b) => b.timestamp.localeCompare(a.timestamp)).slice(0, SHOWN);
}
