// What the provider behind a transport tells about its mails: at which address, and proved by which secret.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type FeedbackSource, isFeedbackSource, providerOfUrl } from "../../mail/provider_marks.ts";
import { isDirect } from "../../mail/direct_url.ts";
import { wrongInSecret } from "../../mail/provider_secrets.ts";
import type { FieldError } from "../../problem/mod.ts";
import { INSTALLATION } from "./routes.ts";
import { openFeedbackSecret, sealFeedbackSecret } from "./sealed.ts";

/** Where a provider reports, as the owners of a transport see it. */
export interface TransportFeedback {
  /** `arf`: complaint reports that the operator of a mail server passes on. */
  provider: FeedbackSource;
  /** Its webhook is set to this. */
  url: string;
  hasSecret: boolean;
}

/** What proves the webhooks of a transport. */
export interface FeedbackProof {
  secret: string;
  /** Whose mails it may tell about. Null: all, for it is a transport of the installation. */
  projectId: string | null;
}

interface Stored {
  feedbackProvider: string | null;
  feedbackSecret: Uint8Array | null;
}

/** Who tells about the mails of a transport with this URL; null for one that leads nowhere. */
export function feedbackProviderOf(url: string | null): FeedbackSource | null {
  if (url === null) return null;
  return (isDirect(url) ? null : providerOfUrl(new URL(url))) ?? "arf";
}

/** As it is shown; null where nobody reports. */
export function feedbackOf(
  { config }: Pick<Context, "config">,
  { id, shownUrl, hasSecret }: { id: string; shownUrl: string | null; hasSecret: boolean },
): TransportFeedback | null {
  const provider = feedbackProviderOf(shownUrl);
  return provider && { provider, url: `${config.BASE_URL}/webhooks/incoming/${provider}/${id}`, hasSecret };
}

/** What is wrong with a secret for the webhooks of the provider behind this URL. Null takes one away. */
export function feedbackErrors(url: string | null, secret: string | null | undefined): FieldError[] {
  if (secret === undefined || secret === null) return [];
  const provider = feedbackProviderOf(url);
  if (provider === null) return [errorOf("custom", NO_PROVIDER)];
  const expected = wrongInSecret(provider, secret);
  return expected === null ? [] : [errorOf("invalid_string", `Expected ${expected}`)];
}

/**
 * The columns of the secret after a change. A secret is of one provider: where the URL leads to another one, it is forgotten.
 */
export function feedbackAfter(
  ctx: Context,
  place: { projectId: string; id: string },
  url: string | null,
  { secret, before }: { secret: string | null | undefined; before: Stored | null },
): Stored {
  const provider = feedbackProviderOf(url);
  if (secret && provider) {
    return { feedbackProvider: provider, feedbackSecret: sealFeedbackSecret(ctx, place, secret) };
  }
  const isKept = secret === undefined && before?.feedbackSecret && before.feedbackProvider === provider;
  return isKept
    ? { feedbackProvider: before.feedbackProvider, feedbackSecret: before.feedbackSecret }
    : { feedbackProvider: null, feedbackSecret: null };
}

/** What proves a webhook of this provider about mails of this transport; null where nothing does. */
export async function feedbackProofOf(
  ctx: Context,
  provider: string,
  transportId: string,
): Promise<FeedbackProof | null> {
  const row = await q.transportSettings.feedback(ctx, { transportId });
  if (!row || !isFeedbackSource(row.feedbackProvider) || row.feedbackProvider !== provider) return null;
  const secret = openFeedbackSecret(ctx, { projectId: row.projectId, id: transportId }, row.feedbackSecret!);
  if (secret === null) {
    ctx.log.error("the secret of a webhook cannot be decrypted: is this another SECRET_KEY?", {
      transportId,
    });
    return null;
  }
  return { secret, projectId: row.projectId === INSTALLATION ? null : row.projectId };
}

const NO_PROVIDER =
  "Nobody tells what became of mails in the inbox: a transport of the kind CAPTURE has no webhook";

function errorOf(code: "custom" | "invalid_string", message: string): FieldError {
  return { field: "feedbackSecret", code, message };
}
