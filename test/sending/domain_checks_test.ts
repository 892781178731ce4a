import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { createDns } from "../../src/mail/dns.ts";
import { dkimKeyOf, makeDkimKey } from "../../src/sending/dkim_keys.ts";
import { checkDueDomains } from "../../src/sending/domains/checks.ts";
import {
  addDomain,
  type Domain,
  getDomain,
  removeDomain,
  verifyDomain,
} from "../../src/sending/domains/mod.ts";
import { tasks } from "../../tasks/mod.ts";
import { type NameServer, startNameServer, type ZoneAnswer } from "../support/name_server.ts";
import { useService } from "../support/service.ts";

const service = useService({ INBOUND_HOST: "mail.host.example", SPF_INCLUDE: "amazonses.com" });
const START = Date.UTC(2031, 0, 1);
let names: NameServer;
let ctx: Context;
let project: NewProject;
let minute = 0;

beforeAll(async () => {
  names = await startNameServer();
  ctx = { ...service, dns: createDns({ servers: [names.address], timeoutMs: 200 }) };
});
afterAll(() => names.stop());

beforeEach(async () => {
  await service.pool`delete from domains`;
  await service.pool`delete from platform_mails`;
  project = await service.createProject();
  const [user] = await service.pool`
    insert into users (email) values (${`${crypto.randomUUID()}@people.example`}) returning id`;
  await service.pool`
    insert into memberships (project_id, user_id, role) values (${project.id}, ${user!.id}, 'OWNER')`;
  names.queries.length = 0;
  goTo(0);
});

/** Moves the clock to so many minutes after the start of the test. */
function goTo(minutes: number): void {
  minute = minutes;
  service.setNow(new Date(START + minutes * 60_000));
}

const add = (name: string) => addDomain(ctx, project.id, name, OPERATOR);
const recordOf = (domain: Domain, purpose: string, type = "TXT") =>
  domain.records.find((record) => record.purpose === purpose && record.type === type)!;
const publish = (domain: Domain, purpose: string, answer?: ZoneAnswer, type = "TXT") => {
  const { name, value, priority } = recordOf(domain, purpose, type);
  const strings = [type === "MX" ? `${priority} ${value}` : value.match(/.{1,255}/g)!];
  names.set(name, type, answer ?? strings);
};
/** Asks for a check, long enough after the last one. */
const verify = async ({ id }: { id: string }) => {
  goTo(minute + 0.6);
  return await verifyDomain(ctx, project.id, id);
};
const statesOf = (domain: Domain) => domain.records.map(({ status }) => status);
const subjects = async () =>
  (await service.pool`select subject from platform_mails order by created_at, id`).map(
    (row) => row.subject as string,
  );
const rowOf = async ({ id }: { id: string }) =>
  (await service.pool`select * from domains where id = ${id}`)[0]!;
const current = ({ id }: { id: string }) => getDomain(ctx, project.id, id);
/** Adds domains that are due, and answers their names. The first ones are taken first. */
const addMany = async (count: number, name: string) => {
  const rows = Array.from({ length: count }, (_, i) => `${name}${i}.example`);
  await service.pool`
    insert into domains (project_id, domain, dkim_selector, dkim_public_key, dkim_private_key, next_check_at)
    select ${project.id}, name, 'pr1', 'YWJj', '\\x00', ${new Date(START)}::timestamptz + n * interval '1 ms'
    from unnest(${rows}::text[]) with ordinality as r (name, n)`;
  return rows;
};
const askedFor = (name: string) => names.queries.filter((query) => query.name === name).length;

describe("a check", () => {
  test("says of each record how it stands, and follows it as it appears, changes and disappears", async () => {
    const domain = await add("follow.example");
    const states = async () => statesOf(await verify(domain));
    const seen = [statesOf(domain), await states()];
    for (const [purpose, type] of [["DKIM"], ["SPF"], ["RETURN_PATH", "MX"], ["RETURN_PATH"], ["DMARC"]]) {
      publish(domain, purpose!, undefined, type);
    }
    seen.push(await states());
    publish(domain, "SPF", ["v=spf1 mx -all"]);
    publish(domain, "RETURN_PATH", ["10 mx.other.example"], "MX");
    publish(domain, "DMARC", "NXDOMAIN");
    publish(domain, "DKIM", [["v=DKIM1; p="]]);
    seen.push(await states());

    expect(domain.records.map(({ purpose, type }) => `${purpose} ${type}`)).toEqual([
      "DKIM TXT",
      "SPF TXT",
      "RETURN_PATH MX",
      "RETURN_PATH TXT",
      "DMARC TXT",
    ]);
    expect(seen).toEqual([
      ["PENDING", "PENDING", "PENDING", "PENDING", "PENDING"],
      ["MISSING", "MISSING", "MISSING", "MISSING", "MISSING"],
      ["VERIFIED", "VERIFIED", "VERIFIED", "VERIFIED", "VERIFIED"],
      ["MISMATCH", "MISMATCH", "MISMATCH", "VERIFIED", "MISSING"],
    ]);
  });

  test("verifies by the DKIM record alone, and from then on mail can be sent and signed", async () => {
    const domain = await add("alone.example");
    for (const purpose of ["SPF", "DMARC"]) publish(domain, purpose);
    const without = await verify(domain);
    publish(domain, "DKIM");
    const verified = await verify(domain);

    expect([without.status, without.verified, without.lastCheckedAt]).toEqual([
      "PENDING",
      false,
      expect.any(Date),
    ]);
    expect([verified.status, verified.verified]).toEqual(["VERIFIED", true]);
    expect((await dkimKeyOf(ctx, project.id, "alone.example"))?.selector).toBe(domain.dkimTokens[0]);
  });

  test("finds a key behind aliases", async () => {
    const domain = await add("alias.example");
    const { name, value } = recordOf(domain, "DKIM");
    names.set(name, "CNAME", ["one.host.example"]);
    names.set("one.host.example", "CNAME", ["two.host.example"]);
    names.set("two.host.example", "TXT", [value.match(/.{1,200}/g)!]);

    expect((await verify(domain)).status).toBe("VERIFIED");
  });

  test("takes the DMARC policy of the domain above", async () => {
    const domain = await add("news.above.example");
    publish(domain, "DKIM");
    names.set("_dmarc.above.example", "TXT", ["v=DMARC1; p=reject"]);

    expect(recordOf(await verify(domain), "DMARC").status).toBe("VERIFIED");
  });

  test.each(["SERVFAIL", "REFUSED", "SILENT"] as const)(
    "that the DNS does not answer (%s) changes nothing, however often, and asks for no other record",
    async (failure) => {
      const domain = await add(`${failure.toLowerCase()}.example`);
      publish(domain, "DKIM");
      publish(domain, "SPF");
      const before = await verify(domain);
      publish(domain, "DKIM", failure);
      publish(domain, "SPF", "NXDOMAIN");
      names.queries.length = 0;
      for (const hours of [1, 2, 3, 100]) {
        goTo(hours * 60);
        await verify(domain);
      }
      const { status, records } = await current(domain);

      expect([status, records]).toEqual(["VERIFIED", before.records]);
      expect(await rowOf(domain)).toMatchObject({ failures: 0, failingSince: null });
      expect(new Set(names.queries.map(({ name }) => name))).toEqual(
        new Set([recordOf(domain, "DKIM").name]),
      );
    },
  );

  test("that gets no answer about an advised record keeps what was known of that one", async () => {
    const domain = await add("partly.example");
    for (const purpose of ["DKIM", "SPF", "DMARC"]) publish(domain, purpose);
    await verify(domain);
    publish(domain, "SPF", "SERVFAIL");
    publish(domain, "DMARC", "NXDOMAIN");
    const checked = await verify(domain);

    expect(statesOf(checked)).toEqual(["VERIFIED", "VERIFIED", "MISSING", "MISSING", "MISSING"]);
    expect(checked.status).toBe("VERIFIED");
  });
});

describe("a verified domain whose record goes away", () => {
  const lose = async (name: string) => {
    const domain = await add(name);
    publish(domain, "DKIM");
    await verify(domain);
    publish(domain, "DKIM", "NXDOMAIN");
    return domain;
  };
  const after = async (domain: Domain, minutes: number) => {
    goTo(minutes);
    return (await verifyDomain(ctx, project.id, domain.id)).status;
  };

  test("stays verified for three checks within an hour, and is given up an hour after the first", async () => {
    const domain = await lose("hour.example");
    const statuses = [];
    for (const minutes of [10, 20, 30, 69.9]) statuses.push(await after(domain, minutes));
    const signing = await dkimKeyOf(ctx, project.id, "hour.example");
    statuses.push(await after(domain, 70.5));

    expect(statuses).toEqual(["VERIFIED", "VERIFIED", "VERIFIED", "VERIFIED", "FAILED"]);
    expect([signing === null, await dkimKeyOf(ctx, project.id, "hour.example")]).toEqual([false, null]);
    expect(await subjects()).toEqual(["hour.example is verified", "hour.example is no longer verified"]);
  });

  test("is not given up after two checks far apart, and starts again when the record was back once", async () => {
    const domain = await lose("anew.example");
    const statuses = [await after(domain, 10), await after(domain, 500)];
    publish(domain, "DKIM");
    await after(domain, 501);
    publish(domain, "DKIM", [["v=DKIM1; p=YWJj"]]);
    for (const minutes of [502, 530, 561]) statuses.push(await after(domain, minutes));
    statuses.push(await after(domain, 562.5));

    expect(statuses).toEqual(["VERIFIED", "VERIFIED", "VERIFIED", "VERIFIED", "VERIFIED", "FAILED"]);
  });

  test("is verified again by itself when the record is back, and each change is told once", async () => {
    const domain = await lose("back.example");
    for (const minutes of [10, 40, 71, 75]) await after(domain, minutes);
    publish(domain, "DKIM");
    for (const minutes of [80, 85, 200]) {
      goTo(minutes);
      await checkDueDomains(ctx);
    }

    expect((await current(domain)).status).toBe("VERIFIED");
    expect(await subjects()).toEqual([
      "back.example is verified",
      "back.example is no longer verified",
      "back.example is verified",
    ]);
  });
});

test("a domain that is never published fails after 72 hours, is told once, and can be verified later", async () => {
  const domain = await add("never.example");
  const statuses = [];
  for (const hours of [0.1, 1, 24, 72, 72.2, 80, 100]) {
    goTo(hours * 60);
    await checkDueDomains(ctx);
    statuses.push((await current(domain)).status);
  }
  const told = await subjects();
  publish(domain, "DKIM");
  goTo(120 * 60);
  await checkDueDomains(ctx);

  expect(statuses).toEqual(["PENDING", "PENDING", "PENDING", "PENDING", "FAILED", "FAILED", "FAILED"]);
  expect(told).toEqual(["never.example could not be verified"]);
  expect((await current(domain)).status).toBe("VERIFIED");
  expect(await subjects()).toEqual([...told, "never.example is verified"]);
});

describe("a domain that the operator vouches for", () => {
  test("has no key and is not looked up until somebody asks, and gets its key then", async () => {
    const { domainId: id } = await addVerifiedDomain(ctx, project.id, "trusted.example");
    goTo(1000);
    await checkDueDomains(ctx);
    const before = await current({ id });
    const asked = names.queries.length;
    const first = await verify({ id });

    expect([before.dkimTokens, before.records.map(({ purpose }) => purpose), asked]).toEqual([
      [],
      ["SPF", "RETURN_PATH", "RETURN_PATH", "DMARC"],
      0,
    ]);
    expect([first.status, recordOf(first, "DKIM").status]).toEqual(["VERIFIED", "MISSING"]);
    expect(await verify({ id })).toMatchObject({ dkimTokens: first.dkimTokens, status: "VERIFIED" });
  });

  test("stays verified without records, is signed for once they are seen, and nobody is told", async () => {
    const { domainId: id } = await addVerifiedDomain(ctx, project.id, "vouched.example");
    await makeDkimKey(ctx, project.id, id);
    const statuses = [];
    for (const hours of [0, 1, 2, 99]) {
      goTo(hours * 60);
      statuses.push((await verify({ id })).status);
    }
    const before = await dkimKeyOf(ctx, project.id, "vouched.example");
    publish(await current({ id }), "DKIM");
    goTo(200 * 60);
    await checkDueDomains(ctx);
    const seen = await dkimKeyOf(ctx, project.id, "vouched.example");

    expect(statuses).toEqual(["VERIFIED", "VERIFIED", "VERIFIED", "VERIFIED"]);
    expect([before, seen?.domain, await subjects()]).toEqual([null, "vouched.example", []]);
  });

  test("is trusted from that moment, whatever a check that is under way finds", async () => {
    const domain = await add("crossed.example");
    publish(domain, "DKIM", [["v=DKIM1; p=YWJj"]]);
    await service.pool`
      update domains set failures = 9, failing_since = ${new Date(START - 100 * 3_600_000)} where id = ${domain.id}`;
    const slow = slowDns(async () => void (await addVerifiedDomain(ctx, project.id, "crossed.example")));
    await verifyDomain({ ...ctx, dns: slow }, project.id, domain.id);

    expect((await current(domain)).status).toBe("VERIFIED");
    expect(await subjects()).toEqual([]);
  });
});

/** A DNS during whose first look-up something else happens. */
function slowDns(meanwhile: () => Promise<void>): Context["dns"] {
  let once: Promise<void> | undefined;
  return {
    lookup: async (...asked) => {
      await (once ??= meanwhile());
      return await ctx.dns.lookup(...asked);
    },
  };
}

describe("checks at once", () => {
  test("make one look-up and one notice, and within 30 s there is no other", async () => {
    const domain = await add("race.example");
    publish(domain, "DKIM");
    const { name } = recordOf(domain, "DKIM");
    goTo(1);
    await Promise.all(Array.from({ length: 10 }, () => verifyDomain(ctx, project.id, domain.id)));
    await checkDueDomains(ctx);
    const asked = [askedFor(name)];
    goTo(1.45);
    const stored = await verifyDomain(ctx, project.id, domain.id);
    asked.push(askedFor(name));
    goTo(1.6);
    await verifyDomain(ctx, project.id, domain.id);
    asked.push(askedFor(name));

    expect(asked).toEqual([1, 1, 2]);
    expect([stored.status, stored.lastCheckedAt!.getTime() < START + 1.4 * 60_000]).toEqual([
      "VERIFIED",
      true,
    ]);
    expect(await subjects()).toEqual(["race.example is verified"]);
  });

  test("of several processes share the domains that are due, each looked up once", async () => {
    const rows = await addMany(230, "many");
    for (const [i, row] of rows.entries()) {
      if (i % 2 === 0) names.set(`pr1._domainkey.${row}`, "TXT", ["v=DKIM1; p=YWJj"]);
    }
    goTo(1);
    // On a busy machine an answer takes its time, and a question that is repeated is not one that is asked twice.
    const patient = { ...ctx, dns: createDns({ servers: [names.address], timeoutMs: 20_000 }) };
    await Promise.all([1, 2, 3].map(() => checkDueDomains(patient)));
    const found =
      await service.pool`select status, count(*)::int as n from domains group by status order by status`;

    expect(rows.map((row) => askedFor(`pr1._domainkey.${row}`))).toEqual(Array(230).fill(1));
    // The project of this test has a domain that the operator vouches for as well.
    expect(found.map(({ status, n }) => [status, n])).toEqual([
      ["PENDING", 115],
      ["VERIFIED", 116],
    ]);
    expect(await subjects()).toHaveLength(115);
    const [next] = await service.pool`
      select count(distinct next_check_at)::int as n from domains where status = 'VERIFIED' and not trusted`;
    expect(next!.n).toBeGreaterThan(100);
  });

  test("of one batch look up no more than 50 domains, and one record of each, at a time", async () => {
    await addMany(120, "busy");
    const busy = new Map<string, number>();
    const most = { inAll: 0, ofOne: 0 };
    const lookup: Context["dns"]["lookup"] = async (name) => {
      const domain = /busy\d+/.exec(name)![0];
      busy.set(domain, (busy.get(domain) ?? 0) + 1);
      most.ofOne = Math.max(most.ofOne, busy.get(domain)!);
      most.inAll = Math.max(most.inAll, [...busy.values()].filter((n) => n > 0).length);
      const [open] = await service.pool`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`;
      expect(open!.n).toBe(0);
      busy.set(domain, busy.get(domain)! - 1);
      return { state: "missing" };
    };
    goTo(1);
    await checkDueDomains({ ...ctx, dns: { lookup } });

    expect(most).toEqual({ inAll: 50, ofOne: 1 });
  });

  test("of a domain whose servers are silent hold up no other of its batch", async () => {
    await addMany(100, "quiet");
    const asked = new Set<string>();
    let others = 0;
    const lookup: Context["dns"]["lookup"] = async (name) => {
      const n = Number(/quiet(\d+)/.exec(name)![1]);
      asked.add(name);
      if (n >= 49) return { state: "missing" };
      await Bun.sleep(300);
      others = Math.max(others, [...asked].filter((one) => one.startsWith("pr1.")).length);
      return { state: "failed", reason: "timeout" };
    };
    goTo(1);
    await checkDueDomains({ ...ctx, dns: { lookup } });

    // All of them, when the silent ones had not said anything yet.
    expect(others).toBe(100);
  });

  test("of more than a batch are several jobs, one after the other", async () => {
    await addMany(230, "queued");
    const checked = async () =>
      (await service.pool`select count(*)::int as n from domains where last_checked_at is not null`)[0]!
        .n as number;
    const waiting = async () =>
      (await service.pool`select from graphile_worker.jobs where task_identifier = 'check_domains'`).length;
    const lookup: Context["dns"]["lookup"] = async () => ({ state: "missing" });
    goTo(1);
    const seen = [];
    for (let i = 0; i < 3; i++) {
      await service.dropJobs();
      await tasks.check_domains({ ...ctx, dns: { lookup } }, {});
      seen.push([await checked(), await waiting()]);
    }

    expect(seen).toEqual([
      [100, 1],
      [200, 1],
      [230, 0],
    ]);
  });

  test("leave nothing behind when the domain is removed meanwhile", async () => {
    const domain = await add("removed.example");
    publish(domain, "DKIM");
    const slow = slowDns(() => removeDomain(ctx, project.id, domain.id, OPERATOR));
    goTo(1);
    const checked = verifyDomain({ ...ctx, dns: slow }, project.id, domain.id);

    await expect(checked).rejects.toMatchObject({ status: 404 });
    expect([await rowOf(domain), await subjects()]).toEqual([undefined as never, []]);
  });

  test("that come back too late write nothing over what a later one has found", async () => {
    const domain = await add("late.example");
    const slow = slowDns(async () => {
      goTo(5);
      publish(domain, "DKIM");
      await verifyDomain(ctx, project.id, domain.id);
      publish(domain, "DKIM", "NXDOMAIN");
    });
    goTo(1);
    const late = await verifyDomain({ ...ctx, dns: slow }, project.id, domain.id);

    expect([late.status, recordOf(late, "DKIM").status]).toEqual(["VERIFIED", "VERIFIED"]);
    expect((await rowOf(domain)).failures).toBe(0);
  });

  test("of a process that died are made by another one, minutes later", async () => {
    const domain = await add("died.example");
    publish(domain, "DKIM");
    goTo(1);
    const dead = checkDueDomains({ ...ctx, dns: { lookup: () => Promise.reject(new Error("killed")) } });
    await expect(dead).rejects.toThrow("killed");
    await checkDueDomains(ctx);
    const before = (await current(domain)).status;
    goTo(6);
    await checkDueDomains(ctx);

    expect([before, (await current(domain)).status]).toEqual(["PENDING", "VERIFIED"]);
  });
});

describe("the schedule", () => {
  test("looks a new domain up at every run, and a verified one about every hour", async () => {
    const domain = await add("often.example");
    const { name } = recordOf(domain, "DKIM");
    const run = async (minutes: number[]) => {
      const before = askedFor(name);
      for (const at of minutes) {
        goTo(at);
        await tasks.check_domains(ctx, {});
      }
      return askedFor(name) - before;
    };
    const pending = await run([5, 10, 15, 20]);
    publish(domain, "DKIM");
    const verifying = await run([25]);
    const settled = await run(Array.from({ length: 24 }, (_, i) => 30 + i * 5));

    expect([pending, verifying]).toEqual([4, 1]);
    expect([1, 2]).toContain(settled);
  });

  test("has a line for it", async () => {
    const crontab = await Bun.file(new URL("../../tasks/crontab", import.meta.url)).text();
    expect(crontab).toMatch(/^\*\/5 +\* +\* +\* +\* +check_domains$/m);
  });
});

test("a change that cannot be told is not made, and is made when it can", async () => {
  const domain = await add("told.example");
  publish(domain, "DKIM");
  await service.pool`alter table platform_mails rename to platform_mails_away`;
  const failed = await verify(domain).catch((error: Error) => error.message);
  await service.pool`alter table platform_mails_away rename to platform_mails`;
  const before = (await current(domain)).status;
  const after = await verify(domain);

  expect([failed, before, after.status]).toEqual([
    expect.stringContaining("platform_mails"),
    "PENDING",
    "VERIFIED",
  ]);
  expect(await subjects()).toEqual(["told.example is verified"]);
});

test("members of another project with the same domain hear nothing, and theirs stays as it is", async () => {
  const other = await service.createProject();
  const theirs = await addDomain(ctx, other.id, "shared.example", OPERATOR);
  const ours = await add("shared.example");
  publish(ours, "DKIM");
  await verify(ours);
  goTo(5);
  await checkDueDomains(ctx);

  expect([ours.dkimTokens[0] === theirs.dkimTokens[0], (await current(ours)).status]).toEqual([
    false,
    "VERIFIED",
  ]);
  expect((await getDomain(ctx, other.id, theirs.id)).status).toBe("PENDING");
  await expect(verifyDomain(ctx, project.id, theirs.id)).rejects.toMatchObject({ status: 404 });
  expect(await subjects()).toEqual(["shared.example is verified"]);
});
