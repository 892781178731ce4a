// Webhooks of the providers that mail is sent through: proved, read, and then the same as the notices of SES.
import { createHash } from "node:crypto";
import { providerWebhooks } from "../../../config/mod.ts";
import type { Context } from "../../../context.ts";
import type { MailProvider } from "../../../mail/provider_marks.ts";
import { problems } from "../../../problem/mod.ts";
import { takeNotification } from "../notifications.ts";
import type { FeedbackProvider } from "./_provider.ts";
import { brevoProvider } from "./brevo.ts";
import { mailgunProvider } from "./mailgun.ts";
import { mailjetProvider } from "./mailjet.ts";
import { postmarkProvider } from "./postmark.ts";
import { resendProvider } from "./resend.ts";
import { sendgridProvider } from "./sendgrid.ts";

const READERS: Record<MailProvider, FeedbackProvider> = {
  postmark: postmarkProvider,
  mailgun: mailgunProvider,
  sendgrid: sendgridProvider,
  resend: resendProvider,
  brevo: brevoProvider,
  mailjet: mailjetProvider,
};

/** A request as it came. */
export interface ProviderRequest {
  provider: MailProvider;
  /** Through which transport these mails went: `default` for the mail server of the settings. */
  transportId: string;
  headers: Headers;
  bytes: Uint8Array;
}

/**
 * Records what a provider tells: committed when it resolves, and what is told again changes nothing. Throws NOT_CONFIGURED (404)
 * without a secret for it, 400 for what is not JSON, and 403 for what the provider has not sent.
 */
export async function takeProviderEvents(ctx: Context, request: ProviderRequest): Promise<void> {
  const { provider, headers, bytes } = request;
  const secret = secretOf(ctx, request);
  if (secret === null) {
    const advice = `Have the operator add ${provider} to PROVIDER_WEBHOOKS`;
    throw problems.notConfigured(`secret for the webhook of ${provider}`, advice, 404);
  }
  const delivery = { headers, bytes, body: parse(bytes), now: ctx.now() };
  const reason = READERS[provider].whyForged(delivery, secret);
  if (reason !== null) throw problems.forgedNotification(reason);
  const events = READERS[provider].read(delivery);
  // Those of one request share commits, with those of others.
  await Promise.all(
    events.map(({ id, notice }) =>
      takeNotification(ctx, { messageId: receiptOf(provider, id), notices: [notice], received: null }),
    ),
  );
}

/** The secret of a webhook; null where there is none. */
function secretOf({ config }: Context, { provider, transportId }: ProviderRequest): string | null {
  return transportId === "default" ? (providerWebhooks(config)?.[provider] ?? null) : null;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw problems.badRequest("Cannot read this as JSON");
  }
}

/** Ids of providers are of any length. */
function receiptOf(provider: MailProvider, id: string): string {
  return `${provider} ${createHash("sha256").update(id).digest("hex").slice(0, 40)}`;
}
