// Requests that go on with the connections of earlier ones: which may, and what comes of it when they are gone.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ResponseReader } from "../../src/net/_response.ts";
import { type GuardedAnswer, guardedRequest } from "../../src/net/guarded_request.ts";
import { keptConnections, type KeptConnections } from "../../src/net/kept_connections.ts";
import { reasonAgainstAddress } from "../../src/net/public_address.ts";
import { createDns, type Dns } from "../../src/mail/dns.ts";
import { type NameServer, startNameServer } from "../support/name_server.ts";
import { until } from "../support/process.ts";
import { CERTIFICATE, reply, replyAndStay, useHookServers } from "./hook_server.ts";

const serve = useHookServers();
let names: NameServer;
let dns: Dns;

beforeAll(async () => {
  names = await startNameServer({
    "hook.test": { A: ["127.0.0.1"] },
    "other.test": { A: ["127.0.0.1"] },
  });
  dns = createDns({ servers: [names.address], timeoutMs: 1_000 });
});
afterAll(() => names.stop());

/** In these tests 127.0.0.1 plays the part of the internet. */
const asInternet = (address: string) =>
  address === "127.0.0.1" ? null : reasonAgainstAddress(address, false);

const ask = (url: string, kept: KeptConnections, timeoutMs = 10_000) =>
  guardedRequest(
    { url, method: "POST", headers: {}, body: "{}" },
    { dns, reasonAgainst: asInternet, ca: CERTIFICATE, kept, timeoutMs },
  );
const textOf = (answer: GuardedAnswer) => ("body" in answer ? answer.body.toString() : answer);

describe("a connection", () => {
  test.each([false, true])("serves one request after the other; secure: %p", async (secure) => {
    const server = await serve(replyAndStay(200, "hi"), { secure });
    const kept = keptConnections();
    for (let i = 0; i < 5; i++) expect(textOf(await ask(server.url, kept))).toBe("hi");

    expect([server.connections, server.heard.length, kept.idle]).toEqual([1, 5, 1]);
    expect(server.heard[0]!.headers).not.toHaveProperty("connection");
  });

  test("serves one request at a time, and no more than 32 of one place are kept", async () => {
    const server = await serve(replyAndStay(200));
    const kept = keptConnections();
    for (let round = 0; round < 2; round++)
      await Promise.all(Array.from({ length: 20 }, () => ask(server.url, kept)));
    expect([server.connections, kept.idle]).toEqual([20, 20]);

    await Promise.all(Array.from({ length: 40 }, () => ask(server.url, kept)));
    expect([server.connections, kept.idle]).toEqual([40, 32]);
  });

  test("of one name is not taken for another one at the same address", async () => {
    const server = await serve(replyAndStay(200), { secure: true });
    const kept = keptConnections();
    await ask(server.url, kept);
    const other = await ask(server.url.replace("hook.test", "other.test"), kept);

    expect(other).toEqual({ state: "failed", reason: "its certificate is not for this name" });
    expect(server.heard).toHaveLength(1);
  });

  test("goes on where its name leads elsewhere by now, and the next one is checked", async () => {
    names.set("moving.test", "A", ["127.0.0.1"]);
    const server = await serve((socket, heard) =>
      (server.heard.length < 2 ? replyAndStay(200) : reply(200))(socket, heard),
    );
    const url = `http://moving.test:${server.port}/`;
    const kept = keptConnections();
    await ask(url, kept);
    names.set("moving.test", "A", ["10.0.0.1"]);
    const states = [(await ask(url, kept)).state];
    await until("the server has closed it", () => kept.idle === 0);
    states.push((await ask(url, kept)).state);

    expect(states).toEqual(["answered", "refused"]);
    expect(server.connections).toBe(1);
  });

  test("that is old is not used again: where its name leads is looked up", async () => {
    const server = await serve(replyAndStay(200));
    const kept = keptConnections(10_000, 0);
    await ask(server.url, kept);
    await ask(server.url, kept);

    expect([server.connections, kept.idle]).toEqual([2, 0]);
  });

  test("that nobody uses is closed after a while", async () => {
    const server = await serve(replyAndStay(200));
    const kept = keptConnections(20);
    await ask(server.url, kept);
    await until("it is closed", () => server.open === 0);

    expect(kept.idle).toBe(0);
  });

  test("that is lost when a request comes is replaced by another one", async () => {
    // The second request on a connection is never answered.
    const server = await serve((socket, heard) =>
      server.heard.length === 2 ? socket.destroy() : replyAndStay(200, "hi")(socket, heard),
    );
    const kept = keptConnections();
    await ask(server.url, kept);
    const second = await ask(server.url, kept);

    expect(textOf(second)).toBe("hi");
    expect([server.connections, server.heard.length]).toEqual([2, 3]);
  });

  test("that is lost in the middle of a response is not: the request has been heard", async () => {
    const server = await serve((socket, heard) =>
      server.heard.length === 2
        ? socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal")
        : replyAndStay(200)(socket, heard),
    );
    const kept = keptConnections();
    await ask(server.url, kept);

    expect(await ask(server.url, kept)).toEqual({
      state: "failed",
      reason: "the connection ended in the middle of its response",
    });
    expect(server.heard).toHaveLength(2);
  });

  test("on which nothing comes in time is not replaced: the time is over", async () => {
    const server = await serve((socket, heard) =>
      server.heard.length === 2 ? undefined : replyAndStay(200)(socket, heard),
    );
    const kept = keptConnections();
    await ask(server.url, kept);

    expect(await ask(server.url, kept, 300)).toMatchObject({ reason: "it did not respond within 0.3 s" });
    expect([server.heard.length, kept.idle]).toEqual([2, 0]);
  });

  test.each([
    ["says that it closes it", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"],
    ["is of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"],
    ["says more than it promised", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n\r\n"],
    ["leads elsewhere", "HTTP/1.1 307 Go\r\nContent-Length: 2\r\n\r\nhi"],
    ["is larger than what is kept", `HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${"a".repeat(70_000)}`],
    [
      "has two lengths",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    ],
    ["speaks another protocol", "HTTP/1.1 101 Go\r\nUpgrade: x\r\n\r\n"],
  ])("is not kept when the response %s", async (_, bytes) => {
    const server = await serve((socket) => socket.write(bytes));
    const kept = keptConnections();
    const { state } = await ask(server.url, kept);
    await until("it is closed", () => server.open === 0);

    expect([state, kept.idle]).toEqual(["answered", 0]);
  });

  test.each([
    ["has no body", "HTTP/1.1 204 No Content\r\n\r\n", ""],
    ["has an empty one", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""],
    [
      "comes in pieces",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=1\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n",
      "hi",
    ],
    ["is an error", "HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno", "no"],
  ])("is kept when the response %s", async (_, bytes, text) => {
    const server = await serve((socket) => socket.write(bytes));
    const kept = keptConnections();
    const first = await ask(server.url, kept);
    await ask(server.url, kept);

    expect(textOf(first)).toBe(text);
    expect([server.connections, server.heard.length]).toEqual([1, 2]);
  });
});

describe("a response", () => {
  const read = (parts: Iterable<Buffer>) => {
    const reader = new ResponseReader({ isOfHead: false, headOnly: false, maxBytes: 1_000 });
    let isWhole = false;
    for (const part of parts) isWhole = reader.take(part);
    return { isWhole, status: reader.status, body: reader.body.toString(), x: reader.headers.get("x") };
  };
  const byByte = (text: string) => Array.from(Buffer.from(text), (byte) => Buffer.from([byte]));

  test.each([
    "HTTP/1.1 200 OK\r\nX: 1\r\nX: é\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200\r\ntransfer-encoding: gzip, Chunked\r\n\r\n00A;a=b\r\n0123456789\r\n1\r\nz\r\n0\r\na: b\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 None\r\nX:\r\n\r\n",
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"1;a=b\r\nz\r\n".repeat(900)}0\r\n\r\n`,
  ])("is the same byte by byte as at once: %p", (text) => {
    const atOnce = read([Buffer.from(text)]);

    expect(atOnce.isWhole).toBe(true);
    expect(read(byByte(text))).toEqual(atOnce);
  });

  test.each([
    "HTTP/2 200 OK\r\n\r\n",
    "HTTP/1.1 20 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA : 1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: 1\nContent-Length: 2\r\n\r\n",
    "HTTP/1.1 200 OK\nContent-Length: 2\n\n\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${"a".repeat(2_000)}`,
    "SSH-2.0-OpenSSH",
  ])("that is not HTTP is none: %p", (text) => {
    expect(() => read([Buffer.from(text)])).toThrow("its response is not HTTP");
    expect(() => read(byByte(text))).toThrow("its response is not HTTP");
  });
});
