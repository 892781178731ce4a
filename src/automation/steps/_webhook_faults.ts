// Where a webhook goes and with which headers, as it comes in a request.
import { fault, isObject, missingOr } from "../../audience/faults.ts";
import { templateErrors } from "../../content/handlebars/errors.ts";
import type { FieldError } from "../../problem/mod.ts";

const MAX_URL_LENGTH = 2_048;
const MAX_HEADERS = 50;
const MAX_HEADER_LENGTH = 4_096;

/** Scheme and host are fixed: the data of a contact must not choose where requests go. */
const FIXED_HOST = /^https?:\/\/[^/?#{}\\@\s]+(?=[/?#]|$)/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** What the connection itself or the signature sets. */
const OWN_HEADERS =
  /^(host|connection|content-length|transfer-encoding|keep-alive|upgrade|te|trailer|expect|proxy-.*|webhook-(id|timestamp|signature))$/i;

/** What is wrong with an address. Its path and query may hold `{{variables}}`. */
export function urlFaults(field: string, url: unknown): FieldError[] {
  if (typeof url !== "string") return [missingOr(field, url, "Expected a URL")];
  if (url.length > MAX_URL_LENGTH) {
    return [fault(field, "too_big", `A URL has at most ${MAX_URL_LENGTH} characters`)];
  }
  const wrong = templateErrors(field, url);
  if (wrong.length > 0) return wrong;
  const filledIn = url.trim().replace(/\{\{.*?\}\}/gs, "x");
  if (FIXED_HOST.test(url.trim()) && URL.canParse(filledIn)) return [];
  const message =
    "Expected a URL with http or https and a fixed host; a user and a password belong into config.headers";
  return [fault(field, "invalid_string", message, url)];
}

/** What is wrong with the headers of a request. Their values may hold `{{variables}}`. */
export function headerFaults(field: string, headers: unknown): FieldError[] {
  if (headers === undefined) return [];
  if (!isObject(headers)) return [missingOr(field, headers, "Expected an object of strings")];
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) {
    return [fault(field, "too_big", `A webhook has at most ${MAX_HEADERS} headers`)];
  }
  return entries.flatMap(([name, value]) => headerFault(`${field}.${name.slice(0, 100)}`, name, value));
}

function headerFault(at: string, name: string, value: unknown): FieldError[] {
  // The HTTP client does not accept this name as a header.
  if (!HEADER_NAME.test(name) || name.toLowerCase() === "__proto__")
    return [fault(at, "invalid_string", "Expected the name of a header")];
  if (OWN_HEADERS.test(name)) return [fault(at, "custom", "This header is set by the service itself")];
  if (typeof value !== "string") return [missingOr(at, value, "Expected a string")];
  if (value.length > MAX_HEADER_LENGTH) {
    return [fault(at, "too_big", `A header has at most ${MAX_HEADER_LENGTH} characters`)];
  }
  if (/[\r\n\0]/.test(value)) return [fault(at, "invalid_string", "A header is one line", value)];
  return templateErrors(at, value);
}
