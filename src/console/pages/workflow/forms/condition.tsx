// A question: about the contact, about the event, or one field with several answers.
import { SegmentedControl } from "@mantine/core";
import { useEffect, useEffectEvent, useRef } from "react";
import type { Condition, Filter } from "../../../api.gen.ts";
import { ConditionBuilder, useConditions } from "../../../parts/conditions/builder.tsx";
import type { DraftCondition } from "../../../parts/conditions/draft.ts";
import { AnswersForm, newAnswer } from "./answers.tsx";
import type { StepFormProps } from "./form.ts";
import classes from "./forms.module.css";
import { QuestionForm } from "./question.tsx";

const KINDS = [
  { value: "tree", label: "The contact" },
  { value: "event", label: "The event" },
  { value: "multi", label: "Several ways" },
];

/** The question. What is not finished stays in the form, and keeps the workflow from being saved. */
export function ConditionForm(props: StepFormProps) {
  const { step, setConfig } = props;
  const kind = kindOf(step.config);
  const choose = (next: string) => {
    const first = {
      tree: {},
      event: { field: "event." },
      multi: { mode: "multi", field: "", branches: [newAnswer()] },
    };
    setConfig(first[next as keyof typeof first], "kind", { writing: undefined });
  };
  return (
    <>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="What it asks about"
        data={KINDS}
        value={kind}
        onChange={choose}
      />
      {kind === "tree" && <TreeForm {...props} />}
      {kind === "event" && <QuestionForm {...props} />}
      {kind === "multi" && <AnswersForm {...props} />}
      {props.errorOf("config.condition") && (
        <p className={classes.fault}>{props.errorOf("config.condition")}</p>
      )}
    </>
  );
}

function kindOf({ mode, field, operator }: Record<string, unknown>): string {
  if (mode === "multi") return "multi";
  const isOfEvent = typeof field === "string" && /^(event|context)\./.test(field);
  return isOfEvent && !/triggered/i.test(String(operator ?? "")) ? "event" : "tree";
}

/** The same builder as for segments. */
function TreeForm({ step, setConfig }: StepFormProps) {
  const conditions = useConditions(treeOf(step.config), step.writing as DraftCondition | undefined);
  const { draft } = conditions;
  const first = useRef(draft);
  const tell = useEffectEvent(() => {
    const { condition, isFinished } = conditions;
    setConfig(condition ? { condition } : {}, "condition", { writing: isFinished ? undefined : draft });
  });
  useEffect(() => {
    if (draft !== first.current) tell();
  }, [draft]);
  return (
    <div className={classes.narrow}>
      <ConditionBuilder conditions={conditions} />
    </div>
  );
}

/** A single question about the contact is a tree with one filter. */
function treeOf(config: Record<string, unknown>): Condition | null {
  if (config.condition) return config.condition as Condition;
  if (typeof config.field !== "string") return null;
  const filter = { ...config, field: config.field.replace(/^contact\./, "") } as unknown as Filter;
  return { logic: "AND", groups: [{ filters: [filter] }] };
}
