// Runs once before all tests: one Postgres, one migrated template that every test file copies.
import { afterAll } from "bun:test";
import { prepareServer, stopServer } from "./postgres.ts";

process.env.TZ = "UTC";
await prepareServer();

afterAll(stopServer);
