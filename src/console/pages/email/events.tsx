// What happened to a mail, oldest first.
import { Link } from "wouter";
import type { EmailEvent } from "../../api.gen.ts";
import {
  CheckIcon,
  ClockIcon,
  CloseIcon,
  type Icon,
  InboxIcon,
  MailIcon,
  MailOpenIcon,
  RefreshIcon,
  RightIcon,
  SendIcon,
  WarningIcon,
} from "../../parts/icons.tsx";
import { Time } from "../../parts/time.tsx";
import classes from "./email.module.css";

const WORDS: Record<string, { words: string; icon: Icon }> = {
  "email.queued": { words: "Accepted", icon: ClockIcon },
  "email.captured": { words: "Captured in the inbox", icon: InboxIcon },
  "email.released": { words: "Released from the inbox", icon: RefreshIcon },
  "email.sent": { words: "Sent", icon: SendIcon },
  "email.delivery": { words: "Delivered", icon: CheckIcon },
  "email.open": { words: "Opened", icon: MailOpenIcon },
  "email.click": { words: "Clicked", icon: RightIcon },
  "email.bounce": { words: "Bounced", icon: WarningIcon },
  "email.complaint": { words: "Reported as spam", icon: WarningIcon },
  "email.received": { words: "Answered", icon: MailIcon },
  "email.resent": { words: "Sent again", icon: RefreshIcon },
  "contact.unsubscribed": { words: "Unsubscribed", icon: CloseIcon },
};

/** The time line. */
export function Events({ events }: { events: EmailEvent[] }) {
  return (
    <ol className={classes.events} aria-label="History">
      {events.map((event) => (
        <Line key={event.id} event={event} />
      ))}
    </ol>
  );
}

function Line({ event: { name, data, createdAt, bot } }: { event: EmailEvent }) {
  const { words, icon: Shape } = WORDS[name] ?? { words: name, icon: ClockIcon };
  const details = (data ?? {}) as Record<string, unknown>;
  const text = (key: string) => (typeof details[key] === "string" ? (details[key] as string) : "");
  return (
    <li className={classes.event} data-bad={/bounce|complaint/.test(name) || undefined}>
      <span className={classes.sign}>
        <Shape size={14} />
      </span>
      <span className={classes.eventWords}>
        {name === "email.resent" ? <Link href={`/emails/${text("emailId")}`}>{words}</Link> : words}
        {bot && <span className={classes.quiet}> by a program, which is not counted</span>}
        {details.transientBounce !== undefined && <span className={classes.quiet}>, which may pass</span>}
        {text("link") && <span className={classes.detail}>{text("link")}</span>}
      </span>
      <span className={classes.when}>
        <Time at={createdAt} />
      </span>
    </li>
  );
}
