// Two texts, compared from both ends.

/** What happens to a text: from here to here, this instead. */
export interface Change {
  from: number;
  to: number;
  insert: string;
}

/** The one change that makes `after` of `before`; null where they are the same. */
export function changeBetween(before: string, after: string): Change | null {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
