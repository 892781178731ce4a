// What the forms of all types of steps are given.
import type { KnownNames } from "../../../parts/canvas/drawn.ts";
import type { Step, Trigger } from "../model.ts";

/** A form of a step. */
export interface StepFormProps {
  step: Step;
  /** Of the workflow. */
  trigger: Trigger;
  names: KnownNames;
  /** Replaces the config. `key`: the field; changes of the same field are taken back together. */
  setConfig: (config: Record<string, unknown>, key: string, more?: Partial<Step>) => void;
  setTrigger: (patch: Partial<Trigger>, key: string) => void;
  /** What is wrong with a field, such as `config.url`. */
  errorOf: (field: string) => string | undefined;
}
