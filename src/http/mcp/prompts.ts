// What people begin with: prompts that name the tools and the guides to use.

interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
  /** The text, with `{name}` where an argument stands. */
  text: string;
}

export const PROMPTS: readonly Prompt[] = [
  {
    name: "write_campaign",
    title: "Write a campaign",
    description: "Writes a campaign as a draft, checks it and shows whom it would reach. Nothing is sent.",
    arguments: [
      { name: "topic", description: "What it is about, and what readers should do.", required: true },
      {
        name: "audience",
        description: "Who gets it, in your words. Left out: all contacts.",
        required: false,
      },
    ],
    text: `Write a campaign about this: {topic}
It is for: {audience}

1. Read the resource postrider://guides/campaigns, and list_campaigns with get_campaign for the tone and the sender of earlier ones.
2. Find the audience: list_segments, or a condition, tried with preview_segment. Say how many people it has.
3. Write a short subject, a preheader and the body in HTML, with fallbacks for variables such as {{firstName ?? there}}.
4. Save it with create_campaign. It stays a draft.
5. Look at it with preview_campaign, and check it with check_campaign. Correct what it finds.
6. Show me the subject, the text, the audience and the findings. Do not send it: ask me first.`,
  },
  {
    name: "explain_delivery",
    title: "Why was this not delivered?",
    description: "Finds out what became of a mail, and what to do about it.",
    arguments: [
      { name: "recipient", description: "The address, or the id of the mail.", required: true },
      { name: "mail", description: "Its subject or when it was sent, if you know.", required: false },
    ],
    text: `Find out why a mail to {recipient} was not delivered. What I know of it: {mail}

1. Find the mail with list_emails (by "to"), or get_email if it is an id. Look at its status, its error and its attempts.
2. Read list_email_events for what the recipient's server said.
3. Look whether the address is on the list of list_suppressions, and whether the contact is subscribed (list_contacts).
4. If the sender may be the reason, look at list_domains and get_project_security.
5. The meaning of each status is in postrider://guides/sending, that of DNS records in postrider://guides/domains.
6. Tell me in plain words what happened, how you know, and what I can do. Change nothing.`,
  },
];

/** A prompt with its arguments filled in. Null if there is none with this name. */
export function promptText(
  name: string,
  given: Record<string, string>,
): { description: string; text: string } | null {
  const prompt = PROMPTS.find((one) => one.name === name);
  if (!prompt) return null;
  const names = new Set(prompt.arguments.map((one) => one.name));
  // `{{firstName}}` is a variable of a mail.
  const text = prompt.text.replace(/(?<!\{)\{(\w+)\}(?!\})/g, (all, key: string) =>
    names.has(key) ? (given[key] ?? "not said") : all,
  );
  return { description: prompt.description, text };
}
