// The settings of services that others run: sign-ins, storage of images, billing.
import { Type as t } from "@sinclair/typebox";

/** A part of the schema of the settings. */
export const OF_OTHER_SERVICES = {
  GITHUB_OAUTH_CLIENT: t.Optional(
    t.String({
      description:
        "Client id of a GitHub OAuth app, for signing in with GitHub. Its callback is `<BASE_URL>/oauth/github/callback`.",
    }),
  ),
  GITHUB_OAUTH_SECRET: t.Optional(t.String({ secret: true, description: "The client secret of that app." })),
  GOOGLE_OAUTH_CLIENT: t.Optional(
    t.String({
      description:
        "Client id of a Google OAuth client, for signing in with Google. Its callback is `<BASE_URL>/oauth/google/callback`.",
    }),
  ),
  GOOGLE_OAUTH_SECRET: t.Optional(
    t.String({ secret: true, description: "The client secret of that client." }),
  ),
  OIDC_ISSUER: t.Optional(
    t.String({
      description:
        "An OpenID Connect issuer for signing in, such as `https://login.example.com/realms/main`; the callback is `<BASE_URL>/oauth/oidc/callback`. Its users are matched by their verified address.",
    }),
  ),
  OIDC_CLIENT_ID: t.Optional(t.String({ description: "Client id at that issuer." })),
  OIDC_CLIENT_SECRET: t.Optional(t.String({ secret: true, description: "Client secret at that issuer." })),
  S3_BUCKET: t.Optional(
    t.String({
      minLength: 1,
      description:
        "Bucket for uploaded images, at Amazon or any service compatible with S3. Left out: Postgres keeps them.",
    }),
  ),
  S3_ENDPOINT: t.Optional(
    t.String({
      pattern: "^https?://[^\\s/?#]+$",
      expected: "an address such as https://minio.example.com, without anything after the host",
      description: "Address of an S3 service other than Amazon's, such as `https://minio.example.com`.",
    }),
  ),
  S3_REGION: t.String({ minLength: 1, default: "us-east-1", description: "Region of the bucket." }),
  S3_ACCESS_KEY_ID: t.Optional(t.String({ minLength: 1, description: "Access key of the bucket." })),
  S3_SECRET_ACCESS_KEY: t.Optional(
    t.String({ minLength: 1, secret: true, description: "Secret key that belongs to this access key." }),
  ),
  S3_PUBLIC_URL: t.Optional(
    t.String({
      pattern: "^https?://[^\\s/?#]+(/[^\\s?#]*[^\\s/?#])?$",
      expected: "an address such as https://images.example.com, without a slash at the end",
      description:
        "Public address of the bucket, such as a CDN. Left out: images are served by the service itself, from `<BASE_URL>/uploads/`.",
    }),
  ),
  UPLOADS_MB_PER_PROJECT: t.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
    description: "Limit of the total size of the uploaded images of one project.",
  }),
  STRIPE_SECRET_KEY: t.Optional(
    t.String({
      minLength: 1,
      secret: true,
      description: "Secret or restricted key of a Stripe account. Left out: nothing is charged.",
    }),
  ),
  STRIPE_WEBHOOK_SECRET: t.Optional(
    t.String({
      minLength: 1,
      secret: true,
      description: "Signing secret of the Stripe webhook for `<BASE_URL>/webhooks/incoming/stripe`.",
    }),
  ),
  STRIPE_PRICES: t.String({
    default: "",
    description:
      "Prices of the subscription offered to a project, separated by commas, such as `price_base:1,price_mails`: one with a quantity is charged that many times, one without is metered.",
  }),
  STRIPE_METERS: t.String({
    default: "",
    description:
      "Event names of the meters that usage is reported to, such as `transactional=mails,campaigns=mails,workflows=mails,inbound=received`. A category that is left out is not reported.",
  }),
  STRIPE_API_BASE: t.String({
    pattern: "^https?://",
    expected: "an address such as https://api.stripe.com",
    default: "https://api.stripe.com",
    description: "Address of Stripe's API; another one only for tests.",
  }),
};
