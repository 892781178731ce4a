// The form of one step: its name, what it does, and where it leads to.
import { ActionIcon, Alert, Button, TextInput, Tooltip } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { StepType } from "../../parts/canvas/graph.ts";
import { STEP_KINDS } from "../../parts/canvas/step_types.tsx";
import type { KnownNames } from "../../parts/canvas/drawn.ts";
import { CloseIcon, CopyIcon, DeleteIcon, WarningIcon } from "../../parts/icons.tsx";
import type { Edits } from "./edits.ts";
import type { Fault } from "./faults.ts";
import { ConditionForm } from "./forms/condition.tsx";
import { DelayForm } from "./forms/delay.tsx";
import { ExitForm } from "./forms/exit.tsx";
import type { StepFormProps } from "./forms/form.ts";
import { SendEmailForm } from "./forms/send_email.tsx";
import { TriggerForm } from "./forms/trigger.tsx";
import { UpdateContactForm } from "./forms/update_contact.tsx";
import { WaitForEventForm } from "./forms/wait_for_event.tsx";
import { WebhookForm } from "./forms/webhook.tsx";
import { GoesOnTo } from "./goes_on_to.tsx";
import type { Model, Step } from "./model.ts";
import classes from "./workflow.module.css";

const FORMS: Record<StepType, (props: StepFormProps) => React.ReactNode> = {
  TRIGGER: TriggerForm,
  SEND_EMAIL: SendEmailForm,
  DELAY: DelayForm,
  WAIT_FOR_EVENT: WaitForEventForm,
  CONDITION: ConditionForm,
  WEBHOOK: WebhookForm,
  UPDATE_CONTACT: UpdateContactForm,
  EXIT: ExitForm,
};

interface Props {
  model: Model;
  step: Step;
  names: KnownNames;
  faults: Fault[];
  edits: Edits;
  /** Whether its own head is left out: a drawer has one. */
  isInDrawer: boolean;
  close: () => void;
}

/** Begins again with each step, and after steps back: give it a key. */
export function StepPanel({ model, step, names, faults, edits, isInDrawer, close }: Props) {
  const { icon: Shape, label, about } = STEP_KINDS[step.type];
  const Form = FORMS[step.type];
  const own = faults.filter(({ stepId }) => stepId === step.id);
  const errorOf = (field: string) =>
    own.find((fault) => fault.field === field && fault.level !== "warning")?.message;
  const loose = own.filter(({ field }) => field === null);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus({ preventScroll: true }), []);
  return (
    <div className={classes.form}>
      {!isInDrawer && (
        <div className={classes.formHead}>
          <Shape size={17} />
          <h2 ref={head} tabIndex={-1}>
            {label}
          </h2>
          <ActionIcon aria-label="Close the step" onClick={close}>
            <CloseIcon size={16} />
          </ActionIcon>
        </div>
      )}
      <p className={classes.quiet}>{about}</p>
      {loose.map(({ message, level }) => (
        <Alert
          key={message}
          variant="light"
          color={level === "warning" ? "yellow" : "red"}
          icon={<WarningIcon />}
          p="xs"
        >
          {message}
        </Alert>
      ))}
      {step.type !== "TRIGGER" && (
        <TextInput
          label="Name"
          maxLength={255}
          value={step.name}
          onChange={(event) => edits.change(step.id, { name: event.currentTarget.value }, "name")}
          error={errorOf("name")}
        />
      )}
      <Form
        step={step}
        trigger={model.trigger}
        names={names}
        setConfig={(config, key, more) => edits.change(step.id, { config, ...more }, key)}
        setTrigger={edits.setTrigger}
        errorOf={errorOf}
      />
      <GoesOnTo model={model} step={step} {...edits} />
      {step.type !== "TRIGGER" && (
        <div className={classes.formFoot}>
          <Tooltip label="A step with the same settings, not connected yet">
            <Button
              variant="default"
              size="xs"
              leftSection={<CopyIcon size={14} />}
              onClick={() => edits.double(step.id)}
            >
              Copy
            </Button>
          </Tooltip>
          <Button
            variant="default"
            size="xs"
            leftSection={<DeleteIcon size={14} />}
            onClick={() => edits.remove(step.id)}
          >
            Delete the step
          </Button>
        </div>
      )}
    </div>
  );
}
