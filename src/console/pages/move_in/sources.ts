// The services that one can move in from, in words.
import type { Move } from "../../api.gen.ts";

export type Source = Move["from"];

interface SourceWords {
  name: string;
  /** What comes from there. */
  about: string;
  /** How to get what is asked for. */
  how: string;
  /** Its API is read, or the files that it has exported. */
  by: "key" | "password" | "files";
  /** Where its API usually is. */
  url?: string;
}

/** In the order in which they are offered. */
export const SOURCES: Record<Source, SourceWords> = {
  plunk: {
    name: "Plunk",
    about: "Contacts, segments, templates, campaigns and workflows, by its API.",
    how: "The secret key is in the settings of the project at Plunk, under API keys. It begins with sk_.",
    by: "key",
    url: "https://next-api.useplunk.com",
  },
  listmonk: {
    name: "listmonk",
    about: "Subscribers, lists, templates and campaigns, by its API.",
    how: "Create an API user in listmonk under Admin, Users, with a role that may read lists, subscribers, campaigns and templates.",
    by: "password",
  },
  mailchimp: {
    name: "Mailchimp",
    about: "Contacts with their tags and their consent, from the zip of an audience.",
    how: "At Mailchimp, open Audience, All contacts, and choose Export audience. You get a mail with a zip: upload it as it is.",
    by: "files",
  },
  brevo: {
    name: "Brevo",
    about: "Contacts and the blocklist, from CSV files.",
    how: "At Brevo, export your contacts, and the blocklisted ones too. Upload both files, with the names that Brevo gave them.",
    by: "files",
  },
  sendgrid: {
    name: "SendGrid",
    about: "Contacts, unsubscribes, bounces and spam reports, from CSV files.",
    how: "At SendGrid, export your contacts, and under Suppressions the global unsubscribes, bounces and spam reports. Upload all of them, with the names that SendGrid gave them.",
    by: "files",
  },
  postrider: {
    name: "Another Postrider",
    about: "The same as from Plunk by a key, or everything with its history by a command.",
    how: "The secret key is on the page Keys of the project there.",
    by: "key",
  },
};

/** Within a sentence. */
export const named = (source: Source): string =>
  source === "postrider" ? "another Postrider" : SOURCES[source].name;

/** Their words in the address. */
export const isSource = (text: string): text is Source => Object.hasOwn(SOURCES, text);
