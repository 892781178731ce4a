// Members of lists, by their addresses.

/** So many addresses the service takes in a call. */
const AT_ONCE = 500;

/** Does something with addresses, one call after another, and returns the answers. */
export async function changeMembers<T>(
  emails: string[],
  change: (some: string[]) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = [];
  for (let from = 0; from < emails.length; from += AT_ONCE) {
    answers.push(await change(emails.slice(from, from + AT_ONCE)));
  }
  return answers;
}

/** The addresses in a text, each once: one a line, or with commas, or as `Ada <ada@example.com>`. */
export function addressesIn(text: string): string[] {
  const found = text.match(/[^\s,;<>"]+@[^\s,;<>"]+/g) ?? [];
  return [...new Map(found.map((email) => [email.toLowerCase(), email])).values()];
}
