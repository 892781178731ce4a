import { describe, expect, test } from "bun:test";
import {
  deliverabilityHeaders,
  type MailKind,
  mergeHeaders,
  unsubscribeHeaders,
} from "../../src/mail/headers.ts";

const kind: MailKind = {
  type: "MARKETING",
  sourceType: "CAMPAIGN",
  projectId: "0190aaaa-0000-7000-8000-000000000001",
  campaignId: "0190bbbb-0000-7000-8000-000000000002",
};

const TYPES = ["TRANSACTIONAL", "MARKETING", "HEADLESS"] as const;
const SOURCES = ["TRANSACTIONAL", "CAMPAIGN", "WORKFLOW"] as const;
const all = TYPES.flatMap((type) =>
  SOURCES.map((sourceType) => ({
    ...kind,
    type,
    sourceType,
    campaignId: sourceType === "CAMPAIGN" ? kind.campaignId : null,
  })),
);

describe("deliverabilityHeaders", () => {
  test("campaigns to subscribers are bulk mail", () => {
    for (const type of ["MARKETING", "HEADLESS"] as const) {
      const headers = deliverabilityHeaders({ ...kind, type });
      expect(headers).toMatchObject({ Precedence: "bulk" });
      expect(headers).not.toHaveProperty("Auto-Submitted");
    }
  });

  test.each(all.filter(({ type, sourceType }) => sourceType !== "CAMPAIGN" || type === "TRANSACTIONAL"))(
    "a mail of $type from $sourceType is submitted automatically, and not bulk",
    (mail) => {
      const headers = deliverabilityHeaders(mail);
      expect(headers).toMatchObject({ "Auto-Submitted": "auto-generated" });
      expect(headers).not.toHaveProperty("Precedence");
    },
  );

  test("no mail asks servers to keep quiet about failed deliveries", () => {
    for (const mail of all)
      expect(deliverabilityHeaders(mail)["X-Auto-Response-Suppress"]).toBe("OOF, AutoReply");
  });

  test("Feedback-ID names the campaign, the project and the type", () => {
    expect(deliverabilityHeaders(kind)["Feedback-ID"]).toBe(
      `${kind.campaignId}:${kind.projectId}:marketing:postrider`,
    );
  });

  test.each(all)("Feedback-ID of $type from $sourceType is as Gmail wants it", (mail) => {
    const id = deliverabilityHeaders(mail)["Feedback-ID"]!;
    const identifiers = id.split(":");

    expect(id).toMatch(/^[\w-]+(:[\w-]+){3}$/);
    expect(new Set(identifiers).size).toBe(4);
    expect(identifiers[3]!.length).toBeWithin(5, 16);
  });
});

describe("unsubscribeHeaders", () => {
  test("are the two of RFC 8058", () => {
    expect(unsubscribeHeaders("https://mail.acme.test/unsubscribe/t-1_2.3")).toEqual({
      "List-Unsubscribe": "<https://mail.acme.test/unsubscribe/t-1_2.3>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    });
  });

  test.each([
    ["https://a.io/x>, <mailto:evil@x.io", "<https://a.io/x%3E,%20%3Cmailto:evil@x.io>"],
    ["https://a.io/\r\nBcc: evil@x.io", "<https://a.io/%0D%0ABcc:%20evil@x.io>"],
    ["https://a.io/é😀\ud83d", "<https://a.io/%C3%A9%F0%9F%98%80%EF%BF%BD>"],
  ])("hold one address, whatever is in it: %j", (url, value) => {
    expect(unsubscribeHeaders(url)["List-Unsubscribe"]).toBe(value);
  });
});

describe("mergeHeaders", () => {
  const ours = { ...deliverabilityHeaders(kind), ...unsubscribeHeaders("https://a.io/u") };

  test("without headers of the request they are ours", () => {
    expect(mergeHeaders(null, ours)).toEqual(ours);
    expect(mergeHeaders({}, ours)).toEqual(ours);
  });

  test("those of the request win, whatever their case", () => {
    const custom = { PRECEDENCE: "list", "feedback-id": "mine", "X-Other": "1" };
    const { Precedence: _, "Feedback-ID": __, ...rest } = ours;

    expect(mergeHeaders(custom, ours)).toEqual({ ...rest, ...custom });
  });

  test.each(["List-Unsubscribe", "list-unsubscribe-post"])("naming %s takes both of ours away", (name) => {
    const { "List-Unsubscribe": _, "List-Unsubscribe-Post": __, ...rest } = ours;

    expect(mergeHeaders({ [name]: "mine" }, ours)).toEqual({ ...rest, [name]: "mine" });
  });
});
