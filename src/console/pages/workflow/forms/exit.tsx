// The end of an execution.
import { TextInput } from "@mantine/core";
import type { StepFormProps } from "./form.ts";

export function ExitForm({ step: { config }, setConfig, errorOf }: StepFormProps) {
  return (
    <TextInput
      label="Reason"
      description="Shown in the history of the execution."
      placeholder="has ordered (optional)"
      maxLength={500}
      value={String(config.reason ?? "")}
      onChange={(event) => {
        const reason = event.currentTarget.value;
        setConfig(reason ? { reason } : {}, "reason");
      }}
      error={errorOf("config.reason")}
    />
  );
}
