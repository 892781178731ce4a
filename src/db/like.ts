// Patterns of LIKE. What people search for has no wildcards: they are ordinary characters in it.

/** Matches what contains a text. */
export function containing(text: string): string {
  return `%${literal(text)}%`;
}

/** Matches what begins with a text. */
export function beginning(text: string): string {
  return `${literal(text)}%`;
}

function literal(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
