// Files whose senders are slow, endless, lie about the length, or hang up in the middle: nothing remains of them, nobody
// waits for them, and they are no errors.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { purgeImports, uploadImport } from "../../src/audience/contacts/imports.ts";
import { streamBody } from "../../src/http/entry/stream_body.ts";
import { poolUse } from "../../src/db/pool.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let server: Bun.Server<undefined>;
const sockets = new Set<Socket>();

beforeAll(() => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: 256 * 1_048_576,
    idleTimeout: 60,
    fetch: service.app.fetch,
  });
});
afterAll(() => server.stop(true));

beforeEach(async () => {
  project = await service.createProject();
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

interface Sending {
  socket: Socket;
  /** What the server has answered so far. */
  answer(): string;
  /** The status of the answer, once it is there. */
  status(): Promise<number>;
  hangUp(): Promise<void>;
}

/** Sends a request as it is written here, up to where the caller leaves it. */
function send(path: string, headers: string[], body: string | Buffer, { secret } = project): Sending {
  const socket = connect(server.port!, "127.0.0.1");
  sockets.add(socket);
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  socket.on("error", () => {});
  const head = [`POST ${path} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${secret}`, ...headers];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  socket.write(body);
  return {
    socket,
    answer: () => text,
    async status() {
      await until("an answer", () => /^HTTP\/1\.1 \d{3}/.test(text));
      return Number(text.slice(9, 12));
    },
    async hangUp() {
      socket.destroy();
      await until("it is gone", () => socket.closed);
    },
  };
}

const CSV = "Content-Type: text/csv";
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
/** More than two pieces of a file, as they are kept. */
const rows = (name: string) =>
  `email,note\r\n${Array.from({ length: 6_000 }, (_, n) => `${name}${n}@example.com,${crypto.randomUUID()}`).join("\r\n")}\r\n`;

const count = async (table: string) => {
  const [row] = await service.pool`
    select count(*)::int as n from ${service.pool(table)} where project_id = ${project.id}`;
  return row!.n as number;
};
const remains = async () => [
  await count("contact_imports"),
  await count("contact_import_pieces"),
  await count("contacts"),
];
const refusals = () =>
  service.lines.filter(({ message, route }) => message === "request" && String(route).endsWith("/imports"));
const errors = () => service.lines.filter(({ level }) => level === "error");

describe("a file of contacts", () => {
  test.each([
    ["of a length that never comes", ["Content-Length: 10000000"], rows("a")],
    ["in chunks that never end", ["Transfer-Encoding: chunked"], chunk(rows("a"))],
    ["in a chunk that never ends", ["Transfer-Encoding: chunked"], `ffffff\r\n${rows("a")}`],
  ])(
    "%s: when its sender hangs up in the middle nothing remains, and it is no error",
    async (_, how, body) => {
      const before = [refusals().length, errors().length];
      const sending = send("/contacts/imports", [CSV, ...how], body);
      await until("pieces of it are kept", async () => (await count("contact_import_pieces")) > 1);
      await sending.hangUp();
      await until("it is gone", async () => (await count("contact_imports")) === 0);
      await until("its line is there", () => refusals().length > before[0]!);

      expect(await remains()).toEqual([0, 0, 0]);
      expect(refusals().at(-1)).toMatchObject({ level: "info", status: 400 });
      expect(errors()).toHaveLength(before[1]!);
    },
  );

  test("that breaks the rules of chunks is refused, and nothing remains", async () => {
    const before = refusals().length;
    const sending = send(
      "/contacts/imports",
      [CSV, "Transfer-Encoding: chunked"],
      `${chunk(rows("a"))}not a length\r\n`,
    );
    await until("its connection is closed", () => sending.socket.closed || sending.answer() !== "");
    await until("its line is there", () => refusals().length > before);
    await until("it is gone", async () => (await count("contact_imports")) === 0);

    expect(await remains()).toEqual([0, 0, 0]);
    expect(sending.answer()).not.toContain("HTTP/1.1 202");
  });

  test("that is said to be larger than allowed is refused before any of it is kept", async () => {
    const sending = send("/contacts/imports", [CSV, `Content-Length: ${201 * 1_048_576}`], "email\r\n");

    expect(await sending.status()).toBe(413);
    expect(await remains()).toEqual([0, 0, 0]);
  });

  test("without an end is read up to the limit and no further, and nothing remains", async () => {
    const LIMIT = 1_048_576;
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 65_536;
        controller.enqueue(new TextEncoder().encode("a@example.com\r\n".repeat(4_369)));
      },
    });
    const request = new Request("http://localhost/", { method: "POST", body: endless });
    const options = { dryRun: false, fileName: null, mapping: {}, subscribes: true, createdBy: null };
    const { pieces } = streamBody(request, LIMIT);
    const refused = await uploadImport(service, project.id, pieces, options).catch((error: unknown) => error);

    expect(refused).toMatchObject({ status: 413 });
    expect(pulled).toBeLessThan(2 * LIMIT);
    expect(await remains()).toEqual([0, 0, 0]);
  });

  test("that comes slowly holds nothing: others of the project are told to wait, everybody else is served", async () => {
    const other = await service.createProject();
    const slow = Array.from({ length: 5 }, (_, n) =>
      send("/contacts/imports", [CSV, "Transfer-Encoding: chunked"], chunk(`email\r\na${n}@example.com\r\n`)),
    );
    await until("all are under way", async () => (await count("contact_imports")) === 5);
    const whole = (of: NewProject) =>
      service.request("POST", "/contacts/imports", {
        key: of.secret,
        raw: new TextEncoder().encode("email\r\nb@example.com\r\n"),
        headers: { "content-type": "text/csv" },
      });
    const [mine, theirs] = [await whole(project), await whole(other)];
    const listed = await service.request("GET", "/contacts/imports", { key: project.secret });
    const held = await service.pool`
      select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;

    expect([mine.status, mine.body.error.code]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect([theirs.status, listed.status]).toEqual([202, 200]);
    expect([held.length, poolUse(service.pool).underway]).toEqual([0, 0]);
    for (const { socket } of slow) socket.write(`${chunk("z@example.com\r\n")}0\r\n\r\n`);
    expect(await Promise.all(slow.map((one) => one.status()))).toEqual(Array(5).fill(202));
    await service.runJobs();
    expect((await whole(project)).status).toBe(202);
  });

  test("of a process that was killed stops nobody after an hour, and is gone after a day", async () => {
    const orphan = async (age: string) => {
      const id = Bun.randomUUIDv7();
      await service.pool`
        insert into contact_imports (project_id, id, dry_run, subscribes, uploaded_at, created_at)
        values (${project.id}, ${id}, false, true, null, now() - ${age}::interval)`;
    };
    for (let n = 0; n < 5; n++) await orphan("61 minutes");
    await orphan("25 hours");
    const { status } = await service.request("POST", "/contacts/imports", {
      key: project.secret,
      raw: new TextEncoder().encode("email\r\nb@example.com\r\n"),
      headers: { "content-type": "text/csv" },
    });
    await service.runJobs();
    await purgeImports(service);

    expect([status, await count("contact_imports")]).toEqual([202, 6]);
    service.setNow(new Date(Date.now() + 86_400_000));
    await purgeImports(service);
    service.setNow(new Date());
    expect(await count("contact_imports")).toBe(1);
  });
});

describe("an image", () => {
  const PNG = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const part = (boundary: string) =>
    Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`,
      ),
      PNG,
    ]);
  const FORM = "Content-Type: multipart/form-data; boundary=xyz";
  const whole = Buffer.concat([part("xyz"), Buffer.from("\r\n--xyz--\r\n")]);
  const line = () =>
    service.lines.filter(({ message, route }) => message === "request" && route === "/uploads/image");

  test("whose sender hangs up in the middle leaves nothing, and is no error", async () => {
    const before = [line().length, errors().length];
    const sending = send("/uploads/image", [FORM, "Content-Length: 500000"], part("xyz"));
    await until("it was taken up", () => sending.socket.bytesWritten > 0 && !sending.socket.connecting);
    await Bun.sleep(50);
    await sending.hangUp();
    await until("its line is there", () => line().length > before[0]!);

    expect(line().at(-1)).toMatchObject({ level: "info", status: 400 });
    expect([errors().length, await count("uploads")]).toEqual([before[1]!, 0]);
  });

  test.each([
    ["shorter than it is: its form has no end", [FORM, `Content-Length: ${whole.length - 12}`], whole, 400],
    ["with another boundary", [`${FORM}z`, `Content-Length: ${whole.length}`], whole, 400],
    ["larger than an image may be", [FORM, `Content-Length: ${70 * 1_048_576}`], part("xyz"), 413],
    ["in chunks", [FORM, "Transfer-Encoding: chunked"], chunked(whole), 200],
  ])("that is said to be %s", async (_, headers, body, status) => {
    const sending = send("/uploads/image", headers, body);

    expect(await sending.status()).toBe(status);
    expect(await count("uploads")).toBe(status === 200 ? 1 : 0);
  });

  function chunked(bytes: Buffer): Buffer {
    return Buffer.concat([
      Buffer.from(`${bytes.length.toString(16)}\r\n`),
      bytes,
      Buffer.from("\r\n0\r\n\r\n"),
    ]);
  }
});

test("a list of suppressions whose sender hangs up keeps what was written, and can be sent again", async () => {
  const list = Array.from({ length: 4_000 }, (_, n) => `s${n}@example.com`);
  const sending = send(
    "/suppressions/import",
    [CSV, "Content-Length: 10000000"],
    `email\r\n${list.slice(0, 3_500).join("\r\n")}\r\n`,
  );
  await until("some are written", async () => (await count("suppressions")) >= 1_000);
  await sending.hangUp();
  const isLogged = () =>
    service.lines.some(({ route, status }) => route === "/suppressions/import" && status === 400);
  await until("its line is there", isLogged);
  const kept = await count("suppressions");
  const again = await service.request("POST", "/suppressions/import", {
    key: project.secret,
    raw: new TextEncoder().encode(`email\n${list.join("\n")}\n`),
    headers: { "content-type": "text/csv" },
  });

  expect(kept % 1_000).toBe(0);
  expect(again.body).toMatchObject({ added: 4_000 - kept, existing: kept });
});
