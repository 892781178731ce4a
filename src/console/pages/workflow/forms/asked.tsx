// What is required of a field: the operator, and what is next to it.
import { Autocomplete, NativeSelect } from "@mantine/core";
import { entryOf } from "../../../parts/conditions/catalogue.ts";
import { type DraftFilter, type LineFaults } from "../../../parts/conditions/draft.ts";
import { OperandFields } from "../../../parts/conditions/operand_fields.tsx";
import type { Vocabulary } from "../../../parts/conditions/vocabulary.ts";
import { operatorName } from "../../../parts/conditions/words.ts";
import { useApi } from "../../../queries.ts";
import type { Trigger } from "../model.ts";
import classes from "./forms.module.css";

/** Values of events and of the context are asked as those of contacts are. */
export const asData = (field: string) =>
  field.replace(/^(event|context)\.|^contact\./, (start) => (start === "contact." ? "" : "data."));

interface Props {
  vocabulary: Vocabulary;
  /** Its field is one of contacts: {@linkcode asData}. */
  line: DraftFilter;
  change: (patch: Partial<DraftFilter>) => void;
  faults: LineFaults;
}

export function Asked({ vocabulary, line, change, faults }: Props) {
  const entry = entryOf(vocabulary.catalogue, line.field);
  if (!entry) return null;
  const isDate = vocabulary.isDate(line.field) || line.kind === "date";
  return (
    <div className={classes.line}>
      <NativeSelect
        aria-label="Operator"
        data={entry.operators.map(({ operator }) => ({
          value: operator,
          label: operatorName(operator, isDate),
        }))}
        value={line.operator}
        onChange={(event) => change({ operator: event.currentTarget.value })}
        error={faults.operator}
      />
      <OperandFields vocabulary={vocabulary} line={line} change={change} faults={faults} />
    </div>
  );
}

interface FieldProps {
  label: string;
  description: string;
  value: string;
  onChange: (field: string) => void;
  trigger: Trigger;
  /** Of which fields. */
  filter: (field: string) => boolean;
  error?: string | undefined;
}

/** A field of the contact, of the event or of the context; those that were seen are offered. */
export function SubjectField({ trigger, filter, ...others }: FieldProps) {
  const eventName = trigger.triggerType === "EVENT" ? trigger.triggerConfig?.eventName : undefined;
  const query = typeof eventName === "string" && eventName !== "" ? { eventName } : {};
  const known = useApi("GET /workflows/fields", { query }).data?.fields ?? [];
  return <Autocomplete {...others} data={[...new Set(known.filter(filter))]} limit={100} />;
}
