// What all APIs of other providers have in common here: their errors are theirs, and keys stay secret.
import { describe, expect, test } from "bun:test";
import { bodyOf, subjectOf } from "../../src/http/compat/_content.ts";
import { mailboxesIn } from "../../src/http/compat/_mailboxes.ts";
import { compatError } from "../../src/http/compat/mod.ts";
import { problems } from "../../src/problem/mod.ts";
import { errorCatalogue } from "../support/error_catalogue.ts";
import { DOMAIN, useService } from "../support/service.ts";

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

describe("a message", () => {
  const service = useService();
  const RUN = "\\".repeat(300_000);
  const FILE = { content: btoa("Hi") };

  test("with a text of any kind holds up nobody, and is shown as it is", async () => {
    const { secret } = await service.createProject();
    const headers = CALLS.resend!.keyIn(secret);
    const message = { from: `shop@${DOMAIN}`, to: "ada@example.com", html: `<p>${RUN}</p>` };
    const subject = "{{a}} \\{{b}} \\\\{{c}} \\d";
    const sent = await service.request("POST", "/compat/resend/emails", {
      headers,
      body: { ...message, subject },
    });
    const shown = await service.request("GET", `/compat/resend/emails/${sent.body.id}`, { headers });

    expect([sent.status, shown.body.subject]).toEqual([200, subject]);
    expect(shown.body.html).toContain(RUN);
  });

  test("with more text or recipients than any may have is left as it is, to be refused", () => {
    const long = "{{".repeat(600_000);
    const lines = "<\n".repeat(600_000);

    expect([bodyOf(long, undefined), bodyOf(undefined, lines), subjectOf(long)]).toEqual([long, lines, long]);
    expect(mailboxesIn(`a@example.com${",".repeat(9)} b@example.com`)).toEqual([
      "a@example.com",
      "b@example.com",
    ]);
    expect(mailboxesIn("a@example.com,".repeat(5_000)).length).toBe(1_001);
  });

  test("with a time of any length is refused for it", async () => {
    const { secret } = await service.createProject();
    const form = new URLSearchParams({
      from: `shop@${DOMAIN}`,
      to: "ada@example.com",
      subject: "Hi",
      html: "Hi",
    });
    form.set("o:deliverytime", "a".repeat(300_000));
    const { status, body } = await service.request("POST", CALLS.mailgun!.path, {
      headers: { ...CALLS.mailgun!.keyIn(secret), "content-type": "application/x-www-form-urlencoded" },
      raw: form.toString(),
    });

    expect([status, body.message]).toEqual([400, expect.stringContaining("o:deliverytime: Expected a date")]);
  });

  test("with a file of any name and without a type is sent or refused, and nothing breaks", async () => {
    const { secret } = await service.createProject();
    const headers = CALLS.resend!.keyIn(secret);
    const message = { from: `shop@${DOMAIN}`, to: "ada@example.com", subject: "Hi", html: "Hi" };
    const statuses: number[] = [];
    for (const filename of ["Invoice.PDF", "s3://a/b", "x".repeat(10_000), "a\nb", "file://%%%", ".", 7]) {
      const body = { ...message, attachments: [{ ...FILE, filename }] };
      statuses.push((await service.request("POST", "/compat/resend/emails", { headers, body })).status);
    }

    expect(statuses).toEqual([200, 200, 422, 422, 200, 200, 422]);
  });

  test("with values that are none of theirs is refused in the words of the provider, and nothing breaks", async () => {
    const { secret } = await service.createProject();
    // What `String` makes of it is no text.
    const odd = { toString: 1, valueOf: 2 };
    const to = [{ email: "ada@example.com" }];
    const sendgrid = { personalizations: [{ to }], from: { email: `shop@${DOMAIN}` }, subject: "Hi" };
    const postmark = { From: `shop@${DOMAIN}`, To: "ada@example.com", Subject: "Hi", HtmlBody: "Hi" };
    const ask = async (provider: string, body: object) => {
      const { path, keyIn } = CALLS[provider]!;
      const answer = await service.request("POST", path, { headers: keyIn(secret), body });
      return `${answer.status} ${Object.keys(answer.body || {}).join()}`;
    };
    const content = [{ type: "text/html", value: "Hi" }];
    const refused = [
      await ask("sendgrid", { ...sendgrid, content, attachments: [null] }),
      await ask("sendgrid", { ...sendgrid, content, attachments: "x" }),
      await ask("sendgrid", { ...sendgrid, content, send_at: odd }),
      await ask("sendgrid", { ...sendgrid, content: [{ type: odd, value: "Hi" }] }),
      await ask("postmark", { ...postmark, TrackLinks: odd }),
      await ask("postmark", { ...postmark, Headers: [{ Name: odd, Value: "x" }] }),
    ];
    const substitutions = { "-a-": odd };
    const sent = [
      await ask("sendgrid", { ...sendgrid, content, categories: [odd], custom_args: { a: odd } }),
      await ask("sendgrid", { ...sendgrid, content, personalizations: [{ to, substitutions }] }),
      await ask("postmark", { ...postmark, Metadata: { a: odd }, Tag: odd }),
    ];

    expect(refused).toEqual([
      ...Array<string>(4).fill("400 errors"),
      ...Array<string>(2).fill("422 ErrorCode,Message"),
    ]);
    expect(sent.map((answer) => answer.slice(0, 3))).toEqual(["202", "202", "200"]);
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
