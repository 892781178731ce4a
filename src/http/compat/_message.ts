// What the APIs of other providers have in common here: reading their messages, and accepting them as our own.
import { t } from "elysia";
import { templatesByAlias } from "../../content/template_fields.ts";
import type { Context } from "../../context.ts";
import { createPauses } from "../../pauses.ts";
import { type FieldError, MAX_ERRORS, type Problem, problems } from "../../problem/mod.ts";
import { type MessageOfBatch, sendEach, sendTogether, tryTogether } from "../../sending/send/batch.ts";
import { sendErrors, type Tag } from "../../sending/send/input.ts";
import {
  acceptOne,
  messageOf,
  type ReplayableRequest,
  sendLimits,
  type SendResult,
} from "../../sending/send/mod.ts";
import { SEND_BODY_LIMIT } from "../entry/body.ts";
import { bounded } from "../entry/body_bounds.ts";
import { idempotencyKey } from "../entry/idempotency.ts";
import { isUuid } from "../entry/schemas.ts";
import { readMessages } from "../routes/v1.ts";
import { inNames, type Names, problemIn, renamed } from "./_names.ts";

/** How large a message may be, or the list of them in a request. */
export const SDK_SIZE = { bytes: SEND_BODY_LIMIT, values: 50_000, levels: 70, escape: 1 };

/** JSON as a provider's SDK writes it. */
export type SdkFields = Record<string, unknown>;

/** A message, of which its reader says what is wrong: nothing but an object gets here, and a record would check each name. */
export const SdkMessage = bounded(t.Unsafe<SdkFields>(t.Unknown()), SDK_SIZE);

/** A message as `POST /v1/send` takes it, and what of the given one cannot be sent. */
export interface Translated {
  body: SdkFields;
  errors: FieldError[];
  /** Where its fields are in the request, in place of the names that all messages have. */
  names?: Names;
}

/** No part of a message has nearly as many fields; each that is unknown is refused, and a refusal lists fewer of them. */
const MAX_FIELDS = 1_000;

/**
 * What is in a message, without what says nothing: SDKs write null and empty lists for what was left out. The first 1,000
 * fields, since going through 50,000 more than once takes longer than their number deserves.
 */
export function filled(given: unknown): SdkFields {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return {};
  const fields: SdkFields = Object.create(null);
  let left = MAX_FIELDS;
  for (const name in given) {
    const value = (given as SdkFields)[name];
    if (isEmpty(value)) continue;
    fields[name] = value;
    if (--left === 0) break;
  }
  return fields;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return Array.isArray(value) && value.length === 0;
}

/** The request that an idempotency key stands for, where there is one: a repeated request is answered again. */
export function callOf(
  request: string,
  projectId: string,
  headers: { "idempotency-key"?: string | undefined },
): ReplayableRequest {
  return { projectId, key: idempotencyKey(headers), request, replays: true };
}

/**
 * Checks messages by the schema and the rules of `POST /v1/send`; errors have the names that the provider's SDK knows. Of those
 * that are accepted `together` or not at all, none is read after as many errors as a refusal lists.
 */
export async function readTranslated(
  ctx: Context,
  projectId: string,
  translated: Translated[],
  names: Names,
  accepted: "each" | "together",
): Promise<MessageOfBatch[]> {
  const idOf = await templateIds(ctx, projectId, translated);
  const messages: MessageOfBatch[] = [];
  const pause = createPauses();
  let found = 0;
  for (const message of translated) {
    if (accepted === "together" && found >= MAX_ERRORS) break;
    await pause();
    const given = { ...message.body, template: idOf(message.body.template) };
    const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const [{ input, errors }] = (await readMessages(ctx, [body])) as [MessageOfBatch];
    if (errors.length === 0) errors.push(...(await sendErrors(input, sendLimits(ctx))));
    const known = message.names ?? names;
    const all = [...message.errors, ...errors.map((error) => renamed(error, known))];
    messages.push({ input, errors: all });
    found += all.length;
  }
  return messages;
}

/** An id that no template has. */
const NO_TEMPLATE = "00000000-0000-0000-0000-000000000000";

/** Which id is meant by what messages call their templates: an id, or an alias. */
async function templateIds(ctx: Context, projectId: string, translated: Translated[]) {
  const isAlias = (name: unknown): name is string => typeof name === "string" && name !== "" && !isUuid(name);
  const aliases = new Set(translated.map(({ body }) => body.template).filter(isAlias));
  const ids = await templatesByAlias(ctx, projectId, [...aliases]);
  // One that is unknown is refused where the others are.
  return (name: unknown): unknown => (isAlias(name) ? (ids.get(name) ?? NO_TEMPLATE) : name);
}

/** Accepts one message. Throws what `POST /v1/send` would, in the names of the provider. */
export async function sendTranslated(
  ctx: Context,
  call: ReplayableRequest,
  translated: Translated,
  names: Names,
): Promise<SendResult> {
  const [{ input, errors }] = (await readTranslated(ctx, call.projectId, [translated], names, "each")) as [
    MessageOfBatch,
  ];
  if (errors.length > 0) throw problems.invalid(errors);
  return await inNames(translated.names ?? names, async () => {
    return (await acceptOne(ctx, call, messageOf(call, input))).result;
  });
}

/**
 * Accepts all messages of a request in one transaction, or none; with `isTrial` none in any case, and null is returned. Throws
 * what is wrong with all of them, in the names of the provider.
 */
export async function sendAllTranslated(
  ctx: Context,
  call: ReplayableRequest,
  translated: Translated[],
  { names = {}, isTrial = false }: { names?: Names; isTrial?: boolean } = {},
): Promise<SendResult[] | null> {
  const messages = await readTranslated(ctx, call.projectId, translated, names, "together");
  const errors = messages.flatMap((message) => message.errors);
  if (errors.length === 0) errors.push(...sizeErrors(messages));
  if (errors.length > 0) throw problems.invalid(errors);
  return await inNames(
    (index) => translated[index]?.names ?? names,
    async () => {
      if (isTrial) {
        await tryTogether(ctx, { ...call, key: null }, messages);
        return null;
      }
      if (messages.length > 1) return await sendTogether(ctx, call, messages);
      return [(await acceptOne(ctx, call, messageOf(call, messages[0]!.input))).result];
    },
  );
}

/**
 * Accepts messages each by itself: what was accepted, or what was thrown about it, in the names of the provider. `namesAt` are those
 * of a message.
 */
export async function sendEachTranslated(
  ctx: Context,
  call: ReplayableRequest,
  messages: MessageOfBatch[],
  namesAt: (index: number) => Names,
): Promise<(SendResult | Error)[]> {
  const results = await inNames(OF_BATCH, () => sendEach(ctx, call, messages));
  // What was found by reading them has these names already.
  return results.map((result, i) =>
    result instanceof Error && messages[i]!.errors.length === 0 ? problemIn(result, namesAt(i)) : result,
  );
}

/** What is said of all messages together: elsewhere they have no field of their own. */
const OF_BATCH: Names = { messages: "" };

/** A request says once what each of its messages has, and every message is stored with all of it. */
function sizeErrors(messages: MessageOfBatch[]): FieldError[] {
  const sizes = messages.map(({ input: { body = "", attachments = [] } }) =>
    attachments.reduce((sum, { content }) => sum + content.length, body.length),
  );
  if (sizes.reduce((sum, size) => sum + size, 0) <= SEND_BODY_LIMIT) return [];
  const message = `All messages of a request have at most ${SEND_BODY_LIMIT / 1_048_576} MB together: send fewer of them at once`;
  return [{ field: "", code: "too_big", message }];
}

const MAX_TAGS = 10;
const MAX_TAG_LENGTH = 256;

/**
 * What a provider's SDK marks a message with, as tags: what no tag can have becomes `-`. The last of several with the same name
 * counts. `field` is what an error is about.
 */
export function tagsOf(
  marks: [name: string, value: unknown][],
  field: string,
): { tags: Tag[] | undefined; errors: FieldError[] } {
  const tags = new Map(marks.map(([name, value]) => [tagWord(name), tagWord(asText(value))]));
  const message = `A mail has at most ${MAX_TAGS} tags, and these are ${tags.size} with different names`;
  return {
    tags:
      tags.size === 0 ? undefined : [...tags].slice(0, MAX_TAGS).map(([name, value]) => ({ name, value })),
    errors: tags.size <= MAX_TAGS ? [] : [{ field, code: "too_big", message }],
  };
}

/** A value as text; one with parts as JSON, since an object may have a `toString` of its own, which is none. */
export function asText(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

function tagWord(text: string): string {
  return text.slice(0, MAX_TAG_LENGTH).replace(/[^A-Za-z0-9_-]+/g, "-") || "-";
}

/** A time in ISO 8601; undefined for one that is over: what should have gone goes at once. */
export function sendAtOf(time: Date, now: Date): string | undefined {
  return time <= now ? undefined : time.toISOString();
}

/** A refusal in one text, for SDKs that show nothing else: with every invalid field, and what to do. */
export function refusalText({ message, extras }: Problem): string {
  const fields = extras.errors?.map((error) => `${error.field || "body"}: ${error.message}`).join("; ");
  return [fields ?? message, extras.suggestion].filter(Boolean).join(". ");
}
