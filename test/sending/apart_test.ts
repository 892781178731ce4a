// Mails that wait apart, without a job: which of them come back when there is room for one.
import { afterEach, expect, test } from "bun:test";
import { type ApartMails, createApartMails } from "../../src/sending/delivery/_apart.ts";
import type { DomainRoom } from "../../src/sending/delivery/_domain_pace.ts";
import { useLedger } from "../support/ledger.ts";
import { useService } from "../support/service.ts";

const service = useService();
const { project, accept } = useLedger(service);

afterEach(async () => {
  await service.dropJobs();
  await service.pool`delete from emails`;
});

/** Domains of which two mails each wait apart, in this order. */
const waiting = async (...domains: string[]): Promise<ApartMails> => {
  const apart = createApartMails(service);
  for (const domain of domains) {
    for (const emailId of await accept([`a@${domain}`, `b@${domain}`])) {
      await apart.add({ projectId: project.id, emailId, campaignId: null, domain, kind: null }, false);
    }
  }
  return apart;
};
const fetched = async (apart: ApartMails, rooms: Record<string, DomainRoom>, here: string[] = []) => {
  const back = await apart.fetch({
    pace: { room: (domain) => rooms[domain] ?? { mails: 0, as: "few" } },
    waitingFor: (domain) => (here.includes(domain) ? 1 : 0),
  });
  return back.map(({ domain }) => domain).toSorted();
};
const all = (room: DomainRoom) =>
  Object.fromEntries(["a.test", "b.test", "c.test", "d.test"].map((domain) => [domain, room]));

test.each([
  ["first", "a.test"],
  ["last", "d.test"],
] as const)("of domains of which one may be tried, the one that came %s is", async (as, domain) => {
  const apart = await waiting("a.test", "b.test", "c.test", "d.test");
  // Which one came when does not change by who had its turn meanwhile.
  const others = await fetched(apart, {
    "a.test": { mails: 1, as: "few" },
    "c.test": { mails: 1, as: "few" },
  });
  const tried = await fetched(apart, all({ mails: 1, as }));

  expect(others).toEqual(["a.test"]);
  expect(tried).toEqual([domain]);
});

test("one is tried beside those that have room", async () => {
  const apart = await waiting("a.test", "b.test", "c.test", "d.test");
  const rooms = { ...all({ mails: 1, as: "last" }), "b.test": { mails: 80, as: "many" } as const };

  expect(await fetched(apart, rooms)).toEqual(["b.test", "b.test", "d.test"]);
});

test("one of each transport is tried, and no other while it waits for a connection", async () => {
  const apart = await waiting("a.test", "b.test", "c.test", "d.test");
  const rooms = Object.fromEntries(
    ["a.test", "b.test", "c.test", "d.test"].map((domain, n) => [
      domain,
      { mails: 1, as: "first", by: n % 2 === 0 ? "one" : "two" } as const,
    ]),
  );
  const first = await fetched(apart, rooms);
  const meanwhile = await fetched(apart, rooms, ["a.test"]);

  expect(first).toEqual(["a.test", "b.test"]);
  expect(meanwhile).toEqual(["b.test"]);
});
