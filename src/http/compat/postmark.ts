// /compat/postmark: the sending part of Postmark's API, for its SDKs.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { type RecipientsInput, recipientsOf } from "../../sending/send/recipients.ts";
import type { ReplayableRequest } from "../../sending/send/mod.ts";
import { suppressedAmong } from "../../sending/suppressions.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { SEND_BODY_LIMIT } from "../entry/body.ts";
import { bounded } from "../entry/body_bounds.ts";
import { IdempotencyHeaders } from "../entry/idempotency.ts";
import { toProblem } from "../entry/problems.ts";
import { isUuid, PathId } from "../entry/schemas.ts";
import { callOf, filled, readTranslated, SdkMessage, SDK_SIZE, sendEachTranslated } from "./_message.ts";
import { showPostmark } from "./_postmark_details.ts";
import { postmarkError } from "./_postmark_errors.ts";
import { POSTMARK_NAMES, readPostmark } from "./_postmark_message.ts";

const MAX_BATCH = 500;
const List = t.Array(t.Unknown(), { maxItems: MAX_BATCH });
const Messages = bounded(List, SDK_SIZE);
const TemplateMessages = bounded(t.Object({ Messages: List }), SDK_SIZE);

const PREFIX = "/compat/postmark";
const tokenIn = (headers: Record<string, string | undefined>) => headers["x-postmark-server-token"] ?? null;

/** `/compat/postmark/email` and what else sends. It is no part of the OpenAPI document: the guide on SDKs describes it. */
export function postmarkRoutes(ctx: Context) {
  return new Elysia({ prefix: PREFIX, detail: { hide: true } }).use(sendRoutes(ctx)).use(
    new Elysia().use(authenticateKey(ctx, "secret", { keyIn: tokenIn })).get(
      "/messages/outbound/:id/details",
      async ({ project, params: { id } }) => {
        if (!isUuid(id)) throw problems.notFound("email", id);
        return await showPostmark(ctx, project.id, id);
      },
      { params: t.Object({ id: PathId }) },
    ),
  );
}

function sendRoutes(ctx: Context) {
  const headers = IdempotencyHeaders;
  return new Elysia()
    .use(authenticateKey(ctx, "secret", { bodyLimit: SEND_BODY_LIMIT, keyIn: tokenIn }))
    .post(
      "/email",
      async ({ project, headers: given, body }) => {
        const call = callOf(`POST ${PREFIX}/email`, project.id, given);
        return await sendOne(ctx, call, body, false);
      },
      { headers, body: SdkMessage },
    )
    .post(
      "/email/withTemplate",
      async ({ project, headers: given, body }) => {
        const call = callOf(`POST ${PREFIX}/email/withTemplate`, project.id, given);
        return await sendOne(ctx, call, body, true);
      },
      { headers, body: SdkMessage },
    )
    .post(
      "/email/batch",
      async ({ project, headers: given, body, request }) => {
        const call = callOf(`POST ${PREFIX}/email/batch`, project.id, given);
        return await answersOf(await sendAll(ctx, call, body, false), request);
      },
      { headers, body: Messages },
    )
    .post(
      "/email/batchWithTemplates",
      async ({ project, headers: given, body, request }) => {
        const call = callOf(`POST ${PREFIX}/email/batchWithTemplates`, project.id, given);
        return await answersOf(await sendAll(ctx, call, body.Messages, true), request);
      },
      { headers, body: TemplateMessages },
    );
}

async function sendOne(ctx: Context, call: ReplayableRequest, given: unknown, isTemplate: boolean) {
  const [answer] = await sendAll(ctx, call, [given], isTemplate);
  if (answer instanceof Error) throw answer;
  return answer!;
}

/** Sends messages each by itself: what is answered to each, in order, or what was thrown about it. */
async function sendAll(ctx: Context, call: ReplayableRequest, given: unknown[], isTemplate: boolean) {
  const translated = given.map((message) => readPostmark(message, isTemplate));
  const messages = await readTranslated(ctx, call.projectId, translated, POSTMARK_NAMES, "each");
  const addresses = messages.map(({ input, errors }) => (errors.length > 0 ? [] : addressesOf(input)));
  const suppressed = new Set(await suppressedAmong(ctx, call.projectId, addresses.flat()));
  const inactive = addresses.map((of) => of.filter((address) => suppressed.has(address)));
  const refusals = messages.map(({ errors }, i) => {
    if (errors.length > 0 || inactive[i]!.length < addresses[i]!.length) return null;
    const refusal = problems.allSuppressed(inactive[i]!);
    errors.push(...refusal.extras.errors!);
    return refusal;
  });
  const namesAt = (i: number) => translated[i]!.names ?? POSTMARK_NAMES;
  const results = await sendEachTranslated(ctx, call, messages, namesAt);
  return results.map((result, i) => {
    if (result instanceof Error) return refusals[i] ?? result;
    const left = inactive[i]!.join(", ");
    return {
      To: filled(given[i]).To,
      SubmittedAt: result.timestamp,
      MessageID: result.emails[0]!.email,
      ErrorCode: 0,
      Message: left === "" ? "OK" : `Message OK, but will not deliver to these inactive addresses: ${left}.`,
    };
  });
}

const addressesOf = (input: RecipientsInput) => [...new Set(recipientsOf(input).map(({ email }) => email))];

async function answersOf(results: (object | Error)[], request: Request) {
  return await Promise.all(
    results.map(async (result) =>
      result instanceof Error ? postmarkError(await toProblem(result, request)).body : result,
    ),
  );
}
