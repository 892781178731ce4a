import { ACTIVITY_FIELDS, fieldOf } from "./conditions/fields.ts";

/** The names that an event has as the field of a condition, such as `event.signup`, `signup` and `email.opened`. */
export function fieldsOfEvent(name: string): string[] {
  const candidates = [`event.${name}`, name, ...ACTIVITY_FIELDS];
  return candidates.filter((candidate) => {
    const field = fieldOf(candidate);
    return field?.kind === "event" && field.name === name;
  });
}
