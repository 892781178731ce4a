// One field with several answers: the first that holds decides the way.
import { ActionIcon, Button, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Filter } from "../../../api.gen.ts";
import { type DraftFilter, draftFilterOf, filterOf, newFilter } from "../../../parts/conditions/draft.ts";
import { AddIcon, CloseIcon } from "../../../parts/icons.tsx";
import { SkeletonLines } from "../../../parts/states.tsx";
import { asData, Asked, SubjectField } from "./asked.tsx";
import type { StepFormProps } from "./form.ts";
import classes from "./forms.module.css";

interface Answer {
  id: string;
  name: string;
  line: DraftFilter;
}

interface Answers {
  field: string;
  answers: Answer[];
}

const MAX_ANSWERS = 20;

export function AnswersForm({ step, trigger, names: { vocabulary }, setConfig, errorOf }: StepFormProps) {
  const [{ field, answers }, setWritten] = useState<Answers>(
    () => (step.writing as Answers | undefined) ?? answersOf(step.config),
  );
  if (!vocabulary) return <SkeletonLines count={3} height={34} />;
  const write = (next: Answers) => {
    setWritten(next);
    const filters = next.answers.map(({ line }) =>
      filterOf(vocabulary.catalogue, { ...line, field: asData(next.field) }),
    );
    const isFinished =
      next.field !== "" &&
      next.answers.every(({ name }, n) => name.trim() !== "" && filters[n]!.filter !== null);
    const branches = next.answers.map(({ id, name, line }, n) => {
      const { field: _, ...asked } = filters[n]!.filter ?? { field: "", operator: line.operator || "equals" };
      return { id, name, ...asked };
    });
    setConfig({ mode: "multi", field: next.field, branches }, "answers", {
      writing: isFinished ? undefined : next,
    });
  };
  const change = (id: string, patch: Partial<Answer>) =>
    write({ field, answers: answers.map((answer) => (answer.id === id ? { ...answer, ...patch } : answer)) });
  return (
    <>
      <SubjectField
        label="Field"
        description="Such as data.plan of the contact, or event.total of the event."
        value={field}
        onChange={(next) => write({ field: next, answers })}
        trigger={trigger}
        filter={() => true}
        error={errorOf("config.field")}
      />
      <div className={classes.rows}>
        {answers.map(({ id, name, line }, n) => (
          <div key={id} className={classes.answer} role="group" aria-label={name || `Answer ${n + 1}`}>
            <div className={classes.answerHead}>
              <TextInput
                label="Name of the branch"
                placeholder="Paid"
                maxLength={255}
                value={name}
                onChange={(event) => change(id, { name: event.currentTarget.value })}
                error={errorOf(`config.branches.${n}.name`)}
              />
              {answers.length > 1 && (
                <ActionIcon
                  size="lg"
                  aria-label={`Remove the branch ${name || n + 1}`}
                  onClick={() => write({ field, answers: answers.filter((answer) => answer.id !== id) })}
                >
                  <CloseIcon size={15} />
                </ActionIcon>
              )}
            </div>
            <Asked
              vocabulary={vocabulary}
              line={{ ...line, field: asData(field) }}
              change={(patch) => change(id, { line: { ...line, ...patch } })}
              faults={{}}
            />
          </div>
        ))}
      </div>
      {answers.length < MAX_ANSWERS && (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<AddIcon size={14} />}
          onClick={() => write({ field, answers: [...answers, answerOf(newAnswer())] })}
        >
          Add a branch
        </Button>
      )}
      <p className={classes.quiet}>The first that holds is taken; who fits none goes by “None of them”.</p>
    </>
  );
}

/** An answer as it begins. */
export const newAnswer = () => ({ id: crypto.randomUUID().slice(0, 8), name: "", operator: "equals" });

function answersOf({ field, branches }: Record<string, unknown>): Answers {
  return {
    field: String(field ?? ""),
    answers: ((branches ?? []) as Parameters<typeof answerOf>[0][]).map(answerOf),
  };
}

function answerOf({
  id,
  name,
  ...asked
}: {
  id: string;
  name: string;
  operator: string;
  value?: unknown;
}): Answer {
  const line =
    asked.value === undefined
      ? { ...newFilter(), operator: asked.operator }
      : draftFilterOf({ ...asked, field: "" } as unknown as Filter);
  return { id, name, line };
}
