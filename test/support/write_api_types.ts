// `bun run api:types`: writes what the console and the client know of the API, from the document of this very service.
import { loadConfig } from "../../src/config/mod.ts";
import type { Context } from "../../src/context.ts";
import { createApp } from "../../src/http/mod.ts";
import { createLog } from "../../src/log.ts";
import { type ApiDocument, apiTypes } from "./api_types.ts";
import { clientApi } from "./client_api.ts";

// Nothing of it is used: a document is made from the routes alone.
const ctx = {
  config: loadConfig({}),
  log: createLog("error"),
  sql: {},
  pool: {},
  now: () => new Date(),
} as Context;
const answer = await createApp(ctx).handle(new Request(`${ctx.config.BASE_URL}/openapi.json`));
if (!answer.ok) throw new Error(`Cannot write the types: ${await answer.text()}`);
const document = (await answer.json()) as ApiDocument;
await Bun.write(new URL("../../src/console/api.gen.ts", import.meta.url), apiTypes(document));
await Bun.write(new URL("../../src/client/api.gen.ts", import.meta.url), clientApi(document));
