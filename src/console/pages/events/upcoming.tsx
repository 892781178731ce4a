// What happens next by itself: scheduled campaigns, and contacts who wait in workflows.
import { Button } from "@mantine/core";
import type { UpcomingActivity } from "../../api.gen.ts";
import { textOf } from "../../parts/activity/words.ts";
import { CampaignsIcon, ClockIcon, WorkflowsIcon } from "../../parts/icons.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { type Column, VirtualTable } from "../../parts/virtual_table.tsx";
import { Link } from "wouter";
import { useHasPage } from "../../place.ts";
import { useApi } from "../../queries.ts";
import { ContactLink } from "./feed_columns.tsx";
import { MaybeLink } from "./item_drawer.tsx";
import classes from "./events.module.css";

const AT_MOST = 100;
const DAYS_AHEAD = 90;

const COLUMNS: Column<UpcomingActivity>[] = [
  { key: "what", header: "What", width: "minmax(0, 3fr)", cell: (activity) => <What activity={activity} /> },
  {
    key: "who",
    header: "Contact",
    width: "minmax(0, 2fr)",
    isWideOnly: true,
    cell: ({ contactId, contactEmail }) => <ContactLink id={contactId} email={contactEmail} />,
  },
  {
    key: "when",
    header: "When",
    width: "8rem",
    narrowWidth: "max-content",
    align: "right",
    cell: ({ timestamp }) => (new Date(timestamp) <= new Date() ? "Now" : <Time at={timestamp} />),
  },
];

export function Upcoming() {
  const upcoming = useApi(
    "GET /activity/upcoming",
    { query: { limit: AT_MOST, daysAhead: DAYS_AHEAD } },
    { refetchInterval: 60_000 },
  );
  const hasWorkflows = useHasPage("/workflows");
  return (
    <Loaded query={upcoming}>
      {({ activities }) =>
        activities.length === 0 ? (
          <Empty
            icon={ClockIcon}
            title="Nothing is scheduled"
            action={
              hasWorkflows && (
                <Button component={Link} href="/workflows">
                  Workflows
                </Button>
              )
            }
          >
            Campaigns with a time, and contacts who wait in a workflow, are listed here {DAYS_AHEAD} days
            ahead.
          </Empty>
        ) : (
          <>
            <p className={classes.faded}>
              {activities.length < AT_MOST
                ? `Campaigns and workflow steps of the next ${DAYS_AHEAD} days.`
                : `The next ${AT_MOST}.`}
            </p>
            <VirtualTable
              label="Upcoming"
              columns={COLUMNS}
              rows={activities}
              idOf={({ id }) => id}
              total={activities.length}
            />
          </>
        )
      }
    </Loaded>
  );
}

function What({ activity }: { activity: UpcomingActivity }) {
  const isCampaign = activity.type === "campaign.scheduled";
  const [noun, Shape] = isCampaign
    ? (["campaign", CampaignsIcon] as const)
    : (["workflow", WorkflowsIcon] as const);
  const hasPage = useHasPage(`/${noun}s/:id`);
  const id = textOf(activity, `${noun}Id`);
  const step = textOf(activity, "stepName");
  return (
    <span className={classes.what}>
      <span className={classes.kind}>
        <Shape size={15} />
      </span>
      <span className={classes.words}>
        <span className={classes.wide}>{isCampaign ? "Sends" : "Goes on in"} </span>
        <strong>
          <MaybeLink href={hasPage && id ? `/${noun}s/${id}` : undefined}>
            {textOf(activity, `${noun}Name`)}
          </MaybeLink>
        </strong>
        {step && <span className={classes.faded}> after “{step}”</span>}
        <span className={classes.narrow}>{activity.contactEmail}</span>
      </span>
    </span>
  );
}
