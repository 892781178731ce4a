// What the doctor says of direct delivery: the name and the addresses of this server, as recipients' servers see them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { OPERATOR } from "../src/accounts/audit.ts";
import { addTransport } from "../src/sending/transports/mod.ts";
import { INSTALLATION } from "../src/sending/transports/routes.ts";
import { SECRET_KEY, useDoctor } from "./support/doctor.ts";
import { type NameServer, startNameServer } from "./support/name_server.ts";
import { useService } from "./support/service.ts";

const service = useService();
const { see, about } = useDoctor(service);
let names: NameServer;
beforeAll(async () => {
  names = await startNameServer({
    "mail.sender.test": { A: ["203.0.113.7"], AAAA: ["2001:db8::7"] },
    "7.113.0.203.in-addr.arpa": { PTR: ["mail.sender.test"] },
    [`7${".0".repeat(23)}.8.b.d.0.1.0.0.2.ip6.arpa`]: { PTR: ["mail.sender.test"] },
    // Spamhaus answers so to public name servers.
    "7.113.0.203.zen.spamhaus.org": { A: ["127.255.255.254"] },
    "other.sender.test": { A: ["203.0.113.8"] },
    "8.113.0.203.in-addr.arpa": { PTR: ["host8.provider.test"] },
    "8.113.0.203.zen.spamhaus.org": { A: ["127.0.0.2"] },
  });
});
afterAll(() => names.stop());

const look = async (url: string) =>
  about(await see({ SMTP_URL: url, DNS_SERVERS: names.address }), "smtp").map(
    ({ status, message }) => `${status}: ${message}`,
  );

test("a name that leads to its addresses and back, on no block list, is well", async () => {
  expect(await look("direct://mail.sender.test")).toEqual([
    "ok: Mail is delivered directly, as mail.sender.test from 203.0.113.7, 2001:db8::7; no block list has them",
  ]);
});

test("each fault is said: another reverse name, a block list, an address that the name does not have, no address", async () => {
  expect(await look("direct://other.sender.test?bindAddresses=203.0.113.8,203.0.113.9")).toEqual([
    "warning: Mail is sent from 203.0.113.9, which is no address of other.sender.test",
    "warning: This machine does not have the address 203.0.113.8",
    "warning: This machine does not have the address 203.0.113.9",
    "error: The reverse name of 203.0.113.8 is host8.provider.test, and not other.sender.test",
    "error: 203.0.113.8 is on the block list zen.spamhaus.org",
    "error: The reverse name of 203.0.113.9 is missing, and not other.sender.test",
  ]);
  expect(await look("direct://nowhere.sender.test")).toEqual([
    "error: nowhere.sender.test, the name in SMTP_URL, has no address",
  ]);
});

test("each transport that delivers directly is looked at in the same way, and says which it is", async () => {
  const ctx = {
    ...service,
    config: { ...service.config, SECRET_KEY, ALLOW_DIRECT_TRANSPORTS: "true" },
  };
  const { id } = await service.createProject();
  const input = (heloName: string, address: string) => ({
    name: heloName.split(".")[0]!,
    kind: "DIRECT" as const,
    heloName,
    bindAddresses: [address],
  });
  await addTransport(ctx, INSTALLATION, input("other.sender.test", "203.0.113.8"), OPERATOR);
  await addTransport(ctx, id, input("nowhere.sender.test", "203.0.113.9"), OPERATOR);
  const lookWhere = async (ALLOW_DIRECT_TRANSPORTS: string) => {
    const found = about(await see({ DNS_SERVERS: names.address, ALLOW_DIRECT_TRANSPORTS }), "transports");
    return found.map(({ status, message }) => `${status}: ${message}`);
  };
  const [any, some, none] = [
    await lookWhere("true"),
    await lookWhere("203.0.113.10,127.0.0.1"),
    await lookWhere("false"),
  ];
  await service.pool`delete from transports`;

  const shared = any.slice(0, 3);
  const unused =
    "warning: No mail takes the transport nowhere of the project Test: The operator of this installation does not allow projects to";
  expect(some).toEqual([
    "warning: This machine does not have the address 203.0.113.10",
    ...shared,
    `${unused} send from 203.0.113.9, only from 203.0.113.10, 127.0.0.1 (ALLOW_DIRECT_TRANSPORTS)`,
  ]);
  expect(none).toEqual([...shared, `${unused} deliver directly (ALLOW_DIRECT_TRANSPORTS)`]);
  expect(any).toEqual([
    "warning: This machine does not have the address 203.0.113.8",
    "error: The reverse name of 203.0.113.8 is host8.provider.test, and not other.sender.test",
    "error: 203.0.113.8 is on the block list zen.spamhaus.org",
    "warning: nowhere.sender.test, the name in the transport nowhere of the project Test, has no address",
  ]);
});
