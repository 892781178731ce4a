// The fields of two versions that differ, the one beside the other.
import { MAIL_TYPES } from "../../parts/mail_types.ts";
import classes from "./template.module.css";
import { type Field, LABELS, type Words } from "./words.ts";

interface Props {
  before: Words;
  after: Words;
  fields: Field[];
  /** Above the two. */
  titles: [before: string, after: string];
}

/** A table; nothing where nothing differs. */
export function FieldDifferences({ before, after, fields, titles }: Props) {
  if (fields.length === 0) return null;
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
            <th scope="row">{LABELS[field]}</th>
            <td data-side="before">{shown(field, before)}</td>
            <td data-side="after">{shown(field, after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function shown(field: Field, words: Words): string {
  return (field === "type" ? MAIL_TYPES[words.type].label : words[field]) || "–";
}
