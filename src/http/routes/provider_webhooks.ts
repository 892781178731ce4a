// /webhooks/incoming/<provider>/default: what providers tell about the mails that went through them.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { type MailProvider, MAIL_PROVIDERS } from "../../mail/provider_marks.ts";
import { takeProviderEvents } from "../../sending/feedback/providers/mod.ts";
import { readBytes, UNREAD } from "../entry/body.ts";
import { assertWithin } from "../entry/json_scan.ts";
import { Data, ProblemEnvelope } from "../entry/schemas.ts";
import { countingRefusals } from "./_counted_refusals.ts";

/** A thousand events of SendGrid, and more. */
const SIZE = { bytes: 4 * 1_048_576, values: 100_000, levels: 64 };

const NAMES: Record<MailProvider, string> = {
  postmark: "Postmark",
  mailgun: "Mailgun",
  sendgrid: "SendGrid",
  resend: "Resend",
  brevo: "Brevo",
  mailjet: "Mailjet",
};

/** The receivers of the webhooks of providers, each at an address of its own. */
export function providerWebhooksRoutes(ctx: Context) {
  const app = new Elysia({ prefix: "/webhooks/incoming", detail: { tags: ["Webhooks"] } }).onParse(
    () => UNREAD,
  );
  for (const provider of MAIL_PROVIDERS) {
    app.post(
      `/${provider}/default`,
      async ({ request, server }) => {
        await countingRefusals(ctx, request, server, async () => {
          const bytes = await readBytes(request, SIZE.bytes);
          await assertWithin(bytes, SIZE);
          const { headers } = request;
          await takeProviderEvents(ctx, { provider, transportId: "default", headers, bytes });
        });
        return { success: true as const };
      },
      {
        body: Data,
        response: {
          200: t.Object({ success: t.Literal(true) }),
          ...Object.fromEntries(
            [400, 403, 404, 413, 422, 429, 500, 503].map((status) => [status, ProblemEnvelope]),
          ),
        },
        detail: {
          operationId: `receive${NAMES[provider]}`,
          summary: `Webhooks of ${NAMES[provider]}: outcomes of mails`,
          description:
            "Set this address up as the webhook of the provider behind `SMTP_URL`. Each request must be proved as the provider does it, with the secret in `PROVIDER_WEBHOOKS`; a repeated event counts once. Lists of events are accepted.",
          security: [],
        },
      },
    );
  }
  return app;
}
