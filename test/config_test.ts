import { describe, expect, test } from "bun:test";
import { dnsServers, loadConfig, Settings } from "../src/config.ts";
import { settingsTable } from "./support/settings_table.ts";

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
    ["DNS_SERVERS", "127.0.0.1:99999"],
    ["DNS_SERVERS", "127.0.0.1:0"],
    ["DNS_SERVERS", "[::1"],
    ["SNS_TOPIC_ARNS", "bounces"],
    ["SNS_TOPIC_ARNS", "arn:aws:sqs:eu-west-1:123456789012:mail"],
    ["BASE_URL", "http://["],
    ["DATABASE_URL", "postgres://["],
    ["DATABASE_URL", "postgres://127.0.0.1:99999/postrider"],
    ["IDEMPOTENCY_KEY_TTL_HOURS", "8761"],
  ])("%s=%s is named, beside any other wrong one, and not repeated", (name, value) => {
    const read = () => loadConfig({ [name]: value, PORT: "many" });

    expect(read).toThrow(new RegExp(`^  ${name}: .+$`, "m"));
    expect(read).toThrow(/^ {2}PORT: /m);
    expect(read).not.toThrow(value);
  });

  test.each([
    ["SMTP_URL", "smtps://user:p%40ss@[::1]:465?maxConnections=5&socketTimeout=120000&requireTLS=true"],
    ["SMTP_URL", "smtp://mail.example.com"],
    ["DNS_SERVERS", "::1"],
    ["DNS_SERVERS", "2001:db8::53, [::1]:5353,dns.example:53"],
    ["SNS_TOPIC_ARNS", "arn:aws:sns:eu-west-1:123456789012:mail, arn:aws-cn:sns:cn-north-1:123456789012:in"],
    ["DATABASE_URL", "postgres:///postrider?host=/var/run/postgresql"],
    ["BASE_URL", "https://mail.example.com/postrider"],
    ["IDEMPOTENCY_KEY_TTL_HOURS", "8760"],
  ])("%s=%s is right", (name, value) => {
    expect(`${loadConfig({ [name]: value })[name as "SMTP_URL"]}`).toBe(value);
  });

  test("in production need a SECRET_KEY, and listen to the outside", () => {
    expect(() => loadConfig({ NODE_ENV: "production" })).toThrow("SECRET_KEY: required in production");
    expect(loadConfig({ NODE_ENV: "production", SECRET_KEY: "x".repeat(32) }).HOST).toBe("0.0.0.0");
  });

  test("name servers are split at commas", () => {
    expect(dnsServers({ DNS_SERVERS: "1.1.1.1, 127.0.0.1:5353,[::1]:53 ," })).toEqual([
      "1.1.1.1",
      "127.0.0.1:5353",
      "[::1]:53",
    ]);
    expect(dnsServers({ DNS_SERVERS: "" })).toEqual([]);
  });

  test("stand in the README as the schema has them", async () => {
    const readme = await Bun.file(new URL("../README.md", import.meta.url)).text();

    expect(readme).toContain(settingsTable());
    expect(Object.keys(Settings.properties).length).toBeGreaterThan(10);
  });
});
