// /webhooks/incoming/<provider>/<transport>: what providers tell about the mails that went through them.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { type MailProvider, MAIL_PROVIDERS } from "../../mail/provider_marks.ts";
import { problems } from "../../problem/mod.ts";
import { takeProviderEvents } from "../../sending/feedback/providers/mod.ts";
import { DEFAULT_TRANSPORT } from "../../sending/transports/routes.ts";
import { readBytes, UNREAD } from "../entry/body.ts";
import { assertWithin } from "../entry/json_scan.ts";
import { Data, isUuid, ProblemEnvelope, Text } from "../entry/schemas.ts";
import { StreamBody } from "../entry/stream_body.ts";
import { countingRefusals } from "./_counted_refusals.ts";

/** A thousand events of SendGrid, and more. */
const SIZE = { bytes: 4 * 1_048_576, values: 100_000, levels: 64 };

/** A report repeats the mail that it is about. */
const REPORT_BYTES = 2 * 1_048_576;

const NAMES: Record<MailProvider, string> = {
  postmark: "Postmark",
  mailgun: "Mailgun",
  sendgrid: "SendGrid",
  resend: "Resend",
  brevo: "Brevo",
  mailjet: "Mailjet",
};

const Params = t.Object({
  transportId: Text({
    maxLength: 100,
    description: "The transport that the mails went by, or `default` for the mail server of the settings.",
    examples: ["default"],
  }),
});

/** The receivers of the webhooks of providers, each at an address of its own. */
export function providerWebhooksRoutes(ctx: Context) {
  const app = new Elysia({ prefix: "/webhooks/incoming", detail: { tags: ["Webhooks"] } }).onParse(
    () => UNREAD,
  );
  app.post(
    "/arf/:transportId",
    async ({ request, server, params }) => {
      await countingRefusals(ctx, request, server, async () => {
        const transportId = idOf(params.transportId);
        const bytes = await readBytes(request, REPORT_BYTES);
        await takeProviderEvents(ctx, { provider: "arf", transportId, headers: request.headers, bytes });
      });
      return { success: true as const };
    },
    {
      params: Params,
      body: StreamBody("message/rfc822", "A mail with a complaint report, as it came in: at most 2 MB."),
      response: {
        200: t.Object({ success: t.Literal(true) }),
        ...Object.fromEntries(
          [400, 403, 404, 413, 422, 429, 500, 503].map((status) => [status, ProblemEnvelope]),
        ),
      },
      detail: {
        operationId: "receiveComplaintReport",
        summary: "Complaint reports of mailbox providers (ARF)",
        description:
          "For mail servers that get complaint reports (RFC 5965, and those of Microsoft's JMRP), and pass them on: the whole mail is the body. The secret of the transport, or of `arf` in `PROVIDER_WEBHOOKS`, is a bearer token, or `user:password` by Basic authentication. The mail is found by its return path, or by its Message-ID.",
        security: [],
      },
    },
  );
  for (const provider of MAIL_PROVIDERS) {
    app.post(
      `/${provider}/:transportId`,
      async ({ request, server, params }) => {
        await countingRefusals(ctx, request, server, async () => {
          const transportId = idOf(params.transportId);
          const bytes = await readBytes(request, SIZE.bytes);
          await assertWithin(bytes, SIZE);
          const { headers } = request;
          await takeProviderEvents(ctx, { provider, transportId, headers, bytes });
        });
        return { success: true as const };
      },
      {
        params: Params,
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
            "Set this address up as the webhook of the provider behind a transport, or with `default` behind `SMTP_URL`. Each request must be proved as the provider does it, with the transport's `feedbackSecret`, or the secret in `PROVIDER_WEBHOOKS`; a repeated event counts once. Lists of events are accepted. What is told about a project's own transport counts for mails of this project alone.",
          security: [],
        },
      },
    );
  }
  return app;
}

function idOf(given: string): string {
  if (given === DEFAULT_TRANSPORT) return given;
  if (!isUuid(given)) throw problems.notFound("transport", given);
  return given.toLowerCase();
}
