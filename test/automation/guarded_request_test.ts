import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { gzipSync } from "node:zlib";
import {
  type GuardedAnswer,
  type GuardedRequest,
  guardedRequest,
  type GuardOptions,
  MAX_ANSWER_BYTES,
} from "../../src/net/guarded_request.ts";
import { reasonAgainstAddress } from "../../src/net/public_address.ts";
import { createDns, type Dns } from "../../src/mail/dns.ts";
import { type NameServer, startNameServer } from "../support/name_server.ts";
import { until } from "../support/process.ts";
import { type Answering, CERTIFICATE, redirect, reply, useHookServers } from "./hook_server.ts";

const serve = useHookServers();
let names: NameServer;
let dns: Dns;

beforeAll(async () => {
  names = await startNameServer({
    "hook.test": { A: ["127.0.0.1"] },
    "other.test": { A: ["127.0.0.1"] },
    "mixed.test": { A: ["127.0.0.1", "10.0.0.1"] },
    "mixed6.test": { A: ["127.0.0.1"], AAAA: ["fd12:3456::1"] },
    "inside.test": { A: ["192.168.1.10"] },
    "inside6.test": { AAAA: ["::ffff:10.0.0.1"] },
    "alias.test": { CNAME: ["inside.test"] },
    "half.test": { A: ["127.0.0.1"], AAAA: "SERVFAIL" },
    "broken.test": "SERVFAIL",
  });
  dns = createDns({ servers: [names.address], timeoutMs: 1_000 });
});
afterAll(() => names.stop());

/** In these tests 127.0.0.1 plays the part of the internet. */
const asInternet = (address: string) =>
  address === "127.0.0.1" ? null : reasonAgainstAddress(address, false);

const ask = (url: string, options: Partial<GuardOptions> = {}, request: Partial<GuardedRequest> = {}) =>
  guardedRequest(
    { url, method: "GET", headers: {}, body: null, ...request },
    { dns, reasonAgainst: asInternet, ca: CERTIFICATE, ...options },
  );

const textOf = (answer: GuardedAnswer) => ("body" in answer ? answer.body.toString() : answer);

describe("an address", () => {
  const forbidden: [string, string[]][] = [
    ["loopback", ["127.0.0.1", "127.255.255.254", "[::1]"]],
    ["private", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "[fc00::1]", "[fdff:ffff::1]"]],
    ["link-local", ["169.254.0.1", "[fe80::1]", "[febf::1]"]],
    ["metadata", ["169.254.169.254", "[fd00:ec2::254]", "100.100.100.200", "168.63.129.16", "169.254.170.2"]],
    ["a carrier's NAT", ["100.64.0.1", "100.127.255.254"]],
    ["multicast", ["224.0.0.1", "239.255.255.255", "[ff02::1]"]],
    ["unspecified", ["0.0.0.0", "0.1.2.3", "[::]"]],
    ["broadcast", ["255.255.255.255"]],
    ["documentation", ["192.0.2.1", "198.51.100.1", "203.0.113.1", "[2001:db8::1]", "[3fff::1]"]],
    ["reserved", ["192.0.0.1", "198.18.0.1", "240.0.0.1", "[100::1]", "[fec0::1]", "[4000::1]", "[5f00::1]"]],
    [
      "IPv4 within IPv6",
      [
        "[::ffff:127.0.0.1]",
        "[::ffff:8.8.8.8]",
        "[::127.0.0.1]",
        "[::ffff:0:127.0.0.1]",
        "[64:ff9b::10.0.0.1]",
        "[64:ff9b:1::1]",
        "[2002:7f00:1::]",
        "[2001:0:53aa:64c::1]",
      ],
    ],
  ];
  const cases = forbidden.flatMap(([range, hosts]) => hosts.map((host) => [range, host] as const));

  test.each(cases)("of the range %s is refused: %s", async (_, host) => {
    const reasonAgainst = (address: string) => reasonAgainstAddress(address, false);
    const answer = await ask(`http://${host}:1/`, { reasonAgainst });

    expect(answer).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/^\S+ (is|leads to) a private address$/),
      finding: { reason: expect.stringMatching(/^an? \w/) },
    });
  });

  test.each([
    ["decimal", "2130706433"],
    ["hexadecimal", "0x7f000001"],
    ["hexadecimal parts", "0x7f.0.0.0x1"],
    ["octal", "0177.0.0.1"],
    ["short", "127.1"],
    ["zero", "0"],
    ["a dot at the end", "127.0.0.1."],
    ["full width", "１２７.0.0.1"],
    ["circled", "①②⑦.0.0.1"],
    ["other full stops", "127。0。0。1"],
    ["percent-encoded", "%31%32%37.0.0.1"],
    ["a soft hyphen", "127\u00ad.0.0.1"],
    ["all of IPv6", "[0:0:0:0:0:0:0:1]"],
    ["mapped, in hexadecimal", "[0:0:0:0:0:ffff:7f00:1]"],
    ["this machine's name", "localhost"],
    ["this machine's name with a dot", "LOCALHOST."],
    ["a name below it", "hook.localhost"],
  ])("is refused however it is written: %s", async (_, host) => {
    const reasonAgainst = (address: string) => reasonAgainstAddress(address, false);
    const answer = await ask(`http://${host}:1/`, { reasonAgainst });

    expect(answer).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/^\S+ (is|leads to) a private address$/),
      finding: { reason: expect.stringMatching(/^an? \w/) },
    });
  });

  test.each(["8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "2606:4700:4700::1111"])(
    "of the internet is allowed: %s",
    (address) => {
      expect(reasonAgainstAddress(address, false)).toBeNull();
    },
  );

  test.each([
    ["10.0.0.1", true],
    ["127.0.0.1", true],
    ["100.64.0.1", true],
    ["::1", true],
    ["fd12::1", true],
    ["8.8.8.8", true],
    ["169.254.169.254", false],
    ["fd00:ec2::254", false],
    ["100.100.100.200", false],
    ["169.254.1.1", false],
    ["0.0.0.0", false],
    ["224.0.0.1", false],
    ["255.255.255.255", false],
    ["::ffff:127.0.0.1", false],
    ["not an address", false],
  ])("in a closed network: %s is allowed: %p", (address, isAllowed) => {
    expect(reasonAgainstAddress(address, true) === null).toBe(isAllowed);
  });
});

describe("a URL", () => {
  test.each([
    ["", "is not a URL"],
    ["hook.test/x", "is not a URL"],
    ["//hook.test", "is not a URL"],
    ["http://", "is not a URL"],
    ["http://[::1", "is not a URL"],
    ["http://[fe80::1%25eth0]/", "is not a URL"],
    ["http://hook test/", "is not a URL"],
    ["http://hook.test:99999/", "is not a URL"],
    ["http://hook.test:0/", "is not a URL"],
    ["ftp://hook.test/", "neither http:// nor https://"],
    ["file:///etc/passwd", "neither http:// nor https://"],
    ["javascript:alert(1)", "neither http:// nor https://"],
    ["http://ada@hook.test/", "a user name or password"],
    ["http://ada:secret@hook.test/", "a user name or password"],
    ["http://:secret@hook.test/", "a user name or password"],
    ["http://hook.test@10.0.0.1/", "a user name or password"],
  ])("that cannot be meant is refused: %p", async (url, reason) => {
    expect(await ask(url)).toMatchObject({ state: "refused", reason: expect.stringContaining(reason) });
  });

  test("is asked for as it stands, with its host, its query and no fragment", async () => {
    const server = await serve(reply(200, "hi"));
    const answer = await ask(`${server.url}/a/b%20c?q=ü&r#top`, {}, { headers: { "X-Own": "1" } });

    expect(textOf(answer)).toBe("hi");
    expect(server.heard).toEqual([
      {
        method: "GET",
        path: "/a/b%20c?q=%C3%BC&r",
        headers: { "x-own": "1", host: `hook.test:${server.port}`, connection: "close" },
        body: "",
      },
    ]);
  });

  test.each(["POST", "PUT", "PATCH"])("is sent a body: %s", async (method) => {
    const server = await serve(reply(201));
    const body = '{"name":"Zoë"}';
    const answer = await ask(server.url, {}, { method, body });

    expect(answer).toMatchObject({ state: "answered", status: 201, isCut: false });
    expect(server.heard[0]).toMatchObject({ method, body, headers: { "content-length": "15" } });
  });
});

describe("a header", () => {
  test("is sent byte by byte, each character one", async () => {
    const server = await serve(reply(200));
    await ask(server.url, {}, { headers: { "X-Own": Buffer.from("Zoë 東京").toString("latin1") } });

    expect(Buffer.from(server.heard[0]!.headers["x-own"]!, "latin1").toString()).toBe("Zoë 東京");
  });

  test.each(["a\r\nX-Other: 1", "a\nX-Other: 1", "a\0", "a\u010aX-Other: 1", "a\u{1f60a}"])(
    "that could end a line is not sent: %j",
    async (value) => {
      const server = await serve(reply(200));
      const answer = await ask(server.url, {}, { headers: { "X-Own": value } });

      expect(answer).toMatchObject({ state: "refused", reason: "its headers cannot be sent" });
      expect(server.heard).toEqual([]);
    },
  );
});

describe("a name", () => {
  test.each(["mixed.test", "mixed6.test", "inside.test", "inside6.test", "alias.test"])(
    "is refused when any of its addresses is: %s",
    async (name) => {
      const server = await serve(reply(200));
      const answer = await ask(`http://${name}:${server.port}/`);

      expect(answer).toMatchObject({ state: "refused", reason: `${name} leads to a private address` });
      expect(server.connections).toBe(0);
    },
  );

  test("that leads elsewhere the second time it is looked up was looked up once", async () => {
    const server = await serve(reply(200, "the one that was checked"));
    const before = names.queries.length;
    const rebinding: Dns = {
      async lookup(name, type, options) {
        const answer = await dns.lookup(name, type, options);
        names.set("rebinding.test", "A", ["10.0.0.1"]);
        return answer;
      },
    };
    names.set("rebinding.test", "A", ["127.0.0.1"]);
    const url = `http://rebinding.test:${server.port}/`;
    const first = await ask(url, { dns: rebinding });
    const asked = names.queries.slice(before).map(({ type }) => type);
    const second = await ask(url, { dns: rebinding });

    expect(textOf(first)).toBe("the one that was checked");
    expect(asked.sort()).toEqual(["A", "AAAA"]);
    expect(second).toMatchObject({ state: "refused" });
    expect(server.connections).toBe(1);
  });

  test("that leads elsewhere when a redirect comes back to it is checked again", async () => {
    names.set("rebinding.test", "A", ["127.0.0.1"]);
    const server = await serve((socket, heard) => {
      names.set("rebinding.test", "A", ["10.0.0.1"]);
      void redirect(307, "/again")(socket, heard);
    });
    const answer = await ask(`http://rebinding.test:${server.port}/`);

    expect(answer).toEqual({
      state: "refused",
      reason: "rebinding.test leads to a private address",
      finding: { host: "rebinding.test", address: "10.0.0.1", reason: "a private address" },
    });
    expect(server.connections).toBe(1);
  });

  test("is not looked up by the system, nor through a proxy", async () => {
    const server = await serve(reply(200, "direct"));
    const proxy = await serve(reply(502));
    const variables = ["HTTP_PROXY", "http_proxy", "NODE_USE_ENV_PROXY"];
    for (const name of variables)
      process.env[name] = name.endsWith("PROXY") ? `http://127.0.0.1:${proxy.port}` : "1";
    const answer = await ask(server.url).finally(() => {
      for (const name of variables) delete process.env[name];
    });

    expect(textOf(answer)).toBe("direct");
    expect(proxy.connections).toBe(0);
  });

  test.each([
    ["http://gone.test/", "there is no host gone.test"],
    ["http://broken.test/", "broken.test could not be looked up"],
  ])("that nobody knows may be known later: %s", async (url, reason) => {
    expect(await ask(url)).toEqual({ state: "failed", reason });
  });

  test("of which one kind of address cannot be looked up is asked at the other", async () => {
    const server = await serve(reply(200));
    expect(await ask(`http://half.test:${server.port}/`)).toMatchObject({ status: 200 });
  });

  test("of this machine alone is found where that is wanted, and checked too", async () => {
    const server = await serve(reply(200));
    const here = (address: string) => ({ localAddresses: async () => [address] });
    const url = `http://gone.test:${server.port}/`;

    expect(await ask(url, here("127.0.0.1"))).toMatchObject({ status: 200 });
    expect(await ask(url, here("10.0.0.1"))).toMatchObject({ state: "refused" });
  });

  test("with an address that cannot be reached is asked at its next one", async () => {
    const server = await serve(reply(200, "the second"));
    // Nobody listens at the first one.
    names.set("two.test", "A", ["127.0.0.5", "127.0.0.1"]);
    const answer = await ask(`http://two.test:${server.port}/`, { reasonAgainst: () => null });

    expect(textOf(answer)).toBe("the second");
  });

  test("is not asked at another address once one has heard it", async () => {
    names.set("two.test", "A", ["127.0.0.1", "127.0.0.1"]);
    const server = await serve((socket) => socket.destroy());
    const answer = await ask(`http://two.test:${server.port}/`);

    expect(answer).toEqual({ state: "failed", reason: "the connection was lost before it responded" });
    expect(server.connections).toBe(1);
  });
});

/** One port for both: who begins as TLS does is passed on to the secure server. */
async function serveBoth(plain: number, secure: number): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", (first: Buffer) => {
      const inner = connect(first[0] === 0x16 ? secure : plain, "127.0.0.1");
      inner.on("error", () => socket.destroy());
      inner.write(first);
      socket.pipe(inner).pipe(socket);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

describe("a redirect", () => {
  test.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [307, "POST", "POST"],
    [308, "POST", "POST"],
    [301, "PUT", "PUT"],
    [302, "DELETE", "DELETE"],
    [303, "PUT", "GET"],
  ])("%p of a %s goes on as %s", async (status, method, then) => {
    const server = await serve((socket, heard) =>
      (heard.path === "/" ? redirect(status, "/there") : reply(200, "there"))(socket, heard),
    );
    const headers = { "Content-Type": "text/plain", "webhook-id": "1", "X-Own": "2" };
    const answer = await ask(server.url, {}, { method, headers, body: "hello" });
    const keeps = method === then;

    expect(answer).toMatchObject({ status: 200, url: `${server.url}/there` });
    expect(server.heard[1]).toMatchObject({ method: then, path: "/there", body: keeps ? "hello" : "" });
    expect(server.heard[1]!.headers["x-own"]).toBe("2");
    expect(server.heard[1]!.headers["content-type"]).toBe(keeps ? "text/plain" : (undefined as never));
    expect(server.heard[1]!.headers["webhook-id"]).toBe(keeps ? "1" : (undefined as never));
  });

  /** Allows the first address, whatever it is. */
  const onlyFirst = (): GuardOptions["reasonAgainst"] => {
    let isFirst = true;
    return (address) => {
      const reason = isFirst ? null : reasonAgainstAddress(address, false);
      isFirst = false;
      return reason;
    };
  };

  test.each([
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://0x7f000002/",
    "http://inside.test/",
    "http://localhost./",
    "ftp://other.test/",
    "http://ada:secret@other.test/",
    "http://[",
  ])("is checked as the first address was: %s", async (to) => {
    const server = await serve(redirect(302, to));

    expect(await ask(server.url, { reasonAgainst: onlyFirst() })).toMatchObject({ state: "refused" });
    expect(server.connections).toBe(1);
  });

  test("three times is followed, four times is not", async () => {
    const server = await serve((socket, heard) => {
      const left = Number(heard.path.slice(1));
      void (left > 0 ? redirect(302, `/${left - 1}`) : reply(200))(socket, heard);
    });

    expect(await ask(`${server.url}/3`)).toMatchObject({ status: 200, url: `${server.url}/0` });
    expect(await ask(`${server.url}/4`)).toEqual({
      state: "failed",
      reason: "it redirects more than 3 times",
    });
  });

  test("without an address to go to is an answer", async () => {
    const server = await serve(reply(302));
    expect(await ask(server.url)).toMatchObject({ state: "answered", status: 302 });
  });

  const secrets = {
    Authorization: "Bearer 1",
    "X-Api-Key": "2",
    Cookie: "3",
    Accept: "*/*",
    "webhook-id": "4",
  };

  test("to another host takes the author's headers nowhere", async () => {
    const other = await serve(reply(200));
    const server = await serve(redirect(307, `http://other.test:${other.port}/`));
    await ask(server.url, {}, { method: "POST", headers: secrets, body: "b" });

    expect(Object.keys(other.heard[0]!.headers).sort()).toEqual([
      "accept",
      "connection",
      "content-length",
      "host",
      "webhook-id",
    ]);
  });

  test.each([
    ["from https to http", "https", "http", false],
    ["from http to https", "http", "https", true],
  ])("%s at one host and port: are they told? %p %p %p", async (_, from, to, areTold) => {
    const answer: Answering = (socket, heard) =>
      (heard.path === "/" ? redirect(307, `${to}://hook.test:${server}/there`) : reply(200))(socket, heard);
    const plain = await serve(answer);
    const secure = await serve(answer, { secure: true });
    const server = await serveBoth(plain.port, secure.port);
    await ask(`${from}://hook.test:${server}/`, {}, { headers: secrets });
    const { headers } = (to === "http" ? plain : secure).heard[0]!;

    expect([headers.authorization, headers["x-api-key"], headers["webhook-id"]]).toEqual(
      areTold ? ["Bearer 1", "2", "4"] : [undefined as never, undefined as never, "4"],
    );
  });
});

describe("an answer", () => {
  test("of 10 MB is read as far as 64 KB, and the connection is closed", async () => {
    const size = 10_000_000;
    let written = 0;
    const closed = Promise.withResolvers<void>();
    const server = await serve((socket) => {
      socket.on("close", () => closed.resolve());
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      const more = () => {
        if (written >= size || socket.destroyed) return;
        written += 10_000;
        socket.write("a".repeat(10_000), () => setImmediate(more));
      };
      more();
    });
    const answer = await ask(server.url);
    await closed.promise;

    expect(answer).toMatchObject({ state: "answered", status: 200, isCut: true });
    expect(textOf(answer)).toBe("a".repeat(MAX_ANSWER_BYTES));
    expect(written).toBeLessThan(size);
  });

  test("of exactly 64 KB is whole", async () => {
    const server = await serve(reply(200, "a".repeat(MAX_ANSWER_BYTES)));
    const answer = await ask(server.url);

    expect(answer).toMatchObject({ isCut: false });
    expect(textOf(answer)).toHaveLength(MAX_ANSWER_BYTES);
  });

  test.each([
    ["wants to speak another protocol", 101, "HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
    ["names another protocol", 200, "HTTP/1.1 200 OK\r\nUpgrade: x\r\nContent-Length: 2\r\n\r\nhi"],
    ["would go on for ever", 200, "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"],
    ["leads nowhere", 302, "HTTP/1.1 302 Found\r\nConnection: keep-alive\r\n\r\n"],
  ])("that %s leaves no connection open", async (_, status, head) => {
    const server = await serve((socket) => socket.write(head));
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(server.url)));
    await until("every connection is closed", () => server.open === 0);

    expect(server.heard).toHaveLength(20);
    expect(answers).toEqual(Array(20).fill(expect.objectContaining({ state: "answered", status })));
  });

  test("in pieces is put together", async () => {
    const server = await serve((socket) =>
      socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"),
    );
    expect(textOf(await ask(server.url))).toBe("abc");
  });

  test("that is packed stays packed: a small one cannot become a large one", async () => {
    const packed = gzipSync("a".repeat(1_000_000));
    const server = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`);
      socket.end(packed);
    });
    const answer = await ask(server.url);

    expect("body" in answer && answer.body.equals(packed)).toBe(true);
  });

  test("is kept whatever its status is", async () => {
    const server = await serve(reply(503, "busy", { "Retry-After": "7", "Set-Cookie": "a=b" }));
    const answer = await ask(server.url);

    expect(answer).toMatchObject({ state: "answered", status: 503 });
    expect("headers" in answer && answer.headers.get("retry-after")).toBe("7");
  });

  test("after a word in between is the one that counts", async () => {
    const server = await serve((socket) =>
      socket.end("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
    );
    expect(textOf(await ask(server.url))).toBe("hi");
  });

  test("that wants to talk otherwise is an answer without a body", async () => {
    const server = await serve((socket) =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"),
    );
    expect(await ask(server.url)).toMatchObject({ state: "answered", status: 101 });
  });

  test.each([
    ["no HTTP", "hello\r\n\r\n", "its response is not HTTP"],
    [
      "large headers",
      `HTTP/1.1 200 OK\r\nX: ${"a".repeat(20_000)}\r\n\r\n`,
      "the headers of its response are too large",
    ],
    [
      "many headers",
      `HTTP/1.1 200 OK\r\n${"X-Y: z\r\n".repeat(5_000)}\r\n`,
      "the headers of its response are too large",
    ],
    [
      "a body cut short",
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi",
      "the connection ended in the middle of its response",
    ],
    [
      "a piece cut short",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhi",
      "the connection ended in the middle of its response",
    ],
    [
      "many words in between",
      "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n".repeat(1_000),
      "the headers of its response are too large",
    ],
    [
      "a body in far more than it is",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${`1;${"x".repeat(1_000)}\r\na\r\n`.repeat(100)}0\r\n\r\n`,
      "its response is not HTTP",
    ],
    ["nothing", "", "the connection was lost before it responded"],
  ])("that is broken has failed: %s", async (_, bytes, reason) => {
    const server = await serve((socket) => socket.end(bytes));
    expect(await ask(server.url)).toEqual({ state: "failed", reason });
  });

  test("of nobody has failed", async () => {
    expect(await ask("http://127.0.0.1:1/")).toEqual({
      state: "failed",
      reason: "it refused the connection",
    });
  });
});

describe("the time", () => {
  const late = { state: "failed", reason: "it did not respond within 0.3 s" } as const;
  const dripping = (head: string, piece: string) => {
    return serve((socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write(piece), 20);
      socket.on("close", () => clearInterval(timer));
    });
  };

  test.each([
    ["says nothing", "", ""],
    ["drips its headers", "HTTP/1.1 200 OK\r\n", "X-Y: z\r\n"],
    ["drips its body", "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n", "a"],
    ["drips pieces", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"],
    ["always says wait", "", "HTTP/1.1 100 Continue\r\n\r\n"],
  ])("ends for a server that %s", async (_, head, piece) => {
    const server = await dripping(head, piece);
    expect(await ask(server.url, { timeoutMs: 300 })).toEqual(late);
  });

  test("ends for a server that says nothing about its certificate", async () => {
    const server = await serve(() => {});
    expect(await ask(server.url.replace("http:", "https:"), { timeoutMs: 300 })).toEqual(late);
  });

  test("ends for a name server that says nothing", async () => {
    names.set("silent.test", "*", "SILENT");
    expect(await ask("http://silent.test/", { timeoutMs: 300 })).toEqual(late);
  });

  test("ends for a look-up by the system, too", async () => {
    const localAddresses = () => new Promise<string[]>(() => {});
    expect(await ask("http://gone.test/", { timeoutMs: 300, localAddresses })).toEqual(late);
  });

  test("is that of all redirects together", async () => {
    const server = await serve((socket, heard) => {
      setTimeout(() => void redirect(302, "/again")(socket, heard), 150);
    });
    expect(await ask(server.url, { timeoutMs: 300 })).toEqual(late);
  });

  test("of a slow answer is not that of the first of two addresses", async () => {
    const slowly: Answering = (socket, heard) => setTimeout(() => void reply(200)(socket, heard), 600);
    const server = await serve(slowly, { secure: true });
    names.set("hook.test", "A", ["127.0.0.1", "127.0.0.1"]);
    const answer = await ask(server.url, { timeoutMs: 1_000 });
    names.set("hook.test", "A", ["127.0.0.1"]);

    expect(answer).toMatchObject({ status: 200 });
    expect(server.connections).toBe(1);
  });
});

describe("a certificate", () => {
  test("is checked with the name, though the connection goes to the address", async () => {
    const server = await serve(reply(200, "secret"), { secure: true });
    const right = await ask(server.url);
    const wrong = await ask(`https://other.test:${server.port}/`);

    expect(textOf(right)).toBe("secret");
    expect(wrong).toEqual({ state: "failed", reason: "its certificate is not for this name" });
    expect(server.heard).toHaveLength(1);
  });

  test("for an address is checked with the address", async () => {
    const server = await serve(reply(200, "secret"), { secure: true });
    expect(textOf(await ask(`https://127.0.0.1:${server.port}/`))).toBe("secret");
  });

  test("that nobody vouches for is not trusted", async () => {
    const server = await serve(reply(200), { secure: true });
    const answer = await ask(server.url, { ca: undefined });

    expect(answer).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/^its certificate is not trusted/),
    });
    expect(server.heard).toEqual([]);
  });

  test("is checked in a process that was told to check none", async () => {
    const server = await serve(reply(200), { secure: true });
    const url = `https://127.0.0.1:${server.port}/`;
    const source = import.meta.resolve("../../src/net/guarded_request.ts");
    const script = `
      const { guardedRequest } = await import(${JSON.stringify(source)});
      const request = { url: ${JSON.stringify(url)}, method: "GET", headers: {}, body: null };
      console.log(JSON.stringify(await guardedRequest(request, { dns: {}, reasonAgainst: () => null })));`;
    const { PATH = "", HOME = "" } = process.env;
    const child = Bun.spawn([process.execPath, "-e", script], {
      env: { PATH, HOME, NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      stderr: "ignore",
    });

    expect(await new Response(child.stdout).json()).toMatchObject({ state: "failed" });
    expect(server.heard).toEqual([]);
  });

  test("is not there where the other side does not speak TLS", async () => {
    const server = await serve((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const answer = await ask(server.url.replace("http:", "https:"), { timeoutMs: 1_000 });

    expect(answer).toMatchObject({ state: "failed" });
  });
});
