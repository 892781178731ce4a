// The document holds to what tools that read it expect: the recommended rules of Redocly, with its examples held against
// their schemas.
import { beforeAll, expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { useService } from "../support/service.ts";

/** The specification has these paths, of which a tool cannot tell one from the other; the service can. */
const AMBIGUOUS = [
  "`/events/contact/{contactId}` and `/events/{eventName}/usage`",
  "`/domains/project/{projectId}` and `/domains/{id}/verify`",
];

// Its own address is one of an example where nothing else is set, which the rules do not like.
const service = useService({ BASE_URL: "https://mail.shop.test" });
let source: string;

beforeAll(async () => {
  source = JSON.stringify((await service.request("GET", "/openapi.json")).body);
});

const lint = async (document: string) => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: document, absoluteRef: "/openapi.json", config });
  return problems
    .filter(({ message }) => !AMBIGUOUS.some((paths) => message.includes(paths)))
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
};

test("no error and no warning, but for two pairs of paths of the specification", async () => {
  expect(await lint(source)).toEqual([]);
}, 240_000);

test("a fault in it is found", async () => {
  const document = JSON.parse(source);
  document.paths["/contacts"].get.operationId = "createContact";
  document.paths["/contacts"].post.requestBody.content["application/json"].example = { email: 5 };
  const found = (await lint(JSON.stringify(document))).map((line) => line.split(":")[0]);

  expect(new Set(found)).toEqual(new Set(["operation-operationId-unique", "no-invalid-media-type-examples"]));
}, 240_000);
