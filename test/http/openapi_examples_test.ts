// The examples of the OpenAPI document are requests that were made, with their answers. `bun run openapi:examples` makes
// them again.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { plainExamples } from "../support/openapi_examples.ts";
import { walkAll } from "../support/openapi_walk.ts";
import { useService } from "../support/service.ts";

const FILE = new URL("../../src/http/entry/examples.gen.json", import.meta.url);

const service = useService({
  PLATFORM_FROM: "Postrider <postrider@example.com>",
  REQUEST_LOG_PER_MINUTE: "120",
});

test("every operation is done with success, and its example is kept", async () => {
  const { made, untold } = await walkAll(service);
  const stored = JSON.parse(readFileSync(FILE, "utf8")) as object;

  expect(untold).toEqual([]);
  if (process.env.WRITE_EXAMPLES !== "1") return expect(Object.keys(stored)).toEqual([...made.keys()].sort());
  const sorted = Object.fromEntries([...made].sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(plainExamples(sorted), null, 2)}\n`);
});
