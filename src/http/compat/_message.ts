// What the APIs of other providers have in common here: reading their messages, and accepting them as our own.
import type { Context } from "../../context.ts";
import { type FieldError, type Problem, problems } from "../../problem/mod.ts";
import { type MessageOfBatch } from "../../sending/send/batch.ts";
import { sendErrors } from "../../sending/send/input.ts";
import {
  acceptOne,
  messageOf,
  type ReplayableRequest,
  sendLimits,
  type SendResult,
} from "../../sending/send/mod.ts";
import { readMessages } from "../routes/v1.ts";

/** JSON as a provider's SDK writes it. */
export type SdkFields = Record<string, unknown>;

/** A message as `POST /v1/send` takes it, and what of the given one cannot be sent. */
export interface Translated {
  body: SdkFields;
  errors: FieldError[];
}

/** The names that fields of ours have at a provider. */
export type Names = Readonly<Record<string, string>>;

/** What is in a message, without what says nothing: SDKs write null and empty lists for what was left out. */
export function filled(given: unknown): SdkFields {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return {};
  return Object.fromEntries(Object.entries(given).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return Array.isArray(value) && value.length === 0;
}

/** Refuses what would have no effect: fields that have a reason, and those that nobody knows. */
export function fieldErrorsOf(
  given: SdkFields,
  known: readonly string[],
  refused: Readonly<Record<string, string>>,
): FieldError[] {
  return Object.keys(given)
    .filter((field) => !known.includes(field))
    .map((field) => {
      const message = Object.hasOwn(refused, field) ? refused[field]! : "This field is not supported here";
      return { field, code: "custom" as const, message };
    });
}

/** Checks messages by the schema and the rules of `POST /v1/send`; errors have the names that the provider's SDK knows. */
export async function readTranslated(
  ctx: Context,
  translated: Translated[],
  names: Names,
): Promise<MessageOfBatch[]> {
  const bodies = translated.map(({ body }) =>
    Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
  );
  const messages = await readMessages(ctx, bodies);
  for (const [i, { input, errors }] of messages.entries()) {
    if (errors.length === 0) errors.push(...(await sendErrors(input, sendLimits(ctx))));
    messages[i] = {
      input,
      errors: [...translated[i]!.errors, ...errors.map((error) => renamed(error, names))],
    };
  }
  return messages;
}

function renamed(error: FieldError, names: Names): FieldError {
  const [first = "", ...rest] = error.field.split(".");
  return { ...error, field: [names[first] ?? first, ...rest].join(".") };
}

/** Accepts one message. Throws what `POST /v1/send` would, in the names of the provider. */
export async function sendTranslated(
  ctx: Context,
  call: ReplayableRequest,
  translated: Translated,
  names: Names,
): Promise<SendResult> {
  const [{ input, errors }] = (await readTranslated(ctx, [translated], names)) as [MessageOfBatch];
  if (errors.length > 0) throw problems.invalid(errors);
  return (await acceptOne(ctx, call, messageOf(call, input))).result;
}

/** A refusal in one text, for SDKs that show nothing else: with every invalid field, and what to do. */
export function refusalText({ message, extras }: Problem): string {
  const fields = extras.errors?.map((error) => `${error.field || "body"}: ${error.message}`).join("; ");
  return [fields ?? message, extras.suggestion].filter(Boolean).join(". ");
}
