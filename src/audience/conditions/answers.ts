import type { Db, Fragment } from "../../db/types.ts";
import type { Filter } from "./tree.ts";
import { compileCondition, type CompileOptions } from "./mod.ts";

/** Compiles the filters of a tree to an array of booleans: whether each one alone holds for the contact `c`. */
export function compileAnswers(
  sql: Db,
  projectId: string,
  filters: Filter[],
  options: CompileOptions,
): Fragment {
  return filters
    .map((filter) => ({ logic: "AND" as const, groups: [{ filters: [filter] }] }))
    .map((tree) => compileCondition(sql, projectId, tree, options))
    .reduce((answers, answer) => sql`${answers} || ${answer}`, sql`'{}'::boolean[]`);
}
