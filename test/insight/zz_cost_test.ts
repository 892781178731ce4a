import { test } from "bun:test";
import { recordEvents } from "../../src/audience/events.ts";
import { inTransaction } from "../../src/context.ts";
import { useService } from "../support/service.ts";
const service = useService();
const N = Number(process.env.N ?? 300);
test("cost", async () => {
  const { id: projectId } = await service.createProject();
  const contacts = (
    await service.pool`insert into contacts (project_id, email, subscribed) select ${projectId}, n || '@e.com', true from generate_series(1, 500) n returning id`
  ).map((r) => r.id as string);
  const run = async (size: number) => {
    const times: number[] = [];
    for (let i = 0; i < N; i++) {
      const at = performance.now();
      await inTransaction(service, (tx) =>
        recordEvents(
          tx,
          Array.from({ length: size }, (_, k) => ({
            projectId,
            contactId: contacts[k % 500]!,
            name: `name ${k % 5}`,
            data: { a: 1 },
          })),
        ),
      );
      times.push(performance.now() - at);
    }
    times.sort((a, b) => a - b);
    return [times[N >> 2]!, times[N >> 1]!];
  };
  await run(1);
  await run(100);
  const modes: Record<string, string> = {
    all: "alter table events enable trigger all",
    "no count": "alter table events disable trigger events_count_added",
    none: "alter table events disable trigger user",
    ...JSON.parse(process.env.MODES ?? "{}"),
  };
  for (const size of [1, 100, 500]) {
    const out: Record<string, number[][]> = {};
    for (let r = 0; r < 4; r++)
      for (const [mode, sql] of Object.entries(modes)) {
        await service.pool.unsafe(modes.all!);
        await service.pool.unsafe(sql);
        await service.pool.unsafe("truncate event_count_deltas");
        const m = await run(size);
        (out[mode] ??= []).push(m);
      }
    console.log(
      size,
      Object.fromEntries(
        Object.entries(out).map(([k, v]) => [
          k,
          v.map((x) => x.map((y) => y.toFixed(2)).join("/")).join("  "),
        ]),
      ),
    );
  }
}, 120_000);
