// The parts of a refusal.

/** How many errors a refusal lists at most: enough for every missing field, and about a hundred others. */
export const MAX_ERRORS = 200;
/** How many characters of the input a refusal repeats. */
const MAX_TOLD_LENGTH = 1_000;

/** One invalid field of a request. */
export interface FieldError {
  /** Dot path, such as `attachments.0.filename`. */
  field: string;
  message: string;
  code: FieldErrorCode;
  received?: unknown;
  /** Where a fault in a template is; counted from 1. */
  line?: number;
  column?: number;
}

/** What can be wrong with a field (guides/errors.md). */
export type FieldErrorCode =
  | "required"
  | "invalid_type"
  | "invalid_string"
  | "too_small"
  | "too_big"
  | "invalid_enum_value"
  | "invalid_union"
  | "reserved_event"
  | "custom";

/** What a Problem may carry besides its message. */
interface ProblemExtras {
  errors?: FieldError[];
  details?: Record<string, unknown>;
  suggestion?: string;
  headers?: Record<string, string>;
  /** Caused by load rather than a fault: a warning in the log, whatever the status. */
  isLoad?: true;
}

/** A refusal that the caller can understand. Anything else that is thrown is a bug and becomes a 500. */
export class Problem extends Error {
  override name = "Problem";
  readonly status: number;
  /** The `code` of the envelope. Not named `code`: Elysia would take it for its own. */
  readonly problemCode: string;
  readonly extras: ProblemExtras;

  constructor(status: number, problemCode: string, message: string, extras: ProblemExtras = {}) {
    super(message);
    this.status = status;
    this.problemCode = problemCode;
    this.extras = extras;
  }
}

/** The first errors, without parts that are too long to help: a refusal is small, whatever it refuses. */
export function shortened(errors: FieldError[]): FieldError[] {
  return errors.slice(0, MAX_ERRORS).map(({ received, ...error }) => {
    const told = { ...error, field: cut(error.field), message: cut(error.message) };
    const isLong = typeof received === "string" && received.length > MAX_TOLD_LENGTH;
    return received === undefined || isLong ? told : { ...told, received };
  });
}

function cut(text: string): string {
  return text.length <= MAX_TOLD_LENGTH ? text : `${text.slice(0, MAX_TOLD_LENGTH).toWellFormed()}…`;
}

/** Resources that have no "not found" code of their own. */
export type MissingResource =
  | "email"
  | "project"
  | "request"
  | "captured mail"
  | "attachment"
  | "image"
  | "import"
  | "move"
  | "file"
  | "key"
  | "bulk job"
  | "template version"
  | "workflow version"
  | "suppression"
  | "domain"
  | "webhook"
  | "delivery"
  | "transport"
  | "warm-up plan"
  | "member"
  | "session"
  | "factor"
  | "passkey"
  | "sign-in provider"
  | "execution"
  | "workflow step"
  | "workflow transition";
