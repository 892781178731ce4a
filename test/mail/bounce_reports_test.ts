import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { readMailReport } from "../../src/mail/bounce_reports.ts";
import type { BounceType } from "../../src/mail/notice.ts";
import { report, SAMPLES, RETURN_PATH, wire } from "./bounce_samples.ts";

const read = (source: Uint8Array, fromNobody = true) => readMailReport(source, fromNobody);
const at = (time: string) => new Date(time);

const bounce = (bounceType: string, recipient: string | null, diagnostic: unknown = expect.any(String)) => ({
  kind: "bounce",
  bounceType,
  recipient,
  diagnostic,
  at: expect.any(Date),
});

describe("what servers and providers say", () => {
  test.each<[keyof typeof SAMPLES, object[]]>([
    ["postfixLocal", [bounce("Permanent", "nobody@example.net", 'unknown user: "nobody"')]],
    [
      "postfixRemote",
      [
        bounce(
          "Permanent",
          "nobody@example.net",
          "550 5.1.1 <nobody@example.net>: Recipient address rejected: User unknown in virtual mailbox table",
        ),
      ],
    ],
    [
      "postfixDelayed",
      [
        {
          kind: "delay",
          recipient: "ada@example.net",
          diagnostic: "connect to mx.example.net[192.0.2.9]:25: Connection timed out",
          at: at("2026-11-20T08:00:07Z"),
        },
      ],
    ],
    ["postfixExpired", [bounce("Transient", "ada@example.net")]],
    ["postfixNoHost", [bounce("Permanent", "ada@example.invalid")]],
    ["eximReport", [bounce("Permanent", "nobody@example.net")]],
    [
      "eximText",
      [bounce("Permanent", "nobody@example.net", expect.stringContaining("550 no such user here"))],
    ],
    ["eximWarning", [expect.objectContaining({ kind: "delay", at: at("2026-11-20T08:00:07Z") })]],
    ["exchange", [bounce("Permanent", "nobody@example.net", expect.stringContaining("RESOLVER.ADR"))]],
    ["exchangeEdge", [bounce("Permanent", "nobody@example.net")]],
    ["gmail", [bounce("Permanent", "nobody@gmail.example")]],
    ["gmailFull", [bounce("Transient", "full@gmail.example")]],
    ["sendmail", [bounce("Permanent", "nobody@example.net", expect.stringContaining("User unknown"))]],
    ["qmail", [bounce("Permanent", null, expect.stringContaining("qmail-send"))]],
    ["blockedAsSpam", [bounce("Undetermined", "ada@example.net")]],
    ["delivered", [{ kind: "delivery", recipient: "ada@example.net", at: at("2026-11-20T08:00:07Z") }]],
    ["relayed", [{ kind: "sent", recipient: "ada@example.net", at: at("2026-11-20T08:00:07Z") }]],
    ["international", [bounce("Permanent", "muenchen@example.net", "550 5.1.1 Empfänger unbekannt")]],
    [
      "severalRecipients",
      [
        bounce("Permanent", "one@example.net"),
        expect.objectContaining({ kind: "delay", recipient: "two@example.net" }),
        expect.objectContaining({ kind: "sent", recipient: "three@example.net" }),
      ],
    ],
    [
      "yahooComplaint",
      [{ kind: "complaint", recipient: "ada@yahoo.example", at: at("2026-11-20T08:00:07Z") }],
    ],
    ["notSpam", []],
    ["dmarcFailure", []],
    ["absenceNote", []],
    ["vacation", []],
    ["receipt", []],
    [
      "unexplained",
      [{ ...bounce("Undetermined", null, "Ihre Nachricht konnte nicht zugestellt werden."), at: null }],
    ],
  ])("%s", async (name, findings) => {
    expect((await read(SAMPLES[name])).findings).toEqual(findings as never);
  });

  test("the time is that of the last attempt, else that of the report", async () => {
    const [gmail] = (await read(SAMPLES.gmail)).findings;
    const [postfix] = (await read(SAMPLES.postfixLocal)).findings;

    expect(gmail!.at).toEqual(at("2026-11-20T08:00:06Z"));
    expect(postfix!.at).toEqual(at("2026-11-20T08:00:07Z"));
  });

  test("a complaint hands out what proves it: its fields, and the header of the mail", async () => {
    const { evidence } = await read(SAMPLES.yahooComplaint);

    expect(evidence).toContain(`Original-Mail-From: <${RETURN_PATH}>`);
    expect(evidence).toContain(`Return-Path: <${RETURN_PATH}>`);
    expect(evidence).not.toContain("Our old mailbox");
  });

  test("an answer by a person is none, also when it quotes a code", async () => {
    expect((await read(SAMPLES.answer, false)).findings).toEqual([]);
    expect((await read(SAMPLES.answer, false)).subject).toBe("Re: Your order");
  });

  test("what has no sender and explains nothing is a bounce of which nobody knows more", async () => {
    expect((await read(SAMPLES.answer, true)).findings).toEqual([
      { ...bounce("Undetermined", null), at: null } as never,
    ]);
    expect((await read(new Uint8Array(), true)).findings).toEqual([
      { ...bounce("Undetermined", null, null), at: null } as never,
    ]);
  });

  test("a report inside of another mail says nothing about ours", async () => {
    const forwarded = wire(`
From: Ada <ada@example.net>
Subject: Fwd: look what I got
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: text/plain

What does this mean?
--outer
Content-Type: message/rfc822

${Buffer.from(SAMPLES.gmail).toString()}
--outer--`);
    expect((await read(forwarded, false)).findings).toEqual([]);
  });

  test("what stands in the copy of the mail does not count", async () => {
    const text = Buffer.from(SAMPLES.qmail).toString();
    const full = text.replace("(#5.1.1 - chkuser)", "for now (#4.3.0)");
    const unsaid = text.replace("550 sorry, no mailbox here by that name (#5.1.1 - chkuser)", "no");
    expect(unsaid).toContain("452 4.2.2");

    expect((await read(wire(full))).findings).toMatchObject([{ bounceType: "Transient" }]);
    expect((await read(wire(unsaid))).findings).toMatchObject([{ bounceType: "Undetermined" }]);
  });

  test("a header that names whom it failed for makes a bounce of it, whatever the subject is", async () => {
    const text = Buffer.from(SAMPLES.eximText)
      .toString()
      .replace(/^Subject: .*$/m, "Subject: Zurück");
    expect((await read(wire(text))).findings).toEqual([bounce("Permanent", "nobody@example.net") as never]);
  });

  test("a report in base64 is read as well", async () => {
    const fields =
      "Reporting-MTA: dns; a\n\nFinal-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1\n";
    const source = report({
      statusType: "message/delivery-status\nContent-Transfer-Encoding: base64",
      status: Buffer.from(fields).toString("base64"),
    });
    expect((await read(source)).findings).toEqual([bounce("Permanent", "a@b.example", "5.1.1") as never]);
  });
});

describe("whether an address works", () => {
  const of = async (status: string, diagnostic: string, action = "failed") => {
    const source = report({
      status: `Reporting-MTA: dns; a\n\nFinal-Recipient: rfc822; a@b.example\nAction: ${action}\n${status && `Status: ${status}\n`}Diagnostic-Code: smtp; ${diagnostic}`,
    });
    const [finding] = (await read(source)).findings;
    return finding?.kind === "bounce" ? finding.bounceType : finding?.kind;
  };

  test.each<[string, string, BounceType]>([
    ["5.1.1", "550 User unknown", "Permanent"],
    ["5.1.2", "550 Bad destination system", "Permanent"],
    ["5.1.7", "550 Bad sender's mailbox", "Undetermined"],
    ["5.1.8", "550 Bad sender's system", "Undetermined"],
    ["5.2.0", "550 Other mailbox status", "Permanent"],
    ["5.2.1", "550 The account is disabled", "Permanent"],
    ["5.2.2", "552 Mailbox full", "Transient"],
    ["5.2.3", "552 Message too long", "Undetermined"],
    ["5.3.4", "552 Message too large", "Undetermined"],
    ["5.4.310", "550 DNS domain does not exist", "Permanent"],
    ["5.4.6", "554 Routing loop", "Undetermined"],
    ["5.4.7", "554 Delivery time expired", "Transient"],
    ["5.5.0", "550 Requested action not taken: mailbox unavailable", "Permanent"],
    ["5.5.0", "554 Message content rejected", "Undetermined"],
    ["5.6.1", "554 Media not supported", "Undetermined"],
    ["5.7.26", "550 This mail is unauthenticated", "Undetermined"],
    ["5.0.0", "550 5.1.1 no such user", "Permanent"],
    ["5.0.0", "552 5.2.2 over quota", "Transient"],
    ["5.0.0", "552 mailbox quota exceeded", "Transient"],
    ["5.0.0", "550 we do not take spam", "Undetermined"],
    ["5.0.0", "550 requested action not taken", "Permanent"],
    ["4.2.2", "452 Mailbox full", "Transient"],
    ["4.4.7", "Delivery time expired", "Transient"],
    ["", "550 no such user", "Permanent"],
    ["", "550 your address 192.0.2.5 is on a block list", "Undetermined"],
    ["", "451 4.3.0 try again", "Transient"],
    ["", "it did not work", "Undetermined"],
    ["", "550 connection from 10.5.1.1 refused by policy", "Undetermined"],
    ["5.0.0", "550 5.7.1 no", "Undetermined"],
    ["2.0.0", "250 ok", "Undetermined"],
  ])("%s %s: %s", async (status, diagnostic, expected) => {
    expect(await of(status, diagnostic)).toBe(expected);
  });

  test.each([
    ["Failed", "bounce"],
    ["FAILED (gave up)", "bounce"],
    ["delayed", "delay"],
    ["delivered", "delivery"],
    ["expanded", "sent"],
  ])("an action may be written as %s", async (action, kind) => {
    const finding = await of("5.1.1", "550 User unknown", action);
    expect(kind === "bounce" ? finding === "Permanent" : finding === kind).toBe(true);
  });

  test("a report without an action goes by its status", async () => {
    const source = report({ status: "Final-Recipient: rfc822; a@b.example\nStatus: 5.1.1" });
    expect((await read(source)).findings).toEqual([bounce("Permanent", "a@b.example", "5.1.1") as never]);
  });
});

describe("whatever comes", () => {
  const header = fc.constantFrom(
    "Content-Type: multipart/report; boundary=b",
    "Content-Type: multipart/mixed; boundary=b; boundary=c",
    "Content-Type: message/delivery-status",
    "Content-Type: message/rfc822",
    "Content-Type: text/html; charset=utf-16",
    "Content-Transfer-Encoding: base64",
    "Content-Transfer-Encoding: quoted-printable",
    "X-Failed-Recipients: <,>,\u0000",
    "Subject: =?utf-8?b?////?= failure notice",
    "From: <<<((",
    "Date: Fri, 99 Foo 99999",
  );
  const line = fc.oneof(
    header,
    fc.constantFrom("", "--b", "--b--", "--c", "\t", "Action: failed", "Status: 5.", "Action:", ": x"),
    fc.constantFrom(
      "Final-Recipient: rfc822;",
      "Feedback-Type: abuse",
      "Original-Rcpt-To: <@>",
      "Status: 4.4.1",
    ),
    fc.string(),
  );
  const mail = fc.array(line, { maxLength: 60 }).map((lines) => Buffer.from(lines.join("\r\n")));

  test("a mail is read to an end, and what is found can be stored", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(mail, fc.uint8Array({ maxLength: 500 })),
        fc.boolean(),
        async (source, isNull) => {
          const { findings, evidence, subject } = await read(source, isNull);

          for (const finding of findings) {
            expect(finding.at === null || !Number.isNaN(finding.at.getTime())).toBe(true);
            const words = "diagnostic" in finding ? (finding.diagnostic ?? "") : "";
            for (const text of [words, finding.recipient ?? "", subject ?? ""]) {
              expect(text.isWellFormed() && !text.includes("\0") && text.length <= 500).toBe(true);
            }
          }
          expect(evidence.length).toBeLessThan(200_000);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  const MEGABYTE = 1_048_576;
  test.each<[string, string]>([
    ["without end in depth", 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'.repeat(5_000)],
    [
      "in parts of nothing",
      `Content-Type: multipart/report; boundary=b\r\n\r\n${"--b\r\n\r\n".repeat(MEGABYTE / 7)}`,
    ],
    ["of headers alone", "X: y\r\n".repeat(MEGABYTE / 6)],
    ["of one header", `Subject: ${"a ".repeat(MEGABYTE / 2)}`],
    ["of one line", `Subject: failure notice\r\n\r\n${"-".repeat(MEGABYTE)}`],
    ["of tags that never end", `Content-Type: text/html\r\n\r\n${"<".repeat(MEGABYTE)}`],
    ["of one address", `From: ${"(".repeat(MEGABYTE)}\r\n\r\nx`],
    [
      "of one field",
      `Content-Type: message/delivery-status\r\n\r\nDiagnostic-Code: ${"mailbox ".repeat(MEGABYTE / 8)}\r\nAction: failed`,
    ],
  ])("a mail %s is read to an end", async (_, source) => {
    expect((await read(Buffer.from(source))).findings).toHaveLength(1);
  });

  test("of a large mail only the beginning is read, and the report is there", async () => {
    const source = report({ status: "Action: failed\nStatus: 5.1.1", original: "x".repeat(MEGABYTE) });
    expect((await read(source)).findings).toMatchObject([{ bounceType: "Permanent" }]);
    const late = report({ text: "x\n".repeat(100_000), status: "Action: failed\nStatus: 5.1.1" });
    expect((await read(late)).findings).toMatchObject([{ bounceType: "Undetermined" }]);
  });
});
