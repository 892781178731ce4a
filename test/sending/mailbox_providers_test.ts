// Who keeps the mailboxes of a domain: known of the great ones, asked of the DNS for all others, and waited for by nobody.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createDns, type Dns } from "../../src/mail/dns.ts";
import { createMailboxProviders } from "../../src/sending/transports/mailbox_providers.ts";
import { useLedger } from "../support/ledger.ts";
import { startNameServer } from "../support/name_server.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { useTransports } from "../support/transports.ts";

const names = await startNameServer({
  "hosted.test": { MX: ["20 alt1.aspmx.l.google.com", "10 aspmx.l.google.com"] },
  "office.test": { MX: ["0 office-test.mail.protection.outlook.com"] },
  "own.test": { MX: ["10 mx.own.test"] },
  "lying.test": { MX: ["0 gone.l.google.com", "10 mx.lying.test"] },
  "verified.test": { MX: ["0 verified-test.mail.protection.outlook.com", "32767 ms123.msv1.invalid"] },
  "null.test": { MX: ["0 ."] },
  "silent.test": "SILENT",
  "broken.test": "SERVFAIL",
});
afterAll(() => names.stop());

/** How often the name server was asked for a domain. */
const asked = (domain: string) => names.queries.filter(({ name }) => name === domain).length;

describe("the provider of a domain", () => {
  const dns = createDns({ servers: [names.address], timeoutMs: 500 });
  let now = 0;
  const later = (hours: number) => (now += hours * 3_600_000);
  beforeEach(() => void (names.queries.length = 0));

  test("is known at once of those that everybody knows", () => {
    const providers = createMailboxProviders(dns, () => now);

    expect(["gmail.com", "web.de", "outlook.com"].map(providers.of)).toEqual(["google", "gmx", "microsoft"]);
    expect(names.queries).toEqual([]);
  });

  test("is the domain itself until its MX is known, which is asked for once", async () => {
    const providers = createMailboxProviders(dns, () => now);
    const first = Array.from({ length: 50 }, () => providers.of("hosted.test"));
    await until("an answer", () => providers.of("hosted.test") === "google");

    expect(new Set(first)).toEqual(new Set(["hosted.test"]));
    expect(asked("hosted.test")).toBe(1);
    expect(await Promise.all(["office.test", "own.test", "null.test"].map(providers.lookUp))).toEqual([
      "microsoft",
      "own.test",
      "null.test",
    ]);
  });

  test("is the one that runs all of its mail servers: who names a great one beside his own stays with himself", async () => {
    const providers = createMailboxProviders(dns, () => now);

    expect(await providers.lookUp("lying.test")).toBe("lying.test");
    expect(await providers.lookUp("verified.test")).toBe("microsoft");
  });

  test("that moves is noticed, and the old one counts until then", async () => {
    const providers = createMailboxProviders(dns, () => now);
    names.set("moves.test", "MX", ["10 aspmx.l.google.com"]);
    expect(await providers.lookUp("moves.test")).toBe("google");
    names.set("moves.test", "MX", ["10 moves-test.mail.protection.outlook.com"]);
    expect(await providers.lookUp("moves.test")).toBe("google");
    later(7);
    expect(providers.of("moves.test")).toBe("google");
    await until("the new one", () => providers.of("moves.test") === "microsoft");
    // What cannot be asked any more stays as it was.
    names.set("moves.test", "MX", "SERVFAIL");
    later(7);
    expect(await providers.lookUp("moves.test")).toBe("microsoft");
  });

  test("that is missing, or cannot be asked, is not asked for again at once", async () => {
    const providers = createMailboxProviders(dns, () => now);
    expect(await Promise.all(["nowhere.test", "broken.test"].map(providers.lookUp))).toEqual([
      "nowhere.test",
      "broken.test",
    ]);
    const before = names.queries.length;
    expect(["nowhere.test", "broken.test"].map(providers.of)).toEqual(["nowhere.test", "broken.test"]);
    await providers.lookUp("own.test");
    expect(names.queries.length - before).toBe(1);
  });

  test("is learnt from deliveries, too", () => {
    const providers = createMailboxProviders(dns, () => now);
    providers.note("seen.test", "google");

    expect(providers.of("seen.test")).toBe("google");
    expect(names.queries).toEqual([]);
  });

  test("is waited for by nobody where the resolver hangs, and few are asked for at once", async () => {
    let underway = 0;
    const answers: (() => void)[] = [];
    const hanging: Dns = {
      lookup: async () => {
        underway += 1;
        await new Promise<void>((resolve) => answers.push(resolve));
        return { state: "failed", reason: "timeout" };
      },
    };
    const providers = createMailboxProviders(hanging, () => now);
    const domains = Array.from({ length: 10_000 }, (_, n) => `d${n}.test`);

    expect(domains.map(providers.of)).toEqual(domains);
    expect(underway).toBeLessThan(50);
    for (const answer of answers.splice(0)) answer();
    await until("room for more", () => {
      providers.of("another.test");
      return answers.length > 0;
    });
  });
});

describe("mail to a hosted domain", () => {
  const dns = createDns({ servers: [names.address] });
  const service = useService({ ALLOW_PRIVATE_TRANSPORTS: "true" }, { dns });
  const { project, accept, row } = useLedger(service);
  const { add, route } = useTransports(service);

  test("takes the route for its provider as soon as that is known; a trial of the routes waits for it", async () => {
    const bulk = await add({ priority: 500 });
    await route([{ providers: ["google"], transports: [{ id: bulk.id }] }]);
    const trial = async (to: string) => {
      const body = { type: "TRANSACTIONAL", from: "a@sandbox.example", to };
      return (await service.request("POST", "/routes/test", { key: project.secret, body })).body;
    };
    expect(await trial("ada@hosted.test")).toMatchObject({ provider: "google", rule: 1 });
    expect(await trial("ada@own.test")).toMatchObject({ provider: "own.test", rule: null });
    const [id] = await accept("ada@hosted.test");
    await service.runJobs();

    expect(await row(id!)).toMatchObject({ status: "SENT", transportId: bulk.id });
  });

  test("whose servers cannot be looked up is not held up", async () => {
    const bulk = await add({ priority: 500 });
    await route([{ providers: ["google"], transports: [{ id: bulk.id }] }]);
    const [id] = await accept("ada@silent.test");
    await service.runJobs();

    expect(await row(id!)).toMatchObject({ status: "SENT", transportId: null });
  });
});
