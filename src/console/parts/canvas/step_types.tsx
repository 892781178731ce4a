// The types of steps: what they are called, what they are for, and their signs.
import {
  ClockIcon,
  ContactsIcon,
  EventsIcon,
  ExternalIcon,
  type Icon,
  icon,
  LogOutIcon,
  MailIcon,
  PlayIcon,
} from "../icons.tsx";
import type { StepType } from "./graph.ts";

const BranchIcon = icon("Branch", "M12 3v6M12 9 5.5 15.5V21M12 9l6.5 6.5V21");

/** A type of step, in words. */
export interface StepKind {
  label: string;
  /** What it does: one sentence. */
  about: string;
  icon: Icon;
}

/** In the order in which they are offered. */
export const STEP_KINDS: Record<StepType, StepKind> = {
  TRIGGER: { label: "Trigger", about: "Where every contact starts.", icon: PlayIcon },
  SEND_EMAIL: { label: "Send email", about: "Sends a template.", icon: MailIcon },
  DELAY: { label: "Delay", about: "Waits for a period, or until a date.", icon: ClockIcon },
  WAIT_FOR_EVENT: {
    label: "Wait for event",
    about: "Waits until the contact does something, or time is up.",
    icon: EventsIcon,
  },
  CONDITION: { label: "Condition", about: "Chooses the contact’s path.", icon: BranchIcon },
  UPDATE_CONTACT: {
    label: "Update contact",
    about: "Changes the contact’s data or subscription.",
    icon: ContactsIcon,
  },
  WEBHOOK: { label: "Webhook", about: "Calls your server.", icon: ExternalIcon },
  EXIT: { label: "Exit", about: "Ends the contact’s path here.", icon: LogOutIcon },
};

/** Those that can be added. */
export const ADDED_TYPES = (Object.keys(STEP_KINDS) as StepType[]).filter((type) => type !== "TRIGGER");
