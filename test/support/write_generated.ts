// `bun run sql:types` and `bun run sql:schema`: writes what is generated from the migrated schema.
import { generateTypes } from "../../src/db/generate.ts";
import { drawSchema } from "../../src/db/schema_picture.ts";
import { dropDatabase, newDatabase, openPlainPool } from "./postgres.ts";

const targets = {
  types: { path: new URL("../../src/db/queries.gen.ts", import.meta.url), generate: generateTypes },
  schema: { path: new URL("../../sql/schema.sql", import.meta.url), generate: drawSchema },
};

const target = targets[process.argv[2] as keyof typeof targets];
if (!target) throw new Error("Cannot write anything: say `types` or `schema`");

const database = await newDatabase();
const sql = openPlainPool(database);
try {
  await Bun.write(target.path, await target.generate(sql));
} finally {
  await sql.end();
  await dropDatabase(database);
}
