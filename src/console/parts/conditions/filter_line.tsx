// One filter: what it is about, what is required of it, and the value.
import { ActionIcon, NativeSelect } from "@mantine/core";
import { CloseIcon } from "../icons.tsx";
import { entryOf, firstOperator } from "./catalogue.ts";
import classes from "./conditions.module.css";
import type { DraftFilter, LineFaults } from "./draft.ts";
import { FieldPicker } from "./field_picker.tsx";
import { OperandFields } from "./operand_fields.tsx";
import type { Vocabulary } from "./vocabulary.ts";
import { fieldName, operatorName } from "./words.ts";

interface Props {
  vocabulary: Vocabulary;
  line: DraftFilter;
  /** The word before it: `Where`, `and`. */
  lead: string;
  faults: LineFaults | undefined;
  change: (patch: Partial<DraftFilter>) => void;
  remove: () => void;
  /** Begins the next line. */
  next: () => void;
}

export function FilterLine({ vocabulary, line, lead, faults = {}, change, remove, next }: Props) {
  const { catalogue, kindOf, segments } = vocabulary;
  const entry = entryOf(catalogue, line.field);
  const isDate = vocabulary.isDate(line.field) || line.kind === "date";
  const name = line.field ? fieldName(line.field, kindOf(line.field), segments) : "new filter";
  return (
    <div
      role="group"
      aria-label={name}
      className={classes.line}
      data-line={line.id}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.defaultPrevented || !(event.target instanceof HTMLInputElement))
          return;
        if (event.target.getAttribute("aria-label") === "Field") return;
        event.preventDefault();
        next();
      }}
    >
      <span className={classes.lead}>{lead}</span>
      <div className={classes.fields}>
        <div className={classes.field}>
          <FieldPicker
            key={line.id}
            vocabulary={vocabulary}
            value={line.field}
            onChange={(field) => change(chosen(vocabulary, line, field))}
            error={faults.field}
          />
        </div>
        {entry && (
          <NativeSelect
            className={classes.operator!}
            aria-label="Operator"
            data={entry.operators.map(({ operator }) => ({
              value: operator,
              label: operatorName(operator, isDate),
            }))}
            value={line.operator}
            onChange={(event) => change({ operator: event.currentTarget.value })}
            error={faults.operator}
          />
        )}
        <OperandFields vocabulary={vocabulary} line={line} change={change} faults={faults} />
      </div>
      <ActionIcon aria-label={`Remove ${name}`} onClick={remove} className={classes.remove!}>
        <CloseIcon size={15} />
      </ActionIcon>
    </div>
  );
}

/** Another field. The operator stays where the field takes it, and so does all that was typed. */
function chosen(vocabulary: Vocabulary, line: DraftFilter, field: string): Partial<DraftFilter> {
  const entry = entryOf(vocabulary.catalogue, field);
  const isTaken = entry?.operators.some(({ operator }) => operator === line.operator) ?? false;
  const operator = isTaken || !entry ? line.operator : firstOperator(entry, vocabulary.isDate(field));
  if (line.text !== "") return { field, operator };
  const type = vocabulary.fields.find((known) => known.field === field)?.type;
  return { field, operator, kind: type === undefined || type === "string" ? "text" : type };
}
