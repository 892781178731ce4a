// The service while its Postgres is stopped, killed, cut off and frozen under load. `bun run test:database` is the long
// one: as many rounds of each as DATABASE_ROUNDS says, and a freeze of 20 s.
import { expect, test } from "bun:test";
import { besiegeDatabase, type Round } from "../support/database_siege.ts";
import { FAULTS } from "../support/postgres_faults.ts";

const isLong = process.env.DATABASE_TEST === "long";
const rounds = isLong ? Number(process.env.DATABASE_ROUNDS || 20) : 1;

/** The bar: the first mail that is accepted after the return is delivered within this time. */
const DELIVERED_MS = 5_000;

const percentile = (all: number[], share: number) =>
  all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.ceil(all.length * share) - 1)]!;
const say = (figures: object) => isLong && console.log(JSON.stringify(figures));

/** A short one says nothing of how fast it is: others work on the same machine. */
function figuresOf(all: Round[]) {
  return FAULTS.map((fault) => {
    const delivered = all.filter((round) => round.fault === fault).map((round) => round.deliveredMs);
    return {
      fault,
      rounds: delivered.length,
      p50: percentile(delivered, 0.5),
      p95: percentile(delivered, 0.95),
    };
  });
}

test(
  `a service under load goes on by itself after ${rounds} of each: ${FAULTS.join(", ")}; nothing that was accepted is lost`,
  async () => {
    const report = await besiegeDatabase({
      faults: Array.from({ length: rounds }, () => [...FAULTS]).flat(),
      freezeMs: isLong ? 20_000 : 3_000,
      recipients: isLong ? 300 : 100,
      clients: isLong ? 4 : 1,
      onRound: (round) => say({ ...round }),
    });
    const { rounds: all, ...rest } = report;
    for (const figures of figuresOf(all)) say(figures);
    say({
      ...rest,
      p95: percentile(
        all.map(({ deliveredMs }) => deliveredMs),
        0.95,
      ),
    });

    expect([report.crashes, report.standing, report.stuckJobs, report.left]).toEqual([0, [], [], []]);
    expect(report.lost).toEqual({ mails: [], events: 0, executions: [], campaignMails: [] });
    expect(report.doubled).toEqual([]);
    expect(report.odd).toEqual([]);
    expect(report.accepted.mails).toBeGreaterThan(0);
    expect(report.accepted.events).toBeGreaterThan(0);
    expect(report.accepted.campaignMails).toBeGreaterThan(0);
    if (isLong)
      expect(
        percentile(
          all.map(({ deliveredMs }) => deliveredMs),
          0.95,
        ),
      ).toBeLessThan(DELIVERED_MS);
  },
  isLong ? 4 * 3_600_000 : 240_000,
);
