// One question about the event that started the execution or ended its last wait, or about the context it was started with.
import { useState } from "react";
import type { Filter } from "../../../api.gen.ts";
import { type DraftFilter, draftFilterOf, filterOf, newFilter } from "../../../parts/conditions/draft.ts";
import { SkeletonLines } from "../../../parts/states.tsx";
import { asData, Asked, SubjectField } from "./asked.tsx";
import type { StepFormProps } from "./form.ts";

export function QuestionForm({ step, trigger, names: { vocabulary }, setConfig, errorOf }: StepFormProps) {
  const field = String(step.config.field ?? "event.");
  const [line, setLine] = useState<DraftFilter>(
    () => (step.writing as DraftFilter | undefined) ?? lineOf(step.config),
  );
  if (!vocabulary) return <SkeletonLines count={2} height={34} />;
  const write = (nextField: string, patch: Partial<DraftFilter>) => {
    const next = { ...line, ...patch, field: asData(nextField) };
    setLine(next);
    const { filter } = filterOf(vocabulary.catalogue, next);
    const isNamed = /^(event|context)\..+/.test(nextField);
    const isFinished = filter !== null && isNamed;
    setConfig(isFinished ? { ...filter, field: nextField } : { field: nextField }, "question", {
      writing: isFinished ? undefined : next,
    });
  };
  const { faults } = filterOf(vocabulary.catalogue, line);
  return (
    <>
      <SubjectField
        label="Field"
        description="For example event.total of the event, or context.source of the start."
        value={field}
        onChange={(next) => write(next, line.operator ? {} : { operator: "equals" })}
        trigger={trigger}
        filter={(name) => /^(event|context)\./.test(name)}
        error={errorOf("config.field")}
      />
      <Asked
        vocabulary={vocabulary}
        line={line}
        change={(patch) => write(field, patch)}
        faults={line.text === "" ? {} : faults}
      />
    </>
  );
}

function lineOf(config: Record<string, unknown>): DraftFilter {
  const field = asData(String(config.field ?? ""));
  if (!config.operator) return { ...newFilter(), field, operator: "equals" };
  return draftFilterOf({ ...config, field } as unknown as Filter);
}
