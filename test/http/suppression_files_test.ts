// The suppression list as a file: out, in, and in once more without a change.
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
beforeEach(async () => {
  project = await service.createProject();
});

const send = (text: string, query = "", type = "text/csv") =>
  service.request("POST", `/suppressions/import${query}`, {
    key: project.secret,
    raw: new TextEncoder().encode(text),
    headers: { "content-type": type },
  });
const list = async () =>
  (await service.request("GET", "/suppressions?limit=100&dir=asc", { key: project.secret })).body.data
    .map(({ email, reason }: { email: string; reason: string }) => `${email} ${reason}`)
    .toSorted();
const exported = async () => {
  const request = new Request("http://localhost/suppressions/export", {
    headers: { authorization: `Bearer ${project.secret}` },
  });
  return await service.app.handle(request);
};

describe("POST /suppressions/import", () => {
  test("takes addresses with their reasons, and says which rows cannot be used", async () => {
    const { status, body } = await send(
      "Name;E-Mail;Reason\nAnn; Ann@X.test ;bounce\nBob;bob@x.test;\n;nobody;\nCy;;\nDee;dee@x.test;FOUL\nAnn;ann@x.test;COMPLAINT\n",
    );

    expect([status, body]).toEqual([
      200,
      {
        added: 2,
        existing: 1,
        invalid: 3,
        errors: [
          { row: 4, email: "nobody", error: "This is not an email address" },
          { row: 5, email: "", error: "The email is missing" },
          {
            row: 6,
            email: "dee@x.test",
            error: "Expected one of BOUNCE, COMPLAINT, MANUAL as the reason",
          },
        ],
      },
    ]);
    expect(await list()).toEqual(["ann@x.test COMPLAINT", "bob@x.test MANUAL"]);
  });

  test("takes a list without a header, with the reason of the query", async () => {
    const { body } = await send("a@x.test\nb@x.test\n", "?reason=BOUNCE");

    expect(body).toMatchObject({ added: 2, existing: 0, invalid: 0 });
    expect(await list()).toEqual(["a@x.test BOUNCE", "b@x.test BOUNCE"]);
  });

  test("takes more than a thousand, and changes nothing the second time", async () => {
    const text = `email\n${Array.from({ length: 2_345 }, (_, i) => `p${i}@x.test`).join("\n")}\n`;

    expect((await send(text)).body).toMatchObject({ added: 2_345, existing: 0 });
    expect((await send(text)).body).toMatchObject({ added: 0, existing: 2_345 });
  });

  test.each([
    ["a file without addresses", "name\nAnn\n", "text/csv", 422],
    ["nothing", "", "text/csv", 400],
    ["a workbook", "PK\u0003\u0004", "text/csv", 415],
    ["JSON", "{}", "application/json", 415],
  ])("refuses %s", async (_what, text, type, status) => {
    const answer = await send(text, "", type);

    expect([answer.status, answer.body.success]).toEqual([status, false]);
    expect(await list()).toEqual([]);
  });
});

describe("GET /suppressions/export", () => {
  test("is a file that can be imported again", async () => {
    await send(
      `email,reason\n=x@x.test,COMPLAINT\n${Array.from({ length: 1_200 }, (_, i) => `p${i}@x.test,`).join("\n")}\n`,
    );
    const before = await list();
    const answer = await exported();
    const text = await answer.text();
    project = await service.createProject();

    expect(answer.headers.get("content-disposition")).toMatch(/filename="suppressions-\d{4}-\d\d-\d\d\.csv"/);
    expect(text.split("\r\n").at(0) ?? "").toStartWith("email,reason,createdAt");
    expect((await send(text)).body).toMatchObject({ added: 1_201, invalid: 0 });
    expect(await list()).toEqual(before);
  });

  test("has nothing of another project", async () => {
    await send("a@x.test\n");
    project = await service.createProject();

    expect((await (await exported()).text()).trim()).toBe("email,reason,createdAt");
  });
});
