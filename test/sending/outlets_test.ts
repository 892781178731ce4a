// The ways out that a process keeps: those of transports in use, and others until their last handover ends.
import { expect, test } from "bun:test";
import { createOutlets, type Outlet, type Outlets } from "../../src/sending/delivery/_outlets.ts";
import type { QueuedRequest } from "../../src/sending/delivery/_places.ts";
import { transportsOf } from "../../src/sending/transports/known.ts";
import { useService } from "../support/service.ts";
import { useTransports } from "../support/transports.ts";

const service = useService({ ALLOW_PRIVATE_TRANSPORTS: "true" });
const { add } = useTransports(service);

const request = (n: number): QueuedRequest => ({
  projectId: "019ab3f8-5d30-7c3e-9a01-000000000001",
  emailId: `019ab3f8-5d30-7c3e-9a01-00000000001${n}`,
  campaignId: null,
  domain: "example.com",
  kind: null,
  done: () => {},
  failed: () => {},
  since: 0,
  flight: null,
  isInBulk: false,
  isLoose: false,
});

test.each([
  ["removed", "delete from transports where id = $1"],
  ["paused", "update transports set paused_at = now(), pause_reason = '' where id = $1"],
  ["given other connections", "update transports set connections = 7 where id = $1"],
])("one that is %s gives back what waits, and is forgotten with its last handover", async (_, change) => {
  const { id } = await add({ priority: 10 });
  const outlets = createOutlets(service, { waitingApart: () => 0, onSlow: () => {} });
  const [underway, waiting] = [request(1), request(2)];
  const earlier = outlets.choose(underway) as Outlet;
  for (const one of [underway, waiting]) {
    outlets.give(one, earlier);
    earlier.places.push(one);
  }
  expect(earlier.places.choose(1)).toEqual([underway]);
  earlier.taken = 1;
  expect([outlets.retire(), outlets.ready()]).toEqual([[], 1]);

  await service.pool.unsafe(change, [id]);
  await transportsOf(service).refresh();
  expect([outlets.isInUse(earlier), outlets.ready(), outlets.waiting]).toEqual([false, 0, 1]);
  expect(outlets.retire()).toEqual([waiting]);
  expect([[...outlets].includes(earlier), outlets.waiting]).toEqual([true, 0]);
  expect(outlets.of(underway)).toBe(earlier);
  const next = outlets.choose(waiting) as Outlet;
  expect([next === earlier, outlets.isInUse(next), next.gate.way]).toEqual([false, true, "here"]);

  earlier.places.vacate(underway);
  earlier.taken = 0;
  expect(outlets.retire()).toEqual([]);
  expect([...outlets].includes(earlier)).toBe(false);
});

test("domains that wait apart because of one transport are tried at another as if none waited", async () => {
  const ids = [(await add({ priority: 10 })).id, (await add({ priority: 20 })).id];
  const crowd = Array.from({ length: 30 }, (_, n) => ({
    ...request(1),
    projectId: crypto.randomUUID(),
    domain: `d${n}.example`,
  }));
  const by = async (outlets: Outlets, id: string) => {
    await service.pool`
      update transports
      set paused_at = case when id <> ${id} then now() end, pause_reason = case when id <> ${id} then '' end`;
    await transportsOf(service).refresh();
    return outlets.choose(request(1)) as Outlet;
  };
  const begun = ({ places }: Outlet) => {
    for (const one of crowd) places.push({ ...one });
    return places.choose(crowd.length).length;
  };
  const make = () => createOutlets(service, { waitingApart: () => 5_000, onSlow: () => {} });
  const outlets = make();
  const failing = await by(outlets, ids[0]!);
  for (const { domain } of crowd) outlets.noteApart(domain, failing);
  const other = await by(outlets, ids[1]!);
  // Before anybody knows because of which one they wait, it counts everywhere.
  const untold = await by(make(), ids[1]!);
  const few = begun(failing);

  expect([failing, other].map(({ transport }) => transport.id)).toEqual(ids);
  expect(begun(untold)).toBe(few);
  expect(begun(other)).toBeGreaterThan(few);
});
