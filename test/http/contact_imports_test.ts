import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { runImport } from "../../src/audience/contacts/imports.ts";
import { addJobs } from "../../src/jobs.ts";
import { killBlocked, untilBlocked } from "../support/locks.ts";
import { IMPATIENT, startProcess, type ServiceProcess, until } from "../support/process.ts";
import { useService } from "../support/service.ts";
import { withoutReferences } from "../support/openapi.ts";

const service = useService();
const SECRET_KEY = "a secret that only the tests know, 32+";
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

type Part = { name?: string; type?: string; part?: string };

const upload = (
  content: string | Uint8Array<ArrayBuffer>,
  { name = "contacts.csv", type = "text/csv", part = "file" }: Part = {},
) => {
  const form = new FormData();
  form.append(part, new File([content], name, { type }));
  return form;
};

const post = async (form: FormData, { query = "", key = project.secret } = {}) => {
  const { headers, body } = await encode(form);
  return service.request("POST", `/contacts/import${query}`, { key, headers, raw: body });
};

const encode = async (form: FormData) => {
  const response = new Response(form);
  return {
    headers: { "content-type": response.headers.get("content-type")! },
    body: await response.bytes(),
  };
};

const poll = (jobId: string, key = project.secret) =>
  service.request("GET", `/contacts/import/${jobId}`, { key });

/** Uploads, lets the job run, and answers the report. */
const importFile = async (
  content: string | Uint8Array<ArrayBuffer>,
  options: { query?: string; key?: string } = {},
) => {
  const { status, body } = await post(upload(content), options);
  expect(status).toBe(202);
  await service.runJobs();
  return (await poll(body.jobId, options.key)).body;
};

const contactOf = async (email: string, projectId = project.id) => {
  const [contact] = await service.pool`
    select id, subscribed, was_subscribed, opted_out_at, data
    from contacts
    where project_id = ${projectId} and email = ${email}
  `;
  return contact;
};

const eventNames = async (contactId: string) => {
  const rows = await service.pool`select name from events where contact_id = ${contactId} order by id`;
  return rows.map((row) => row.name as string);
};

const countContacts = async (projectId: string) => {
  const [row] =
    await service.pool`select count(*)::int as total from contacts where project_id = ${projectId}`;
  return row!.total as number;
};

describe("POST /contacts/import", () => {
  test("queues the file, and the report tells what became of it", async () => {
    const queued = await post(upload("email,name\nada@example.com,Ada\nnot an address,Bob\n"));
    const waiting = await poll(queued.body.jobId);
    await service.runJobs();
    const done = await poll(queued.body.jobId);

    expect(queued.status).toBe(202);
    expect(queued.body).toEqual({ jobId: expect.any(String), message: expect.any(String) });
    expect(waiting.body).toEqual({
      id: queued.body.jobId,
      state: "waiting",
      progress: 0,
      createdAt: expect.any(String),
      finishedAt: null,
    });
    expect(done.body).toEqual({
      id: queued.body.jobId,
      state: "completed",
      progress: 100,
      result: {
        totalRows: 2,
        successCount: 1,
        createdCount: 1,
        updatedCount: 0,
        failureCount: 1,
        errors: [{ row: 3, email: "not an address", error: "This is not an email address" }],
      },
      createdAt: expect.any(String),
      finishedAt: expect.any(String),
    });
    expect(await contactOf("ada@example.com")).toMatchObject({ subscribed: true, data: { name: "Ada" } });
    const pieces =
      await service.pool`select from contact_import_pieces where import_id = ${queued.body.jobId}`;
    expect(pieces).toHaveLength(0);
  });

  test.each([
    ["no body at all", () => service.request("POST", "/contacts/import", { key: project.secret }), 400],
    ["a form without the part", () => post(upload("email\n", { part: "document" })), 400],
    [
      "a part that is no file",
      () => {
        const form = new FormData();
        form.append("file", "email\na@b.io");
        return post(form);
      },
      400,
    ],
    [
      "a file of another type",
      () => post(upload("email\n", { name: "a.xlsx", type: "application/zip" })),
      415,
    ],
    [
      "a body that is no form",
      () => service.request("POST", "/contacts/import", { key: project.secret, body: { file: "email" } }),
      415,
    ],
    [
      "a form that is cut off",
      () =>
        service.request("POST", "/contacts/import", {
          key: project.secret,
          headers: { "content-type": "multipart/form-data; boundary=x" },
          raw: '--x\r\ncontent-disposition: form-data; name="fi',
        }),
      400,
    ],
    ["a file of more than 5 MB", () => post(upload("x".repeat(5 * 1_048_576 + 1))), 413],
    ["a body of far more than 5 MB", () => post(upload("x".repeat(6 * 1_048_576))), 413],
    ["a dryRun that is no boolean", () => post(upload("email\n"), { query: "?dryRun=perhaps" }), 400],
  ])("%s is refused", async (_, request, expected) => {
    const { status, body } = await request();

    expect([status, body.error.statusCode, body.success]).toEqual([expected, expected, false]);
  });

  test("a file of exactly 5 MB is taken", async () => {
    const { status } = await post(upload("email\n".padEnd(5 * 1_048_576, "a@b.io,x\n")));

    expect(status).toBe(202);
    await service.pool`delete from contact_imports where project_id = ${project.id} and state = 'waiting'`;
  });

  test("a file is known by its type or by its name", async () => {
    const answers = await Promise.all([
      post(upload("email\n", { name: "list", type: "text/csv; charset=utf-8" })),
      post(upload("email\n", { name: "LIST.CSV", type: "application/vnd.ms-excel" })),
    ]);

    expect(answers.map((answer) => answer.status)).toEqual([202, 202]);
  });

  test("the key is asked for before the body is read, also a large one", async () => {
    const { headers, body } = await encode(upload("x".repeat(6 * 1_048_576)));
    const answer = await service.request("POST", "/contacts/import", {
      headers,
      raw: body,
      key: "sk_unknown",
    });

    expect([answer.status, answer.body.error.code]).toEqual([401, "INVALID_API_KEY"]);
  });

  test("the document describes the form", async () => {
    const body = withoutReferences((await service.request("GET", "/openapi.json")).body);
    const { requestBody, responses, parameters } = body.paths["/contacts/import"].post;

    expect(requestBody.content["multipart/form-data"].schema).toMatchObject({
      type: "object",
      required: ["file"],
      properties: { file: { type: "string", format: "binary" } },
    });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["202", "400", "413", "415"]));
    expect(parameters).toContainEqual(expect.objectContaining({ name: "dryRun", in: "query" }));
  });
});

describe("GET /contacts/import/:jobId", () => {
  test("of another project, of none, and of what is no id is 404", async () => {
    const other = await service.createProject();
    const { body } = await post(upload("email\n"));
    const answers = await Promise.all([
      poll(body.jobId, other.secret),
      poll(crypto.randomUUID()),
      poll("nonsense"),
    ]);

    expect(answers.map((answer) => [answer.status, answer.body.error.code])).toEqual(
      Array(3).fill([404, "RESOURCE_NOT_FOUND"]),
    );
    expect((await poll(body.jobId)).status).toBe(200);
  });
});

describe("a file", () => {
  test("has its email column anywhere and in any case, and its other columns keep theirs", async () => {
    const report = await importFile(
      "firstName, Plan Name ,EMAIL,Subscribed,\nAda,pro,Order@Example.com,,ignored\n",
    );

    expect(report.result).toMatchObject({ totalRows: 1, createdCount: 1, failureCount: 0 });
    expect((await contactOf("order@example.com"))!.data).toEqual({ firstName: "Ada", "Plan Name": "pro" });
  });

  test("with BOM, CRLF, quotes, quoted line breaks, ragged rows and blank ones is read as it was meant", async () => {
    const report = await importFile(
      [
        "\ufeffemail,name,note",
        'bom@example.com,"Lovelace, Ada","said ""hi""\r\nand left"',
        "",
        "short@example.com",
        ",,",
        "   ",
        "long@example.com,Lin,x,, ,",
        "shifted@example.com,Lin,x,too,many",
        'spaced@example.com , "Grace",  y  ',
        "nobody",
      ].join("\r\n"),
    );

    expect(report).toMatchObject({ state: "completed", result: { totalRows: 6, successCount: 4 } });
    expect(report.result.errors).toEqual([
      {
        row: 8,
        email: "shifted@example.com",
        error:
          "This row has 5 cells, and the first row has 3 columns: a value with a separator in it must be in quotes",
      },
      { row: 10, email: "nobody", error: "This is not an email address" },
    ]);
    expect(await contactOf("shifted@example.com")).toBeUndefined();
    expect((await contactOf("bom@example.com"))!.data).toEqual({
      name: "Lovelace, Ada",
      note: 'said "hi"\r\nand left',
    });
    expect((await contactOf("short@example.com"))!.data).toEqual({});
    expect((await contactOf("long@example.com"))!.data).toEqual({ name: "Lin", note: "x" });
  });

  test("may change its mind about line ends", async () => {
    const report = await importFile(
      "email\r\nmixed1@example.com\nmixed2@example.com\rmixed3@example.com\r\n",
    );

    expect(report.result).toMatchObject({ totalRows: 3, createdCount: 3 });
  });

  test("of many pieces is one file: no character and no row is cut", async () => {
    const rows = Array.from(
      { length: 9_000 },
      (_, i) => `cut${i}@example.com,"Zoë 😀, ${i}",${"ü".repeat(i % 7)}`,
    );
    const report = await importFile(`email,name,filler\n${rows.join("\n")}`);
    const [row] = await service.pool`
      select count(*)::int as total
      from contacts
      where project_id = ${project.id}
        and email like 'cut%'
        and data ->> 'name' = 'Zoë 😀, ' || substring(email from '[0-9]+')
        and coalesce(data ->> 'filler', '') = repeat('ü', substring(email from '[0-9]+')::int % 7)
    `;

    expect(report.result).toMatchObject({ totalRows: 9_000, createdCount: 9_000 });
    expect(row!.total).toBe(9_000);
  });

  test("has truth values and plain numbers, and everything else is text", async () => {
    const cells = {
      yes: ["true", true],
      no: ["FALSE", false],
      one: ["1", 1],
      minus: ["-2.50", -2.5],
      zero: ["0", 0],
      zip: ["01234", "01234"],
      phone: ["+4712345678", "+4712345678"],
      exponent: ["1e5", "1e5"],
      hex: ["0x10", "0x10"],
      grouped: ["1 000", "1 000"],
      card: ["4111111111111111", "4111111111111111"],
      infinite: ["Infinity", "Infinity"],
      date: ["2026-01-31", "2026-01-31"],
      word: ["truely", "truely"],
      umlaut: ["Zoë 😀", "Zoë 😀"],
      locale: ["1", "1"],
    };
    const values = Object.values(cells);
    await importFile(
      `email,${Object.keys(cells).join(",")}\ntypes@example.com,${values.map(([cell]) => cell).join(",")}\n`,
    );

    const expected = Object.fromEntries(Object.entries(cells).map(([key, [, value]]) => [key, value]));
    expect((await contactOf("types@example.com"))!.data).toEqual(expected);
  });

  test("merges into contacts that are there: blank cells leave what they have, reserved columns are dropped", async () => {
    await importFile("email,plan,city\nmerge@example.com,free,Oslo\n");
    const report = await importFile(
      "email,plan,city,id,plunk_id,unsubscribeUrl,__proto__\nMERGE@example.com, pro ,  ,x,x,x,own\n",
    );

    const [row] = await service.pool`
      select data::text as text from contacts where project_id = ${project.id} and email = 'merge@example.com'
    `;
    expect(report.result).toMatchObject({ successCount: 1, createdCount: 0, updatedCount: 1 });
    expect(JSON.parse(row!.text)).toEqual(JSON.parse('{"plan":"pro","city":"Oslo","__proto__":"own"}'));
  });

  test("says who is subscribed; only real changes of those who were there are told", async () => {
    await importFile("email,subscribed\nin@example.com,Ja\nout@example.com,nein\nstay@example.com,\n");
    const before = await Promise.all(["in", "out", "stay"].map((name) => contactOf(`${name}@example.com`)));
    await importFile(
      "email,subscribed\nin@example.com,NO\nout@example.com,True\nstay@example.com,1\nbad@example.com,perhaps\n",
    );
    const report = await importFile(
      "email,subscribed\nin@example.com,false\nout@example.com,\nbad@example.com,2\n",
    );

    expect(before.map((contact) => contact!.subscribed)).toEqual([true, false, true]);
    expect(await contactOf("in@example.com")).toMatchObject({
      subscribed: false,
      optedOutAt: expect.any(Date),
    });
    expect(await contactOf("out@example.com")).toMatchObject({ subscribed: true, optedOutAt: null });
    const events = await Promise.all(before.map((contact) => eventNames(contact!.id)));
    expect(events).toEqual([["contact.unsubscribed"], ["contact.subscribed"], []]);
    expect(report.result.errors).toEqual([
      { row: 4, email: "bad@example.com", error: expect.stringContaining("subscribed") },
    ]);
    expect(await contactOf("bad@example.com")).toBeUndefined();
  });

  test("that names an address more than once: the last one wins, in order, near and far", async () => {
    const filler = Array.from({ length: 2_500 }, (_, i) => `filler${i}@example.com,,`);
    const report = await importFile(
      [
        "email,a,b",
        "twice@example.com,1,1",
        "TWICE@example.com,2,",
        ...filler,
        "twice@example.com,,3",
        "twice@example.com,4,",
      ].join("\n"),
    );

    expect((await contactOf("twice@example.com"))!.data).toEqual({ a: 4, b: 3 });
    expect(report.result).toMatchObject({
      totalRows: 2_504,
      successCount: 2_504,
      createdCount: 2_501,
      updatedCount: 3,
    });
  });

  test("with rows that cannot be stored: they fail alone, no matter what finds out", async () => {
    const long = "x".repeat(129);
    const half = "y".repeat(40_000);
    await importFile(`email,old\nfull@example.com,${half}\n`);
    const report = await importFile(
      [
        `email,name,big,new,${long}`,
        ...Array.from({ length: 20 }, (_, i) => `good${i}@example.com,Ada`),
        "key@example.com,Ada,,,value",
        `large@example.com,Ada,${"z".repeat(70_000)}`,
        `full@example.com,Ada,,${half}`,
        "nul@example.com,A\0da",
        ",Ada",
        "last@example.com,Ada",
      ].join("\n"),
    );

    expect(report.result).toMatchObject({ totalRows: 26, successCount: 21, failureCount: 5 });
    const found = report.result.errors.map((e: { row: number; email: string; error: string }) => [
      e.row,
      e.email,
    ]);
    expect(found.sort((a: [number], b: [number]) => a[0] - b[0])).toEqual([
      [22, "key@example.com"],
      [23, "large@example.com"],
      [24, "full@example.com"],
      [25, "nul@example.com"],
      [26, ""],
    ]);
    const reasons = Object.fromEntries(
      report.result.errors.map((e: { email: string; error: string }) => [e.email, e.error]),
    );
    expect(reasons["full@example.com"]).toContain("64 KB");
    expect(reasons["large@example.com"]).toContain("64 KB");
    expect(reasons["key@example.com"]).toContain("128");
    expect(await contactOf("last@example.com")).toBeDefined();
    expect(Object.keys((await contactOf("full@example.com"))!.data)).toEqual(["old"]);
  });

  test("with more than 1,000 errors lists the first 1,000 and counts all", async () => {
    const report = await importFile(`email\n${"nobody\n".repeat(2_300)}`);

    expect(report.result).toMatchObject({ totalRows: 2_300, failureCount: 2_300, successCount: 0 });
    expect(report.result.errors).toHaveLength(1_000);
    expect(report.result.errors.at(-1).row).toBe(1_001);
  });

  test.each([
    ["semicolons", "email;name\nsemi@example.com;Ada, Countess\n"],
    ["tabs", "name\temail\nAda, Countess\tsemi@example.com\n"],
    ["semicolons, and commas in quotes", '"name";"a,b,c";email\n"Ada, Countess";"1,2";semi@example.com\n'],
    ["E-Mail for email", 'E-Mail,name\nsemi@example.com,"Ada, Countess"\n'],
    ["Email Address for email", "\ufeffEmail Address;name\nsemi@example.com;Ada, Countess\n"],
  ])("may have %s", async (_, file) => {
    const report = await importFile(file);

    expect(report.result).toMatchObject({ successCount: 1, failureCount: 0 });
    expect((await contactOf("semi@example.com"))!.data.name).toBe("Ada, Countess");
  });

  test.each([
    ["nothing in it", "", "it is empty"],
    ["only a BOM", "\ufeff", "it is empty"],
    ["only blank lines", "\n\n  \n", "it is empty"],
    ["no email column", "name,mail\nAda,a@b.io\n", "email"],
    ["two email columns", "email,Email\na@b.io,c@d.io\n", "twice"],
    ["more columns than a table has", `email${",c".repeat(1_000)}\na@b.io\n`, "1001 columns"],
    [
      "a row that is longer than any contact",
      `email,a\na@b.io,${"x".repeat(300_000)}\n`,
      "longer than 256 KB",
    ],
    [
      "no email column between semicolons",
      "Adresse;name\na@b.io;Ada\n",
      "separated by semicolons, it has Adresse, name",
    ],
    [
      "a quote that is never closed",
      'email,name\nquote@example.com,"Ada\nb@example.com,Bob\n',
      "never closed",
    ],
    ["Latin-1", Uint8Array.from(Buffer.from("email,name\nlatin@example.com,Zo\xeb\n", "latin1")), "UTF-8"],
    [
      "half a character at its end",
      Uint8Array.from([...Buffer.from("email\nhalf@example.com,"), 0xc3]),
      "UTF-8",
    ],
    ["UTF-16", Uint8Array.from(Buffer.from("\ufeffemail\nutf16@example.com\n", "utf16le")), "UTF-8"],
  ])("with %s fails, says why, stays failed and changes nothing", async (_, content, reason) => {
    const own = await service.createProject();
    const report = await importFile(content, { key: own.secret });
    await addJobs(service, "import_contacts", [{ projectId: own.id, importId: report.id }]);
    await service.runJobs();
    const later = (await poll(report.id, own.secret)).body;

    expect(report).toMatchObject({ state: "failed", failedReason: expect.stringContaining(reason) });
    expect(report.result).toBeUndefined();
    expect(later).toEqual(report);
    expect(await countContacts(own.id)).toBe(0);
  });

  test("with only a header is done at once", async () => {
    const report = await importFile("email,name\n");

    expect(report).toMatchObject({
      state: "completed",
      progress: 100,
      result: {
        totalRows: 0,
        successCount: 0,
        createdCount: 0,
        updatedCount: 0,
        failureCount: 0,
        errors: [],
      },
    });
  });

  test("of any cells at all is read back as it was written", async () => {
    const own = await service.createProject();
    const text = fc
      .string({
        unit: fc.constantFrom("a", "é", "😀", ",", '"', "\n", "\r\n", " ", "'", ";", "\t", "0", "="),
      })
      .map((cell) => cell.trim())
      .filter((cell) => cell !== "" && !/^[\d.-]+$/.test(cell) && !/(?<!\r)\n|\r(?!\n)/.test(cell));
    const eol = fc.constantFrom("\n", "\r\n");
    const rows = fc.array(fc.dictionary(fc.constantFrom("k1", "k 2", "K,3", "k4"), text), { maxLength: 8 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(rows, eol, fc.boolean(), async (contacts, newline, bom) => {
        run++;
        const keys = ["k1", "k 2", "K,3", "k4"];
        const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
        const lines = contacts.map((data, i) =>
          [`run${run}-${i}@example.com`, ...keys.map((key) => quoted(data[key] ?? ""))].join(","),
        );
        const header = ["email", ...keys.map(quoted)].join(",");
        const report = await importFile(`${bom ? "\ufeff" : ""}${[header, ...lines].join(newline)}`, {
          key: own.secret,
        });
        const stored = await service.pool`
          select data from contacts where project_id = ${own.id} and email like ${`run${run}-%`} order by id
        `;

        expect(report.result).toMatchObject({ totalRows: contacts.length, createdCount: contacts.length });
        expect(stored.map((row) => row.data)).toEqual(contacts.map((data) => ({ ...data })));
      }),
      { numRuns: 40 },
    );
  }, 240_000);
});

describe("?dryRun=true", () => {
  test("reports the same and changes nothing", async () => {
    const own = await service.createProject();
    const options = { key: own.secret };
    await importFile(
      "email,plan\nthere@example.com,free\nfull@example.com," + "x".repeat(60_000) + "\n",
      options,
    );
    const [there] =
      await service.pool`select * from contacts where project_id = ${own.id} and email like 'there%'`;
    const filler = Array.from({ length: 2_100 }, (_, i) => `new${i}@example.com,1,pro,`);
    const file = [
      "email,subscribed,plan,more",
      "there@example.com,no,pro,",
      `full@example.com,,,${"y".repeat(60_000)}`,
      "nobody,,,",
      ...filler,
      "new1@example.com,no,,again",
    ].join("\n");
    const tried = await importFile(file, { ...options, query: "?dryRun=true" });
    const [after] =
      await service.pool`select * from contacts where project_id = ${own.id} and email like 'there%'`;
    const contacts = await countContacts(own.id);
    const events = await service.pool`select from events where project_id = ${own.id}`;
    const done = await importFile(file, options);

    expect(tried.result).toEqual(done.result);
    expect(tried.result).toMatchObject({ createdCount: 2_100, updatedCount: 2, failureCount: 2 });
    expect(after).toEqual(there!);
    expect([contacts, events.length]).toEqual([2, 0]);
  });
});

describe("imports", () => {
  test("of two files with the same contacts at once leave every contact once, with what both say", async () => {
    const own = await service.createProject();
    const emails = Array.from({ length: 3_000 }, (_, i) => `both${i}@example.com`);
    const shuffled = emails.toReversed();
    const ids = await Promise.all([
      post(upload(`email,a\n${emails.map((email) => `${email},1`).join("\n")}`), { key: own.secret }),
      post(upload(`email,b\n${shuffled.map((email) => `${email},2`).join("\n")}`), { key: own.secret }),
    ]);
    await service.runJobs();
    const reports = await Promise.all(ids.map(async ({ body }) => (await poll(body.jobId, own.secret)).body));

    const sum = (key: string) => reports.reduce((total, report) => total + report.result[key], 0);
    expect([sum("createdCount"), sum("updatedCount"), sum("failureCount")]).toEqual([3_000, 3_000, 0]);
    const odd =
      await service.pool`select from contacts where project_id = ${own.id} and data <> '{"a": 1, "b": 2}'`;
    expect(odd).toHaveLength(0);
    expect(await countContacts(own.id)).toBe(3_000);
  });

  test("of the same project's rows never touch another project's contacts", async () => {
    const [one, two] = [await service.createProject(), await service.createProject()];
    await importFile("email,plan\nsame@example.com,a\n", { key: one.secret });
    await importFile("email,plan\nsame@example.com,b\n", { key: two.secret });

    expect((await contactOf("same@example.com", one.id))!.data).toEqual({ plan: "a" });
    expect((await contactOf("same@example.com", two.id))!.data).toEqual({ plan: "b" });
  });

  test("give way to others after a while, and show how far they are", async () => {
    const own = await service.createProject();
    const rows = Array.from({ length: 1_800 }, (_, i) => `slice${i}@example.com,${i % 2}`);
    for (const query of ["?dryRun=true", ""]) {
      const { body } = await post(upload(`email,odd\n${rows.join("\n")}\nslice0@example.com,2`), {
        key: own.secret,
        query,
      });
      const steps: [string, number][] = [];
      for (let turn = 0; turn < 10; turn++) {
        await runImport(service, own.id, body.jobId, { sliceMs: 0 });
        const { state, progress } = (await poll(body.jobId, own.secret)).body;
        steps.push([state, progress]);
        if (state === "completed") break;
      }
      const report = (await poll(body.jobId, own.secret)).body;

      expect(steps).toEqual([
        ["active", 27],
        ["active", 55],
        ["active", 83],
        ["completed", 100],
      ]);
      expect(report.result).toMatchObject({ totalRows: 1_801, createdCount: 1_800, updatedCount: 1 });
      expect(await countContacts(own.id)).toBe(query === "" ? 1_800 : 0);
    }
    expect(await contactOf("slice0@example.com", own.id)).toMatchObject({ data: { odd: 2 } });
  });

  test("that two processes take for theirs are done once", async () => {
    const own = await service.createProject();
    await service.pool`
      insert into contacts (project_id, email, subscribed)
      select ${own.id}, 'one' || n || '@example.com', false from generate_series(0, 2999) n
    `;
    const rows = Array.from({ length: 6_000 }, (_, i) => `one${i}@example.com,yes\nnobody,`);
    const { body } = await post(upload(`email,subscribed\n${rows.join("\n")}`), { key: own.secret });
    await Promise.all([1, 2, 3].map(() => runImport(service, own.id, body.jobId)));
    await service.runJobs();
    const report = (await poll(body.jobId, own.secret)).body;

    expect(report.result).toMatchObject({
      totalRows: 12_000,
      createdCount: 3_000,
      updatedCount: 3_000,
      failureCount: 6_000,
    });
    expect(new Set(report.result.errors.map((error: { row: number }) => error.row)).size).toBe(1_000);
    const events = await service.pool`select contact_id from events where project_id = ${own.id}`;
    expect([events.length, new Set(events.map((event) => event.contactId)).size]).toEqual([3_000, 3_000]);
  });

  test("that fail for a reason of our own say only that, and stay failed", async () => {
    const { body } = await post(upload("email\nbug@example.com\n"));
    await service.pool`alter table contacts rename column was_subscribed to mislaid`;
    try {
      await service.runJobs();
    } finally {
      await service.pool`alter table contacts rename column mislaid to was_subscribed`;
    }
    const report = (await poll(body.jobId)).body;

    expect(report).toMatchObject({ state: "failed", failedReason: "Something unexpected went wrong" });
  });
});

describe("a process that is killed in the middle of an import", () => {
  const running = new Set<ServiceProcess>();

  afterEach(async () => {
    for (const started of running) await started.end("SIGKILL");
    running.clear();
  });

  test("leaves it to the next one, which goes on where it was: nothing lost, nothing twice", async () => {
    const total = 8_000;
    const own = await service.createProject();
    const start = async () => {
      const started = await startProcess(
        {
          SECRET_KEY,
          RATE_LIMIT_PER_MINUTE: "0",
          DATABASE_URL: service.databaseUrl,
          MODE: "worker",
        },
        { preload: IMPATIENT },
      );
      running.add(started);
      return started;
    };
    // Every other one is there and unsubscribed: its change is told once, however often a process dies.
    await service.pool`
      insert into contacts (project_id, email, subscribed)
      select ${own.id}, 'kill' || n || '@example.com', false
      from generate_series(0, ${total - 2}, 2) n
    `;
    const rows = Array.from({ length: total }, (_, i) => `kill${i}@example.com,yes,${i}`);
    let process = await start();
    let jobId = "";
    const report = async () => (await poll(jobId, own.secret)).body;
    const seen: number[] = [];
    // At each of these rows it waits for a contact that somebody else has, and is killed there: in its third and its
    // eleventh chunk.
    for (const [row, percent] of [
      [1_200, 12],
      [5_200, 62],
    ] as const) {
      await service.pool.begin(async (sql) => {
        await sql`select from contacts where project_id = ${own.id} and email = ${`kill${row}@example.com`} for update`;
        if (jobId === "") {
          const file = `email,subscribed,n\n${rows.join("\n")}`;
          jobId = (await post(upload(file), { key: own.secret })).body.jobId;
        } else {
          process = await start();
        }
        await untilBlocked(service.pool);
        // The chunk before it was being written at the same time.
        await until("that is written", async () => (await report()).progress >= percent);
        seen.push((await report()).progress);
        await killBlocked(service.pool, process);
      });
    }
    await start();
    await until("the end of the import", async () => (await report()).state === "completed");

    expect(seen).toEqual([12, 62]);
    expect((await report()).result).toEqual({
      totalRows: total,
      successCount: total,
      createdCount: total / 2,
      updatedCount: total / 2,
      failureCount: 0,
      errors: [],
    });
    const [counts] = await service.pool`
      select
        count(*)::int as contacts,
        count(*) filter (where subscribed and data ->> 'n' || '' = substring(email from '\\d+'))::int as right
      from contacts
      where project_id = ${own.id}
    `;
    expect(counts).toEqual({ contacts: total, right: total });
    const [events] = await service.pool`
      select count(*)::int as total, count(distinct contact_id)::int as contacts
      from events
      where project_id = ${own.id} and name = 'contact.subscribed'
    `;
    expect(events).toEqual({ total: total / 2, contacts: total / 2 });
  }, 300_000);
});
