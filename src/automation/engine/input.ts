// What a caller gives an execution, or the trial of one.
import { dataErrors } from "../../audience/contacts/data.ts";
import { fault } from "../../audience/faults.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { jsonFaults } from "../text_faults.ts";

/** Postgres and our own code read JSON with their stacks. */
const LIMITS = { maxBytes: 65_536, maxDepth: 50 };

/** What a trial is of. */
interface TrialOf {
  contactId?: string | null | undefined;
  data?: Record<string, unknown> | null | undefined;
  eventData?: Record<string, unknown> | null | undefined;
}

/** Throws 422 for a context that is too large or too deep, or that holds a number beyond all bounds. */
export function assertContext(context: Record<string, unknown> | undefined): void {
  if (context !== undefined) refuse(jsonFaults("context", context, { what: "A context", ...LIMITS }));
}

/** Throws 422 with all that is wrong with what a trial is of: either a contact, or somebody with this data. */
export function assertTrial({ contactId, data, eventData }: TrialOf): void {
  const hasBoth = (contactId ?? null) !== null && (data ?? null) !== null;
  refuse([
    ...(hasBoth ? [fault("data", "custom", "A trial has either a contactId or data")] : []),
    ...dataErrors(data ?? undefined),
    ...(eventData ? jsonFaults("eventData", eventData, { what: "The data of an event", ...LIMITS }) : []),
  ]);
}

function refuse(errors: FieldError[]): void {
  if (errors.length > 0) throw problems.invalid(errors);
}
