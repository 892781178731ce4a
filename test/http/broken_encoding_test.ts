// A `%` that starts no character, wherever a request may have one, is no fault of ours.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { BROWSER } from "../support/followed_mails.ts";
import { useService } from "../support/service.ts";

const service = useService();

const BROKEN = ["%", "%ff", "%f", "%zz", "a%", "%c3%28", "%ed%a0%80", "%%%", "%E0%A4%A"];

let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

const visit = (path: string) => service.request("GET", path, { headers: { "user-agent": BROWSER } });

describe("a path that cannot be decoded", () => {
  test.each(BROKEN)("%p: the pixel is shown, and a link is broken", async (token) => {
    const [open, click] = await Promise.all([visit(`/t/o/${token}`), visit(`/t/c/${token}`)]);

    expect([open.status, open.headers.get("content-type")]).toEqual([200, "image/gif"]);
    expect(click.status).toBe(404);
    expect(click.body).toContain("This link is broken");
  });

  test("is no error at any route with a parameter, no matter who asks", async () => {
    const routes = service.app.routes.filter(({ path }) => /[:*]/.test(path));
    for (const { method, path } of routes) {
      for (const broken of BROKEN) {
        for (const key of [undefined, project.secret]) {
          const body = /GET|HEAD/.test(method) ? undefined : {};
          const answer = await service.request(method, path.replace(/:\w+/g, broken), {
            body,
            ...(key && { key }),
          });
          const isOurs = answer.status >= 500 && answer.status !== 501;
          expect([method, path, broken, isOurs ? answer.body : null]).toEqual([method, path, broken, null]);
        }
      }
    }
    expect(routes.length).toBeGreaterThan(60);
  });

  test("is refused with what to do", async () => {
    const { status, body } = await service.request("DELETE", "/events/100%", { key: project.secret });
    expect([status, body.error.code, body.error.suggestion]).toEqual([
      404,
      "RESOURCE_NOT_FOUND",
      "Write a % itself as %25",
    ]);
  });
});

test("a query that cannot be decoded is no error of ours", async () => {
  for (const broken of BROKEN) {
    for (const path of [
      `/contacts?search=${broken}`,
      `/emails?${broken}=x`,
      `/auth/verify-email?token=${broken}`,
    ]) {
      const { status } = await service.request("GET", path, { key: project.secret });
      expect([path, status < 500]).toEqual([path, true]);
    }
  }
});
