// What a condition tree is (guides/segments.md), and what can be wrong with one that comes in a request.
import type { Json } from "../../db/types.ts";
import type { FieldError } from "../../problem/mod.ts";
import { fieldOf, isUnit } from "./fields.ts";
import { filterErrors } from "./_filters.ts";
import { fault, isObject, missingOr, notOneOf } from "../faults.ts";
import type { Unit } from "./_instants.ts";

export { filterErrors } from "./_filters.ts";
export { firstIdAt, toInstant, unitsBefore } from "./_instants.ts";

const MAX_DEPTH = 10;
const MAX_GROUPS = 200;
const MAX_FILTERS = 200;
const MAX_ERRORS = 100;
// With the trees of all segments that a tree names in their place: what one statement can take.
const MAX_FILTERS_IN_STATEMENT = 1_000;
const MAX_SEGMENTS_DEEP = 10;

/** Which contacts match: `logic` joins the groups. */
export interface Condition {
  logic: "AND" | "OR";
  groups: Group[];
}

/** All filters and the nested tree must hold. One of them is there. */
export interface Group {
  filters?: Filter[] | null;
  conditions?: Condition | null;
}

/** One statement about a contact. */
export interface Filter {
  field: string;
  operator: string;
  value?: Json;
  unit?: Unit | null;
  /** How often, for the operators that count. */
  count?: number | null;
  /** Of `email.<activity>`: only what happened to mails of this campaign. */
  campaignId?: string | null;
  /** Of `email.<activity>`: only what happened to mails of this template. */
  templateId?: string | null;
}

/** A segment as others may refer to it. A static one has no condition. */
export interface SegmentDefinition {
  id: string;
  type: "DYNAMIC" | "STATIC";
  condition: Condition | Json | null;
}

/** Errors found so far, and how much was examined. */
interface Findings {
  errors: FieldError[];
  filters: number;
}

/**
 * Everything wrong with a tree, each error at its own dot path below `field`. A tree without errors is a `Condition`
 * and always compiles; whether the segments it names exist is for `segmentErrors` to say.
 */
export function conditionErrors(tree: unknown, field = "condition"): FieldError[] {
  const findings: Findings = { errors: [], filters: 0 };
  checkTree(findings, tree, field, 1);
  if (findings.filters > MAX_FILTERS) {
    findings.errors.unshift(fault(field, "too_big", `A condition has at most ${MAX_FILTERS} filters in all`));
  }
  return findings.errors.slice(0, MAX_ERRORS);
}

function checkTree(findings: Findings, tree: unknown, at: string, depth: number): void {
  const { errors } = findings;
  if (depth > MAX_DEPTH) {
    errors.push(fault(at, "too_big", `A condition is nested at most ${MAX_DEPTH} levels deep`));
    return;
  }
  if (!isObject(tree)) {
    errors.push(missingOr(at, tree, "Expected an object with logic and groups"));
    return;
  }
  if (tree.logic !== "AND" && tree.logic !== "OR")
    errors.push(notOneOf(`${at}.logic`, tree.logic, ["AND", "OR"]));
  if (!Array.isArray(tree.groups)) {
    errors.push(missingOr(`${at}.groups`, tree.groups, "Expected an array"));
    return;
  }
  if (tree.groups.length === 0)
    errors.push(fault(`${at}.groups`, "too_small", "A condition has at least one group"));
  if (tree.groups.length > MAX_GROUPS) {
    errors.push(fault(`${at}.groups`, "too_big", `A condition has at most ${MAX_GROUPS} groups`));
    return;
  }
  for (const [g, group] of tree.groups.entries()) checkGroup(findings, group, `${at}.groups.${g}`, depth);
}

function checkGroup(findings: Findings, group: unknown, at: string, depth: number): void {
  const { errors } = findings;
  if (!isObject(group)) {
    errors.push(missingOr(at, group, "Expected an object with filters"));
    return;
  }
  const { filters, conditions } = group;
  const isNested = conditions !== undefined && conditions !== null;
  if (Array.isArray(filters)) {
    findings.filters += filters.length;
    if (filters.length === 0 && !isNested) {
      errors.push(fault(at, "too_small", "A group has at least one filter or a nested condition"));
    }
    // Beyond the limit they are counted, and no more.
    for (const [f, filter] of filters.slice(0, MAX_FILTERS).entries()) {
      errors.push(...filterErrors(filter, `${at}.filters.${f}`));
    }
  } else if ((filters !== undefined && filters !== null) || !isNested) {
    errors.push(missingOr(`${at}.filters`, filters, "Expected an array"));
  }
  if (isNested) checkTree(findings, conditions, `${at}.conditions`, depth + 1);
  // Without it more contacts would match than was meant.
  for (const name of ["condition", "groups"]) {
    const isMeant = !isNested && group[name] !== undefined && group[name] !== null;
    if (isMeant) errors.push(fault(`${at}.${name}`, "custom", "Unknown field: write it as conditions"));
  }
}

/** The ids of the segments that a tree names, each once. */
export function segmentReferences(tree: Condition): string[] {
  return [...new Set(references(tree).map(({ id }) => id))];
}

/**
 * What is wrong with the segments named by an otherwise valid tree: one that is not among `all` (those of the project),
 * one that leads back to `segmentId` (whose new condition the tree is; null for any other use), or more than a
 * statement can hold.
 */
export function referenceErrors(
  segmentId: string | null,
  tree: Condition,
  all: Iterable<SegmentDefinition>,
  field = "condition",
): FieldError[] {
  const trees = new Map([...all].map(({ id, condition }) => [id, condition as Condition | null]));
  if (segmentId !== null) trees.set(segmentId, tree);
  const errors = references(tree, field).flatMap(({ id, at }) => {
    if (!trees.has(id)) return [fault(`${at}.field`, "custom", "Cannot find this segment", id)];
    if (segmentId === null || !leadsTo(segmentId, id, trees)) return [];
    return [fault(`${at}.field`, "custom", "Cannot refer to a segment that refers back to this one", id)];
  });
  if (errors.length > 0) return errors.slice(0, MAX_ERRORS);
  const sizes = new Map<string, Size>();
  // What refers to this segment grows with it.
  const uses = segmentId === null ? [tree] : [...trees.values()].filter((other) => other !== null);
  const isTooLarge = uses
    .map((other) => sizeOf(other, trees, sizes))
    .some((size) => {
      return size.filters > MAX_FILTERS_IN_STATEMENT || size.segments > MAX_SEGMENTS_DEEP;
    });
  if (!isTooLarge) return [];
  const limits = `${MAX_FILTERS_IN_STATEMENT} filters and ${MAX_SEGMENTS_DEEP} segments deep`;
  return [fault(field, "too_big", `With the segments it refers to, a condition has at most ${limits}`)];
}

/**
 * True when the matching contacts change with time alone, here or in a segment that is referred to: by `within` and the
 * like.
 */
export function isTimeRelative(segmentId: string, all: Iterable<SegmentDefinition>): boolean {
  const trees = new Map([...all].map(({ id, condition }) => [id, condition as Condition | null]));
  const relative = [...trees].flatMap(([id, tree]) => (tree && looksBack(tree) ? [id] : []));
  return relative.some((id) => leadsTo(id, segmentId, trees));
}

function looksBack(tree: Condition): boolean {
  return [...filtersOf(tree)].some(
    ({ filter: { operator, unit } }) =>
      /within$|olderThan$/i.test(operator) || (/^triggeredAt(Least|Most)$/.test(operator) && isUnit(unit)),
  );
}

function references(tree: Condition, root?: string): { id: string; at: string }[] {
  return [...filtersOf(tree, root)].flatMap(({ filter, at }) => {
    const named = fieldOf(filter.field);
    return named?.kind === "segment" ? [{ id: named.id, at }] : [];
  });
}

type Trees = Map<string, Condition | null>;

function leadsTo(target: string, from: string, trees: Trees, seen = new Set<string>()): boolean {
  if (from === target) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  const tree = trees.get(from);
  return tree ? segmentReferences(tree).some((next) => leadsTo(target, next, trees, seen)) : false;
}

/** How large a tree is with the trees of its segments in their place. */
interface Size {
  filters: number;
  /** How many segments stand within each other. */
  segments: number;
}

function sizeOf(tree: Condition, trees: Trees, known: Map<string, Size>): Size {
  const size = { filters: 0, segments: 0 };
  for (const { filter } of filtersOf(tree)) {
    size.filters++;
    const named = fieldOf(filter.field);
    const inner = named?.kind === "segment" ? segmentSize(named.id, trees, known) : null;
    if (!inner) continue;
    size.filters += inner.filters;
    size.segments = Math.max(size.segments, inner.segments + 1);
  }
  return size;
}

function segmentSize(id: string, trees: Trees, known: Map<string, Size>): Size {
  const size = known.get(id);
  if (size) return size;
  // Should there be a cycle after all, it counts as endless.
  known.set(id, { filters: Infinity, segments: Infinity });
  const tree = trees.get(id);
  const counted = tree ? sizeOf(tree, trees, known) : { filters: 0, segments: 0 };
  known.set(id, counted);
  return counted;
}

/** Every filter of a tree, those of nested trees included, with its dot path. */
export function* filtersOf(tree: Condition, at = "condition"): Generator<{ filter: Filter; at: string }> {
  for (const [g, group] of tree.groups.entries()) {
    const groupAt = `${at}.groups.${g}`;
    for (const [f, filter] of (group.filters ?? []).entries())
      yield { filter, at: `${groupAt}.filters.${f}` };
    if (group.conditions) yield* filtersOf(group.conditions, `${groupAt}.conditions`);
  }
}
