// The mail library promises nothing of what is read here: an update that changes it is found by these tests.
import { afterEach, expect, test } from "bun:test";
import { Socket } from "node:net";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { socketOf, unreadOf } from "../../src/mail/_library_connection.ts";
import { type Script, startScriptedServer } from "./scripted_server.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

const connect = async (script: Script) => {
  const server = await startScriptedServer(script);
  endings.push(() => server.stop());
  const connection = new SMTPConnection({ host: "127.0.0.1", port: Number(new URL(server.url).port) });
  endings.push(() => connection.close());
  const before = socketOf(connection);
  const failed = Promise.withResolvers<never>();
  connection.on("error", failed.reject);
  await Promise.race([new Promise((resolve) => connection.connect(resolve)), failed.promise]);
  return { server, connection, before };
};

test("the socket is there once the connection is, carries what is said, and not before", async () => {
  const { server, connection, before } = await connect({});
  const socket = socketOf(connection)!;
  const heard = Promise.withResolvers<string>();
  socket.removeAllListeners("data");
  socket.on("data", (bytes: Buffer) => heard.resolve(bytes.toString()));
  socket.write("RSET\r\n");

  expect(before).toBeNull();
  expect(socket).toBeInstanceOf(Socket);
  expect(await heard.promise).toBe("250 2.0.0 Ok\r\n");
  expect(server.steps).toEqual(["greeting", "EHLO", "RSET"]);
});

test("the library hears the server by listeners of `data` alone, so that who takes over takes all", async () => {
  const { connection } = await connect({});

  expect(socketOf(connection)!.listenerCount("data")).toBe(1);
  expect(socketOf(connection)!.listenerCount("readable")).toBe(0);
});

test("what is unread is the line that has begun, and nothing where none has", async () => {
  const { server, connection } = await connect({});
  const before = unreadOf(connection);
  for (const socket of server.open) socket.write("250 not as");
  while (unreadOf(connection) === "") await Bun.sleep(1);

  expect([before, unreadOf(connection)]).toEqual(["", "250 not as"]);
});
