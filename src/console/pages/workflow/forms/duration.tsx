// A length of time: a number and a unit.
import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import classes from "./forms.module.css";

/** The units, with their seconds. */
export const UNITS = { minutes: 60, hours: 3_600, days: 86_400, weeks: 604_800 } as const;
/** A unit of time. */
export type Unit = keyof typeof UNITS;

interface Props {
  label: string;
  /** Null: nothing is written that is a number. */
  amount: number | null;
  unit: Unit;
  onChange: (amount: number | null, unit: Unit) => void;
  error: string | undefined;
}

/** What is no number stays as it was typed, and counts as nothing. */
export function Duration({ label, amount, unit, onChange, error }: Props) {
  const [text, setText] = useState(amount === null ? "" : String(amount));
  const [told, setTold] = useState(amount);
  if (amount !== told) {
    setTold(amount);
    if (amount !== numberOf(text)) setText(amount === null ? "" : String(amount));
  }
  return (
    <div className={classes.pair}>
      <TextInput
        label={label}
        inputMode="numeric"
        value={text}
        onChange={(event) => {
          const next = event.currentTarget.value;
          setText(next);
          setTold(numberOf(next));
          onChange(numberOf(next), unit);
        }}
        error={error}
      />
      <NativeSelect
        label="Unit"
        data={Object.keys(UNITS)}
        value={unit}
        onChange={(event) => onChange(numberOf(text), event.currentTarget.value as Unit)}
      />
    </div>
  );
}

function numberOf(text: string): number | null {
  const number = Number(text.trim().replace(",", "."));
  return text.trim() === "" || !Number.isFinite(number) ? null : number;
}
