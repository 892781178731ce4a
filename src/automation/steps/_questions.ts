// What a CONDITION asks, in each of its forms, as condition trees that the audience's compiler takes.
import {
  type Condition,
  conditionErrors,
  type Filter,
  filterErrors,
  filtersOf,
  referenceErrors,
  segmentReferences,
} from "../../audience/conditions/tree.ts";
import { fieldOf, MAIL_SOURCES } from "../../audience/conditions/fields.ts";
import { sourceErrors } from "../../audience/conditions/sources.ts";
import { fault, isObject, missingOr } from "../../audience/faults.ts";
import { STANDARD_NAMES } from "../../audience/standard_fields.ts";
import type { FieldError } from "../../problem/mod.ts";
import { textFaults } from "../text_faults.ts";
import type { KnownReferences, Reference } from "./step_type.ts";

/** One question, a whole tree, or one field with several branches. */
export type ConditionConfig =
  Filter | { condition: Condition } | { mode: "multi"; field: string; branches: ConditionBranch[] };

/** One answer of a CONDITION in mode `multi`; its id names the way out. */
export interface ConditionBranch extends Omit<Filter, "field"> {
  id: string;
  name: string;
}

/** The branches of a CONDITION in their order: the first that holds is taken, else `otherwise`. */
export interface Questions {
  /**
   * What is asked about. `contact`: `c` is the contact. `event` and `context`: every field is `data.<path>`, and `c`
   * has to be a row whose `data` is that of the event, or the whole context of the execution.
   */
  over: "contact" | "event" | "context";
  branches: { branch: string; condition: Condition }[];
  otherwise: string;
}

/** How many branches a CONDITION may have besides `default`. */
const MAX_BRANCHES = 20;
const MAX_ID_LENGTH = 64;
const MAX_NAME_LENGTH = 255;

/** Operators about whether an event happened, and when. All others ask for a value. */
const ABOUT_HAPPENING = /triggered/i;
const OF_CONTACT = new RegExp(`^contact\\.(?=(${STANDARD_NAMES.join("|")}|data\\..+)$)`, "s");
const OF_EVENT = /^event\.(.+)$/s;
const OF_CONTEXT = /^context\.(.+)$/s;

/** The questions of a CONDITION without faults. */
export function questionsOf(config: ConditionConfig): Questions {
  if ("condition" in config) {
    return { over: "contact", branches: [{ branch: "yes", condition: config.condition }], otherwise: "no" };
  }
  if ("branches" in config) {
    const [first] = config.branches;
    const { over, field } = subjectOf(config.field, first!.operator);
    const branches = config.branches.map(({ id, name: _name, ...asked }) => ({
      branch: id,
      condition: treeOf({ ...asked, field }),
    }));
    return { over, branches, otherwise: "default" };
  }
  const { over, field } = subjectOf(config.field, config.operator);
  return { over, branches: [{ branch: "yes", condition: treeOf({ ...config, field }) }], otherwise: "no" };
}

/** What is wrong with the config of a CONDITION in a request, except for what it names. */
export function conditionFaults(config: Record<string, unknown>): FieldError[] {
  const { mode, condition } = config;
  if (mode === "multi") {
    return [...multiFaults(config), ...besideFaults(config, ["operator", ...OPERANDS, "condition"], MULTI)];
  }
  if (mode !== undefined && mode !== "single") {
    return [fault("config.mode", "invalid_enum_value", "Expected multi, or nothing", mode)];
  }
  if (condition !== undefined) {
    const errors = conditionErrors(plainTree(condition), "config.condition");
    return [...errors, ...besideFaults(config, ["field", "operator", ...OPERANDS, "branches"], TREE)];
  }
  return [...askedFaults(config, config.field, "config"), ...besideFaults(config, ["branches"], SINGLE)];
}

/** What is next to an operator. */
const OPERANDS = ["value", "unit", "count", ...MAIL_SOURCES];

const MULTI = "With the mode multi each of the branches has its own";
const TREE = "A condition tree stands alone";
const SINGLE = "Branches need the mode multi";

/** Fields given beside one form of a CONDITION that belong to another form. */
function besideFaults(config: Record<string, unknown>, names: string[], message: string): FieldError[] {
  return names
    .filter((name) => config[name] !== undefined && config[name] !== null)
    .map((name) => fault(`config.${name}`, "custom", message));
}

/** The config as versions keep it: nothing but what its form has. */
export function completeCondition(config: Record<string, unknown>): ConditionConfig {
  if (config.mode === "multi") {
    const branches = (config.branches as Record<string, unknown>[]).map(({ id, name, ...rest }) => ({
      id,
      name,
      ...filterOf(rest),
    }));
    return { mode: "multi", field: config.field, branches } as ConditionConfig;
  }
  if (config.condition !== undefined) return { condition: plainTree(config.condition) as Condition };
  return { field: config.field, ...filterOf(config) } as Filter;
}

/** The segments and events that are named, here or deeper in a tree. Data of an event names none. */
export function namedIn(config: ConditionConfig): Reference[] {
  const { over, branches } = questionsOf(config);
  if (over !== "contact") return [];
  const fields = branches.flatMap(({ condition }) =>
    [...filtersOf(condition)].map(({ filter }) => filter.field),
  );
  return fields.flatMap((name): Reference[] => {
    const field = fieldOf(name);
    if (field?.kind === "event") return [{ kind: "EVENT", name: field.name }];
    return field?.kind === "segment" ? [{ kind: "SEGMENT", name: field.id }] : [];
  });
}

/** True when a segment is named, here or deeper in a tree. */
export function namesSegments(config: ConditionConfig): boolean {
  return questionsOf(config).branches.some(({ condition }) => segmentReferences(condition).length > 0);
}

/** What is wrong with the segments, campaigns and templates that a CONDITION without other faults names. */
export function conditionReferenceFaults(
  config: ConditionConfig,
  { segments, sources }: KnownReferences,
): FieldError[] {
  const errorsOf = (tree: Condition, at: string) => [
    ...referenceErrors(null, tree, segments, at),
    ...sourceErrors(tree, sources, at),
  ];
  if ("condition" in config) return errorsOf(config.condition, "config.condition");
  const errors = questionsOf(config).branches.flatMap(({ condition }, i) => {
    const at = "branches" in config ? `config.branches.${i}` : "config";
    return errorsOf(condition, at).map((error) => {
      if (error.field === at) return { ...error, field: "config.field" };
      const part = error.field.slice(error.field.lastIndexOf(".") + 1);
      return { ...error, field: part === "field" ? "config.field" : `${at}.${part}` };
    });
  });
  return errors.slice(0, 1);
}

function multiFaults({ field, branches }: Record<string, unknown>): FieldError[] {
  if (!Array.isArray(branches)) return [missingOr("config.branches", branches, "Expected an array")];
  if (branches.length === 0) return [fault("config.branches", "too_small", "Expected at least one branch")];
  if (branches.length > MAX_BRANCHES) {
    return [fault("config.branches", "too_big", `Expected at most ${MAX_BRANCHES} branches`)];
  }
  const errors = branches.flatMap((branch, i) => branchFaults(branch, branches, i, field));
  // Every branch asks about the same field: what is wrong with it is reported once.
  return errors.filter((error, i) => errors.findIndex((other) => other.field === error.field) === i);
}

function branchFaults(branch: unknown, all: unknown[], i: number, field: unknown): FieldError[] {
  const at = `config.branches.${i}`;
  if (!isObject(branch)) return [missingOr(at, branch, "Expected an object with id, name and operator")];
  const { id, name } = branch;
  const errors = [
    ...textFaults(`${at}.id`, id, MAX_ID_LENGTH),
    ...textFaults(`${at}.name`, name, MAX_NAME_LENGTH),
    ...askedFaults(branch, field, at),
  ];
  if (id === "default")
    errors.push(fault(`${at}.id`, "custom", "This id is reserved for the branch of all others", id));
  if (all.findIndex((other) => isObject(other) && other.id === id) < i) {
    errors.push(fault(`${at}.id`, "custom", "Another branch has this id", id));
  }
  const first = all.find(isObject)?.operator;
  if (isAboutHappening(field, first) !== isAboutHappening(field, branch.operator)) {
    const message = "The branches ask either whether the event happened, or for a value of it";
    errors.push(fault(`${at}.operator`, "custom", message, branch.operator));
  }
  return errors;
}

function isAboutHappening(field: unknown, operator: unknown): boolean {
  return textOf(field).startsWith("event.") && ABOUT_HAPPENING.test(textOf(operator));
}

/** Objects that come from outside may have a `toString` that is none. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * What is wrong with a question about `field`; its own fields are at `at`, and `field` is always part of the config.
 */
function askedFaults(asked: Record<string, unknown>, field: unknown, at: string): FieldError[] {
  if (typeof field !== "string") return [missingOr("config.field", field, "Expected a string")];
  const subject = subjectOf(field, textOf(asked.operator));
  return filterErrors({ ...filterOf(asked), field: subject.field }, at).map((error) =>
    error.field === `${at}.field` ? { ...error, field: "config.field", received: field } : error,
  );
}

/** What a field of a CONDITION means: `contact.` may be before it, and `event.` is also about the event's data. */
function subjectOf(field: string, operator: string): { over: Questions["over"]; field: string } {
  const ofContext = OF_CONTEXT.exec(field);
  if (ofContext) return { over: "context", field: `data.${ofContext[1]}` };
  const ofEvent = ABOUT_HAPPENING.test(operator) ? null : OF_EVENT.exec(field);
  if (ofEvent) return { over: "event", field: `data.${ofEvent[1]}` };
  return { over: "contact", field: plainField(field) };
}

function plainField(field: string): string {
  return field.replace(OF_CONTACT, "");
}

/** A tree, which may hold anything yet, without `contact.` before its fields. */
function plainTree(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(plainTree);
  if (!isObject(tree)) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => {
      if (key === "field" && typeof value === "string") return [key, plainField(value)];
      return [key, key === "value" ? value : plainTree(value)];
    }),
  );
}

function filterOf({ operator, value, unit, count, campaignId, templateId }: Record<string, unknown>) {
  const isGiven = (part: unknown) => part !== undefined && part !== null;
  return {
    operator,
    ...(value !== undefined && { value }),
    ...(isGiven(unit) && { unit }),
    ...(isGiven(count) && { count }),
    ...(isGiven(campaignId) && { campaignId }),
    ...(isGiven(templateId) && { templateId }),
  };
}

function treeOf(filter: Filter): Condition {
  return { logic: "AND", groups: [{ filters: [filter] }] };
}
