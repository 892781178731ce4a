// The body of /events/track: the same as /v1/track, or an event by itself.
import { type IdempotentRequest, once } from "../../accounts/idempotency.ts";
import { type DataInput, dataErrors } from "../../audience/contacts/data.ts";
import { getContact } from "../../audience/contacts/mod.ts";
import { isReservedEvent, recordEvents } from "../../audience/events.ts";
import { track, trackErrors, type TrackResult } from "../../audience/tracking.ts";
import type { Context } from "../../context.ts";
import { violatedConstraint } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import type { LoggedEvent } from "./log.ts";

/** A body of either kind; its schema has been checked. The address is trimmed and lower-case. */
export interface TrackInput {
  email?: string | undefined;
  event?: string | undefined;
  subscribed?: boolean | undefined;
  /** For an event by itself. */
  name?: string | undefined;
  contactId?: string | null | undefined;
  emailId?: string | null | undefined;
  data?: DataInput | undefined;
}

/** Everything wrong with a tracked event, besides its schema; fields that the schema has refused may be missing. */
export function trackInputErrors(input: TrackInput, refused: ReadonlySet<string> = new Set()): FieldError[] {
  const isThere = (field: "email" | "event" | "name") => input[field] !== undefined || refused.has(field);
  if (isThere("name") && !isThere("email") && !isThere("event")) {
    const { name, data } = input;
    const errors = dataErrors(data);
    return name !== undefined && isReservedEvent(name.trim()) ? [reservedName(name), ...errors] : errors;
  }
  const missing = (["email", "event"] as const).filter((field) => !isThere(field));
  const { event, data } = input;
  return [
    ...missing.map((field): FieldError => ({ field, code: "required", message: "This field is required" })),
    ...trackErrors({ ...(event !== undefined && { event }), data }),
  ];
}

/** What happened to it: the contact and the event, or the bare event. */
export type TrackedInput = { tracked: TrackResult } | { event: LoggedEvent };

/**
 * Tracks an event of a contact as /v1/track does or, where only a name is given, records an event by itself: of this
 * contact and this mail, if any, with this data, which stays with the event. Errors: 422 with all fields, 404 for an
 * unknown contact or mail, 409 for a used key.
 */
export async function trackInput(
  ctx: Context,
  request: IdempotentRequest,
  input: TrackInput,
): Promise<TrackedInput> {
  const { email, event, subscribed, data } = input;
  // Where both are given, `track` checks the rest.
  if (email !== undefined && event !== undefined) {
    return { tracked: await track(ctx, request, { email, event, subscribed, data }) };
  }
  const errors = trackInputErrors(input);
  if (errors.length > 0) throw problems.invalid(errors);
  return { event: await recordAlone(ctx, request, input) };
}

async function recordAlone(
  ctx: Context,
  request: IdempotentRequest,
  input: TrackInput,
): Promise<LoggedEvent> {
  const { projectId } = request;
  const { contactId = null, emailId = null, data = {} } = input;
  const name = input.name!;
  const record = async (tx: Context): Promise<LoggedEvent> => {
    if (contactId !== null) await getContact(tx, projectId, contactId);
    if (emailId !== null && !(await q.eventLog.mail(tx, { projectId, emailId }))) {
      throw problems.notFound("email", emailId);
    }
    const event = { projectId, contactId, name, data, ...(emailId !== null && { emailId }) };
    const [recorded] = await recordEvents(tx, [event]);
    return { ...recorded!, projectId, contactId, emailId, name, data };
  };
  try {
    return await once(ctx, request, record, (event) => ({ statusCode: 201, response: event }));
  } catch (error) {
    // It was deleted since it was looked for. Each partition has its own constraint.
    const isGone = violatedConstraint(error)?.endsWith("_contact_id_fkey");
    throw isGone && contactId !== null ? problems.contactNotFound(contactId) : error;
  }
}

function reservedName(name: string): FieldError {
  const message = `"${name}" is a reserved event name: only the service itself emits it`;
  return { field: "name", code: "reserved_event", message, received: name };
}
