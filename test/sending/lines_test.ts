import { expect, test } from "bun:test";
import { createLines } from "../../src/sending/delivery/_lines.ts";

const lines = createLines<{ projectId: string; domain: string; n: number }>();
const fill = (projectId: string, domain: string, count: number) => {
  for (let n = 0; n < count; n++) lines.push({ projectId, domain, n });
};
const taken = (count: number, begins: (item: { domain: string }) => boolean = () => true) =>
  lines.take(count, begins).map(({ projectId, domain, n }) => `${projectId} ${domain} ${n}`);

test("one of each project is taken in turn, and of a project one for each domain", () => {
  fill("many", "a", 1_000);
  fill("many", "b", 2);
  fill("few", "a", 1);

  expect(taken(6)).toEqual(["many a 0", "few a 0", "many b 0", "many a 1", "many b 1", "many a 2"]);
  expect(lines.size).toBe(997);
  expect([lines.projects, lines.domains]).toEqual([1, 1]);
});

test("who may not begin is asked once, and stays", () => {
  fill("other", "b", 3);
  let asked = 0;
  const found = taken(10, ({ domain }) => {
    if (domain === "a") asked += 1;
    return domain === "b";
  });

  expect(found).toEqual(["other b 0", "other b 1", "other b 2"]);
  expect(asked).toBe(1);
  expect(lines.size).toBe(997);
});

test("who is stuck is taken with all behind it", () => {
  fill("other", "b", 2);

  expect(lines.takeStuck(({ domain }) => domain === "a")).toHaveLength(997);
  expect(lines.size).toBe(2);
  expect(taken(5)).toHaveLength(2);
  expect([lines.size, lines.projects, lines.domains]).toEqual([0, 0, 0]);
});
