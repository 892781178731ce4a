// Several ways to deliver directly: each from its own addresses, with its own limits and state.
import { afterAll, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { transportsOf } from "../../src/sending/transports/known.ts";
import { addTransport } from "../../src/sending/transports/mod.ts";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { testTransport } from "../../src/sending/transports/trial.ts";
import { renderMetrics } from "../../src/insight/metrics.ts";
import { sendTo, serveBroken } from "../mail/direct_stage.ts";
import { useLedger } from "../support/ledger.ts";
import { startNameServer } from "../support/name_server.ts";
import { unusedPort, until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { useTransports } from "../support/transports.ts";

const names = await startNameServer({
  "mx.example.com": { A: ["127.0.0.1"] },
  "example.com": { MX: ["10 mx.example.com"] },
});
afterAll(() => names.stop());
const service = useService({ ALLOW_PRIVATE_TRANSPORTS: "true", DNS_SERVERS: names.address });
const { accept, fresh, row } = useLedger(service);
const { route } = useTransports(service);

/** One that sends from these addresses, to the port of the server of this test. */
async function addDirect(addresses: string, input: object = {}): Promise<string> {
  const url = `direct://sender.example:${service.smtp.port}?ipv6=false&bindAddresses=${addresses}`;
  const { id } = await addTransport(
    service,
    INSTALLATION,
    { name: "Direct", kind: "DIRECT", url, ...input },
    OPERATOR,
  );
  await transportsOf(service).refresh();
  return id;
}

const many = (count: number) => Array.from({ length: count }, () => fresh());
const settled = async (ids: string[]) => {
  await until("mails that are settled", async () => {
    await service.runJobs();
    return (await Promise.all(ids.map(row))).every(
      ({ status }) => status !== "PENDING" && status !== "SENDING",
    );
  });
  return await Promise.all(ids.map(row));
};
const clients = () => service.smtp.clients.splice(0).toSorted();

test("each sends from its own addresses, and what its day does not hold takes the next one", async () => {
  service.smtp.clients.length = 0;
  const first = await addDirect("127.0.0.21", { priority: 10, perDay: 2 });
  const second = await addDirect("127.0.0.22,127.0.0.23", { priority: 20 });
  const rows = await settled(await accept(many(6)));
  const perTransport = Map.groupBy(rows, ({ transportId }) => transportId as string);

  expect(rows.map(({ status }) => status)).toEqual(Array(6).fill("DELIVERED"));
  expect([perTransport.get(first)?.length, perTransport.get(second)?.length]).toEqual([2, 4]);
  const seen = clients();
  expect(seen.slice(0, 2)).toEqual(["127.0.0.21", "127.0.0.21"]);
  expect(new Set(seen.slice(2))).toEqual(new Set(["127.0.0.22", "127.0.0.23"]));
});

test("routes choose among them", async () => {
  service.smtp.clients.length = 0;
  await addDirect("127.0.0.21", { priority: 10 });
  const bulk = await addDirect("127.0.0.22", { priority: 20 });
  await route([{ providers: ["example.com"], transports: [{ id: bulk }] }]);
  const [mail] = await settled(await accept(fresh()));

  expect(mail!.transportId).toBe(bulk);
  expect(clients()).toEqual(["127.0.0.22"]);
});

test("one whose addresses this machine does not have is left alone: its mails take the next one", async () => {
  service.smtp.clients.length = 0;
  const absent = await addDirect("203.0.113.7", { priority: 10 });
  const here = await addDirect("127.0.0.21", { priority: 20 });
  const [mail] = await settled(await accept(fresh()));

  expect(mail).toMatchObject({ status: "DELIVERED", transportId: here });
  expect(clients()).toEqual(["127.0.0.21"]);
  // A test of it says why.
  expect(
    await testTransport(service, INSTALLATION, absent, { from: "a@shop.example", to: "ada@example.com" }),
  ).toMatchObject({ success: false, failedAt: "CONNECT", response: expect.stringContaining("203.0.113.7") });
  expect(
    await testTransport(service, INSTALLATION, here, { from: "a@shop.example", to: "ada@example.com" }),
  ).toMatchObject({ success: true, isEncrypted: false });
});

test("connections that could not be encrypted are counted, whichever transport they were of", async () => {
  const port = await unusedPort();
  const broken = await serveBroken("127.0.0.1", port);
  for (const isOwn of [true, false]) {
    const url = `direct://sender.example:${port}?ipv6=false`;
    const mailer = service.openMailer!({ kind: "DIRECT", url, connections: 1, isOwn });
    expect((await sendTo(mailer, "ada@example.com")).via).toMatchObject({
      provider: "example.com",
      tls: null,
    });
    mailer.close();
  }
  const metrics = await renderMetrics(service);
  await broken.stop();

  expect(metrics).toContain('postrider_direct_tls_failures{provider="example.com"} 2\n');
});
