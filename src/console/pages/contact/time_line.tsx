// What a contact did and what happened to it, newest first, by day.
import type { Activity } from "../../api.gen.ts";
import { formatClock, formatDay, formatExact } from "../../parts/format.ts";
import {
  CampaignsIcon,
  CheckIcon,
  CloseIcon,
  EventsIcon,
  type Icon,
  MailIcon,
  MailOpenIcon,
  RightIcon,
  SendIcon,
  WarningIcon,
  WorkflowsIcon,
} from "../../parts/icons.tsx";
import { More } from "../../parts/more.tsx";
import { Loaded, SkeletonLines } from "../../parts/states.tsx";
import { useApiPages } from "../../queries.ts";
import { FieldValue } from "../../parts/field_value.tsx";
import classes from "./contact.module.css";

const WORDS: Record<Activity["type"], { words: string; icon: Icon }> = {
  "event.triggered": { words: "Event", icon: EventsIcon },
  "email.sent": { words: "Was sent", icon: SendIcon },
  "email.delivered": { words: "Received", icon: MailIcon },
  "email.received": { words: "Wrote", icon: MailIcon },
  "email.opened": { words: "Opened", icon: MailOpenIcon },
  "email.clicked": { words: "Clicked in", icon: RightIcon },
  "email.bounced": { words: "Did not receive", icon: WarningIcon },
  "email.complaint": { words: "Complained about", icon: WarningIcon },
  "contact.subscribed": { words: "Subscribed", icon: CheckIcon },
  "contact.unsubscribed": { words: "Unsubscribed", icon: CloseIcon },
  "campaign.sent": { words: "Campaign", icon: CampaignsIcon },
  "campaign.scheduled": { words: "Campaign", icon: CampaignsIcon },
  "workflow.started": { words: "Began the workflow", icon: WorkflowsIcon },
  "workflow.completed": { words: "Finished the workflow", icon: WorkflowsIcon },
};

interface Props {
  contactId: string;
  openMail: (id: string) => void;
}

export function TimeLine({ contactId, openMail }: Props) {
  const query = useApiPages("GET /activity", { query: { contactId, limit: 50 } });
  return (
    <Loaded query={query} skeleton={<SkeletonLines count={6} height={22} />}>
      {({ pages }) => {
        const items = pages.flatMap(({ data }) => data);
        if (items.length === 0) {
          return (
            <p className={classes.quiet}>
              Nothing has happened yet. Mails, opens, clicks and tracked events appear here.
            </p>
          );
        }
        return (
          <>
            {[...Map.groupBy(items, ({ timestamp }) => formatDay(timestamp))].map(([day, ofDay]) => (
              <section key={day}>
                <h3 className={classes.day}>{day}</h3>
                <ol className={classes.list}>
                  {ofDay.map((item) => (
                    <Item key={item.id} item={item} openMail={openMail} />
                  ))}
                </ol>
              </section>
            ))}
            <More query={query}>Earlier events</More>
          </>
        );
      }}
    </Loaded>
  );
}

function Item({
  item: { type, timestamp, metadata },
  openMail,
}: {
  item: Activity;
  openMail: Props["openMail"];
}) {
  const { words, icon: Shape } = WORDS[type];
  const text = (name: string) => (typeof metadata[name] === "string" ? (metadata[name] as string) : "");
  const thing = text("subject") || text("eventName") || text("workflowName") || text("campaignName");
  const mailId = type.startsWith("email.") ? text("emailId") : "";
  const data = type === "event.triggered" ? metadata.eventData : undefined;
  return (
    <li className={classes.item}>
      <Shape size={15} />
      <span className={classes.itemWords}>
        {words}{" "}
        {mailId ? (
          <button type="button" className={classes.link} onClick={() => openMail(mailId)}>
            {thing || "a mail"}
          </button>
        ) : (
          thing && <strong>{thing}</strong>
        )}
        {text("link") && <span className={classes.detail}>{text("link")}</span>}
        <EventData data={data} />
      </span>
      <time dateTime={timestamp} title={formatExact(timestamp)} className={classes.when}>
        {formatClock(timestamp)}
      </time>
    </li>
  );
}

/** What came with the event. */
function EventData({ data }: { data: unknown }) {
  if (typeof data !== "object" || data === null) return null;
  const entries = Object.entries(data);
  if (entries.length === 0) return null;
  return (
    <span className={classes.detail}>
      {entries.slice(0, 8).map(([key, value]) => (
        <span key={key}>
          {key} <FieldValue value={value} />
        </span>
      ))}
    </span>
  );
}
