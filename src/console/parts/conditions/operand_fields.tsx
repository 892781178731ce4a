// What is next to an operator: a value of some kind, an amount of time, or how often.
import { Autocomplete, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useApi } from "../../queries.ts";
import { MailSources, type OperandProps } from "./mail_sources.tsx";
import { kindsOf, operandOf, sourcesOf, type ValueKind } from "./catalogue.ts";
import { draftValueOf, usedKind } from "./draft.ts";
import classes from "./conditions.module.css";
import { KIND_NAMES } from "./words.ts";

/** The fields that the operator of a line asks for, and for filters on mails, of which mails. */
export function OperandFields(props: OperandProps) {
  const { vocabulary, line } = props;
  return (
    <>
      <Operand {...props} />
      {line.operator !== "" && sourcesOf(vocabulary.catalogue, line.field).length > 0 && (
        <MailSources {...props} />
      )}
    </>
  );
}

function Operand(props: OperandProps) {
  const { vocabulary, line, change, faults } = props;
  switch (operandOf(vocabulary.catalogue, line.field, line.operator)) {
    case null:
    case "none":
      return null;
    case "amount":
      return <Amount {...props} />;
    case "count":
      return (
        <>
          <TextInput
            className={classes.number!}
            aria-label="How often"
            inputMode="numeric"
            value={line.times}
            onChange={(event) => change({ times: event.currentTarget.value })}
            error={faults.count}
          />
          <NativeSelect
            className={classes.choice!}
            aria-label="Since when"
            data={[
              { value: "ever", label: line.times === "1" ? "time ever" : "times ever" },
              { value: "recent", label: line.times === "1" ? "time in the last" : "times in the last" },
            ]}
            value={line.isRecent ? "recent" : "ever"}
            onChange={(event) => change({ isRecent: event.currentTarget.value === "recent" })}
          />
          {line.isRecent && <Amount {...props} />}
        </>
      );
    default:
      return <Value {...props} />;
  }
}

function Amount({ vocabulary, line, change, faults }: OperandProps) {
  return (
    <>
      <TextInput
        className={classes.number!}
        aria-label="How long"
        inputMode="numeric"
        value={line.amount}
        onChange={(event) => change({ amount: event.currentTarget.value })}
        error={faults.value}
      />
      <NativeSelect
        className={classes.choice!}
        aria-label="Unit of time"
        data={vocabulary.catalogue.units}
        value={line.unit}
        onChange={(event) => change({ unit: event.currentTarget.value })}
        error={faults.unit}
      />
    </>
  );
}

function Value(props: OperandProps) {
  const { vocabulary, line, change, faults } = props;
  const kinds = kindsOf(vocabulary.catalogue, line.field, line.operator);
  const kind = usedKind(vocabulary.catalogue, line);
  return (
    <>
      <ValueField {...props} kind={kind} error={faults.value} />
      {kinds.length > 1 && (
        <NativeSelect
          className={classes.kind!}
          variant="unstyled"
          aria-label="Kind of value"
          data={kinds.map((each) => ({ value: each, label: KIND_NAMES[each] }))}
          value={kind}
          onChange={(event) => change({ kind: event.currentTarget.value as ValueKind })}
        />
      )}
    </>
  );
}

function ValueField({
  vocabulary,
  line,
  change,
  kind,
  error,
}: OperandProps & { kind: ValueKind; error?: string | undefined }) {
  switch (kind) {
    case "nothing":
    case "empty":
      return null;
    case "boolean":
      return (
        <NativeSelect
          className={classes.choice!}
          aria-label="Value"
          data={[
            { value: "true", label: "yes" },
            { value: "false", label: "no" },
          ]}
          value={line.text === "false" ? "false" : "true"}
          onChange={(event) => change({ kind, text: event.currentTarget.value })}
          error={error}
        />
      );
    case "date":
      return <DateField line={line} change={change} error={error} />;
    case "json":
      return (
        <TextInput
          className={classes.value!}
          aria-label="Value"
          value={line.text}
          onChange={(event) => change({ kind, text: event.currentTarget.value })}
          error={error}
        />
      );
    case "text":
    case "number":
      return (
        <Known
          line={line}
          change={change}
          kind={kind}
          error={error}
          isData={vocabulary.kindOf(line.field) === "data"}
        />
      );
  }
}

const SEARCH_DELAY_MS = 150;

/** A text or a number; of fields of one's own, the values that contacts have are offered. */
function Known({
  line,
  change,
  kind,
  error,
  isData,
}: Pick<OperandProps, "line" | "change"> & { kind: ValueKind; error?: string | undefined; isData: boolean }) {
  const [search] = useDebouncedValue(line.text, SEARCH_DELAY_MS);
  const values = useApi(
    "GET /contacts/fields/{field}/values",
    { path: { field: line.field }, query: { limit: 30, ...(search && { search }) } },
    { enabled: isData, placeholderData: (before) => before },
  );
  const offered = new Map((values.data?.values ?? []).map((value) => [textOf(value), value]));
  const choose = (text: string) => {
    const value = offered.get(text);
    // A value that exists is meant as it is: the number 12, or the text “12”.
    if (value !== undefined && typeof value !== "object") change(draftValueOf(value));
  };
  return (
    <Autocomplete
      className={classes.value!}
      aria-label="Value"
      placeholder={kind === "number" ? "0" : "Value"}
      inputMode={kind === "number" ? "decimal" : "text"}
      data={[...offered.keys()].filter((text) => text !== "")}
      value={line.text}
      onChange={(text) => change({ kind, text })}
      onOptionSubmit={choose}
      withScrollArea={false}
      classNames={{ options: classes.options! }}
      autoComplete="off"
      spellCheck={false}
      error={error}
    />
  );
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** A day; or a moment in UTC, where the condition has one. */
function DateField({
  line,
  change,
  error,
}: Pick<OperandProps, "line" | "change"> & { error?: string | undefined }) {
  const isMoment = line.text.includes("T");
  const at = new Date(line.text);
  const shown = isMoment && !Number.isNaN(at.getTime()) ? at.toISOString().slice(0, 16) : line.text;
  const write = (text: string) => change({ kind: "date", text: isMoment && text ? `${text}:00Z` : text });
  return (
    <>
      <TextInput
        className={classes.date!}
        type={isMoment ? "datetime-local" : "date"}
        aria-label={isMoment ? "Value, a moment in UTC" : "Value"}
        value={shown}
        onChange={(event) => write(event.currentTarget.value)}
        error={error}
      />
      <NativeSelect
        className={classes.kind!}
        variant="unstyled"
        aria-label="Precision"
        data={[
          { value: "day", label: "day" },
          { value: "moment", label: "time, UTC" },
        ]}
        value={isMoment ? "moment" : "day"}
        onChange={(event) =>
          change({
            kind: "date",
            text:
              event.currentTarget.value === "day"
                ? shown.slice(0, 10)
                : `${line.text.slice(0, 10) || new Date().toISOString().slice(0, 10)}T00:00:00Z`,
          })
        }
      />
    </>
  );
}
