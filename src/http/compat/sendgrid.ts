// /compat/sendgrid: the sending part of SendGrid's API, for its SDKs.
import { Elysia } from "elysia";
import type { Context } from "../../context.ts";
import { type Problem, problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { SEND_BODY_LIMIT } from "../entry/body.ts";
import { IdempotencyHeaders } from "../entry/idempotency.ts";
import type { ForeignRefusal } from "../entry/problems.ts";
import { callOf, SdkMessage, sendAllTranslated } from "./_message.ts";
import { readSendgrid } from "./_sendgrid_message.ts";

/** `POST /compat/sendgrid/v3/mail/send`. It is no part of the OpenAPI document: the guide on SDKs describes it. */
export function sendgridRoutes(ctx: Context) {
  return new Elysia({ prefix: "/compat/sendgrid/v3", detail: { hide: true } })
    .use(authenticateKey(ctx, "secret", { bodyLimit: SEND_BODY_LIMIT }))
    .post(
      "/mail/send",
      async ({ project, headers, body, set }) => {
        const call = callOf("POST /compat/sendgrid/v3/mail/send", project.id, headers);
        const { messages, errors, isTrial } = await readSendgrid(body, ctx.now());
        if (errors.length > 0) throw problems.invalid(errors);
        const results = await sendAllTranslated(ctx, call, messages, { isTrial });
        if (results === null) return "";
        set.status = 202;
        set.headers["x-message-id"] = results[0]!.emails[0]!.email;
        return "";
      },
      { headers: IdempotencyHeaders, body: SdkMessage },
    );
}

/** As SendGrid answers it, where it differs. */
const STATUSES: Readonly<Record<string, number>> = { VALIDATION_ERROR: 400, TEMPLATE_NOT_FOUND: 400 };

/** What a refusal is about that names no field, by its reason or its code. */
const FIELDS: Readonly<Record<string, string>> = {
  TEMPLATE_NOT_FOUND: "template_id",
  SENDER_DOMAIN_NOT_VERIFIED: "from",
};

/** A refusal in the shape of SendGrid's. */
export function sendgridError({ status, problemCode, message, extras }: Problem): ForeignRefusal {
  const help = extras.suggestion ?? null;
  const reason = String(extras.details?.reason ?? problemCode);
  const field = Object.hasOwn(FIELDS, reason) ? FIELDS[reason]! : null;
  const errors = extras.errors?.map((error) => ({
    message: error.message,
    field: error.field || null,
    help,
  }));
  return {
    status: STATUSES[problemCode] ?? status,
    body: { errors: errors ?? [{ message, field, help }] },
  };
}
