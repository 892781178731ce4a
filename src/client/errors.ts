// What goes wrong with a call, as one kind of error.

/** One field that is wrong. `field` is a path such as `attachments.0.filename`. */
export interface FieldFault {
  field: string;
  message: string;
  code: string;
  received?: unknown;
}

/** What an error is made of, besides its message. */
interface Fault {
  code: string;
  status?: number;
  requestId?: string | null;
  errors?: FieldFault[];
  details?: Record<string, unknown>;
  suggestion?: string | null;
  retryAfterS?: number | null;
  cause?: unknown;
}

/**
 * A call that did not succeed. `code` is one of the codes of the guide on errors, or `TIMEOUT` or `CONNECTION_FAILED` where
 * no response came: then `status` is null, and it is unknown whether the call was carried out.
 */
export class PostriderError extends Error {
  override readonly name = "PostriderError";
  readonly code: string;
  readonly status: number | null;
  /** Finds the request in the log of the project, at `GET /requests/:id`. */
  readonly requestId: string | null;
  /** The fields that are wrong, after a 422. */
  readonly errors: FieldFault[];
  readonly details: Record<string, unknown>;
  /** What to do about it, if the service knows. */
  readonly suggestion: string | null;
  /** In how many seconds it may be tried again, if the service said so. */
  readonly retryAfterS: number | null;

  constructor(message: string, fault: Fault) {
    super(message, { cause: fault.cause });
    this.code = fault.code;
    this.status = fault.status ?? null;
    this.requestId = fault.requestId ?? null;
    this.errors = fault.errors ?? [];
    this.details = fault.details ?? {};
    this.suggestion = fault.suggestion ?? null;
    this.retryAfterS = fault.retryAfterS ?? null;
  }
}

interface ErrorBody extends Partial<Omit<Fault, "status">> {
  message?: string;
}

/** The error of a response. A proxy in between may answer with something else than the service's JSON. */
export function errorOf(response: Response, text: string): PostriderError {
  const { error } = parsed(text);
  const body: ErrorBody = typeof error === "string" ? { message: error } : (error ?? {});
  const message = body.message ?? `The service answered with status ${response.status}`;
  return new PostriderError(message, {
    ...body,
    code: body.code ?? "UNKNOWN",
    status: response.status,
    requestId: body.requestId ?? response.headers.get("x-request-id"),
    retryAfterS: secondsOf(response.headers.get("retry-after")),
  });
}

function parsed(text: string): { error?: string | ErrorBody } {
  try {
    return (JSON.parse(text) ?? {}) as { error?: string | ErrorBody };
  } catch {
    return {};
  }
}

/** `Retry-After` is a number of seconds, or a date. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}
