// Several mailboxes in one text, as some APIs take them: `Ada <ada@example.com>, "Smith, Bob" <bob@example.com>`.

/** Each of them, as it is written: a comma within quotes separates nothing. What is none is for the schema to refuse. */
export function mailboxesIn(text: string): string[] {
  const pieces: string[] = [];
  let [from, isQuoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\" && isQuoted) at++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === "," && !isQuoted) {
      pieces.push(text.slice(from, at));
      from = at + 1;
    }
  }
  pieces.push(text.slice(from));
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== "");
}
