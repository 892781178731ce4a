// What all APIs of other providers have in common here: their errors are theirs, and keys stay secret.
import { describe, expect, test } from "bun:test";
import { compatError } from "../../src/http/compat/mod.ts";
import { problems } from "../../src/problem/mod.ts";
import { errorCatalogue } from "../support/error_catalogue.ts";
import { useService } from "../support/service.ts";

/** The fields of an error. */
const SHAPES: Readonly<Record<string, string[]>> = {
  resend: ["statusCode", "message", "name"],
  sendgrid: ["errors"],
  postmark: ["ErrorCode", "Message"],
  mailgun: ["message"],
};
/** A path that sends, and how the key goes with it. */
const CALLS: Readonly<Record<string, { path: string; keyIn: (key: string) => Record<string, string> }>> = {
  resend: { path: "/compat/resend/emails", keyIn: (key) => ({ authorization: `Bearer ${key}` }) },
  sendgrid: { path: "/compat/sendgrid/v3/mail/send", keyIn: (key) => ({ authorization: `Bearer ${key}` }) },
  postmark: { path: "/compat/postmark/email", keyIn: (key) => ({ "x-postmark-server-token": key }) },
  mailgun: {
    path: "/compat/mailgun/v3/shop.example/messages",
    keyIn: (key) => ({ authorization: `Basic ${btoa(`api:${key}`)}` }),
  },
};
const PROVIDERS = Object.keys(SHAPES);

describe("a refusal", () => {
  test("of any kind has the shape of the provider's, with the words of ours", () => {
    for (const provider of PROVIDERS) {
      for (const { name, problem } of errorCatalogue()) {
        const { status, body } = compatError(`/compat/${provider}/path`, problem)!;
        const words = JSON.stringify(body);
        const said = problem.extras.errors?.[0]?.field ?? problem.message;

        expect([provider, name, Object.keys(body)]).toEqual([provider, name, SHAPES[provider]!]);
        expect([name, status >= 400]).toEqual([name, true]);
        if (name !== "allSuppressed") expect(words).toContain(JSON.stringify(said).slice(1, -1));
      }
    }
  });

  test("because of the service itself is no fault of the caller's", () => {
    const statuses = (problem: Parameters<typeof compatError>[1]) =>
      PROVIDERS.map((provider) => compatError(`/compat/${provider}/path`, problem)!.status);

    expect(statuses(problems.unavailable())).toEqual([503, 503, 503, 503]);
    expect(statuses(problems.unexpected())).toEqual([500, 500, 500, 500]);
    expect(compatError("/compat/postmark/email", problems.unavailable())!.body).toMatchObject({
      ErrorCode: 100,
    });
    expect(compatError("/compat/postmarks/email", problems.unavailable())).toBeNull();
  });
});

describe("with one request a minute", () => {
  const service = useService({ RATE_LIMIT_PER_MINUTE: "1" });

  test("the second is refused, and no key is in the log, wherever it came", async () => {
    for (const [provider, { path, keyIn }] of Object.entries(CALLS)) {
      const { secret } = await service.createProject();
      const options = { body: {}, headers: keyIn(secret) };
      const first = await service.request("POST", path, options);
      const second = await service.request("POST", path, options);
      const log = JSON.stringify(service.lines);

      expect([provider, first.status < 500, second.status]).toEqual([provider, true, 429]);
      expect([Object.keys(second.body), second.headers.get("x-error-code")]).toEqual([
        SHAPES[provider]!,
        "RATE_LIMIT_EXCEEDED",
      ]);
      expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
      expect([log.includes(secret), log.includes(btoa(`api:${secret}`)), log.includes(path)]).toEqual([
        false,
        false,
        provider !== "mailgun",
      ]);
    }
  });
});
