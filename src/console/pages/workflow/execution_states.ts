// The states of executions, as people tell them apart.
import type { Execution } from "../../api.gen.ts";

/** The state of an execution. */
export type ExecutionState = Execution["status"];

/** In the order in which they are offered. */
export const EXECUTION_STATES: ExecutionState[] = [
  "RUNNING",
  "WAITING",
  "COMPLETED",
  "EXITED",
  "FAILED",
  "CANCELLED",
];

/** Whether it is in progress. */
export const isActive = (status: ExecutionState) => status === "RUNNING" || status === "WAITING";
