// Lines of an export are made by Postgres: they are those that our own code would make.
import { beforeAll, expect, test } from "bun:test";
import { compileSelection } from "../../src/audience/selection.ts";
import { type ExportFormat, exportContacts } from "../../src/audience/export.ts";
import { toCsvLine } from "../../src/csv.ts";
import { useService } from "../support/service.ts";

const service = useService();
// Two pages, and a piece that is not full.
const PEOPLE = 256 * 2 + 70;
const MARKS = [...`=+-@\t\r\n,"'; aé1.`, "\u00a0", "\u2003", "\u3000", "\ufeff", "\u001f", "日", "😀"];
const PLAIN = ["", "plain", "a b", "-5", "+5.25", "-5a", "1e5", "=SUM(A1)", "@x", "'quoted", ",", '"'];
let projectId: string;

/** Texts of what is special in a file, each different and the same in each run. */
function cellOf(n: number): string {
  if (n < PLAIN.length) return PLAIN[n]!;
  return Array.from({ length: 1 + (n % 4) }, (_, i) => MARKS[(n * 7 + i * (n % 11) + i) % MARKS.length]).join(
    "",
  );
}

beforeAll(async () => {
  ({ id: projectId } = await service.createProject());
  const rows = Array.from({ length: PEOPLE }, (_, n) => ({
    email: `${n % 3 === 0 ? "=" : ""}p${n}@example.com`,
    data: {
      text: cellOf(n),
      ...(n % 2 === 0 && { other: cellOf(n * 3 + 1) }),
      ...(n % 5 === 0 && { number: n / 8, yes: n % 2 === 0, none: null, "key, too": ["a", { b: "=" }] }),
    },
  }));
  await service.pool`
    insert into contacts (project_id, email, subscribed, data)
    select ${projectId}, r.email, true, r.data
    from json_to_recordset(${rows as never}::json) as r (email text, data jsonb)`;
});

async function exported(format: ExportFormat, keep = {}): Promise<string> {
  const selected = await compileSelection(service, projectId, keep);
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for await (const piece of exportContacts(service, projectId, selected, format)) text += utf8.decode(piece);
  return text;
}

test("cells of CSV are guarded and quoted as our own are", async () => {
  const contacts = (await exported("ndjson"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const keys = ["key, too", "number", "other", "text", "yes"];
  const cell = (value: unknown) => {
    if (value === undefined || value === null) return "";
    // Postgres writes a space after a comma and a colon.
    return typeof value === "string" ? value : JSON.stringify(value).replace(/([,:])/g, "$1 ");
  };
  const expected = contacts.map(({ email, subscribed, createdAt, updatedAt, data }) =>
    toCsvLine([email, String(subscribed), createdAt, updatedAt, ...keys.map((key) => cell(data[key]))]),
  );

  expect(contacts).toHaveLength(PEOPLE);
  expect(await exported("csv")).toBe(
    [toCsvLine(["email", "subscribed", "createdAt", "updatedAt", ...keys]), ...expected].join(""),
  );
});

test("a selection without anybody is a header, and no line", async () => {
  expect(await exported("csv", { search: "nobody" })).toStartWith("email,subscribed,createdAt,updatedAt");
  expect((await exported("csv", { search: "nobody" })).match(/\r\n/g)).toHaveLength(1);
  expect(await exported("ndjson", { search: "nobody" })).toBe("");
});
