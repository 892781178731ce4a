import { describe, expect, test } from "bun:test";
import {
  hashPassword,
  inTurn,
  MAX_WAITING_OF_A_NETWORK,
  MAX_WAITING_PASSWORDS,
  NOBODYS_HASH,
} from "../../src/accounts/people/passwords.ts";
import { signUp } from "../support/accounts.ts";
import { type Answer, useService } from "../support/service.ts";

const service = useService({ LOGIN_LIMIT_PER_EMAIL: "0", LOGIN_LIMIT_PER_NETWORK: "0" });

/** Its hash costs what that of a real one does. */
const PASSWORD = "another horse, another staple";
const WRONG = "wrong horse battery";
const MEGABYTE = 1_048_576;

const attempt = (email: string, password: string) =>
  service.request("POST", "/auth/login", { body: { email, password } });

/** What so many of them in a hundred are below. */
function quantile(values: number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length * percent) / 100)]!;
}

/** Times several kinds of requests in turns, so that whatever else goes on hits them alike. In ms: the median of the quicker half. */
async function timed(rounds: number, kinds: (() => Promise<Answer>)[]): Promise<number[]> {
  const times = kinds.map((): number[] => []);
  for (let round = -2; round < rounds; round++) {
    const order = [...kinds.entries()];
    for (const [i, kind] of round % 2 === 0 ? order : order.toReversed()) {
      const startedAt = performance.now();
      await kind();
      if (round >= 0) times[i]!.push(performance.now() - startedAt);
    }
  }
  return times.map((each) => quantile(each, 25));
}

/**
 * How many times the shortest time the longest is, at best: a difference that is there shows each time, and one that the
 * machine makes does not.
 */
async function leastSpread(rounds: number, kinds: (() => Promise<Answer>)[], limit: number): Promise<number> {
  let least = Infinity;
  for (let look = 0; look < 5 && least >= limit; look++) {
    const times = await timed(rounds, kinds);
    least = Math.min(least, Math.max(...times) / Math.min(...times));
  }
  return least;
}

describe("who asks for an account learns nothing from the time", () => {
  test("of a log-in: a wrong password, an unknown address, an account without a password", async () => {
    const { email } = await signUp(service, undefined, PASSWORD);
    await service.pool`insert into users (email) values ('github@example.com')`;
    const kinds = [email, "nobody@example.com", "github@example.com"].map(
      (address) => () => attempt(address, WRONG),
    );

    // Without a hash to look at it would be 10 and more.
    expect(await leastSpread(20, kinds, 1.2)).toBeLessThan(1.2);
  });

  test("of a request for a new password, or for the verification mail", async () => {
    const { email } = await signUp(service, undefined, PASSWORD);
    const ask = (path: string, address: string) => () =>
      service.request("POST", `/auth/${path}`, { body: { email: address } });
    for (const path of ["request-password-reset", "request-verification"]) {
      const kinds = [ask(path, email), ask(path, "nobody@example.com")];

      // A token and a mail made here, for those who have an account, would show as 1.5 and more.
      expect(await leastSpread(100, kinds, 1.3)).toBeLessThan(1.3);
    }
  });
});

describe("a thousand log-ins at once", () => {
  test("take no more memory than a few, and those that would wait too long are told to come back", async () => {
    // Of two networks, of which few may wait: a line that is full takes seconds to empty.
    let asked = 0;
    const requestIP = () => ({ address: `203.0.113.${asked++ % 2}` });
    service.app.server = { requestIP } as never;
    const { email } = await signUp(service, undefined, PASSWORD);
    await Promise.all(Array.from({ length: 20 }, () => attempt(email, WRONG)));
    const before = process.memoryUsage.rss();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, i) => attempt(email, i % 2 === 0 ? PASSWORD : WRONG)),
    );
    clearInterval(watch);
    const refused = answers.filter(({ status }) => status === 503);
    const done = answers.filter(({ status }) => status !== 503);

    // A hash takes 19 MB: all at once would take 19 GB.
    expect((peak - before) / MEGABYTE).toBeLessThan(200);
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThanOrEqual(2 * MAX_WAITING_OF_A_NETWORK + 4);
    expect(new Set(done.map(({ status }) => status))).toEqual(new Set([200, 401]));
    for (const { headers } of refused) expect(headers.get("retry-after")).toBe("5");
    const lines = service.lines.filter(({ status }) => status === 503);
    // Nothing is broken: nobody has to be woken up.
    expect(new Set(lines.map(({ level }) => level))).toEqual(new Set(["warn"]));
    // Nobody is left behind in the line.
    expect((await attempt(email, PASSWORD)).status).toBe(200);
  });
});

describe("those who wait for their turn", () => {
  /** A line of its own, of which every place is taken until `go` is called. */
  function takenLine() {
    const { promise, resolve: go } = Promise.withResolvers<void>();
    const ctx = { ...service, pool: (() => {}) as never };
    for (let place = 0; place < 4; place++) void inTurn(ctx, { network: null }, () => promise);
    const wait = (network: string, patience: { patienceMs?: number } = {}) =>
      inTurn(ctx, { network, ...patience }, async () => "done").catch(({ status }) => status as number);
    return { go, wait };
  }

  test("wait for one attempt of each other network, however many one of them makes", async () => {
    const { go, wait } = takenLine();
    const order: string[] = [];
    const waitAs = (network: string) => wait(network).then(() => order.push(network));
    const all = [...Array.from({ length: 30 }, () => waitAs("203.0.113.9")), waitAs("203.0.113.10")];
    go();
    await Promise.all(all);

    // At most four are done at once.
    expect(order.indexOf("203.0.113.10")).toBeLessThan(8);
  });

  test("are at most a quarter from one network: there is room for others", async () => {
    const { go, wait } = takenLine();
    const crowd = Array.from({ length: MAX_WAITING_OF_A_NETWORK + 10 }, () => wait("203.0.113.9"));
    const other = wait("203.0.113.10");
    go();
    const ends = await Promise.all(crowd);

    expect(ends.filter((end) => end === 503)).toHaveLength(10);
    expect(ends.filter((end) => end === "done")).toHaveLength(MAX_WAITING_OF_A_NETWORK);
    expect(await other).toBe("done");
  });

  test("are not more than there is room for, from however many networks", async () => {
    const { go, wait } = takenLine();
    const all = Array.from({ length: MAX_WAITING_PASSWORDS + 10 }, (_, i) => wait(`203.0.113.${i % 250}`));
    go();
    const ends = await Promise.all(all);
    const done = ends.filter((end) => end === "done");

    expect(ends.filter((end) => end === 503)).toHaveLength(all.length - done.length);
    // Some of those of `takenLine` wait as well.
    expect(done.length).toBeWithin(MAX_WAITING_PASSWORDS - 3, MAX_WAITING_PASSWORDS + 1);
  });

  test("are told to come back when it takes too long, and leave their place to others", async () => {
    const { go, wait } = takenLine();
    const waiting = Array.from({ length: MAX_WAITING_OF_A_NETWORK }, () =>
      wait("203.0.113.9", { patienceMs: 10 }),
    );
    const full = await wait("203.0.113.9");
    const impatient = await Promise.all(waiting);
    const next = wait("203.0.113.9");
    go();

    expect([full, new Set(impatient), await next]).toEqual([503, new Set([503]), "done"]);
  });
});

test("the hash that stands in for a missing one costs what a real one does", async () => {
  const costs = (hash: string) => hash.split("$").slice(1, 4);

  expect(costs(NOBODYS_HASH)).toEqual(costs(await hashPassword(service, PASSWORD, null)));
});
