// The fields of two versions that differ, the one beside the other.
import type { Edited, Field, Words } from "./edited.ts";
import classes from "./edits.module.css";

interface Props<T extends { id: string }, W extends Words<W>> {
  kind: Pick<Edited<T, W>, "labels" | "shown">;
  before: W;
  after: W;
  fields: Field<W>[];
  /** Above the two. */
  titles: [before: string, after: string];
}

/** A table; nothing if nothing differs. */
export function FieldDifferences<T extends { id: string }, W extends Words<W>>({
  kind: { labels, shown },
  before,
  after,
  fields,
  titles,
}: Props<T, W>) {
  if (fields.length === 0) return null;
  const textOf = (field: Field<W>, words: W) => (shown ? shown(field, words) : words[field]) || "–";
  return (
    <table className={classes.differences}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">{titles[0]}</th>
          <th scope="col">{titles[1]}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field}>
            <th scope="row">{labels[field]}</th>
            <td data-side="before">{textOf(field, before)}</td>
            <td data-side="after">{textOf(field, after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
