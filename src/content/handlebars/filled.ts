// The texts of a step, filled in for one execution: however many they are, they spend from one budget.
import { type Budget, compileTemplate, newBudget, type Scope, type CompiledTemplate } from "./mod.ts";
import type { Json } from "../../db/types.ts";

/** What the texts of one step may come to, for one execution. */
export const MAX_FILLED_CHARS = 1_000_000;

/** A visit is one of up to a thousand in a transaction, a webhook one of a few at a time; a trial is many visits. */
const STEPS = { visit: 100_000, webhook: 500_000, trial: 5_000_000 };
/** How long compiling takes: about as long as that many steps for each character of an expression. */
const STEPS_PER_EXPRESSION_CHAR = 40;

/** They cannot be filled in. The message is half a sentence. */
export class Unfillable extends Error {}

/** What may be spent on one visit (some 10 ms), one webhook, or all steps of a trial. */
export function budgetOf(what: keyof typeof STEPS): Budget {
  return newBudget({ steps: STEPS[what], chars: MAX_FILLED_CHARS });
}

/** Does the work of one visit of a trial, which may spend what is left of both. */
export function withinTrial<T>(trial: Budget, work: (visit: Budget) => T): T {
  const visit = budgetOf("visit");
  visit.steps = Math.min(visit.steps, trial.steps);
  const before = visit.steps;
  try {
    return work(visit);
  } finally {
    trial.steps -= before - visit.steps;
  }
}

/** Fills in one text. Throws {@linkcode Unfillable} when the budget is spent. */
export function fillText(template: CompiledTemplate, scope: Scope, budget: Budget): string {
  const text = template(scope, budget);
  if (budget.steps >= 0) return text.toWellFormed();
  const limit = MAX_FILLED_CHARS.toLocaleString("en");
  throw new Unfillable(
    budget.room === 0 ? `its texts have more than ${limit} characters` : "its texts take too much work",
  );
}

/** A JSON value whose strings are templates, ready to be filled in. Throws {@linkcode Unfillable}. */
export type FillableTree = (scope: Scope, budget: Budget) => Json;

/** Compiles every string of a JSON value. */
export function compileTree(value: Json): FillableTree {
  if (typeof value === "string") {
    const template = compileTemplate(value, "text");
    return (scope, budget) => fillText(template, scope, budget);
  }
  if (typeof value !== "object" || value === null) return () => value;
  if (Array.isArray(value)) {
    const items = value.map(compileTree);
    return (scope, budget) => items.map((item) => item(scope, budget));
  }
  const pairs = Object.entries(value).map(([key, inner]) => [key, compileTree(inner)] as const);
  return (scope, budget) => Object.fromEntries(pairs.map(([key, inner]) => [key, inner(scope, budget)]));
}

/** Takes what compiling a JSON value costs from the budget of a trial. Throws {@linkcode Unfillable}. */
export function payForCompiling(value: Json, budget: Budget): void {
  budget.steps -= expressionChars(JSON.stringify(value)) * STEPS_PER_EXPRESSION_CHAR;
  if (budget.steps < 0) throw new Unfillable("its texts take too much work");
}

/** How many characters the expressions of a text have together, from brace to brace. */
export function expressionChars(text: string): number {
  let chars = 0;
  for (let at = text.indexOf("{{"); at !== -1;) {
    const end = text.indexOf("}}", at);
    if (end === -1) return chars + text.length - at;
    chars += end + 2 - at;
    at = text.indexOf("{{", end + 2);
  }
  return chars;
}
