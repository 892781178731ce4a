// Every refusal of the service, as a guide tells it: made by calling each entry of the catalogue.
import { Problem, problems } from "../../src/problem/mod.ts";

/** A refusal; `…` stands for what differs from one time to the next. */
export interface ErrorEntry {
  name: string;
  status: number;
  code: string;
  message: string;
  problem: Problem;
}

const TOLD = "…";
const LIMIT = { category: TOLD, limit: 1, usage: 1, resetsAt: new Date(0) };

/** What the entries are given that take more than texts, and those of which there are several. */
const GIVEN: Record<string, unknown[][]> = {
  badParameters: [[[{ field: TOLD }]]],
  optedOut: [[[]]],
  allSuppressed: [[[TOLD]]],
  billingLimitExceeded: [[LIMIT]],
  idempotencyKeyReused: [[{}]],
  editedMeanwhile: [[TOLD, { etag: TOLD, editedBy: TOLD, editedAt: TOLD }]],
  editedBefore: [[TOLD, TOLD, { etag: TOLD, editedBy: TOLD, editedAt: TOLD }]],
  filtersNotIndexed: [[[TOLD]]],
  unknownFields: [[[TOLD], [TOLD]]],
  methodNotAllowed: [[TOLD, TOLD, []]],
  alreadyInWorkflow: [[true], [false]],
  bodyTooLarge: [[1_048_576]],
  scopeMissing: [[TOLD, [TOLD], TOLD]],
  tooMany: [[1, TOLD]],
  invalid: [[[{ field: TOLD, message: "", code: "custom" }]]],
  notConfigured: [
    [TOLD, TOLD, 404],
    [TOLD, TOLD, 501],
  ],
  busy: [
    [TOLD, "others"],
    [TOLD, "of yours"],
  ],
};

/** The catalogue, in its order. */
export function errorCatalogue(): ErrorEntry[] {
  return Object.entries(problems).flatMap(([name, make]) =>
    (GIVEN[name] ?? [Array(make.length || 1).fill(TOLD)]).map((given) => {
      const problem: unknown = (make as (...given: unknown[]) => unknown)(...given);
      if (!(problem instanceof Problem)) throw new Error(`${name} is no refusal`);
      const message = problem.message.replace(/\d[\d,]*( [KM]B)?/g, TOLD);
      return { name, status: problem.status, code: problem.problemCode, message, problem };
    }),
  );
}
