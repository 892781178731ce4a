import { describe, expect, test } from "bun:test";
import manifest from "../../package.json" with { type: "json" };
import type { Context } from "../../src/context.ts";
import { configRoutes } from "../../src/http/routes/config.ts";
import { useService } from "../support/service.ts";

const service = useService({ BASE_URL: "https://mail.example/app" });

const featuresWith = async (settings: object) => {
  const ctx: Context = { ...service, config: { ...service.config, ...settings } };
  const response = await configRoutes(ctx).handle(new Request("http://localhost/config"));
  return ((await response.json()) as { features: object }).features;
};

describe("GET /config", () => {
  test("says without a key what this installation can do", async () => {
    const { status, body } = await service.request("GET", "/config");

    expect([status, body]).toEqual([
      200,
      {
        version: manifest.version,
        urls: {
          api: "https://mail.example/app",
          docs: "https://mail.example/app/docs",
          openapi: "https://mail.example/app/openapi.json",
        },
        features: {
          billing: false,
          uploads: true,
          authProviders: { github: false, google: false, oidc: false },
          signupsDisabled: false,
          tracking: true,
          smtp: true,
          directTransports: false,
        },
      },
    ]);
  });

  test.each([
    ["sign-ups that are closed", { DISABLE_SIGNUPS: true }, { signupsDisabled: true }],
    ["mails that are captured", { SMTP_URL: undefined }, { smtp: false }],
    ["direct transports", { ALLOW_DIRECT_TRANSPORTS: "true" }, { directTransports: true }],
    ["some of them", { ALLOW_DIRECT_TRANSPORTS: "203.0.113.7" }, { directTransports: true }],
    ["billing", { STRIPE_SECRET_KEY: "sk_test_1" }, { billing: true }],
    ["a provider of sign-ins", { GITHUB_OAUTH_CLIENT: "id" }, { authProviders: { github: true } }],
  ])("knows %s", async (_, settings, features) => {
    expect(await featuresWith(settings)).toMatchObject(features);
  });

  test("tells nothing that is secret", async () => {
    const { body } = await service.request("GET", "/config");
    const secrets = [service.config.SECRET_KEY, service.config.SMTP_URL!];

    expect(secrets.filter((secret) => JSON.stringify(body).includes(secret))).toEqual([]);
  });
});
