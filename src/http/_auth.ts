// Who is asking. Everything here is decided before the body is read, in the order of wire.md section 1.
import { Elysia } from "elysia";
import { type KeyKind, projectByKey } from "../accounts/keys.ts";
import { takeRequest } from "../accounts/limits.ts";
import type { Context } from "../context.ts";
import { problems } from "../problem.ts";
import { BODY_LIMIT, readJson } from "./_body.ts";
import { readForm } from "./_form.ts";
import { note } from "./_requests.ts";

/** Stands for a body that nobody has read yet. */
const UNREAD = {};

/** How a body may come. */
const READERS = { json: readJson, form: readForm };

/**
 * Gives the routes after it the `project` that the key belongs to. In this order: key, project disabled, rate limit,
 * and only then the body is read and validated.
 */
export function keyDoor(
  ctx: Context,
  kind: KeyKind,
  { bodyLimit = BODY_LIMIT, reads = "json" }: { bodyLimit?: number; reads?: keyof typeof READERS } = {},
) {
  return new Elysia()
    .onParse({ as: "scoped" }, () => UNREAD)
    .derive({ as: "scoped" }, async (request) => {
      const key = bearerToken(request.headers.authorization);
      const { id, disabled, disabledReason } = await inTime(projectByKey(ctx, kind, key));
      note(request.request, { projectId: id });
      if (disabled) throw problems.projectDisabled(disabledReason);
      const limit = await takeRequest(ctx, id);
      if (limit) {
        request.set.headers["ratelimit-limit"] = String(limit.limit);
        request.set.headers["ratelimit-remaining"] = String(limit.remaining);
        request.set.headers["ratelimit-reset"] = String(limit.reset);
      }
      // PostgreSQL has no NUL in text, and no client means one.
      if (/%00/.test(request.request.url)) throw problems.badRequest("Cannot use NUL in an address");
      if (request.body === UNREAD) request.body = await READERS[reads](request.request, bodyLimit);
      return { project: { id } };
    });
}

// A database that hangs is noticed here, before anything was done.
const PATIENCE_MS = 10_000;

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(problems.unavailable()), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** The one token of an `Authorization: Bearer` header. Throws MISSING_AUTH when there is none. */
function bearerToken(header: string | undefined): string {
  const token = /^Bearer +([^\s]+)$/i.exec(header?.trim() ?? "")?.[1];
  if (!token) throw problems.missingAuth();
  return token;
}
