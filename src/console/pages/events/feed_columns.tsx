// A line of the feed. Plain elements only: hundreds of lines come and go in a second.
import { Link } from "wouter";
import type { Activity } from "../../api.gen.ts";
import { textOf, thingOf } from "../../parts/activity/words.ts";
import { formatExact, formatMoment } from "../../parts/format.ts";
import type { Column } from "../../parts/virtual_table.tsx";
import { KINDS } from "./kinds.ts";
import classes from "./events.module.css";

/** The columns of the feed. */
export const FEED_COLUMNS: Column<Activity>[] = [
  {
    key: "what",
    header: "What",
    width: "minmax(0, 4fr)",
    cell: (item) => {
      const { label, icon: Shape, tone } = KINDS[item.type];
      return (
        <span className={classes.what}>
          <span className={classes.kind} data-tone={tone}>
            <Shape size={15} />
          </span>
          <span className={classes.words}>
            {item.type === "event.triggered" ? <span className={classes.wide}>{label} </span> : `${label} `}
            <strong>{thingOf(item)}</strong>
            <span className={classes.narrow}>{item.contactEmail}</span>
          </span>
        </span>
      );
    },
  },
  {
    key: "who",
    header: "Contact",
    width: "minmax(0, 3fr)",
    isWideOnly: true,
    cell: ({ contactId, contactEmail }) => <ContactLink id={contactId} email={contactEmail} />,
  },
  {
    key: "details",
    header: "Details",
    width: "minmax(0, 2fr)",
    isWideOnly: true,
    cell: (item) => <span className={classes.faded}>{detailsOf(item)}</span>,
  },
  {
    key: "when",
    header: "Time",
    width: "6.5rem",
    narrowWidth: "max-content",
    align: "right",
    cell: ({ timestamp }) => <Moment at={timestamp} />,
  },
];

/** A link to a contact; a dash for nobody. */
export function ContactLink({ id, email }: { id: string | undefined; email: string | undefined }) {
  if (!id) return <span className={classes.faded}>–</span>;
  return (
    <Link href={`/contacts/${id}`} className={classes.contact!}>
      {email ?? "Contact"}
    </Link>
  );
}

/** When something happened, to the second; the day where it is another. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)} className={classes.moment}>
      {formatMoment(at)}
    </time>
  );
}

/** What else is known of an item, in one line. */
function detailsOf(item: Activity): string {
  const { eventData, machine } = item.metadata;
  if (item.type === "event.triggered") return dataLine(eventData);
  const parts = [
    textOf(item, "link"),
    textOf(item, "error"),
    textOf(item, "exitReason"),
    textOf(item, "subject") && (textOf(item, "campaignName") || textOf(item, "workflowName")),
    machine === true && "by a program",
  ];
  return parts.filter(Boolean).join(" · ");
}

const MAX_LINE = 160;

/** The data of an event in one line. */
export function dataLine(data: unknown): string {
  if (typeof data !== "object" || data === null) return "";
  let line = "";
  for (const [key, value] of Object.entries(data)) {
    if (line.length > MAX_LINE) return `${line.slice(0, MAX_LINE)}…`;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    line += `${line && " · "}${key} ${text.slice(0, MAX_LINE)}`;
  }
  return line;
}
