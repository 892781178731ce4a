// What the doctor says of the DNS records and the keys of domains.
import { describe, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { OPERATOR } from "../src/accounts/audit.ts";
import { loadConfig } from "../src/config/mod.ts";
import { recordsOf } from "../src/sending/domains/records.ts";
import { addDomain } from "../src/sending/domains/mod.ts";
import { CLOSED, SECRET_KEY, useDoctor } from "./support/doctor.ts";
import { startNameServer } from "./support/name_server.ts";
import { useService } from "./support/service.ts";

const service = useService();
const { see, about, endings } = useDoctor(service);

describe("the DNS", () => {
  const settings = { INBOUND_HOST: "mail.postrider-host.com", SPF_INCLUDE: "spf.provider.com" };

  /** A domain of a new project, and a name server that has all of its records. */
  const domainWithRecords = async (domain: string) => {
    const project = await service.createProject();
    const added = await addDomain(service, project.id, domain, OPERATOR);
    endings.push(() => service.pool`delete from projects where id = ${project.id}`);
    const [row] = await service.pool`select * from domains where id = ${added.id}`;
    const server = await startNameServer({});
    endings.push(() => server.stop());
    const records = recordsOf(loadConfig({ ...settings }), row as never);
    for (const { name, type, value, priority } of records) {
      // A string of a TXT record has 255 characters at most.
      const strings = value.match(/.{1,255}/g)!;
      server.set(name, type, [type === "TXT" ? strings : `${priority} ${value}`]);
    }
    const nameOf = (purpose: string) => records.find((record) => record.purpose === purpose)!.name;
    const look = async () =>
      about(await see({ ...settings, DNS_SERVERS: server.address }), `domain ${domain}`);
    return { id: added.id, server, records, nameOf, look };
  };

  test("of a domain with all of its records is well", async () => {
    const { look } = await domainWithRecords("all-is-well.com");

    expect(await look()).toEqual([
      {
        check: "domain all-is-well.com",
        status: "ok",
        message: expect.stringContaining("DKIM, SPF and DMARC"),
      },
    ]);
  });

  test("names what is missing or wrong, with the records to publish", async () => {
    const { server, nameOf, look, records } = await domainWithRecords("half-done.com");
    server.set(nameOf("DKIM"), "TXT", "NXDOMAIN");
    server.set("half-done.com", "TXT", ["v=spf1 include:other.com -all"]);
    server.set("_dmarc.half-done.com", "TXT", "NXDOMAIN");
    server.set(nameOf("RETURN_PATH"), "MX", ["10 elsewhere.com"]);
    const [found] = await look();

    expect(found).toMatchObject({
      status: "warning",
      message:
        "Project Test: the DKIM record is missing, the SPF record is wrong, " +
        "the MX record of the return path is wrong, the DMARC record is missing",
    });
    expect(found!.advice).toContain("Nothing can be sent from it until its DKIM record is published");
    const dkim = records.find(({ purpose }) => purpose === "DKIM")!;
    expect(found!.advice).toContain(`TXT ${dkim.name} ${dkim.value}`);
    expect(found!.advice).toContain("MX bounces.half-done.com 10 mail.postrider-host.com");
    expect(found!.advice).toContain("TXT _dmarc.half-done.com v=DMARC1; p=none;");
  });

  test("of a domain whose key has vanished is an error: its mails fail DMARC", async () => {
    const { id, server, nameOf, look } = await domainWithRecords("key-is-gone.com");
    await service.pool`update domains set status = 'VERIFIED', verified_at = now() where id = ${id}`;
    server.set(nameOf("DKIM"), "TXT", ["v=DKIM1; k=rsa; p=c29tZXRoaW5nIGVsc2U="]);
    const [found] = await look();
    const [row] = await service.pool`select status, last_checked_at from domains where id = ${id}`;

    expect(found).toMatchObject({ status: "error", advice: expect.stringContaining("DMARC fails") });
    // A look is no check: nothing follows from it.
    expect({ ...row }).toEqual({ status: "VERIFIED", lastCheckedAt: null });
  });

  test("that does not answer about one domain says nothing about it", async () => {
    const { server, nameOf, look } = await domainWithRecords("half-silent.com");
    server.set(nameOf("DKIM"), "TXT", "SERVFAIL");
    const [found] = await look();

    expect(found).toMatchObject({
      status: "warning",
      message: "Project Test: the DNS does not respond for the DKIM record",
    });
  });

  test.each(["refuses", "keeps silent"])(
    "that %s is one error, not one for each domain",
    async (how) => {
      await domainWithRecords("one.com");
      await domainWithRecords("two.com");
      const silentServer = createSocket("udp4");
      await new Promise<void>((resolve) => silentServer.bind(0, "127.0.0.1", resolve));
      endings.push(() => silentServer.close());
      const server = how === "refuses" ? CLOSED : `127.0.0.1:${silentServer.address().port}`;
      const findings = await see({ DNS_SERVERS: server });

      expect(findings.filter(({ check }) => /^domain (one|two)/.test(check))).toEqual([]);
      expect(about(findings, "dns")).toEqual([
        {
          check: "dns",
          status: "error",
          message: `The name servers (${server}) do not respond`,
          advice: expect.stringContaining("DNS_SERVERS"),
        },
      ]);
    },
    240_000,
  );
});

describe("domains in great number", () => {
  test("are looked at where somebody can look them up, whatever stands before them in the alphabet", async () => {
    const project = await service.createProject();
    endings.push(() => service.pool`delete from projects where id = ${project.id}`);
    await service.pool`
      insert into domains (project_id, domain)
      select ${project.id}, 'a' || n || '.example' from generate_series(1, 1000) as n`;
    await service.pool`insert into domains (project_id, domain) values (${project.id}, 'zebra.com')`;
    const server = await startNameServer({});
    endings.push(() => server.stop());
    const findings = await see({ DNS_SERVERS: server.address });

    expect(about(findings, "domain zebra.com").map(({ status }) => status)).toEqual(["warning"]);
    expect(about(findings, "domains")[0]!.message).toBe("Only 1000 were checked");
  });
});

describe("the keys that sign", () => {
  const keys = async (secret: string) => about(await see({ SECRET_KEY: secret }), "dkim_keys");
  const project = async (...domains: string[]) => {
    const { id } = await service.createProject();
    endings.push(() => service.pool`delete from projects where id = ${id}`);
    for (const domain of domains) await addDomain(service, id, domain, OPERATOR);
    return id;
  };
  const seen = (id: string) =>
    service.pool`update domains set status = 'VERIFIED', verified_at = now() where project_id = ${id}`;

  test("are well where each opens, and there is nothing to say where none signs", async () => {
    const id = await project("one.example", "two.example");
    const none = await keys(SECRET_KEY);
    await seen(id);

    expect(none.map(({ status }) => status)).toEqual(["skipped"]);
    expect(await keys(service.config.SECRET_KEY)).toEqual([
      { check: "dkim_keys", status: "ok", message: "All 2 keys can be decrypted" },
    ]);
  });

  test("are an error where one does not open, which says what to do", async () => {
    const id = await project("one.example", "two.example");
    await seen(id);
    await service.pool`update domains set dkim_private_key = '\\x01' where domain = 'two.example'`;
    const [one] = await keys(service.config.SECRET_KEY);
    const [all] = await keys(SECRET_KEY);

    expect(one).toMatchObject({
      status: "error",
      message: expect.stringMatching(/^1 of 2 cannot be decrypted .* from two\.example$/),
      advice: expect.stringContaining(`bun run admin domain rekey ${id} two.example`),
    });
    expect(all!.message).toStartWith("2 of 2 cannot be decrypted");
  });

  test("are left alone where the service keeps its SECRET_KEY for itself", async () => {
    await project("one.example");
    expect((await keys("")).map(({ status }) => status)).toEqual(["skipped"]);
  });
});
