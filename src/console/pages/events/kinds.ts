// The kinds of what happens, as the feed shows and filters them.
import type { Activity } from "../../api.gen.ts";
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

type Type = Activity["type"];

interface Kind {
  label: string;
  icon: Icon;
  tone?: "fine" | "bad" | "accent";
}

/** How a line of each type begins. */
export const KINDS: Record<Type, Kind> = {
  "event.triggered": { label: "Event", icon: EventsIcon, tone: "accent" },
  "email.sent": { label: "Sent", icon: SendIcon },
  "email.delivered": { label: "Delivered", icon: MailIcon },
  "email.received": { label: "Received", icon: MailIcon },
  "email.opened": { label: "Opened", icon: MailOpenIcon, tone: "fine" },
  "email.clicked": { label: "Clicked in", icon: RightIcon, tone: "fine" },
  "email.bounced": { label: "Bounced", icon: WarningIcon, tone: "bad" },
  "email.complaint": { label: "Complaint about", icon: WarningIcon, tone: "bad" },
  "contact.subscribed": { label: "Subscribed", icon: CheckIcon, tone: "fine" },
  "contact.unsubscribed": { label: "Unsubscribed", icon: CloseIcon, tone: "bad" },
  "campaign.sent": { label: "Campaign sent", icon: CampaignsIcon },
  "campaign.scheduled": { label: "Campaign scheduled", icon: CampaignsIcon },
  "workflow.started": { label: "Workflow started", icon: WorkflowsIcon },
  "workflow.completed": { label: "Workflow finished", icon: WorkflowsIcon },
};

const ofKind = (start: string) => (Object.keys(KINDS) as Type[]).filter((type) => type.startsWith(start));
const one = (type: Type, label: string) => ({ value: type as string, label });
const all = (start: string, label: string) => ({ value: ofKind(start).join(","), label });

/** What the feed can be narrowed to: the types of the API, as its query has them. */
export const CHOICES = [
  { group: "Contacts", items: [one("event.triggered", "Tracked events"), all("contact.", "Subscriptions")] },
  {
    group: "Mails",
    items: [
      all("email.", "All mails"),
      one("email.sent", "Sent"),
      one("email.delivered", "Delivered"),
      one("email.opened", "Opened"),
      one("email.clicked", "Clicked"),
      one("email.bounced", "Bounced"),
      one("email.complaint", "Complaints"),
      one("email.received", "Received from contacts"),
    ],
  },
  { group: "Sending", items: [all("campaign.", "Campaigns"), all("workflow.", "Workflows")] },
];
