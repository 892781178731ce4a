// What a new template or a new campaign can begin as.
import blank from "./starts/blank.mjml" with { type: "text" };
import letter from "./starts/letter.mjml" with { type: "text" };
import newsletter from "./starts/newsletter.mjml" with { type: "text" };
import notice from "./starts/notice.mjml" with { type: "text" };
import receipt from "./starts/receipt.mjml" with { type: "text" };
import welcome from "./starts/welcome.mjml" with { type: "text" };
import type { MailType } from "../mail_types.ts";

/** A mail that is nearly finished. */
export interface Start {
  label: string;
  about: string;
  /** What it is called until it is called something else. */
  name: string;
  subject: string;
  type: MailType;
  body: string;
  /** How it is drawn: its blocks from the top down. */
  sketch: Mark[];
}

/** A block of a sketch. */
export type Mark = "logo" | "title" | "text" | "button" | "line" | "columns" | "rows" | "picture";

/** By the name that the address has. */
export const STARTS: Record<string, Start> = {
  newsletter: {
    label: "Newsletter",
    about: "A headline, a lead and two more stories.",
    name: "Newsletter",
    subject: "What is new this month",
    type: "MARKETING",
    body: newsletter,
    sketch: ["logo", "title", "text", "button", "line", "columns"],
  },
  welcome: {
    label: "Welcome",
    about: "Greets somebody new and leads to the first step.",
    name: "Welcome",
    subject: "Welcome, {{firstName ?? friend}}",
    type: "MARKETING",
    body: welcome,
    sketch: ["logo", "title", "text", "button"],
  },
  letter: {
    label: "Plain mail",
    about: "As if you had written it yourself.",
    name: "Plain mail",
    subject: "A word from us",
    type: "MARKETING",
    body: letter,
    sketch: ["text", "text", "text"],
  },
  receipt: {
    label: "Receipt",
    about: "What was ordered, with prices and a total.",
    name: "Receipt",
    subject: "Your order {{orderNumber}}",
    type: "TRANSACTIONAL",
    body: receipt,
    sketch: ["logo", "title", "line", "rows", "line"],
  },
  notice: {
    label: "Link to click",
    about: "One sentence and one button, such as for a new password.",
    name: "New password",
    subject: "Choose a new password",
    type: "TRANSACTIONAL",
    body: notice,
    sketch: ["title", "text", "button"],
  },
  blank: {
    label: "Blank",
    about: "One line of text, and the rest is yours.",
    name: "New template",
    subject: "Hello {{firstName ?? there}}",
    type: "MARKETING",
    body: blank,
    sketch: ["text"],
  },
};
