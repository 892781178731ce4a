// Delivery to the servers of recipients: which of them is tried, in which order, and what their answers mean.
import { describe, expect, test } from "bun:test";
import { wrongInDirect, readDirectUrl } from "../../src/mail/direct_url.ts";
import { providerOfHost } from "../../src/mail/mailbox_provider.ts";
import { replyMeaning } from "../../src/mail/reply_meaning.ts";
import { reasonAgainstAddress } from "../../src/net/public_address.ts";
import { until } from "../support/process.ts";
import { sendTo, useDirect } from "./direct_stage.ts";

const { stage, serve, mailer, domain } = useDirect();

describe("the servers of a domain", () => {
  test("are tried by preference, at random among equals, and the next one where one is away", async () => {
    const [first, second] = [await serve("127.0.0.2"), await serve("127.0.0.3")];
    domain("a.test", {
      "30 mx3.a.test": null,
      "20 mx2.a.test": "127.0.0.2",
      "20 mx1.a.test": "127.0.0.3",
      "10 gone.a.test": "127.0.0.9",
    });
    let lot = 0;
    const own = mailer({ random: () => (lot = (lot + 0.4) % 1) });
    const ways = [];
    for (let n = 0; n < 5; n++) ways.push(await sendTo(own, `${n}@a.test`));

    expect(ways.map(({ state }) => state)).toEqual(Array(5).fill("accepted"));
    expect(new Set(ways.map(({ via }) => via!.host))).toEqual(new Set(["mx1.a.test", "mx2.a.test"]));
    expect(first.received.length + second.received.length).toBe(5);
    expect(ways[0]).toMatchObject({ isDelivered: true, via: { provider: "a.test", tls: null } });
  });

  test("are tried at all their addresses: one that is away, of either kind, is no end", async () => {
    const [four, six] = [await serve("127.0.0.2"), await serve("::1")];
    stage.names.set("both.test", "MX", ["10 mx.both.test"]);
    stage.names.set("mx.both.test", "A", ["127.0.0.9"]);
    stage.names.set("mx.both.test", "AAAA", ["2001:db8::1", "::1"]);
    stage.names.set("four.test", "MX", ["10 mx.four.test"]);
    stage.names.set("mx.four.test", "A", ["127.0.0.9", "127.0.0.2"]);
    stage.names.set("mx.four.test", "AAAA", ["::1"]);
    const own = mailer({ connectionTimeout: 500 });
    const ways = [await sendTo(own, "a@both.test"), await sendTo(own, "a@four.test")];

    expect(ways.map(({ via }) => via?.address)).toEqual(["::1", "127.0.0.2"]);
    expect([six.received.length, four.received.length]).toEqual([1, 1]);
    expect((await sendTo(mailer({ ipv6: false, connectionTimeout: 500 }), "a@both.test")).state).toBe(
      "deferred",
    );
  });

  test("cannot be reached by IPv6 where nothing is sent by it: that is no fault of the recipient", async () => {
    stage.names.set("six.test", "MX", ["10 mx.six.test"]);
    stage.names.set("mx.six.test", "AAAA", ["::1"]);
    await serve("::1");
    const ways = [mailer({ bindAddresses: ["127.0.0.2"] }), mailer({ ipv6: false })];

    for (const way of ways) {
      expect(await sendTo(way, "a@six.test")).toMatchObject({
        state: "refused",
        meaning: "policy",
        response: expect.stringContaining("mx.six.test: ::1"),
      });
    }
    expect((await sendTo(mailer(), "a@six.test")).state).toBe("accepted");
  });

  test("are not asked from a machine that has none of the addresses to send from", async () => {
    await serve("127.0.0.2");
    domain("own.test", { "10 mx.own.test": "127.0.0.2" });
    const [away, half] = [
      mailer({ bindAddresses: ["203.0.113.7"] }),
      mailer({ bindAddresses: ["203.0.113.7", "127.0.0.4"] }),
    ];

    expect(await sendTo(away, "a@own.test")).toEqual({
      state: "unreached",
      response: "This machine has none of the addresses 203.0.113.7",
    });
    expect(await away.reach()).toContain("203.0.113.7");
    for (let n = 0; n < 3; n++) expect((await sendTo(half, "a@own.test")).state).toBe("accepted");
    expect(await half.reach()).toBeNull();
  });

  test("are asked nothing by a mailer that is closed: its mails were not tried, and what is in progress ends", async () => {
    const entered = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const server = await serve("127.0.0.2", {
      hold: async () => {
        entered.resolve();
        await goOn.promise;
      },
    });
    domain("closing.test", { "10 mx.closing.test": "127.0.0.2" });
    const own = mailer({ maxPerProvider: 1 });
    const first = sendTo(own, "a@closing.test");
    await entered.promise;
    // It waits for the only place at this provider, which the first one holds.
    const second = sendTo(own, "b@closing.test");
    own.close();
    const third = await sendTo(own, "c@closing.test");

    expect([(await second).state, third.state]).toEqual(["unreached", "unreached"]);
    goOn.resolve();
    expect((await first).state).toBe("accepted");
    expect(server.received.map(({ to }) => to)).toEqual(["a@closing.test"]);
  });

  test("are the domain itself where it has no MX", async () => {
    const server = await serve("127.0.0.2");
    stage.names.set("plain.test", "A", ["127.0.0.2"]);

    expect(await sendTo(mailer(), "a@plain.test")).toMatchObject({
      state: "accepted",
      via: { host: "plain.test" },
    });
    expect(server.received).toEqual([{ to: "a@plain.test", secure: false }]);
  });

  test("never are where there is no domain, a null MX, or no address; later, where the DNS does not say", async () => {
    stage.names.set("null.test", "MX", ["0 ."]);
    stage.names.set("lost.test", "MX", ["10 mx.lost.test"]);
    stage.names.set("broken.test", "MX", "SERVFAIL");
    stage.names.set("half.test", "MX", ["10 mx.half.test"]);
    stage.names.set("mx.half.test", "A", "SERVFAIL");
    const own = mailer();

    expect(await sendTo(own, "a@null.test")).toMatchObject({
      state: "bounced",
      meaning: "permanent",
      response: expect.stringContaining("5.1.10"),
    });
    expect(await sendTo(own, "a@nowhere.test")).toMatchObject({
      state: "bounced",
      response: expect.stringContaining("5.1.2"),
    });
    expect(await sendTo(own, "a@lost.test")).toMatchObject({
      state: "bounced",
      response: expect.stringContaining("5.4.4"),
    });
    expect(await sendTo(own, "a@broken.test")).toMatchObject({ state: "deferred", meaning: "transient" });
    expect(await sendTo(own, "a@half.test")).toMatchObject({ state: "deferred" });
  });

  test("are not called at private addresses; the mail fails, and the recipient is not to blame", async () => {
    const server = await serve("127.0.0.2");
    domain("inside.test", { "10 mx.inside.test": "127.0.0.2" });
    const handover = await sendTo(
      mailer({ reasonAgainst: (address) => reasonAgainstAddress(address, false) }),
      "a@inside.test",
    );

    expect(handover).toMatchObject({
      state: "refused",
      meaning: "policy",
      response: expect.stringContaining("loopback"),
    });
    expect(server.connections).toBe(0);
  });

  test("are called from the addresses that are set, in turn", async () => {
    const server = await serve("127.0.0.2");
    domain("bound.test", { "10 mx.bound.test": "127.0.0.2" });
    const own = mailer({ bindAddresses: ["127.0.0.5", "127.0.0.6"] });
    for (const to of ["a@bound.test", "b@bound.test"]) expect((await sendTo(own, to)).state).toBe("accepted");

    expect(server.connections).toBe(2);
    expect((await sendTo(mailer({ bindAddresses: ["::1"] }), "a@bound.test")).state).not.toBe("accepted");
  });
});

describe("the answer of a server", () => {
  test("about itself leads to the next one; about the mail, it counts", async () => {
    const replies: Record<string, string> = {
      "late@a.test": "450 4.2.0 Greylisted",
      "nobody@a.test": "550 5.1.1 No such user",
    };
    const busy = await serve("127.0.0.2", { greeting: () => "421 4.3.2 Busy" });
    const other = await serve("127.0.0.3", { rcpt: (address) => replies[address] });
    domain("a.test", { "10 mx1.a.test": "127.0.0.2", "20 mx2.a.test": "127.0.0.3" });
    domain("busy.test", { "10 mx1.a.test": "127.0.0.2" });
    const own = mailer();

    expect(await sendTo(own, "ada@a.test")).toMatchObject({ state: "accepted", via: { host: "mx2.a.test" } });
    expect(await sendTo(own, "late@a.test")).toMatchObject({ state: "deferred", meaning: "transient" });
    expect(await sendTo(own, "nobody@a.test")).toMatchObject({ state: "bounced", meaning: "permanent" });
    expect(await sendTo(own, "ada@busy.test")).toMatchObject({
      state: "deferred",
      response: expect.stringContaining("Busy"),
    });
    expect(other.received).toEqual([{ to: "ada@a.test", secure: false }]);
    expect(busy.connections).toBeGreaterThan(0);
  });

  test.each([
    [550, "550 5.1.1 The email account that you tried to reach does not exist", "permanent"],
    [552, "552 5.2.2 The recipient's inbox is out of storage space", "full"],
    [452, "452 4.2.2 Mailbox full", "full"],
    [550, "550 5.7.1 Our system has detected that this message is likely unsolicited mail", "spam"],
    [421, "421 4.7.0 [TSS04] Messages temporarily deferred due to user complaints", "spam"],
    [550, "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent (S3150)", "spam"],
    [550, "550 5.7.26 Unauthenticated email is not accepted", "policy"],
    [552, "552 5.3.4 Message too big", "policy"],
    [451, "451 4.7.1 Greylisting in action, please come back later", "policy"],
    [450, "450 Requested mail action not taken", "transient"],
    [550, "550 User unknown", "permanent"],
    [554, "554 Transaction failed", "unknown"],
    [0, "Connection closed", "unknown"],
  ] as const)("%p %p means %p", (code, text, meaning) => {
    expect(replyMeaning(code, text)).toBe(meaning);
  });
});

test("one provider of mailboxes gets so many mails at once, however many domains it hosts", async () => {
  const gate = Promise.withResolvers<void>();
  let [now, most] = [0, 0];
  const hold = async () => {
    most = Math.max(most, (now += 1));
    await gate.promise;
    now -= 1;
  };
  const hosted = await serve("127.0.0.2", { hold });
  const other = await serve("127.0.0.3");
  for (const n of [1, 2, 3]) domain(`d${n}.test`, { [`10 mx${n}.host.test`]: "127.0.0.2" });
  domain("else.test", { "10 mx.else.test": "127.0.0.3" });
  const own = mailer({ maxPerProvider: 2 });
  const sent = [1, 2, 3].map((n) => sendTo(own, `a@d${n}.test`));
  await until("two are there", () => now === 2);
  expect((await sendTo(own, "a@else.test")).state).toBe("accepted");
  gate.resolve();

  expect((await Promise.all(sent)).map(({ state }) => state)).toEqual(["accepted", "accepted", "accepted"]);
  expect([most, hosted.received.length, other.received.length]).toEqual([2, 3, 1]);
});

test("a server speaks for its own provider: neither for one whose servers the domain names before it, nor for an earlier one", async () => {
  await serve("127.0.0.2", { greeting: () => "421 4.7.0 Too fast" });
  domain("lying.test", { "0 gone.l.google.com": null, "10 mx.lying.test": "127.0.0.2" });
  domain("slow.test", { "10 mx.slow.test": "127.0.0.2" });
  const own = mailer();

  expect(await sendTo(own, "a@lying.test")).toMatchObject({
    state: "deferred",
    response: expect.stringContaining("421 4.7.0 Too fast"),
    via: { host: "mx.lying.test", provider: "lying.test" },
  });
  expect((await sendTo(own, "a@slow.test")).via).toMatchObject({ provider: "slow.test" });
});

test("the same provider runs the servers of many names", () => {
  const hosts = [
    "aspmx.l.google.com",
    "alt1.gmail-smtp-in.l.google.com",
    "acme-com.mail.protection.outlook.com",
    "mx.acme.co.uk",
  ];

  expect(hosts.map(providerOfHost)).toEqual(["google", "google", "microsoft", "acme.co.uk"]);
});

describe("direct:// in SMTP_URL", () => {
  test("says the name, and options", () => {
    const url =
      "direct://Mail.example.com?bindAddresses=203.0.113.7,2001:db8::7&dane=true&maxConnections=10&ipv6=false";

    expect(wrongInDirect(new URL(url))).toEqual([]);
    expect(readDirectUrl(url)).toEqual({
      name: "mail.example.com",
      bindAddresses: ["203.0.113.7", "2001:db8::7"],
      dane: true,
      ipv6: false,
      maxConnections: 10,
    });
  });

  test.each([
    "direct://localhost",
    "direct://user:password@mail.example.com",
    "direct://mail.example.com/path",
    "direct://mail.example.com?dane=yes",
    "direct://mail.example.com?maxConnections=0",
    "direct://mail.example.com?bindAddresses=here",
    "direct://mail.example.com?name=x",
  ])("%p is refused, and why", (url) => {
    expect(wrongInDirect(new URL(url))).toHaveLength(1);
  });
});
