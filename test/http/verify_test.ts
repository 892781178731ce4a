import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { createApp } from "../../src/http/mod.ts";
import { createDns } from "../../src/mail/dns.ts";
import { startNameServer } from "../support/name_server.ts";
import { poolUse } from "../../src/db/pool.ts";
import { until } from "../support/process.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let names: Awaited<ReturnType<typeof startNameServer>>;
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  project = await service.createProject();
  names = await startNameServer();
  names.set("acme.example", "MX", ["10 mx.acme.example"]);
  names.set("acme.example", "A", ["192.0.2.1"]);
  app = createApp({ ...service, dns: createDns({ servers: [names.address], timeoutMs: 400 }) });
});

afterAll(() => names.stop());

const verify = async (email: unknown, by = app) => {
  const response = await by.handle(
    new Request("http://localhost/v1/verify", {
      method: "POST",
      headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ email }),
    }),
  );
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: response.status, body: (await response.json()) as any };
};

describe("POST /v1/verify", () => {
  test("finds nothing against a good address, asked at the configured name servers", async () => {
    expect(await verify("Ada+news@Acme.example")).toEqual({
      status: 200,
      body: {
        success: true,
        data: {
          email: "ada+news@acme.example",
          valid: true,
          isDisposable: false,
          isAlias: false,
          isTypo: false,
          isPlusAddressed: true,
          isPersonalEmail: false,
          domainExists: true,
          hasWebsite: true,
          hasMxRecords: true,
          reasons: [],
        },
      },
    });
    expect(names.queries.length).toBeGreaterThan(0);
  });

  test("says that a domain does not exist", async () => {
    const { body } = await verify("ada@nowhere.example");

    expect(body.data).toMatchObject({ valid: false, domainExists: false, hasMxRecords: false });
    expect(body.data.reasons).not.toEqual([]);
  });

  test("a resolver that is silent is a reason, and no fault of the address", async () => {
    names.set("quiet.example", "*", "SILENT");
    const { body } = await verify("ada@quiet.example");

    expect(body.data).toMatchObject({ valid: true, domainExists: null, hasMxRecords: null });
    expect(body.data.reasons.join()).toContain("could not be checked");
  });

  test.each(["SERVFAIL", "REFUSED", "GARBAGE", "FORGED", "SILENT", "REFERRAL"] as const)(
    "a resolver that answers with %s is a reason, and no fault of the address",
    async (fault) => {
      names.set("faulty.example", "*", fault);
      const { status, body } = await verify("ada@faulty.example");

      expect(status).toBe(200);
      expect(body.data).toMatchObject({ valid: true, domainExists: null, hasMxRecords: null });
      expect(body.data.reasons.join()).toContain("could not be checked");
    },
  );

  test("a resolver that is not there is a reason, too", async () => {
    const gone = await startNameServer();
    await gone.stop();
    const nobody = createApp({ ...service, dns: createDns({ servers: [gone.address], timeoutMs: 400 }) });
    const { status, body } = await verify("ada@acme.example", nobody);

    expect([status, body.data.domainExists, body.data.hasMxRecords]).toEqual([200, null, null]);
    expect(body.data.reasons.join()).toContain("could not be checked");
  });

  test("many that wait for a silent resolver hold no connection, and nobody else up", async () => {
    const patient = createApp({
      ...service,
      dns: createDns({ servers: [names.address], timeoutMs: 2_000 }),
    });
    names.set("quiet.example", "*", "SILENT");
    names.queries.length = 0;
    let done = 0;
    const waiting = Array.from({ length: 30 }, async (_, n) => {
      await verify(`ada${n}@quiet.example`, patient);
      done++;
    });
    await until("all of them have asked", () => names.queries.length >= 30 * 5);
    // The log of requests may need one for a moment.
    await until("no connection is held", () => poolUse(service.pool).underway === 0);
    const contacts = await patient.handle(
      new Request("http://localhost/contacts", { headers: { authorization: `Bearer ${project.secret}` } }),
    );
    const before = done;
    await Promise.all(waiting);

    expect([contacts.status, before < 30]).toEqual([200, true]);
    expect(done).toBe(30);
  });

  test.each([["no address"], [""], [5], [undefined], ["a@b"], ["a\r\n@b.io"]])(
    "%p is refused with 422",
    async (email) => {
      const { status, body } = await verify(email);

      expect(status).toBe(422);
      expect(body.error.errors).toMatchObject([{ field: "email" }]);
    },
  );
});
