// What a browser sees at the root and where nothing is; programs get JSON there.
import { describe, expect, test } from "bun:test";
import { useService } from "../support/service.ts";

const service = useService();
const capturing = useService({ SMTP_URL: "" });
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe("GET /", () => {
  test.each([
    ["mails are sent", service, 3],
    ["mails are captured", capturing, 4],
  ] as const)("is a page for browsers, whose links lead somewhere, where %s", async (_, asked, count) => {
    const { status, body, headers } = await asked.request("GET", "/", { headers: BROWSER });
    const links = [...body.matchAll(/href="(\/[^"]*)"/g)].map((match) => match[1]!);

    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(links).toHaveLength(count);
    for (const link of links) expect([link, (await asked.request("GET", link)).status]).toEqual([link, 200]);
  });

  test("is a short description for programs", async () => {
    const { status, body } = await service.request("GET", "/");

    expect([status, body.name]).toEqual([200, "Postrider"]);
    expect(body.openapi).toEndWith("/openapi.json");
  });
});

describe("an address where nothing is", () => {
  test("is a page for browsers, with the id of the request", async () => {
    const { status, body, headers } = await service.request("GET", "/no<where>", { headers: BROWSER });

    expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(body).toContain("There is nothing here");
    expect(body).toContain(headers.get("x-request-id")!);
    expect(body).not.toContain("<where>");
  });

  test("is the envelope for programs, and for whatever is not opened", async () => {
    const fetched = await service.request("GET", "/nowhere", { headers: { accept: "application/json" } });
    const posted = await service.request("POST", "/nowhere", { headers: BROWSER });

    expect([fetched.status, fetched.body.error.code]).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect([posted.status, posted.body.error.code]).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });
});
