// How attempts are added up, and what can be told from it afterwards.
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { rateFigures } from "../../src/insight/deliverability/_rates.ts";
import { type MailAttempt, figuresOf, TIME_LIMITS_MS } from "../../src/sending/delivery/figures.ts";

const attempt = (more: Partial<MailAttempt> = {}): MailAttempt => ({
  end: "accepted",
  at: new Date("2026-11-27T10:59:59.999Z"),
  projectId: "0194b8a0-0000-7000-8000-000000000001",
  address: "ada@gmail.com",
  from: "Hello@Shop.example",
  transportId: null,
  tookMs: 100,
  ...more,
});

const ratesFor = (attempts: MailAttempt[]) => {
  const [row] = figuresOf(attempts);
  return rateFigures({ acceptedTimes: row!.accepted_times, ...row! });
};

test("attempts are one row where hour, sender domain, provider and transport are the same", () => {
  const rows = figuresOf([
    attempt(),
    attempt({ address: "bob@googlemail.com", from: "news@shop.example", end: "deferred" }),
    attempt({ at: new Date("2026-11-27T11:00:00Z") }),
    attempt({ address: "ada@company.test" }),
    attempt({ address: "bob@else.test" }),
  ]);

  expect(
    rows.map(({ hour, sender_domain, provider, accepted_times, deferred }) => [
      hour.getUTCHours(),
      sender_domain,
      provider,
      accepted_times[0],
      deferred,
    ]),
  ).toEqual([
    [10, "shop.example", "google", 1, 1],
    [11, "shop.example", "google", 1, 0],
    [10, "shop.example", "other", 2, 0],
  ]);
});

test("with direct delivery the mail server tells the provider of a company, and whether it was encrypted", () => {
  const via = (provider: string, isEncrypted: boolean) => ({
    host: "mx",
    address: "192.0.2.1",
    provider,
    tls: isEncrypted ? { version: "TLSv1.3", isVerified: true, policy: "opportunistic" as const } : null,
  });
  const rows = figuresOf([
    attempt({ address: "ada@company.test", via: via("google", true) }),
    attempt({ address: "ada@company.test", via: via("google", false) }),
    attempt({ address: "bob@else.test", via: via("else.test", true) }),
    attempt({ address: "eve@constructor", via: via("constructor", true) }),
  ]);

  expect(rows.map((row) => [row.provider, row.encrypted, row.unencrypted])).toEqual([
    ["google", 1, 1],
    ["other", 2, 0],
  ]);
});

test("p50 and p95 are in the range of the true values, whatever the times", () => {
  const times = fc.array(fc.integer({ min: 0, max: 100_000_000 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(times, (all) => {
      const { accepted, timeToAcceptance } = ratesFor(all.map((tookMs) => attempt({ tookMs })));
      expect(accepted).toBe(all.length);
      const sorted = all.toSorted((a, b) => a - b);
      for (const [share, seconds] of [
        [0.5, timeToAcceptance!.p50],
        [0.95, timeToAcceptance!.p95],
      ] as const) {
        const truth = sorted[Math.ceil(share * all.length) - 1]!;
        const place = TIME_LIMITS_MS.findIndex((limit) => truth <= limit);
        const [after, upTo] = [TIME_LIMITS_MS[place - 1] ?? 0, TIME_LIMITS_MS[place]!];
        // Rounded to a hundredth of a second.
        expect(seconds * 1_000).toBeWithin(after - 5, Math.min(upTo, 43_200_000) + 6);
      }
    }),
  );
});

test("a later bounce is one of the mails that were accepted, and not another mail", () => {
  const rates = ratesFor([
    ...Array.from({ length: 98 }, () => attempt()),
    attempt({ end: "bounced" }),
    attempt({ end: "refused" }),
    attempt({ end: "returned" }),
  ]);

  expect(rates).toMatchObject({ mails: 100, accepted: 98, bounced: 2, bounceRate: 2, refused: 1 });
});
