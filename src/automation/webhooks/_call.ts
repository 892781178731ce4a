// One call of a webhook: filled in, signed, and sent if it may go.
import { webhookSecretsOf } from "../../accounts/projects/webhook_secrets.ts";
import type { Context } from "../../context.ts";
import { guardOf } from "../../guard.ts";
import type { GuardedAnswer, GuardedRequest } from "../../net/guarded_request.ts";
import { Unsendable, webhookRequest, type WebhookSubject } from "./_request.ts";
import type { WebhookConfig } from "./config.ts";
import { signatureHeaders } from "./signature.ts";
import { tracedRequest } from "./traced_request.ts";

/** The content of a call, and the project it is made for. */
interface WebhookCall {
  projectId: string;
  /** The id of the webhook: the same at every attempt. */
  stepExecutionId: string;
  config: WebhookConfig;
  subject: WebhookSubject;
}

/** Calls once. The result also has the URL after filling in. */
export async function askOnce(
  ctx: Context,
  { config, subject, projectId, stepExecutionId }: WebhookCall,
  at: Date,
): Promise<{ url: string; answer: GuardedAnswer }> {
  let request: GuardedRequest;
  try {
    request = webhookRequest(config, subject);
  } catch (error) {
    if (!(error instanceof Unsendable)) throw error;
    return { url: config.url, answer: { state: "refused", reason: error.message, finding: null } };
  }
  const url = URL.parse(request.url)?.href ?? config.url;
  const secrets = await webhookSecretsOf(ctx, projectId);
  if (!secrets) {
    ctx.log.error("a webhook secret cannot be decrypted with this SECRET_KEY", { projectId });
    return { url, answer: { state: "failed", reason: CANNOT_SIGN } };
  }
  const { secret, previous } = secrets;
  const valid = previous ? [secret, previous.secret] : [secret];
  const signed = signatureHeaders(request, { id: stepExecutionId, at, secrets: valid });
  const headers = { ...request.headers, ...signed };
  const answer = await tracedRequest({ ...request, headers }, guardOf(ctx));
  if (answer.state === "refused" && answer.finding) {
    ctx.log.warn("a webhook must not be called", { projectId, stepExecutionId, ...answer.finding });
  }
  return { url, answer };
}

const CANNOT_SIGN = "it could not be signed, because the project's webhook secret cannot be decrypted";
