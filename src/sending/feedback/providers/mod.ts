// Webhooks of the providers that mail is sent through: proved, read, and then the same as the notices of SES.
import { createHash } from "node:crypto";
import { providerWebhooks } from "../../../config/mod.ts";
import { type Context, perService } from "../../../context.ts";
import { newFairLine } from "../../../fair_line.ts";
import type { FeedbackSource, MailProvider } from "../../../mail/provider_marks.ts";
import { problems } from "../../../problem/mod.ts";
import { type FeedbackProof, feedbackProofOf } from "../../transports/feedback.ts";
import { DEFAULT_TRANSPORT } from "../../transports/routes.ts";
import { readComplaint } from "./arf.ts";
import { takeNotification } from "../notifications.ts";
import { whyNotLoggedIn } from "./_proofs.ts";
import type { FeedbackProvider, ProviderEvent } from "./_provider.ts";
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
  provider: FeedbackSource;
  /** Through which transport these mails went: an id, or `default` for the mail server of the settings. */
  transportId: string;
  headers: Headers;
  bytes: Uint8Array;
}

/** Of one request so many events are underway at once: whoever tells more waits for his own. */
const MAX_UNDERWAY = 200;
/** Requests about the mails of projects' own transports, which nobody here vouches for. */
const OWN = { maxAtOnce: 4, maxOfOne: 2, maxWaiting: 400, maxWaitingOfOne: 50 };

/**
 * Records what a provider tells: committed when it resolves, and what is told again changes nothing. What is told about a project's
 * own transport counts for mails of this project alone. Throws NOT_CONFIGURED (404) without a secret for it, 400 for what is not
 * JSON, 403 for what the provider has not sent, and 429 and 503 where too many requests wait.
 */
export async function takeProviderEvents(ctx: Context, request: ProviderRequest): Promise<void> {
  const { provider, transportId } = request;
  const proof = await proofOf(ctx, request);
  if (proof === null) throw problems.notConfigured(`secret for this webhook of ${provider}`, ADVICE, 404);
  const events = await eventsIn(ctx, request, proof);
  const scope = transportId === DEFAULT_TRANSPORT ? provider : `${transportId} ${provider}`;
  const take = () => takeEvents(ctx, scope, events, proof.projectId);
  if (proof.projectId === null) await take();
  else await lineOf(ctx)(proof.projectId, take);
}

/** What a genuine request tells. */
async function eventsIn(
  ctx: Context,
  { provider, headers, bytes }: ProviderRequest,
  { secret, projectId }: FeedbackProof,
): Promise<ProviderEvent[]> {
  const assertGenuine = (reason: string | null) => {
    if (reason !== null) throw problems.forgedNotification(reason);
  };
  if (provider === "arf") {
    assertGenuine(whyNotLoggedIn(headers, secret));
    return await readComplaint(ctx, bytes, projectId);
  }
  const delivery = { headers, bytes, body: parse(bytes), now: ctx.now() };
  assertGenuine(READERS[provider].whyForged(delivery, secret));
  return READERS[provider].read(delivery);
}

/** Those of one request share commits, with those of others. `scope` tells the receipts of senders apart. */
async function takeEvents(
  ctx: Context,
  scope: string,
  events: ProviderEvent[],
  projectId: string | null,
): Promise<void> {
  for (let from = 0; from < events.length; from += MAX_UNDERWAY) {
    await Promise.all(
      events.slice(from, from + MAX_UNDERWAY).map(({ id, notice }) => {
        const mail = projectId === null ? notice.mail : { ...notice.mail, within: projectId };
        const notices = [{ ...notice, mail }];
        return takeNotification(ctx, { messageId: receiptOf(scope, id), notices, received: null });
      }),
    );
  }
}

const lineOf = perService(() =>
  newFairLine(OWN, {
    ofAll: () => problems.busy("take this notification"),
    ofOne: () => problems.busy("take this notification", "of yours"),
  }),
);

const ADVICE =
  "Set the secret of the transport (feedbackSecret), or for the mail server of the settings PROVIDER_WEBHOOKS";

/** What proves a webhook; null where nothing does. */
async function proofOf(
  ctx: Context,
  { provider, transportId }: ProviderRequest,
): Promise<FeedbackProof | null> {
  if (transportId !== DEFAULT_TRANSPORT) return await feedbackProofOf(ctx, provider, transportId);
  const secret = providerWebhooks(ctx.config)?.[provider];
  return secret === undefined ? null : { secret, projectId: null };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw problems.badRequest("Cannot read this as JSON");
  }
}

/** Ids of providers are of any length. */
function receiptOf(scope: string, id: string): string {
  return `${scope} ${createHash("sha256").update(id).digest("hex").slice(0, 40)}`;
}
