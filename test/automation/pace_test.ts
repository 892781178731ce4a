import { expect, test } from "bun:test";
import { paced } from "../../src/automation/engine/_pace.ts";
import { counted, requestsUnderway } from "../../src/traffic.ts";
import { useService } from "../support/service.ts";

const service = useService();

/** Requests that are under way until they are answered. */
const hold = (count: number) => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const handle = counted(service, () => promise);
  const answers = Array.from({ length: count }, () => handle());
  return {
    async answer() {
      resolve("answer");
      return await Promise.all(answers);
    },
  };
};

test("work gives way while many requests are under way, and goes on when they are answered", async () => {
  const order: string[] = [];
  await paced(service, () => Bun.sleep(500));
  const requests = hold(30);
  const next = paced(service, async () => order.push("work"));
  await Bun.sleep(200);
  order.push("answered");
  const answers = await requests.answer();
  await next;

  expect(order).toEqual(["answered", "work"]);
  expect(answers).toEqual(Array(30).fill("answer"));
  expect(requestsUnderway(service)).toBe(0);
});

test("a request that fails is under way no more", async () => {
  const rejects = counted(service, () => Promise.reject(new Error("no")));
  const throws = counted(service, () => {
    throw new Error("no");
  });
  const [rejected] = await Promise.allSettled([rejects()]);

  expect([rejected!.status, requestsUnderway(service)]).toEqual(["rejected", 0]);
  expect(throws).toThrow("no");
  expect(requestsUnderway(service)).toBe(0);
});
