import type { FieldError } from "../../problem/mod.ts";

// Names of places, such as America/Argentina/Buenos_Aires, and UTC. No offsets: they know no summer time.
const PLACE = /^(UTC|[A-Z][A-Za-z_-]*(\/[A-Za-z0-9_+-]+){1,2})$/;

/** What is wrong with a time zone, as the field `timezone`: nothing for a name of the IANA time zones. */
export function timezoneErrors(timezone: string): FieldError[] {
  if (timezone.length <= 64 && PLACE.test(timezone) && isKnown(timezone)) return [];
  const message = "Expected an IANA time zone, such as Europe/Berlin or UTC";
  return [{ field: "timezone", code: "invalid_string", message, received: timezone.slice(0, 100) }];
}

function isKnown(timezone: string): boolean {
  try {
    // Normalised spelling: other programs distinguish europe/berlin from Europe/Berlin.
    return new Intl.DateTimeFormat("en", { timeZone: timezone }).resolvedOptions().timeZone === timezone;
  } catch {
    return false;
  }
}
