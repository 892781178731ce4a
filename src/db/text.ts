/** A text as Postgres can keep it: it knows neither NUL nor half a character, and refuses the whole statement. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}").toWellFormed();
}
