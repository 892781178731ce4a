// What is learnt of the domains of recipients, on a clock of the test's own.
import { describe, expect, test } from "bun:test";
import { createDomainPace, type Flight, TICK_MS } from "../../src/sending/delivery/_domain_pace.ts";

const HOUR_MS = 3_600_000;

/** A pace whose time passes when it is told to, and a way to send: mails that answer after so long. */
function stage(connections = 40) {
  let time = 1_000_000;
  const pace = createDomainPace({ connections, now: () => time, clock: () => time, random: () => 0.5 });
  const pass = (ms: number) => {
    for (const until = time + ms; time < until;) {
      time = Math.min(until, time + TICK_MS);
      pace.tick();
    }
  };
  const asking = (
    domain: string,
    { owner = "p", waiting = 100, isApart = false, isSingle = false } = {},
  ) => ({ domain, owner, waiting, isApart, isSingle });
  const begin = (domain: string, options = {}): Flight => {
    const flight = pace.take(asking(domain, options), () => {});
    flight.begin();
    return flight;
  };
  return {
    pace,
    pass,
    ask: (domain: string, options = {}) => pace.ask(asking(domain, options)),
    begin,
    /** Begins as many as may, in turn, up to `most`; answers those. */
    beginAll(domains: string[], most = connections, options = {}): Flight[] {
      const flights: Flight[] = [];
      for (let isNews = true; isNews;) {
        isNews = false;
        for (const domain of domains) {
          if (flights.length === most || pace.ask(asking(domain, options)) !== "now") continue;
          flights.push(begin(domain, options));
          isNews = true;
        }
      }
      return flights;
    },
    /** A mail to this domain, that is answered after so long. */
    answer(domain: string, ms: number, options = {}) {
      const flight = begin(domain, options);
      pass(ms);
      flight.end("answered");
    },
    refuse(domain: string) {
      const flight = begin(domain);
      time += 1;
      flight.end("deferred");
    },
  };
}

const names = (count: number, name = "tarpit") => Array.from({ length: count }, (_, n) => `${name}${n}.test`);

describe("a domain that is quick", () => {
  test("has all connections when nobody else wants them", () => {
    const { answer, beginAll } = stage();
    answer("large.test", 5);

    expect(beginAll(["large.test"])).toHaveLength(40);
  });

  test("stays so though one of its many mails hangs", () => {
    const { answer, begin, beginAll, pass } = stage();
    answer("large.test", 5);
    const flights = [begin("large.test"), ...beginAll(["large.test"], 9)];
    pass(400);
    for (const flight of flights.slice(1)) flight.end("answered");
    const next = beginAll(["large.test"], 9);
    pass(700);
    for (const flight of next) flight.end("answered");

    expect(beginAll(["large.test"])).toHaveLength(39);
  });

  test("is not slow for what is ours to wait for", () => {
    const { answer, begin, pass, pace } = stage();
    answer("large.test", 5);
    const goOn = begin("large.test").pause();
    pass(20_000);
    const whileWaiting = pace.slow;
    goOn();

    expect(whileWaiting).toBe(0);
  });

  test("is not slow because this process stood still", () => {
    let time = 0;
    const pace = createDomainPace({ connections: 40, now: () => time, clock: () => time });
    const asking = { domain: "large.test", owner: "p", waiting: 1, isApart: false, isSingle: true };
    const flight = pace.take(asking, () => {});
    flight.begin();
    pace.tick();
    time += 30_000;
    pace.tick();
    const meanwhile = pace.slow;
    time += 30_000;
    flight.end("answered");

    expect([meanwhile, pace.slow, pace.ask(asking)]).toEqual([0, 0, "now"]);
    expect(pace.room("large.test").as).toBe("many");
  });
});

describe("tarpits", () => {
  test.each([
    [1, 40, 4],
    [3, 40, 4],
    [50, 40, 6],
    [1, 5, 1],
    [50, 5, 1],
    [1, 2, 1],
  ])("%d of one sender, %d connections: hold at most %d of them", (count, connections, most) => {
    const { beginAll, pass, pace } = stage(connections);
    let held = 0;
    for (let i = 0; i < 100; i++) {
      held += beginAll(names(count)).length;
      pass(TICK_MS);
    }

    expect(held).toBe(most);
    expect(pace.slow).toBe(held);
  });

  test("hold no more than a tenth when they are known", () => {
    const { beginAll, pass, pace } = stage();
    const flights = beginAll(names(50));
    pass(20_000);
    for (const flight of flights) flight.end("answered");
    // Nobody waits for them, and the limit is the same: connections cannot be taken back.
    for (let i = 0; i < 20; i++) beginAll(names(50).slice(0, flights.length));

    expect(flights.length).toBeGreaterThan(0);
    expect(pace.slow).toBe(4);
  });

  test("may hold half of them when no quick mail was seen for a minute", () => {
    const { begin, beginAll, pass, pace } = stage();
    const first = begin("tarpit0.test");
    pass(61_000);
    first.end("answered");
    beginAll(["tarpit0.test"]);

    expect(pace.slow).toBe(20);
  });

  test("that hold half of them since nobody else was seen keep nobody who comes later from a domain that nobody knows", () => {
    const { begin, beginAll, pass, ask, answer, pace } = stage();
    const first = begin("tarpit0.test");
    pass(61_000);
    first.end("answered");
    beginAll(["tarpit0.test"]);
    const [few, many] = [ask("new.test", { owner: "q", waiting: 1 }), ask("new.test", { owner: "q" })];
    answer("new.test", 5, { owner: "q" });

    expect([few, many, pace.slow]).toEqual(["now", "now", 20]);
    // Now somebody was seen, and they still hold what they have.
    expect(ask("other.test", { owner: "r" })).toBe("now");
    expect(ask("tarpit0.test")).toBe("apart");
  });

  test("count as slow before they have answered, by the time that the others take", () => {
    const { answer, begin, pass, pace } = stage();
    for (let i = 0; i < 30; i++) answer("quick.test", 200);
    begin("tarpit0.test");
    pass(1_900);
    const before = pace.slow;
    pass(400);

    expect([before, pace.slow]).toEqual([0, 1]);
  });

  test("leave their place to others for a while where one connection is more than a tenth", () => {
    const { begin, pass, ask, pace } = stage(2);
    const flight = begin("tarpit0.test");
    pass(20_000);
    flight.end("answered");
    const asked = ask("tarpit0.test");
    pass(30_000);
    const before = pace.room("tarpit0.test").mails;

    expect(asked).toBe("apart");
    expect(before).toBe(0);
  });

  test("do not keep another sender, nor a single mail of the same one, from a domain that nobody knows", () => {
    const { beginAll, ask, pass } = stage();
    for (let i = 0; i < 5; i++) {
      beginAll(names(50));
      pass(2_000);
    }

    expect(ask("new.test", { owner: "q" })).toBe("now");
    expect(ask("new.test", { waiting: 1 })).toBe("now");
    expect(ask("new.test", { waiting: 500 })).toBe("apart");
  });

  test("of many senders at once hold no more than a quarter, and who writes to somebody is not kept from it", () => {
    const { begin, ask, pass, answer } = stage();
    answer("quick.test", 5);
    let held = 0;
    for (let i = 0; i < 30; i++) {
      for (let sender = 0; sender < 20; sender++) {
        const [domain, owner] = [`tarpit${sender}-${i}.test`, `sender${sender}`];
        if (ask(domain, { owner }) !== "now") continue;
        begin(domain, { owner });
        held += 1;
      }
      pass(TICK_MS);
    }

    expect(held).toBeWithin(4, 11);
    expect(ask("quick.test")).toBe("now");
    expect(ask("new.test", { owner: "other", waiting: 1 })).toBe("now");
  });

  test("that wait apart in a crowd leave places for who comes after them, one in a while", () => {
    const { beginAll, ask, pass, pace } = stage();
    for (let i = 0; i < 3; i++) {
      beginAll(names(50), 40, { isApart: i > 0 });
      pass(1_500);
    }
    const crowd = [pace.slow, ask("tarpit49.test", { isApart: true }), ask("new.test")];
    beginAll(["other.test"]);
    pass(1_500);

    expect(crowd).toEqual([4, "apart", "now"]);
    // It has turned out to be one of them: the next one is tried a little later.
    expect(ask("new.test")).toBe("apart");
    pass(3_000);
    expect(ask("new.test")).toBe("now");
  });

  test("do not keep others apart for as long as they hold their places: one more is tried now and then", () => {
    const { ask, begin, pass, pace } = stage();
    const begun: number[] = [];
    const crowd = names(50);
    // What is quick is seen all the time, to another domain.
    for (let i = 0; i < 600; i++) {
      begin("quick.test", { owner: "q" }).end("answered");
      const next = crowd.findIndex((domain) => ask(domain, { isApart: true }) === "now");
      if (next >= 0) begin(crowd.splice(next, 1)[0]!, { isApart: true });
      if (next >= 0) begun.push(i);
      pass(1_000);
    }
    const pauses = begun.slice(4).map((at, i) => at - begun[i + 3]!);

    // Each is known to be slow after a second.
    expect(begun.slice(0, 4).every((at) => at < 10)).toBe(true);
    expect(pauses).toEqual([7, 10]);
    expect(pace.slow).toBe(6);
  });

  test("of whom one has turned out to be quick after all keep nobody waiting who waits as it did", () => {
    const { answer, ask, begin, beginAll, pass, pace } = stage();
    beginAll(names(50));
    pass(2_000);
    const roomIn = (ms: number, domain: string) => {
      const before = pace.room(domain);
      pass(ms);
      return [before, pace.room(domain)];
    };
    const first = roomIn(6_000, "new.test");
    answer("new.test", 50, { isApart: true });
    const next = [pace.room("other.test"), ask("other.test", { isApart: true })];
    begin("tarpit10.test", { isApart: true });
    const second = roomIn(4_000, "other.test");
    begin("quick.test", { owner: "q" }).end("answered");
    pass(20_000);

    expect(first).toEqual([
      { mails: 0, as: "few" },
      { mails: 1, as: "last" },
    ]);
    expect(next).toEqual([{ mails: 1, as: "last" }, "now"]);
    expect(second.map(({ mails }) => mails)).toEqual([0, -1]);
    // That has not gone well: the next one is taken from the other end of the queue.
    expect(pace.room("other.test")).toEqual({ mails: 1, as: "first" });
  });

  test("are not tried because a newcomer is quick: those that came with it are not apart yet", () => {
    const { answer, ask, beginAll, pass, pace } = stage();
    beginAll(names(50));
    pass(2_500);
    const newcomer = ask("new.test");
    answer("new.test", 50);
    const beside = [ask("beside.test"), pace.room("tarpit10.test")];
    pass(5_000);

    expect(newcomer).toBe("now");
    expect(beside).toEqual(["now", { mails: 0, as: "few" }]);
    expect(pace.room("tarpit10.test")).toEqual({ mails: 1, as: "last" });
  });

  test("of whom one ends, if late, do not have the next one taken from the other end of the queue", () => {
    const { begin, beginAll, pass, pace } = stage();
    beginAll(names(50));
    pass(8_000);
    const late = begin("late.test", { isApart: true });
    pass(2_000);
    begin("quick.test", { owner: "q" }).end("answered");
    late.end("answered");
    pass(6_000);
    const afterLate = pace.room("other.test");
    begin("tarpit10.test", { isApart: true });
    pass(2_000);
    begin("quick.test", { owner: "q" }).end("answered");
    pass(20_000);

    expect(afterLate).toEqual({ mails: 1, as: "last" });
    expect(pace.room("other.test")).toEqual({ mails: 1, as: "first" });
  });

  test("that end after a minute, as by a time-out, have the next one taken from the other end all the same", () => {
    const { begin, beginAll, pass, pace } = stage();
    beginAll(names(50));
    pass(8_000);
    const tarpit = begin("tarpit10.test", { isApart: true });
    pass(60_000);
    tarpit.end("deferred");
    begin("quick.test", { owner: "q" }).end("answered");

    expect(pace.room("other.test")).toEqual({ mails: 1, as: "first" });
  });

  test("that were one more hold no place of the share: what it has free again is for others", () => {
    const { ask, begin, beginAll, pass, pace } = stage();
    const share = beginAll(names(50));
    pass(8_000);
    begin("tarpit10.test", { isApart: true });
    pass(12_000);
    begin("tarpit11.test", { isApart: true });
    pass(20_000);
    begin("quick.test", { owner: "q" }).end("answered");
    const full = [pace.slow, pace.room("good.test").mails, ask("good.test", { isApart: true })];
    for (const flight of share.slice(0, 2)) flight.end("deferred");

    expect(full).toEqual([6, 0, "apart"]);
    expect([pace.slow, pace.room("good.test").mails, ask("good.test", { isApart: true })]).toEqual([
      4,
      2,
      "now",
    ]);
  });

  test("of single mails that had a place of the share anyway are no more than that", () => {
    const { ask, begin, pass, pace } = stage();
    const begun: string[] = [];
    for (const domain of names(50)) {
      begin("quick.test", { owner: "q" }).end("answered");
      const options = { waiting: 1, isApart: true };
      if (ask(domain, options) === "now") begin(domain, options);
      if (pace.inFlight(domain) > 0) begun.push(domain);
      pass(1_500);
    }

    expect(begun.length).toBeWithin(8, 11);
    expect(pace.slow).toBe(begun.length);
  });

  test.each([
    [40, 20, 23],
    [10, 5, 6],
    [5, 3, 4],
  ])(
    "of a sender of whom all else was quick, with %d connections, leave places to single mails, its own and of others",
    (connections, most, mostSingle) => {
      const { answer, ask, beginAll, pass, pace } = stage(connections);
      const single = { owner: "singles of p", waiting: 1, isSingle: true };
      for (const domain of names(40, "good")) answer(domain, 50);
      for (const domain of names(40, "well")) answer(domain, 50, single);
      const held = beginAll(names(60)).length;
      const own = ask("new.test", single);
      beginAll(names(60, "silent"), connections, single);
      pass(5_000);

      expect([held, own, pace.slow]).toEqual([most, "now", mostSingle]);
      if (mostSingle < Math.ceil((connections * 5) / 8))
        expect(ask("new.test", { owner: "q", waiting: 1, isSingle: true })).toBe("now");
    },
  );

  test("that were one more take no place from a domain that is known to be slow", () => {
    const { begin, beginAll, pass, pace } = stage();
    const known = begin("late.test", { owner: "other" });
    pass(15_000);
    known.end("answered");
    const share = beginAll(names(50));
    for (const domain of ["tarpit10.test", "tarpit11.test"]) {
      pass(20_000);
      begin(domain, { isApart: true });
      begin("quick.test", { owner: "q" }).end("answered");
    }
    pass(2_000);
    const full = [pace.slow, pace.room("late.test").mails];
    share[0]!.end("deferred");
    const free = [pace.slow, pace.room("late.test").mails];
    begin("late.test", { owner: "other" });

    expect([full, free]).toEqual([
      [6, 0],
      [5, 1],
    ]);
    // That holds a place of the share.
    expect([pace.slow, pace.room("late.test").mails]).toEqual([6, 0]);
  });

  test("do not hold, with nine connections and nobody else there, whoever waits apart for ever; with two they do", () => {
    const rooms = [9, 2].map((connections) => {
      const { beginAll, pass, pace } = stage(connections);
      beginAll(names(50));
      pass(600_000);
      return pace.room("good.test").mails;
    });

    expect(rooms).toEqual([1, 0]);
  });

  test("keep nobody apart for ever where nobody else is there: more are tried, and where that goes well, one after the other", () => {
    const { answer, begin, beginAll, pass, pace } = stage();
    beginAll(names(50));
    for (const domain of ["tarpit10.test", "tarpit11.test"]) {
      pass(20_000);
      begin(domain, { isApart: true });
    }
    begin("quick.test", { owner: "q" }).end("answered");
    pass(50_000);
    const before = pace.room("good.test").mails;
    pass(11_000);
    const alone = pace.room("good.test").mails;
    answer("good.test", 50, { isApart: true });
    const next = pace.room("other.test").mails;
    begin("tarpit12.test", { isApart: true });
    pass(50_000);

    expect([before, alone, next]).toEqual([0, 1, 1]);
    expect(pace.room("other.test").mails).toBeLessThan(1);
    expect(pace.slow).toBe(7);
  });

  test("of many senders that have tried nothing but tarpits hold no more than their share, and one more", () => {
    const { ask, begin, pass } = stage();
    const owners = names(60, "owner");
    for (const owner of owners) {
      const flights = [1, 2, 3].map((n) => begin(`tarpit${n}-of-${owner}`, { owner }));
      pass(1_500);
      for (const flight of flights) flight.end("unknown");
    }
    const begun = new Set<string>();
    for (let i = 0; i < 20; i++) {
      for (const owner of owners) {
        if (begun.has(owner) || ask(`next-of-${owner}`, { owner }) !== "now") continue;
        begin(`next-of-${owner}`, { owner });
        begun.add(owner);
      }
      pass(TICK_MS);
    }

    expect(begun.size).toBe(5);
  });

  test("that wait apart, of many senders of whom nothing is known, hold no more than a quarter and some more", () => {
    const { ask, begin, pass, pace } = stage();
    const begun = new Set<string>();
    for (let i = 0; i < 300; i++) {
      begin("quick.test", { owner: "quick" }).end("answered");
      for (const [n, domain] of names(300).entries()) {
        const options = { owner: `owner${n % 60}`, isApart: true };
        if (begun.has(domain) || ask(domain, options) !== "now") continue;
        begin(domain, options);
        begun.add(domain);
      }
      pass(1_000);
    }

    expect([begun.size, pace.slow]).toEqual([12, 12]);
  });

  test("of others, and new domains all the time, leave those that wait apart their turn", () => {
    const { answer, ask, begin, beginAll, pass, pace } = stage();
    for (const domain of names(20, "quick")) answer(domain, 5, { owner: "trusted" });
    beginAll(names(50));
    pass(2_000);
    const turns: number[] = [];
    for (let i = 0; i < 60; i++) {
      answer(`new${i}.test`, 50, { owner: "trusted", waiting: 1 });
      if (i % 3 === 0 && ask(`newcomer${i}.test`) === "now") begin(`newcomer${i}.test`);
      if (pace.room("waiting.test").mails > 0) turns.push(i);
      if (pace.room("waiting.test").mails > 0) answer("waiting.test", 1_500, { isApart: true });
      else pass(500);
    }

    expect(turns.length).toBeGreaterThan(0);
  });

  test("do not keep a domain from showing that it was slow for a moment only", () => {
    const { answer, begin, beginAll, ask, pass } = stage();
    answer("large.test", 1_200);
    for (let i = 0; i < 5; i++) {
      beginAll(names(50));
      pass(2_000);
    }
    const first = begin("large.test");
    const second = ask("large.test");
    pass(50);
    first.end("answered");
    answer("large.test", 50);
    answer("large.test", 50);

    expect(second).toBe("apart");
    expect(ask("large.test")).toBe("now");
  });

  test("become ordinary domains when they answer in time again", () => {
    const { begin, answer, ask, beginAll, pass } = stage();
    const flight = begin("tarpit0.test");
    pass(20_000);
    flight.end("answered");
    const slow = beginAll(["tarpit0.test"]).length;
    for (let i = 0; i < 60; i++) answer("tarpit0.test", 5);

    expect(slow).toBeLessThanOrEqual(4);
    expect(ask("tarpit0.test")).toBe("now");
  });
});

describe("a domain that takes no mail", () => {
  test("is asked more and more seldom, twice each time", () => {
    const { ask, refuse, pass } = stage();
    const asked: number[] = [];
    for (let minute = 0; minute < 24 * 60; minute++) {
      let times = 0;
      for (; ask("dead.test") === "now"; times++) refuse("dead.test");
      asked.push(times);
      pass(60_000);
    }
    const within = (from: number, to: number) =>
      asked.slice(from * 60, to * 60).reduce((sum, times) => sum + times, 0);

    expect(within(0, 1)).toBeWithin(10, 30);
    expect(within(1, 2)).toBeLessThan(within(0, 1));
    // By the hour, less what is left to chance.
    expect(within(2, 24)).toBeWithin(22, 2 * 22 * 2);
  });

  test("is not one where three mails have failed at once", () => {
    const { answer, begin, ask, pass } = stage();
    answer("large.test", 5);
    const flights = [begin("large.test"), begin("large.test"), begin("large.test")];
    pass(10);
    for (const flight of flights) flight.end("deferred");

    expect(ask("large.test")).toBe("now");
  });

  test("is an ordinary one again when it takes one", () => {
    const { answer, refuse, ask, pass, pace } = stage();
    for (let i = 0; i < 4; i++) refuse("dead.test");
    const closed = [ask("dead.test"), pace.isFailing("dead.test")];
    pass(HOUR_MS);
    answer("dead.test", 5);

    expect(closed).toEqual(["apart", true]);
    expect([ask("dead.test"), pace.isFailing("dead.test")]).toEqual(["now", false]);
  });

  test("is asked again when those that asked have learnt nothing", () => {
    const { begin, refuse, ask, pass } = stage();
    for (let i = 0; i < 4; i++) refuse("dead.test");
    pass(HOUR_MS);
    for (let i = 0; i < 10; i++) begin("dead.test").end("unknown");

    expect(ask("dead.test")).toBe("now");
  });
});

test("of 100,000 domains it keeps about the last 20,000 in mind, and each had its mail", () => {
  const { pace, ask, answer } = stage();
  let refused = 0;
  for (let n = 0; n < 100_000; n++) {
    if (ask(`domain${n}.test`) !== "now") refused += 1;
    answer(`domain${n}.test`, 0);
  }

  expect(refused).toBe(0);
  expect(pace.size).toBeWithin(20_000, 22_001);
});
