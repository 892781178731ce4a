// `bun run test`: every test over one Postgres and one template, made once. A file that is run by itself starts its own.
import { forgetPictures, writePictureIndex } from "./picture_index.ts";
import { databaseUrl, prepareServer, stopServer } from "./postgres.ts";

await prepareServer();
if (process.argv.length === 2) forgetPictures();
// Four files at a time: on two processors half of a file's time is waiting. The longest come first, so that none is left over at
// the end.
const WORKERS = 4;
const TIMINGS = "test/timings.json";

// Workers keep the modules that they have loaded from file to file: to load and compile them for each takes a fifth of
// the whole. So no test file may leave anything in a module behind.
const tests = Bun.spawn(
  [
    process.execPath,
    "test",
    `--parallel=${WORKERS}`,
    `--timings=${TIMINGS}`,
    "--no-isolate",
    "--timeout=300000",
    ...process.argv.slice(2),
  ],
  {
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl("postgres") },
    stdio: ["inherit", "inherit", "inherit"],
  },
);
// Ctrl+C reaches the tests by itself; they come to their end, and Postgres after them.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => tests.kill());
await tests.exited;
await stopServer();
await writePictureIndex();
process.exit(tests.exitCode ?? 1);
