// /config: what this installation can do, for those who build a page on it. No key, and nothing secret.
import { Elysia, t } from "elysia";
import { authProvidersOf } from "../../accounts/people/oauth/providers.ts";
import { directAddresses } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { VERSION } from "../../version.ts";
import { answers } from "../entry/schemas.ts";

const Features = t.Object(
  {
    billing: t.Boolean({ description: "Whether there are subscriptions and invoices, through Stripe." }),
    uploads: t.Boolean({ description: "Whether `POST /uploads/image` accepts images." }),
    authProviders: t.Object(
      { github: t.Boolean(), google: t.Boolean(), oidc: t.Boolean() },
      { description: "Ways to sign in besides a password." },
    ),
    signupsDisabled: t.Boolean({ description: "Whether signing up requires an invitation." }),
    tracking: t.Boolean({ description: "Whether opens and clicks can be tracked." }),
    smtp: t.Boolean({
      description: "Whether mails are sent. If not, they are captured and shown on `/inbox`.",
    }),
    directTransports: t.Boolean({
      description: "Whether owners of projects may add transports that deliver directly.",
    }),
  },
  { title: "Features" },
);

const Configuration = t.Object(
  {
    version: t.String(),
    urls: t.Object({ api: t.String(), docs: t.String(), openapi: t.String() }),
    features: Features,
  },
  { title: "Configuration" },
);

/** `GET /config`. */
export function configRoutes(ctx: Context) {
  return new Elysia().get("/config", () => configuration(ctx), {
    response: answers(Configuration, { refusals: [400], isOpen: true }),
    detail: {
      operationId: "getConfig",
      summary: "Get the features of this installation",
      description: "Version, addresses and features. Needs no key.",
      tags: ["Configuration"],
      security: [],
    },
  });
}

function configuration({ config }: Context) {
  const { BASE_URL, DISABLE_SIGNUPS, SMTP_URL, STRIPE_SECRET_KEY } = config;
  return {
    version: VERSION,
    urls: { api: BASE_URL, docs: `${BASE_URL}/docs`, openapi: `${BASE_URL}/openapi.json` },
    features: {
      billing: STRIPE_SECRET_KEY !== undefined,
      uploads: true,
      authProviders: authProvidersOf(config),
      signupsDisabled: DISABLE_SIGNUPS,
      tracking: true,
      smtp: SMTP_URL !== undefined,
      directTransports: directAddresses(config)?.length !== 0,
    },
  };
}
