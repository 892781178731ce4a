// The one place where everything thrown becomes a response.
import type { TSchema } from "@sinclair/typebox";
import { Elysia, ValidationError } from "elysia";
import type { ValueError } from "@sinclair/typebox/errors";
import { goneParent, isConflict, isDatabaseAway, isTimeout, mayHaveHappened } from "../../database_errors.ts";
import { describeError } from "../../log.ts";
import { Problem, problems } from "../../problem/mod.ts";
import { isForBrowser } from "./browser.ts";
import { fieldErrors } from "./field_errors.ts";
import { note, requestIdOf } from "./requests.ts";

/** What a browser is shown in place of the envelope, where it has asked for what is not there, or something broke. */
type PageOf = (trouble: {
  status: number;
  message: string;
  advice?: string | undefined;
  requestId: string;
}) => Response;

/** A refusal in another shape than the envelope, with the status that it has there. */
export interface ForeignRefusal {
  status: number;
  body: object;
}

/** That shape, where the path is part of another API; or null. */
type ForeignShape = (path: string, problem: Problem) => ForeignRefusal | null;

/** Turns anything a route throws into the error envelope. `allowedMethods` tells 405 from 404. */
export function problemResponses(
  allowedMethods: (path: string) => string[],
  pageOf: PageOf | null = null,
  foreignShape: ForeignShape = () => null,
) {
  return new Elysia({ name: "problems" }).onError(
    { as: "global" },
    async ({ error, code, request, path, set }) => {
      const problem =
        code === "NOT_FOUND" && !(error instanceof Problem)
          ? unknownRoute(request.method, path, allowedMethods(path))
          : await toProblem(error, request);
      note(request, { code: problem.problemCode, refusal: problem });
      if (problem.status >= 500) note(request, faultOf(problem, error));
      set.status = problem.status;
      for (const [name, value] of Object.entries(problem.extras.headers ?? {})) set.headers[name] = value;
      const foreign = foreignShape(path, problem);
      if (foreign) {
        set.headers["x-error-code"] = problem.problemCode;
        set.status = foreign.status;
        return foreign.body;
      }
      const requestId = requestIdOf(request);
      const isShown = problem.status === 404 || problem.status >= 500;
      if (!pageOf || !isShown || !isForBrowser(request)) return toEnvelope(problem, requestId);
      const { status, message, extras } = problem;
      return pageOf({ status, message, advice: extras.suggestion, requestId });
    },
  );
}

/** The body of a bare refusal (guides/errors.md): it has no code, but the log line and the log of requests do. */
export function bareRefusal(request: Request, message: string): { error: string } {
  const refusal = problems.badRequest(message);
  note(request, { code: refusal.problemCode, refusal });
  return { error: message };
}

/** The error envelope (guides/errors.md). */
export function toEnvelope(problem: Problem, requestId: string) {
  const { errors, details, suggestion } = problem.extras;
  return {
    success: false as const,
    error: {
      code: problem.problemCode,
      message: problem.message,
      statusCode: problem.status,
      requestId,
      ...(errors && { errors }),
      ...(details && { details }),
      ...(suggestion && { suggestion }),
    },
    timestamp: new Date().toISOString(),
  };
}

/** What is logged of an internal error. */
export function faultOf(problem: Problem, error: unknown) {
  return problem.extras.isLoad
    ? { isLoad: true, error: { error: problem.message } }
    : { error: describeError(error) };
}

/** What the caller is told of anything thrown. */
export async function toProblem(error: unknown, request: Request): Promise<Problem> {
  if (error instanceof Problem) return error;
  if (error instanceof ValidationError) return await validationProblem(error);
  if (isDatabaseAway(error)) {
    const isReading = request.method === "GET" || request.method === "HEAD";
    return mayHaveHappened(error) && !isReading ? problems.unsure() : problems.unavailable();
  }
  if (isTimeout(error) || isConflict(error)) return problems.tooSlow();
  const gone = goneParent(error);
  return gone === null ? problems.unexpected() : problems.goneMeanwhile(gone);
}

async function validationProblem(error: ValidationError): Promise<Problem> {
  const { type, validator, value } = error as unknown as {
    type: string;
    validator: { schema: TSchema; Errors(value: unknown): Iterable<ValueError> };
    value: unknown;
  };
  // An answer that is not what its schema promises is our fault, and stays inside.
  if (type === "response") return problems.unexpected();
  const errors = await fieldErrors(validator.schema, validator.Errors(value), value);
  if (type === "body") return problems.invalid(errors);
  if (type === "query") return problems.badParameters(errors);
  return problems.routeNotFound("", "this resource");
}

function unknownRoute(method: string, path: string, allowed: string[]): Problem {
  return allowed.length > 0
    ? problems.methodNotAllowed(method, path, allowed)
    : problems.routeNotFound(method, path);
}
