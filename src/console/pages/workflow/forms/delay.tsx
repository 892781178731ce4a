// A delay: for some time, or until a moment.
import { Autocomplete, SegmentedControl, TextInput } from "@mantine/core";
import { localTime, tomorrow, zoneAt } from "../../../parts/local_time.ts";
import { Duration, type Unit } from "./duration.tsx";
import type { StepFormProps } from "./form.ts";

const KINDS = [
  { value: "time", label: "For some time" },
  { value: "moment", label: "Until a date" },
  { value: "field", label: "Contact’s date" },
];

export function DelayForm({ step: { config }, names, setConfig, errorOf }: StepFormProps) {
  const { amount, unit, until } = config as { amount?: number; unit?: Unit; until?: string };
  const field = until === undefined ? undefined : /^(?:contact\.)?data\.(.*)$/s.exec(until)?.[1];
  const kind = until === undefined ? "time" : field === undefined ? "moment" : "field";
  const choose = (next: string) => {
    if (next === "time") setConfig({ amount: 1, unit: "days" }, "kind");
    else setConfig({ until: next === "field" ? "data." : instantOf(tomorrow()) }, "kind");
  };
  const dates =
    names.vocabulary?.fields.filter(({ type }) => type === "date").map((known) => known.field) ?? [];
  return (
    <>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="How it waits"
        data={KINDS}
        value={kind}
        onChange={choose}
      />
      {kind === "time" && (
        <Duration
          label="Wait for"
          amount={amount ?? null}
          unit={unit ?? "days"}
          onChange={(next, nextUnit) => setConfig({ amount: next, unit: nextUnit }, "amount")}
          error={errorOf("config.amount") ?? errorOf("config.unit")}
        />
      )}
      {kind === "moment" && (
        <TextInput
          type="datetime-local"
          label="Wait until"
          description={`In the time of this computer: ${zoneAt(until!)}. If it has passed, the contact continues at once.`}
          value={localOf(until!)}
          onChange={({ currentTarget: { value } }) => setConfig({ until: instantOf(value) }, "until")}
          error={errorOf("config.until")}
        />
      )}
      {kind === "field" && (
        <Autocomplete
          label="Field with the date"
          description="A field of the contact. If the date has passed, the contact continues at once; without a date, the execution fails."
          placeholder="trialEnds"
          data={dates.map((name) => name.replace(/^data\./, ""))}
          value={field!}
          onChange={(next) => setConfig({ until: `data.${next}` }, "until")}
          error={errorOf("config.until")}
        />
      )}
    </>
  );
}

/** As it is stored: the same moment wherever it is read. */
function instantOf(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

function localOf(until: string): string {
  const at = new Date(until);
  return Number.isNaN(at.getTime()) ? "" : localTime(at);
}
