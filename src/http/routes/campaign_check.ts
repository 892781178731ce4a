// /campaigns/:id/check: what to look at before a campaign is sent.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { CHECK_IDS, CHECK_LEVELS, checkCampaign } from "../../sending/check/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { answers, Int, PathId, Words } from "../entry/schemas.ts";
import { campaignId } from "./_campaign_schemas.ts";

const Share = t.Number({ description: "Percent of the checked recipients, with two decimals." });

const Points = t.Number({ description: "Points of rspamd, with two decimals." });

const CheckDetails = t.Object(
  {
    reach: t.Optional(
      t.Object({ matching: Int, unsubscribed: Int, suppressed: Int, reachable: Int, estimated: t.Boolean() }),
    ),
    usage: t.Optional(t.Object({ limit: t.Number(), used: t.Number() })),
    records: t.Optional(
      t.Array(
        t.Object({
          purpose: Words(["DKIM", "SPF", "RETURN_PATH", "DMARC"]),
          type: t.String(),
          name: t.String(),
          status: Words(["PENDING", "VERIFIED", "MISSING", "MISMATCH"]),
        }),
      ),
    ),
    rules: t.Optional(t.Array(t.String(), { description: "The rules that the subject breaks." })),
    variables: t.Optional(t.Array(t.Object({ name: t.String(), share: Share }))),
    sample: t.Optional(Type.Integer({ description: "Checked recipients." })),
    links: t.Optional(
      t.Array(
        t.Object({
          url: t.String(),
          kind: Words(["link", "image"]),
          level: Words(["ERROR", "WARNING"]),
          reason: t.String(),
        }),
      ),
    ),
    visited: t.Optional(Type.Integer({ description: "Addresses that were requested." })),
    skipped: t.Optional(t.Array(t.String(), { description: "Links with variables, which were not tried." })),
    unvisited: t.Optional(
      Type.Integer({ description: "Addresses that were not tried: beyond 100, or beyond 15 seconds." }),
    ),
    images: t.Optional(t.Array(t.String(), { description: "Images without alt text, up to 20." })),
    words: t.Optional(Int),
    bytes: t.Optional(Int),
    spam: t.Optional(
      t.Object({
        score: Points,
        threshold: t.Number({
          description: "From here on a mailbox that filters by rspamd marks it as spam.",
        }),
        symbols: t.Array(t.Object({ name: t.String(), description: t.String(), score: Points }), {
          description: "What counts against it, the costliest first, up to 10.",
        }),
      }),
    ),
  },
  { title: "CampaignCheckDetails" },
);

const CampaignCheck = t.Object(
  {
    id: Words(CHECK_IDS),
    level: Words(CHECK_LEVELS),
    title: t.String(),
    message: t.String({ description: "What was found, and what to do about it." }),
    field: t.Optional(t.String({ description: "The campaign field concerned." })),
    details: t.Optional(CheckDetails),
  },
  { title: "CampaignCheck" },
);

/** The check before sending. */
export function campaignCheckRoutes(ctx: Context) {
  return new Elysia({ prefix: "/campaigns", detail: { tags: ["Campaigns"] } })
    .use(authenticateKey(ctx, "secret"))
    .post(
      "/:id/check",
      async ({ project, params: { id } }) => ({
        checks: await checkCampaign(ctx, project.id, campaignId(id)),
      }),
      {
        params: t.Object({ id: PathId }),
        response: answers(t.Object({ checks: t.Array(CampaignCheck) }), { refusals: [404, 422] }),
        detail: {
          operationId: "checkCampaign",
          summary: "Check a campaign before sending it",
          description:
            "Checks the audience, sender, subject, variables, links, images and size, and says what to fix; one check for each `id`, always in the same order (`SPAM` only where the operator has set `SPAM_FILTER_URL`). Links and images are requested, up to 100 of them within 15 seconds, except those with variables. Nothing is sent or changed. Refused with 429 while four other checks of the project wait.",
        },
      },
    );
}
