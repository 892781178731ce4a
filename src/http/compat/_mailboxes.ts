// Several mailboxes in one text, as some APIs take them: `Ada <ada@example.com>, "Smith, Bob" <bob@example.com>`.

/** One more than any message may have: those after it are left out, since all are refused. */
const ENOUGH = 1_001;

/** Each of them, as it is written: a comma within quotes separates nothing. What is none is for the schema to refuse. */
export function mailboxesIn(text: string): string[] {
  const pieces: string[] = [];
  let [from, isQuoted] = [0, false];
  const add = (to: number) => {
    const piece = text.slice(from, to).trim();
    if (piece !== "") pieces.push(piece);
    from = to + 1;
  };
  for (let at = 0; at < text.length && pieces.length < ENOUGH; at++) {
    const char = text[at];
    if (char === "\\" && isQuoted) at++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === "," && !isQuoted) add(at);
  }
  if (pieces.length < ENOUGH) add(text.length);
  return pieces;
}
