import { describe, expect, test } from "bun:test";
import {
  directAddresses,
  dnsServers,
  loadConfig,
  Settings,
  stripeMeters,
  stripePrices,
} from "../src/config/mod.ts";

describe("the settings", () => {
  test("have defaults for a machine that sets nothing", () => {
    expect(loadConfig({})).toMatchObject({
      PORT: 3000,
      HOST: "127.0.0.1",
      BASE_URL: "http://localhost:3000",
      DATA_DIR: ".data",
      MODE: "all",
      RATE_LIMIT_PER_MINUTE: 1000,
      IDEMPOTENCY_KEY_TTL_HOURS: 24,
      MAX_ATTACHMENT_SIZE_MB: 10,
    });
  });

  test("are read from text; an empty one counts as left out", () => {
    expect(
      loadConfig({ PORT: "80", MAX_ATTACHMENT_SIZE_MB: "2.5", LOG_LEVEL: "", UNKNOWN: "x" }),
    ).toMatchObject({
      PORT: 80,
      BASE_URL: "http://localhost:80",
      MAX_ATTACHMENT_SIZE_MB: 2.5,
      LOG_LEVEL: "info",
    });
  });

  test("that are wrong are all named in one error", () => {
    const wrong = {
      PORT: "many",
      BASE_URL: "example.com/",
      DATABASE_URL: "mysql://x",
      SMTP_URL: "mail.example.com",
      SECRET_KEY: "short",
      MODE: "half",
      LOG_LEVEL: "loud",
      RATE_LIMIT_PER_MINUTE: "-1",
      IDEMPOTENCY_KEY_TTL_HOURS: "0",
      MAX_ATTACHMENT_SIZE_MB: "x",
      DNS_SERVERS: "1.1.1.1, what is this",
    };
    let message = "";
    try {
      loadConfig(wrong);
    } catch (error) {
      message = (error as Error).message;
    }

    for (const name of Object.keys(wrong)) expect(message).toContain(`${name}: `);
  });

  test.each([
    ["SMTP_URL", "smtp://127.0.0.1:99999"],
    ["SMTP_URL", "smtp://:587"],
    ["SMTP_URL", "smtp:///mail"],
    ["SMTP_URL", "smtp://user:pass%word@mail.example.com"],
    ["SMTP_URL", "smtp://127.0.0.1?maxConnections=abc"],
    ["SMTP_URL", "smtp://127.0.0.1?maxConnections=-1"],
    ["SMTP_URL", "smtp://127.0.0.1?maxConnections=0"],
    ["SMTP_URL", "smtp://127.0.0.1?maxConnections=1.5"],
    ["SMTP_URL", "smtp://127.0.0.1?maxConnections=5&socketTimeout=soon"],
    // In each of them the server would be another one than is meant.
    ["SMTP_URL", "smtp://u:p@ss#x@mail.example.com:587"],
    ["SMTP_URL", "smtp://u:p@ss/x@mail.example.com:587"],
    ["SMTP_URL", "smtp://u:p@ss?x@mail.example.com:587"],
    ["SMTP_URL", "smtp://mail.example.com/queue"],
    ["SMTP_URL", "smtp://mail.example.com?maxconnections=5"],
    ["SMTP_URL", "smtp://mail.example.com?requireTLS=yes"],
    ["DNS_SERVERS", "127.0.0.1:99999"],
    ["DNS_SERVERS", "127.0.0.1:0"],
    ["DNS_SERVERS", "[::1"],
    ["ALLOW_DIRECT_TRANSPORTS", "mail.example.com"],
    ["ALLOW_DIRECT_TRANSPORTS", "203.0.113.7, true"],
    ["ALLOW_DIRECT_TRANSPORTS", "203.0.113.0/24"],
    ["ALLOW_DIRECT_TRANSPORTS", "fe80::1%eth0"],
    ["SNS_TOPIC_ARNS", "bounces"],
    ["SNS_TOPIC_ARNS", "arn:aws:sqs:eu-west-1:123456789012:mail"],
    ["DASHBOARD_ORIGINS", "dashboard.internal"],
    ["DASHBOARD_ORIGINS", "https://app.example/"],
    ["DASHBOARD_ORIGINS", "https://app.example, ftp://files.example"],
    ["DASHBOARD_ORIGINS", "*"],
    ["LOGIN_LIMIT_PER_EMAIL", "10001"],
    ["OIDC_ISSUER", "login.internal"],
    ["OIDC_ISSUER", "http://login.internal"],
    ["OIDC_ISSUER", "http://127.0.0.1.evil.example"],
    ["OIDC_ISSUER", "https://user:pass@login.example.com"],
    ["OIDC_ISSUER", "https://login.example.com/?tenant=1"],
    ["OIDC_ISSUER", "https://login.example.com/.well-known/openid-configuration"],
    ["BASE_URL", "http://["],
    ["DATABASE_URL", "postgres://["],
    ["DATABASE_URL", "postgres://127.0.0.1:99999/postrider"],
    ["IDEMPOTENCY_KEY_TTL_HOURS", "8761"],
    ["STRIPE_PRICES", "price_1:0"],
    ["STRIPE_PRICES", "price 1"],
    ["STRIPE_METERS", "sent"],
    ["STRIPE_METERS", "outbound=sent"],
    ["STRIPE_METERS", "inbound=a1,inbound=b2"],
    ["STRIPE_API_BASE", "http://stripe.internal"],
    ["STRIPE_API_BASE", "https://["],
  ])("%s=%s is named, beside any other wrong one, and not repeated", (name, value) => {
    const read = () => loadConfig({ [name]: value, PORT: "many" });

    expect(read).toThrow(new RegExp(`^  ${name}: .+$`, "m"));
    expect(read).toThrow(/^ {2}PORT: /m);
    expect(read).not.toThrow(value);
  });

  test.each([
    ["SMTP_URL", "smtps://user:p%40ss@[::1]:465?maxConnections=5&socketTimeout=120000&requireTLS=true"],
    ["SMTP_URL", "smtp://mail.example.com"],
    [
      "SMTP_URL",
      "smtp://u:p%23%2F%3F@mail.example.com:587/?tls.rejectUnauthorized=false&pool=true&name=a.example",
    ],
    ["DNS_SERVERS", "::1"],
    ["DNS_SERVERS", "2001:db8::53, [::1]:5353,dns.example:53"],
    ["SNS_TOPIC_ARNS", "arn:aws:sns:eu-west-1:123456789012:mail, arn:aws-cn:sns:cn-north-1:123456789012:in"],
    ["DASHBOARD_ORIGINS", "https://app.example, http://localhost:5173"],
    ["DATABASE_URL", "postgres:///postrider?host=/var/run/postgresql"],
    ["BASE_URL", "https://mail.example.com/postrider"],
    ["IDEMPOTENCY_KEY_TTL_HOURS", "8760"],
  ])("%s=%s is right", (name, value) => {
    expect(`${loadConfig({ [name]: value })[name as "SMTP_URL"]}`).toBe(value);
  });

  test("that do not fit the schema are told what they should be, in words and without a pattern", () => {
    const wrong = Object.fromEntries(Object.keys(Settings.properties).map((name) => [name, "\u0007"]));
    let message = "";
    try {
      loadConfig({ ...wrong, BASE_URL: "https://mail.example.com/", MODE: "half" });
    } catch (error) {
      message = (error as Error).message;
    }
    const lines = message.split("\n").slice(1);

    expect(lines).toContain("  MODE: expected one of all, http, worker");
    expect(lines).toContain("  PORT: expected a whole number from 0 up to 65535");
    expect(lines).toContain("  MAX_ATTACHMENT_SIZE_MB: expected a number above 0 up to 30");
    expect(lines).toContain("  DISABLE_SIGNUPS: expected true or false");
    expect(lines).toContain("  SECRET_KEY: expected at least 32 characters");
    expect(lines).toContain(
      "  BASE_URL: expected an address such as https://mail.example.com, without a slash at the end",
    );
    expect(lines.length).toBeGreaterThan(25);
    expect(message).not.toMatch(/[\^\\$]|Expected/);
    const names = lines.map((line) => line.split(":")[0]);
    expect(names).toEqual([...new Set(names)]);
  });

  test("in production need a SECRET_KEY, and listen to the outside", () => {
    expect(() => loadConfig({ NODE_ENV: "production" })).toThrow("SECRET_KEY: required in production");
    expect(loadConfig({ NODE_ENV: "production", SECRET_KEY: "x".repeat(32) }).HOST).toBe("0.0.0.0");
  });

  test("that ask for verified addresses need a sender for the mails that verify them", () => {
    const given = { REQUIRE_EMAIL_VERIFICATION: "true", SMTP_URL: "smtp://mail.example.com" };

    expect(loadConfig({ ...given, SMTP_URL: "" }).REQUIRE_EMAIL_VERIFICATION).toBe(true);
    expect(() => loadConfig(given)).toThrow(/^ {2}REQUIRE_EMAIL_VERIFICATION: /m);
    expect(loadConfig({ ...given, PLATFORM_FROM: "a@example.com" }).REQUIRE_EMAIL_VERIFICATION).toBe(true);
  });

  test("of a provider for signing in are there together, or not at all", () => {
    const client = { OIDC_CLIENT_ID: "client", OIDC_CLIENT_SECRET: "secret" };

    expect(() => loadConfig({ GITHUB_OAUTH_CLIENT: "client" })).toThrow(/^ {2}GITHUB_OAUTH_SECRET: /m);
    expect(() => loadConfig({ GOOGLE_OAUTH_SECRET: "secret" })).toThrow(/^ {2}GOOGLE_OAUTH_CLIENT: /m);
    expect(() => loadConfig(client)).toThrow(/^ {2}OIDC_ISSUER: /m);
    expect(loadConfig({ ...client, OIDC_ISSUER: "https://login.example.com/main" })).toMatchObject(client);
  });

  test("of Stripe are there together, or not at all; prices and meters are read", () => {
    const given = { STRIPE_SECRET_KEY: "sk_test", STRIPE_WEBHOOK_SECRET: "whsec_test" };
    const config = loadConfig({
      ...given,
      STRIPE_PRICES: "price_base:1, price_mails",
      STRIPE_METERS: "campaigns=mails, inbound=received.mails",
    });

    expect(() => loadConfig(given)).toThrow(/^ {2}STRIPE_PRICES: /m);
    expect(() => loadConfig({ STRIPE_WEBHOOK_SECRET: "x" })).toThrow(/^ {2}STRIPE_SECRET_KEY: /m);
    expect(stripePrices(config)).toEqual([{ price: "price_base", quantity: 1 }, { price: "price_mails" }]);
    expect(stripeMeters(config)).toEqual({ campaigns: "mails", inbound: "received.mails" });
  });

  test("of a bucket are there together, or not at all", () => {
    const keys = { S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret" };

    expect(() => loadConfig({ S3_BUCKET: "images", S3_ACCESS_KEY_ID: "id" })).toThrow(
      /^ {2}S3_SECRET_ACCESS_KEY: /m,
    );
    expect(() => loadConfig(keys)).toThrow(/^ {2}S3_BUCKET: /m);
    expect(() => loadConfig({ S3_PUBLIC_URL: "https://images.example.com" })).toThrow(/^ {2}S3_BUCKET: /m);
    expect(loadConfig({ ...keys, S3_BUCKET: "images" })).toMatchObject({ S3_REGION: "us-east-1" });
  });

  test("an issuer without TLS is one on this machine, and not in production", () => {
    const client = { OIDC_CLIENT_ID: "client", OIDC_CLIENT_SECRET: "secret" };
    const production = { NODE_ENV: "production", SECRET_KEY: "s".repeat(32) };

    for (const OIDC_ISSUER of ["http://127.0.0.1:4000", "http://localhost:4000", "http://[::1]:4000"]) {
      expect(loadConfig({ ...client, OIDC_ISSUER })).toMatchObject({ OIDC_ISSUER });
      expect(() => loadConfig({ ...client, ...production, OIDC_ISSUER })).toThrow(/^ {2}OIDC_ISSUER: /m);
    }
  });

  test.each([
    ["", []],
    ["false", []],
    ["True", null],
    ["203.0.113.7, 2001:DB8:0::7,2001:db8::7", ["203.0.113.7", "2001:db8::7"]],
  ])("ALLOW_DIRECT_TRANSPORTS=%s lets projects send from %j", (value, addresses) => {
    expect(directAddresses(loadConfig({ ALLOW_DIRECT_TRANSPORTS: value }))).toEqual(addresses);
  });

  test("name servers are split at commas", () => {
    expect(dnsServers({ DNS_SERVERS: "1.1.1.1, 127.0.0.1:5353,[::1]:53 ," })).toEqual([
      "1.1.1.1",
      "127.0.0.1:5353",
      "[::1]:53",
    ]);
    expect(dnsServers({ DNS_SERVERS: "" })).toEqual([]);
  });
});
