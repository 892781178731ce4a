// Requests as they come over a socket: whatever stands in `Host`, the path is the one of the request line.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { routable } from "../src/request_url.ts";
import { createApp } from "../src/http/mod.ts";
import { useService } from "./support/service.ts";

const service = useService({ SMTP_URL: "" });
let server: Bun.Server<undefined>;

beforeAll(() => {
  const app = createApp(service);
  server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: routable(app.fetch) });
  app.server = server as never;
});

afterAll(async () => {
  await server.stop(true);
});

/** Sends these lines, and answers the status with the body. */
const send = (...lines: string[]) => sendTo(server.port!, ...lines);

async function sendTo(port: number, ...lines: string[]): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const socket = connect(port, "127.0.0.1", () => {
    socket.write([...lines, "Connection: close", "", ""].join("\r\n"));
  });
  socket.on("data", (bytes) => (text += bytes.toString()));
  socket.on("end", () => resolve(text));
  socket.on("error", reject);
  const answer = await promise;
  return { status: Number(answer.split(" ")[1]), body: answer.slice(answer.indexOf("\r\n\r\n") + 4) };
}

const HOSTS = [
  "x",
  "xx",
  "xxx",
  "xxxx",
  "a.b",
  "x:1",
  "x:80",
  "[::1]:3000",
  "localhost:3000",
  "x:",
  "a b",
  "x?y",
  "x/y",
  "",
  "localhost:abc",
  "ab:65536",
  "x:99999",
  "%",
  "exa%mple",
  "xn--",
  "1.2.3.4.5",
  "999.1.1.1",
  "[::",
];

describe("a request", () => {
  test.each(HOSTS)("with the Host %p is routed like any other", async (host) => {
    const known = await send("GET /health HTTP/1.1", `Host: ${host}`);
    const deeper = await send(`GET /contacts/${crypto.randomUUID()}?a=/health HTTP/1.1`, `Host: ${host}`);
    const posted = await send("POST /v1/track HTTP/1.1", `Host: ${host}`, "Content-Length: 0");
    const unknown = await send("GET /aaaaaaaaaaaa/health HTTP/1.1", `Host: ${host}`);

    // Pages read the whole address.
    const page = await send("GET /auth/not-me?token=x HTTP/1.1", `Host: ${host}`);

    expect([known.status, known.body]).toEqual([200, '{"status":"ok"}']);
    expect(page.status).toBeLessThan(500);
    expect([deeper.status, posted.status, unknown.status]).toEqual([401, 401, 404]);
    expect(unknown.body).toContain("/aaaaaaaaaaaa/health");
  });

  test("without a Host, as HTTP/1.0 has it, or with a whole address in its first line is routed by its path", async () => {
    const old = await send("GET /health HTTP/1.0");
    const deep = await send("GET /contacts/health HTTP/1.0");
    const whole = await send("GET http://x/health HTTP/1.1", "Host: x");
    const other = await send("GET https://elsewhere.example/contacts/1 HTTP/1.1", "Host: y");

    expect([old.status, deep.status, whole.status, other.status]).toEqual([200, 401, 200, 401]);
  });

  test("is still the one whose peer the server knows, by which limits are kept", async () => {
    const asked: string[] = [];
    const other = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: routable((request: Request, own: Bun.Server<undefined>) => {
        asked.push(request.url, own.requestIP(request)!.address);
        return new Response();
      }),
    });
    await sendTo(other.port!, "GET /a/b?c HTTP/1.1", "Host: x");
    await other.stop(true);

    expect(asked).toEqual(["http://x:080/a/b?c", "127.0.0.1"]);
  });

  test("sees the inbox under its own names only, so that no page of others reads it", async () => {
    const statusOf = async (host: string) =>
      (await send("GET /inbox/mails HTTP/1.1", `Host: ${host}`)).status;

    for (const host of ["localhost:3000", "127.0.0.1", "[::1]:1", "LOCALHOST"]) {
      expect([host, await statusOf(host)]).toEqual([host, 200]);
    }
    for (const host of [
      "attacker.example",
      "localhost.attacker.example",
      "x",
      "a b",
      "",
      "127.0.0.1.nip.io",
    ]) {
      expect([host, await statusOf(host)]).toEqual([host, 403]);
    }
  });
});
