// What happens by itself from here on: campaigns that go out, those that will, and workflows that wait.
import { Progress } from "@mantine/core";
import { Link } from "wouter";
import type { UpcomingActivity } from "../../api.gen.ts";
import { formatNumber } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useApi } from "../../queries.ts";
import type { Listed } from "../campaigns/list.ts";
import { progressOf } from "../campaigns/words.ts";
import classes from "./overview.module.css";

const SHOWN = 6;
const WATCH_MS = 5_000;
const FIELDS = "name,totalRecipients,processedCount";

export function UnderWay() {
  const upcoming = useApi("GET /activity/upcoming", { query: { limit: SHOWN } }, { refetchInterval: 60_000 });
  const sending = useApi(
    "GET /campaigns",
    { query: { status: "SENDING", limit: SHOWN, fields: FIELDS } },
    { refetchInterval: ({ state }) => (state.data?.data.length ? WATCH_MS : 60_000) },
  );
  return (
    <Panel title="Under way">
      <Loaded query={upcoming}>
        {({ activities }) => (
          <>
            {(sending.data?.data as Listed[] | undefined)?.map((campaign) => (
              <Sending key={campaign.id} campaign={campaign} />
            ))}
            {activities.length > 0 && (
              <ul className={classes.list}>
                {activities.map((activity) => (
                  <li key={activity.id} className={classes.item}>
                    <span className={classes.itemWords}>{wordsOf(activity)}</span>
                    <Time at={activity.timestamp} />
                  </li>
                ))}
              </ul>
            )}
            {activities.length === 0 && !sending.data?.data.length && (
              <p className={classes.quiet}>Nothing is scheduled, and no workflow is waiting.</p>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Sending({ campaign }: { campaign: Listed }) {
  const { id, name } = campaign;
  const { done, total } = progressOf(campaign);
  return (
    <div className={classes.measure}>
      <Link href={`/campaigns/${id}`} className={classes.itemWords!}>
        {name}
      </Link>
      <Status status="SENDING" />
      <Progress
        size={4}
        aria-label={`${name}: ${formatNumber(done)} of ${formatNumber(total)} processed`}
        value={(done / Math.max(1, total)) * 100}
      />
    </div>
  );
}

function wordsOf({ type, metadata, contactEmail }: UpcomingActivity): string {
  const name = String(metadata.campaignName ?? metadata.workflowName ?? metadata.name ?? "");
  if (type === "campaign.scheduled") return `Campaign ${name} is sent`;
  return `${contactEmail ?? "A contact"} goes on in ${name || "a workflow"}`;
}
