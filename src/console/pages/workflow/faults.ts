// What is wrong with a workflow: what can be told here while somebody types, and what the service has found.
import type { FieldFault } from "../../api.ts";
import { branchesOf, type Model, openEndsOf, reachedIn, type Step, stepOf } from "./model.ts";

/** Something that is wrong. */
export interface Fault {
  /** `unsaved`: it cannot be saved so. `error`: it cannot be enabled. `warning`: advice. */
  level: "unsaved" | "error" | "warning";
  /** The step; null: the whole. */
  stepId: string | null;
  /** Such as `config.url`; null: the step as a whole. */
  field: string | null;
  message: string;
}

const A_YEAR_SECONDS = 31_536_000;
const SECONDS: Record<string, number> = { minutes: 60, hours: 3_600, days: 86_400, weeks: 604_800 };

/** What can be told without the service: the worst first. */
export function faultsOf(model: Model): Fault[] {
  const reached = reachedIn(model);
  const found = model.steps.flatMap((step) => [
    ...ofStep(model, step),
    ...(reached.has(step.id)
      ? []
      : [{ level: "warning", stepId: step.id, field: null, message: "Nothing leads here" } as const]),
  ]);
  return sorted([...ofTrigger(model), ...found]);
}

/** The worst first. */
export const sorted = (faults: Fault[]): Fault[] => {
  const rank = { unsaved: 0, error: 1, warning: 2 };
  return faults.toSorted((a, b) => rank[a.level] - rank[b.level]);
};

function ofTrigger({ trigger: { triggerType, triggerConfig }, steps, ways }: Model): Fault[] {
  const stepId = steps.find(({ type }) => type === "TRIGGER")?.id ?? null;
  const faults: Fault[] = [];
  if (triggerType === "EVENT" && !triggerConfig?.eventName)
    faults.push({ level: "error", stepId, field: "triggerConfig.eventName", message: "Choose an event" });
  if (triggerType === "SCHEDULE" && !triggerConfig?.schedule)
    faults.push({
      level: "error",
      stepId,
      field: "triggerConfig.schedule",
      message: "Choose when it starts",
    });
  if (ways.every(({ from }) => from !== stepId))
    faults.push({
      level: "error",
      stepId,
      field: null,
      message: "The trigger leads to no step: nothing would happen",
    });
  return faults;
}

function ofStep(model: Model, step: Step): Fault[] {
  const fault = (level: Fault["level"], field: string | null, message: string): Fault => ({
    level,
    stepId: step.id,
    field,
    message,
  });
  const faults = configFaults(step).map(([field, message]) => fault("unsaved", field, message));
  if (step.name.trim() === "") faults.push(fault("unsaved", "name", "Give it a name"));
  if (step.type === "SEND_EMAIL" && !step.templateId)
    faults.push(fault("error", "templateId", "Choose a template"));
  const isOpen = step.type === "CONDITION" && openEndsOf(model, step).length === branchesOf(step).length;
  if (isOpen) faults.push(fault("error", null, "None of its branches leads anywhere"));
  return faults;
}

function configFaults({ type, config, writing }: Step): [field: string, message: string][] {
  switch (type) {
    case "DELAY":
      return delayFaults(config);
    case "WAIT_FOR_EVENT":
      return [
        ...(String(config.eventName ?? "").trim() === ""
          ? [["config.eventName", "Choose an event"] as [string, string]]
          : []),
        ...timeFaults("config.timeout", config.timeout, "Wait for some time"),
      ];
    case "CONDITION":
      if (writing === undefined && isAsked(config)) return [];
      return [
        ...(config.mode === "multi" && !config.field
          ? [["config.field", "Choose a field"] as [string, string]]
          : []),
        ["config.condition", "The condition is incomplete"],
      ];
    case "WEBHOOK":
      return [
        ...urlFaults(config.url),
        ...(writing !== undefined ? [["config.body", "This is not valid JSON"] as [string, string]] : []),
      ];
    case "SEND_EMAIL": {
      const recipient = config.recipient as { type?: string; customEmail?: string } | undefined;
      const isMissing = recipient?.type === "CUSTOM" && !recipient.customEmail?.trim();
      return isMissing ? [["config.recipient.customEmail", "Enter an address"]] : [];
    }
    case "UPDATE_CONTACT":
      return writing !== undefined
        ? [["config.updates", "A field has no name, or the same name as another"]]
        : [];
    default:
      return [];
  }
}

function delayFaults({ amount, unit, until }: Record<string, unknown>): [string, string][] {
  if (until !== undefined) {
    const isField = /^(?:contact\.)?data\..+/s.test(String(until));
    return isField || !Number.isNaN(Date.parse(String(until)))
      ? []
      : [["config.until", "Choose a date, or a field of the contact"]];
  }
  const seconds = typeof amount === "number" ? amount * (SECONDS[String(unit)] ?? 1) : undefined;
  return timeFaults("config.amount", seconds ?? null, "Say for how long");
}

function timeFaults(field: string, seconds: unknown, missing: string): [string, string][] {
  if (seconds === undefined) return [];
  if (typeof seconds !== "number" || !(seconds > 0)) return [[field, missing]];
  return seconds > A_YEAR_SECONDS ? [[field, "A year at most"]] : [];
}

function isAsked(config: Record<string, unknown>): boolean {
  if (Array.isArray(config.branches)) return config.branches.length > 0 && Boolean(config.field);
  return Boolean(config.condition) || Boolean(config.field && config.operator);
}

function urlFaults(url: unknown): [string, string][] {
  if (typeof url !== "string" || url.trim() === "")
    return [["config.url", "Enter the address of your server"]];
  return /^https?:\/\/[^/?#{}\\@\s]+(?=[/?#]|$)/i.test(url.trim())
    ? []
    : [["config.url", "Expected an address such as https://example.com/hook"]];
}

/** What a refusal of the saved graph says, at its steps. Fields are those of the body: `steps.3.config.url`. */
export function faultsOfRefusal({ steps, ways }: Model, fields: FieldFault[]): Fault[] {
  return fields.map(({ field, message }): Fault => {
    const [, kind, at, rest] = /^(steps|transitions)\.([^.]+)\.?(.*)$/s.exec(field) ?? [];
    const trigger = steps.find(({ type }) => type === "TRIGGER")?.id ?? null;
    if (kind === "steps") {
      const stepId = steps.find(({ id }) => id === at)?.id ?? steps[Number(at)]?.id ?? null;
      return { level: "unsaved", stepId, field: rest || null, message };
    }
    if (kind === "transitions")
      return { level: "unsaved", stepId: ways[Number(at)]?.from ?? null, field: null, message };
    return { level: "unsaved", stepId: field.startsWith("trigger") ? trigger : null, field, message };
  });
}

/** All of them, the worst first. Of two about the same the first is told. */
export function merged(...lists: Fault[][]): Fault[] {
  const seen = new Set<string>();
  const isNew = ({ stepId, field, message }: Fault) => {
    const keys = [`${stepId} ${field}`, message];
    const isKnown = keys.some((key) => seen.has(key)) && !(stepId === null && !seen.has(message));
    for (const key of keys) seen.add(key);
    return !isKnown;
  };
  return sorted(lists.flat().filter(isNew));
}

/** Those of a graph as it was, without those of steps that were changed since or are gone. */
export function stillSaid(faults: Fault[], checked: Step[], model: Model): Fault[] {
  const said = new Map(checked.map((step) => [step.id, step]));
  const isAsItWas = (id: string) => {
    const [was, is] = [said.get(id), stepOf(model, id)];
    return was !== undefined && is !== undefined && (was === is || textOf(was) === textOf(is));
  };
  return faults.filter(({ stepId }) => stepId === null || isAsItWas(stepId));
}

const textOf = ({ name, config, templateId }: Step) => JSON.stringify([name, config, templateId]);
