// The icons of the console: a shape in a square of 24, drawn with one line. Add a shape here rather than a package; those of
// one page alone are in a file of theirs, as `editor_icons.tsx`, since every page loads this one.
import type { SVGProps } from "react";

/** An icon is decoration: the words beside it, or the label of its button, say what it means. */
export type IconProps = Omit<SVGProps<SVGSVGElement>, "ref"> & { size?: number };
/** A component that draws an icon. */
export type Icon = (props: IconProps) => React.JSX.Element;

/** Draws a shape, given as a path. */
export function icon(name: string, shape: string): Icon {
  function Drawn({ size = 18, ...props }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.6}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
        {...props}
      >
        <path d={shape} />
      </svg>
    );
  }
  Drawn.displayName = `${name}Icon`;
  return Drawn;
}

const circle = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

// Nouns
export const OverviewIcon = icon("Overview", "M4 20V10M10 20V4M16 20v-7M22 20H2");
export const ContactsIcon = icon(
  "Contacts",
  `${circle(9, 8, 3.5)}M2.5 20c.6-3.6 3.2-5.5 6.5-5.5s5.9 1.9 6.5 5.5M16 4.9a3.5 3.5 0 0 1 0 6.2M18.5 15.2c1.7.8 2.7 2.4 3 4.8`,
);
export const PersonIcon = icon("Person", `${circle(12, 8, 4)}M4.5 20.5c.7-4 3.6-6 7.5-6s6.8 2 7.5 6`);
export const SegmentsIcon = icon("Segments", `${circle(9, 12, 6)}${circle(15, 12, 6)}`);
export const DeliverabilityIcon = icon(
  "Deliverability",
  `M4.5 18.5a9 9 0 1 1 15 0M12 14l4.5-5${circle(12, 14.5, 1)}`,
);
export const DomainsIcon = icon(
  "Domains",
  `${circle(12, 12, 9)}M3 12h18M12 3c2.5 2.6 3.7 5.6 3.7 9s-1.2 6.4-3.7 9c-2.5-2.6-3.7-5.6-3.7-9s1.2-6.4 3.7-9`,
);
export const TestIcon = icon(
  "Test",
  "M9 3h6M10 3v6L4.5 18.5A1.7 1.7 0 0 0 6 21h12a1.7 1.7 0 0 0 1.5-2.5L14 9V3M7.5 14.5h9",
);
export const TransportsIcon = icon(
  "Transports",
  "M3 12h5M8 12c4 0 3-6 7-6h5M8 12c4 0 3 6 7 6h5M17.5 3.5 20 6l-2.5 2.5M17.5 15.5 20 18l-2.5 2.5",
);
export const TemplatesIcon = icon("Templates", "M4 4h16v16H4zM4 9.5h16M10 9.5V20");
export const CampaignsIcon = icon(
  "Campaigns",
  "M3 10.5v3l4 .7 9 4.3V5.5l-9 4.3zM7 14.2V19h3v-3.4M19.5 9.5a3.5 3.5 0 0 1 0 5",
);
export const WorkflowsIcon = icon("Workflows", "M3 4h6v5H3zM15 4h6v5h-6zM9 15h6v5H9zM6 9v3h12V9M12 12v3");
export const EventsIcon = icon("Events", "M13 2.5 5 13.5h6l-1 8 8-11h-6z");
export const MailIcon = icon("Mail", "M3 5.5h18v13H3zM3.5 6.5 12 13l8.5-6.5");
export const MailOpenIcon = icon("MailOpen", "M3 10 12 3.5 21 10v10.5H3zM3.5 10.5 12 16l8.5-5.5");
export const InboxIcon = icon("Inbox", "M3 13.5 6 4.5h12l3 9v6H3zM3 13.5h5l1.5 2.5h5l1.5-2.5h5");
export const AttachmentIcon = icon(
  "Attachment",
  "M19.5 11.5 12 19a4.6 4.6 0 0 1-6.5-6.5l8-8a3.1 3.1 0 0 1 4.4 4.4l-8 8a1.5 1.5 0 0 1-2.2-2.2l7.3-7.2",
);
export const ImagesIcon = icon(
  "Images",
  `M3.5 4.5h17v15h-17zM4 17l5-5.5 4 4 2.5-2.5 4.5 4.5${circle(15.5, 9, 1.5)}`,
);
export const SuppressionsIcon = icon("Suppressions", `${circle(12, 12, 9)}M5.7 5.7l12.6 12.6`);
export const MembersIcon = PersonIcon;
export const KeysIcon = icon("Keys", `${circle(8, 15.5, 4.5)}M11.2 12.3 20 3.5M16 7.5l3 3M13.5 10l2 2`);
export const WebhooksIcon = icon(
  "Webhooks",
  `${circle(12, 6, 3)}${circle(5.5, 17.5, 3)}${circle(18.5, 17.5, 3)}M10.5 8.7 7 14.8M13.5 8.7l3.5 6.1M8.5 17.5h7`,
);
export const BillingIcon = icon("Billing", "M2.5 5.5h19v13h-19zM2.5 10h19M6 15h4");
export const SecurityIcon = icon(
  "Security",
  "M12 2.8 4.5 5.5v6c0 4.7 3 8 7.5 9.7 4.5-1.7 7.5-5 7.5-9.7v-6zM8.7 12l2.3 2.3 4.3-4.6",
);
export const SettingsIcon = icon(
  "Settings",
  `${circle(12, 12, 3)}M12 2.5v3M12 18.5v3M2.5 12h3M18.5 12h3M5.3 5.3l2.1 2.1M16.6 16.6l2.1 2.1M5.3 18.7l2.1-2.1M16.6 7.4l2.1-2.1`,
);
export const AuditIcon = icon("Audit", "M6 3h12v18H6zM9 8h6M9 12h6M9 16h3");
export const GuideIcon = icon(
  "Guide",
  "M12 6.5C10 5 7 4.5 3 4.5V19c4 0 7 .5 9 2 2-1.5 5-2 9-2V4.5c-4 0-7 .5-9 2zM12 6.5V21",
);
export const FolderIcon = icon("Folder", "M3 5.5h6l2 2.5h10v11.5H3z");

// Actions
export const SearchIcon = icon("Search", `${circle(10.5, 10.5, 6.5)}M15.3 15.3 21 21`);
export const AddIcon = icon("Add", "M12 5v14M5 12h14");
export const CloseIcon = icon("Close", "M6 6l12 12M18 6 6 18");
export const CheckIcon = icon("Check", "M4.5 12.5 10 18 19.5 6.5");
export const CopyIcon = icon("Copy", "M8.5 8.5h12v12h-12zM15.5 8.5v-5h-12v12h5");
export const EditIcon = icon("Edit", "M4 20l1-4.5L16 4.5l3.5 3.5L8.5 19zM13.5 7l3.5 3.5");
export const DeleteIcon = icon("Delete", "M4 6.5h16M9.5 6.5V4h5v2.5M6 6.5l1 14h10l1-14M10 11v5.5M14 11v5.5");
export const DownloadIcon = icon("Download", "M12 3.5V15M7 10.5l5 5 5-5M4 20h16");
export const UploadIcon = icon("Upload", "M12 15.5V4M7 8.5l5-5 5 5M4 20h16");
export const FilterIcon = icon("Filter", "M3.5 5.5h17l-6.5 8v6l-4-2v-4z");
export const SortIcon = icon("Sort", "M8 5v14M8 19l-3.5-3.5M8 19l3.5-3.5M16 19V5M16 5l-3.5 3.5M16 5l3.5 3.5");
export const ColumnsIcon = icon("Columns", "M3.5 4.5h17v15h-17zM9.2 4.5v15M14.8 4.5v15");
export const RefreshIcon = icon("Refresh", "M20 12a8 8 0 1 1-2.4-5.7L20 8.5M20 3.5v5h-5");
export const UndoIcon = icon("Undo", "M8.5 4.5 4 9l4.5 4.5M4 9h10a5.5 5.5 0 0 1 0 11h-4");
export const SendIcon = icon("Send", "M21 3 3 10.5l7 3.5 3.5 7zM10 14 21 3");
export const PlayIcon = icon("Play", "M7 4.5v15l12-7.5z");
export const PauseIcon = icon("Pause", "M8 5v14M16 5v14");
export const LogOutIcon = icon("LogOut", "M14 4H5v16h9M10 12h11M17 8l4 4-4 4");
export const MoreIcon = icon("More", `${circle(5, 12, 0.6)}${circle(12, 12, 0.6)}${circle(19, 12, 0.6)}`);
export const MenuIcon = icon("Menu", "M4 6.5h16M4 12h16M4 17.5h16");
export const ExternalIcon = icon("External", "M13.5 4H20v6.5M20 4l-9 9M17 14v6H4V7h6");
export const KeyboardIcon = icon(
  "Keyboard",
  "M2.5 6h19v12h-19zM6 10h.01M10 10h.01M14 10h.01M18 10h.01M8 14h8",
);

// Directions and states
export const DownIcon = icon("Down", "M6 9.5l6 6 6-6");
export const UpIcon = icon("Up", "M6 14.5l6-6 6 6");
export const RightIcon = icon("Right", "M9.5 6l6 6-6 6");
export const LeftIcon = icon("Left", "M14.5 6l-6 6 6 6");
export const ChooseIcon = icon("Choose", "M8 9.5 12 5l4 4.5M8 14.5l4 4.5 4-4.5");
export const InfoIcon = icon("Info", `${circle(12, 12, 9)}M12 11v5.5M12 7.5v.01`);
export const WarningIcon = icon("Warning", "M12 3.5 2.5 20h19zM12 10v4.5M12 17.2v.01");
export const ClockIcon = icon("Clock", `${circle(12, 12, 9)}M12 7v5.2l3.5 2`);
export const DoneIcon = icon("Done", `${circle(12, 12, 9)}M8 12.3l2.8 2.8L16 9.5`);
export const ToDoIcon = icon("ToDo", circle(12, 12, 9));
export const MoonIcon = icon("Moon", "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z");

/** The sign of the service, as the inbox has it. */
export function BrandIcon({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect x="3" y="7" width="26" height="18" rx="4" fill="#b5472f" />
      <path
        d="M9 13l7 5.5L23 13"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
