// Every page of the console. A page is a file in pages/ and a line here: the navigation, the search, the keys and the titles
// come from it.
import type { Project } from "./api.gen.ts";
import {
  AuditIcon,
  BillingIcon,
  CampaignsIcon,
  ContactsIcon,
  DeliverabilityIcon,
  DomainsIcon,
  EventsIcon,
  type Icon,
  ImagesIcon,
  InboxIcon,
  KeysIcon,
  MailIcon,
  MembersIcon,
  OverviewIcon,
  SecurityIcon,
  SegmentsIcon,
  SettingsIcon,
  SuppressionsIcon,
  TemplatesIcon,
  WebhooksIcon,
  TransportsIcon,
  WorkflowsIcon,
} from "./parts/icons.tsx";
import { type LazyPage, lazyPage } from "./parts/lazy_page.tsx";

/** In the order of the navigation. The first has no heading. */
export const GROUPS = ["", "Audience", "Content", "Sending", "Project"] as const;

/** A page of a project. */
export interface PageRoute {
  /** Below the project, such as `/contacts` or `/contacts/:id`. */
  path: string;
  /** In the navigation, where it has a group. */
  label: string;
  page: LazyPage;
  /** Left out for pages that others lead to, such as one contact. */
  group?: (typeof GROUPS)[number];
  icon?: Icon;
  /** `g` and then this letter lead there. */
  shortcut?: string;
  /** Not shown to those who are less. */
  role?: Project["role"];
  /** Not shown if the installation is without it. */
  feature?: "billing" | undefined;
  /** Not shown if the installation has it. */
  without?: "billing" | undefined;
  /** Not shown in test mode: a sandbox has it from its project, or has none. */
  isLiveOnly?: boolean;
}

/** Pages of a project, in the order of the navigation; of two paths that match, the first is shown. */
export const PAGES: PageRoute[] = [
  {
    path: "/",
    label: "Overview",
    group: "",
    icon: OverviewIcon,
    shortcut: "o",
    page: lazyPage(() => import("./pages/overview.tsx")),
  },
  {
    path: "/contacts",
    label: "Contacts",
    group: "Audience",
    icon: ContactsIcon,
    shortcut: "c",
    page: lazyPage(() => import("./pages/contacts.tsx")),
  },
  { path: "/contacts/:id", label: "Contact", page: lazyPage(() => import("./pages/contact.tsx")) },
  { path: "/imports", label: "Imports", page: lazyPage(() => import("./pages/imports.tsx")) },
  { path: "/imports/:id", label: "Import", page: lazyPage(() => import("./pages/import.tsx")) },
  {
    path: "/segments",
    label: "Segments",
    group: "Audience",
    icon: SegmentsIcon,
    shortcut: "s",
    page: lazyPage(() => import("./pages/segments.tsx")),
  },
  {
    path: "/segments/new",
    label: "New segment",
    page: lazyPage(() => import("./pages/new_segment.tsx")),
  },
  {
    path: "/segments/:id",
    label: "Segment",
    page: lazyPage(() => import("./pages/segment.tsx")),
  },
  {
    path: "/events",
    label: "Events",
    group: "Audience",
    icon: EventsIcon,
    shortcut: "e",
    page: lazyPage(() => import("./pages/events.tsx")),
  },
  {
    path: "/templates",
    label: "Templates",
    group: "Content",
    icon: TemplatesIcon,
    shortcut: "t",
    page: lazyPage(() => import("./pages/templates.tsx")),
  },
  {
    path: "/templates/new",
    label: "New template",
    page: lazyPage(() => import("./pages/new_template.tsx")),
  },
  {
    path: "/templates/:id",
    label: "Template",
    page: lazyPage(() => import("./pages/template.tsx")),
  },
  {
    path: "/workflows",
    label: "Workflows",
    group: "Content",
    icon: WorkflowsIcon,
    shortcut: "w",
    page: lazyPage(() => import("./pages/workflows.tsx")),
  },
  {
    path: "/workflows/new",
    label: "New workflow",
    page: lazyPage(() => import("./pages/new_workflow.tsx")),
  },
  {
    path: "/workflows/:id",
    label: "Workflow",
    page: lazyPage(() => import("./pages/workflow.tsx")),
  },
  {
    path: "/workflows/:id/executions/:executionId",
    label: "Execution",
    page: lazyPage(() => import("./pages/execution.tsx")),
  },
  {
    path: "/images",
    label: "Images",
    group: "Content",
    icon: ImagesIcon,
    shortcut: "i",
    page: lazyPage(() => import("./pages/images.tsx")),
  },
  {
    path: "/campaigns",
    label: "Campaigns",
    group: "Sending",
    icon: CampaignsIcon,
    shortcut: "a",
    page: lazyPage(() => import("./pages/campaigns.tsx")),
  },
  {
    path: "/campaigns/new",
    label: "New campaign",
    page: lazyPage(() => import("./pages/new_campaign.tsx")),
  },
  {
    path: "/campaigns/:id",
    label: "Campaign",
    page: lazyPage(() => import("./pages/campaign.tsx")),
  },
  {
    path: "/emails",
    label: "Sent mails",
    group: "Sending",
    icon: MailIcon,
    shortcut: "m",
    page: lazyPage(() => import("./pages/emails.tsx")),
  },
  { path: "/emails/:id", label: "Mail", page: lazyPage(() => import("./pages/email.tsx")) },
  {
    path: "/inbox",
    label: "Inbox",
    group: "Sending",
    icon: InboxIcon,
    shortcut: "n",
    page: lazyPage(() => import("./pages/inbox.tsx")),
  },
  { path: "/inbox/:id", label: "Captured mail", page: lazyPage(() => import("./pages/inbox_mail.tsx")) },
  {
    path: "/domains",
    label: "Domains",
    group: "Sending",
    icon: DomainsIcon,
    shortcut: "d",
    isLiveOnly: true,
    page: lazyPage(() => import("./pages/domains.tsx")),
  },
  {
    path: "/domains/:id",
    label: "Domain",
    page: lazyPage(() => import("./pages/domain.tsx")),
  },
  {
    path: "/deliverability",
    label: "Deliverability",
    group: "Sending",
    icon: DeliverabilityIcon,
    shortcut: "y",
    isLiveOnly: true,
    page: lazyPage(() => import("./pages/deliverability.tsx")),
  },
  {
    path: "/transports",
    label: "Transports",
    group: "Sending",
    icon: TransportsIcon,
    shortcut: "v",
    isLiveOnly: true,
    page: lazyPage(() => import("./pages/transports.tsx")),
  },
  {
    path: "/suppressions",
    label: "Suppressions",
    group: "Sending",
    icon: SuppressionsIcon,
    shortcut: "x",
    page: lazyPage(() => import("./pages/suppressions.tsx")),
  },
  {
    path: "/keys",
    label: "Keys",
    group: "Project",
    icon: KeysIcon,
    shortcut: "k",
    page: lazyPage(() => import("./pages/keys.tsx")),
  },
  {
    path: "/webhooks",
    label: "Webhooks",
    group: "Project",
    icon: WebhooksIcon,
    shortcut: "h",
    page: lazyPage(() => import("./pages/webhooks.tsx")),
  },
  {
    path: "/move-in",
    label: "Move in",
    role: "ADMIN",
    isLiveOnly: true,
    page: lazyPage(() => import("./pages/move_in.tsx")),
  },
  { path: "/move-in/:id", label: "Move", role: "ADMIN", page: lazyPage(() => import("./pages/move.tsx")) },
  { path: "/webhooks/:id", label: "Webhook", page: lazyPage(() => import("./pages/webhook.tsx")) },
  {
    path: "/members",
    label: "Members",
    group: "Project",
    icon: MembersIcon,
    shortcut: "p",
    isLiveOnly: true,
    page: lazyPage(() => import("./pages/members.tsx")),
  },
  {
    path: "/billing",
    label: "Billing",
    group: "Project",
    icon: BillingIcon,
    shortcut: "b",
    role: "ADMIN",
    feature: "billing",
    isLiveOnly: true,
    page: lazyPage(() => import("./pages/billing.tsx")),
  },
  {
    path: "/limits",
    label: "Limits",
    group: "Project",
    icon: BillingIcon,
    role: "ADMIN",
    without: "billing",
    isLiveOnly: true,
    page: lazyPage(() => import("./pages/limits.tsx")),
  },
  {
    path: "/security",
    label: "Reputation",
    group: "Project",
    icon: SecurityIcon,
    shortcut: "r",
    isLiveOnly: true,
    page: lazyPage(() => import("./pages/security.tsx")),
  },
  {
    path: "/audit",
    label: "Audit log",
    group: "Project",
    icon: AuditIcon,
    shortcut: "l",
    role: "ADMIN",
    page: lazyPage(() => import("./pages/audit.tsx")),
  },
  {
    path: "/settings",
    label: "Settings",
    group: "Project",
    icon: SettingsIcon,
    shortcut: ",",
    page: lazyPage(() => import("./pages/settings.tsx")),
  },
];

/** Pages for people who are not logged in. */
export const OPEN_PAGES: { path: string; page: LazyPage }[] = [
  { path: "/sign-up", page: lazyPage(() => import("./pages/sign_up.tsx")) },
  { path: "/reset-password", page: lazyPage(() => import("./pages/reset_password.tsx")) },
  { path: "/verify-email", page: lazyPage(() => import("./pages/verify_email.tsx")) },
  { path: "/change-email", page: lazyPage(() => import("./pages/change_email.tsx")) },
];
