// The kill test: a campaign whose workers are killed, whose Postgres is stopped and whose SMTP server fails, until it is
// done. `bun run test:kill` is the long one: 5,000 recipients, at least ten kills, and a worker that is frozen.
import { describe, expect, test } from "bun:test";
import { until } from "../support/process.ts";
import { besiege, type Fate, type SiegeReport } from "../support/siege.ts";

const isLong = process.env.KILL_TEST === "long";
const recipients = isLong ? 5_000 : 300;
const kills = isLong ? 10 : 2;
const CONNECTIONS = 10;
const TIMEOUT = { timeout: 300_000 };

/** How long the server takes for its answer to a mail: so that there is something to kill, or not at all. */
const slowMs = isLong ? 25 : 40;
const quickMs = 0;

const between = (least: number, most: number) => least + Math.floor(Math.random() * (most - least));
const share = recipients / (kills * 2 + 2);

const withFate = ({ fates }: SiegeReport, holds: (fate: Fate) => boolean) =>
  [...fates].filter(([, fate]) => holds(fate)).map(([address]) => address);

/** What holds after every attack. */
function expectNothingLost(report: SiegeReport): void {
  expect(report.campaignStatus).toBe("SENT");
  // One row for each recipient.
  expect([report.rows, report.fates.size]).toEqual([recipients, recipients]);
  // Sent is what has arrived.
  expect(withFate(report, (fate) => fate.status === "SENT" && fate.arrivals === 0)).toEqual([]);
  // Twice only what was in doubt.
  expect(withFate(report, (fate) => fate.arrivals > 1 && !fate.wasInDoubt)).toEqual([]);
  expect(report.counters).toEqual(report.ledger);
}

async function killRepeatedly(
  { startWorker, kill, progress, hasEnded }: Parameters<Parameters<typeof besiege>[1]>[0],
  workers: number,
): Promise<number> {
  const running = await Promise.all(Array.from({ length: workers }, () => startWorker()));
  let killed = 0;
  while (killed < kills && !hasEnded()) {
    await progress(between(1, share));
    await Bun.sleep(between(0, 200));
    if (hasEnded()) break;
    await kill(running[killed % workers]!);
    running[killed % workers] = await startWorker();
    killed++;
  }
  return killed;
}

describe("a worker that is killed at the worst moment", () => {
  const few = { recipients: 60, connections: CONNECTIONS };

  test(
    "between the claim and the first byte: what it held is sent by the next one, and nothing is in doubt",
    async () => {
      let arrived = -1;
      const report = await besiege(few, async ({ smtp, startWorker, kill, claimed }) => {
        // The server takes no recipient until the worker is gone.
        let isGone = false;
        smtp.behave({
          holdRcpt: async () => {
            while (!isGone) await Bun.sleep(10);
          },
        });
        const worker = await startWorker();
        await claimed(1);
        await kill(worker);
        arrived = smtp.received.length;
        isGone = true;
        await startWorker();
      });
      expect(arrived).toBe(0);
      expect(report.campaignStatus).toBe("SENT");
      expect(withFate(report, ({ wasInDoubt }) => wasInDoubt)).toEqual([]);
      expect(withFate(report, ({ arrivals }) => arrivals !== 1)).toEqual([]);
      expect(report.counters).toEqual(report.ledger);
    },
    TIMEOUT,
  );

  test(
    "between the server's 250 and the commit: what had arrived is in doubt, and nobody has it twice",
    async () => {
      const report = await besiege(few, async ({ smtp, startWorker, kill, withLockedEvents, claimed }) => {
        smtp.behave({ holdData: () => Bun.sleep(300) });
        const worker = await startWorker();
        await claimed(1);
        // An outcome is written together with its event: now none can be.
        await withLockedEvents(async (isWaiting) => {
          await until("mails that have arrived", () => smtp.received.length > 0);
          await until("an outcome that waits to be written", isWaiting);
          await kill(worker);
        });
        smtp.behave({});
        await startWorker();
      });
      const doubtful = withFate(report, (fate) => fate.status === "IN_DOUBT");

      expect(report.campaignStatus).toBe("SENT");
      expect(doubtful.length).toBeWithin(1, CONNECTIONS + 1);
      expect(withFate(report, ({ arrivals }) => arrivals !== 1)).toEqual([]);
      expect(report.counters).toEqual(report.ledger);
    },
    TIMEOUT,
  );
});

describe("a campaign", () => {
  test.each(
    isLong
      ? [
          [1, slowMs],
          [2, slowMs],
          [1, quickMs],
          [2, quickMs],
        ]
      : [[1, slowMs]],
  )(
    "whose workers (%d) are killed again and again, with a server that takes %d ms, reaches everybody; doubles are only among what was in doubt",
    async (workers, holdMs) => {
      let killed = 0;
      const report = await besiege(
        { recipients, connections: CONNECTIONS, resends: true },
        async (attackers) => {
          if (holdMs > 0) attackers.smtp.behave({ holdData: () => Bun.sleep(holdMs) });
          killed = await killRepeatedly(attackers, workers);
        },
      );
      const doubtful = withFate(report, (fate) => fate.wasInDoubt).length;
      const percent = ((doubtful * 100) / recipients).toFixed(2);
      console.log(
        `${killed} kills, ${holdMs} ms: ${doubtful} of ${recipients} mails in doubt (${percent} %)`,
      );

      expect(killed).toBe(kills);
      expectNothingLost(report);
      expect(withFate(report, (fate) => fate.status !== "SENT")).toEqual([]);
      expect(doubtful).toBeLessThanOrEqual(kills * CONNECTIONS);
    },
    TIMEOUT,
  );

  test.skipIf(!isLong)(
    "whose Postgres is stopped in immediate mode goes on by itself, and doubles nothing that is not sent again (long run only)",
    async () => {
      const own = { recipients, connections: CONNECTIONS, crashesPostgres: true };
      const report = await besiege(own, async (attackers) => {
        attackers.smtp.behave({ holdData: () => Bun.sleep(slowMs) });
        await attackers.startWorker();
        for (let i = 0; i < 5; i++) {
          await attackers.progress(recipients / 8);
          if (!attackers.hasEnded()) attackers.crashPostgres();
          await Bun.sleep(2_000);
        }
      });

      expectNothingLost(report);
      expect(withFate(report, (fate) => fate.arrivals > 1)).toEqual([]);
      expect(withFate(report, (fate) => fate.arrivals === 0 && fate.status !== "IN_DOUBT")).toEqual([]);
    },
    TIMEOUT,
  );

  test(
    "whose SMTP server fails at random (4xx, 5xx, cut before and after the end) reaches everybody but those it refuses for good",
    async () => {
      const chance = (percent: number) => Math.random() * 100 < percent;
      const report = await besiege(
        { recipients, connections: CONNECTIONS, resends: true },
        async ({ smtp, startWorker }) => {
          smtp.behave({
            rcpt: (address) =>
              /^r\d*13@/.test(address) ? "550 5.1.1 No such user" : chance(4) ? "451 4.7.1 Later" : undefined,
            data: () => (chance(4) ? "452 4.3.1 Full" : undefined),
            cut: () => (chance(2) ? "before data" : chance(2) ? "after data" : undefined),
          });
          await startWorker();
        },
      );
      const refused = withFate(report, (fate) => fate.status === "BOUNCED");

      expectNothingLost(report);
      expect(refused.length).toBe(Math.floor((recipients + 87) / 100));
      expect(withFate(report, (fate) => fate.status !== "SENT" && fate.status !== "BOUNCED")).toEqual([]);
      expect(withFate(report, (fate) => fate.status === "BOUNCED" && fate.arrivals > 0)).toEqual([]);
    },
    TIMEOUT,
  );

  test(
    "over transports of which one is down, with its workers killed again and again, loses and doubles nothing",
    async () => {
      let killed = 0;
      const report = await besiege(
        { recipients, connections: CONNECTIONS, transports: 3, resends: true },
        async (attackers) => {
          attackers.smtp.behave({ holdData: () => Bun.sleep(slowMs) });
          killed = await killRepeatedly(attackers, 2);
          attackers.smtp.behave({ holdData: () => Bun.sleep(quickMs) });
        },
      );

      expectNothingLost(report);
      expect(killed).toBeGreaterThan(0);
      expect(withFate(report, ({ status }) => status !== "SENT")).toEqual([]);
    },
    TIMEOUT,
  );

  test.skipIf(!isLong)(
    "of which one worker is frozen past its lease goes on with the other, and doubles nothing (long run only)",
    async () => {
      const report = await besiege({ recipients, connections: CONNECTIONS }, async (attackers) => {
        attackers.smtp.behave({ holdData: () => Bun.sleep(100) });
        const [frozen] = await Promise.all([attackers.startWorker(), attackers.startWorker()]);
        await attackers.progress(recipients / 10);
        process.kill(frozen.pid, "SIGSTOP");
        await Bun.sleep(40_000);
        process.kill(frozen.pid, "SIGCONT");
      });

      expectNothingLost(report);
      expect(withFate(report, (fate) => fate.arrivals > 1)).toEqual([]);
      expect(withFate(report, (fate) => fate.arrivals === 0 && fate.status !== "IN_DOUBT")).toEqual([]);
    },
    TIMEOUT,
  );
});
