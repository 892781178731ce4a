// What a browser sees at the root and where nothing is; programs get JSON there.
import { describe, expect, test } from "bun:test";
import { useService } from "../support/service.ts";

const service = useService();
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe("GET /", () => {
  test("leads browsers to the console", async () => {
    const { status, headers } = await service.request("GET", "/", { headers: BROWSER });

    expect([status, headers.get("location")]).toEqual([302, "/app"]);
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
