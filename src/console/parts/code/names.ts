// The words of the language of templates, as they are offered. A test compares them with the language.

/** What every mail has a value for. */
export const ALWAYS: Record<string, string> = {
  email: "the address",
  id: "the id of the contact",
  subscribed: "true or false",
  locale: "the language of the contact",
  unsubscribeUrl: "where the contact unsubscribes",
  subscribeUrl: "where the contact subscribes",
  manageUrl: "where the contact chooses",
};

/** Helpers with what they take, `${}` being where the cursor goes. */
export const HELPERS: Record<string, [written: string, about: string]> = {
  date: ['date ${value} "${long}"', "as a date"],
  number: ["number ${value} ${2}", "with this many decimals"],
  upper: ["upper ${value}", "in capitals"],
  lower: ["lower ${value}", "in small letters"],
  truncate: ["truncate ${value} ${60}", "cut off after this many characters"],
  default: ["default ${value} ${other}", "another value if it is missing"],
  eq: ["eq ${a} ${b}", "whether they are equal"],
  ne: ["ne ${a} ${b}", "whether they differ"],
  gt: ["gt ${a} ${b}", "whether it is more"],
  lt: ["lt ${a} ${b}", "whether it is less"],
  and: ["and ${a} ${b}", "whether all hold"],
  or: ["or ${a} ${b}", "whether one holds"],
  not: ["not ${a}", "whether it is false"],
};

/** Blocks, as written after `{{`. */
export const BLOCKS: Record<string, [written: string, about: string]> = {
  "#if": ["#if ${value}}}${}{{/if}}", "if there is a value"],
  "#unless": ["#unless ${value}}}${}{{/unless}}", "if there is none"],
  "#each": ["#each ${items}}}${}{{/each}}", "for each item of a list"],
  "#with": ["#with ${value}}}${}{{/with}}", "within a value"],
};

/** A name with anything but letters and digits is written in brackets. */
export const writtenName = (name: string): string => (/^[\w.]+$/.test(name) ? name : `[${name}]`);
