// /domains: where a project sends from, and the DNS records that prove it. Bare resources.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { readDomain } from "../../accounts/projects/domains.ts";
import { replaceLostDkimKey } from "../../sending/dkim_keys.ts";
import { addDomain, listDomains, removeDomain, verifyDomain, getDomain } from "../../sending/domains/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { answers, Int, isUuid, Nullable, PathId, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";

const DomainStatus = t.Unsafe<"PENDING" | "VERIFIED" | "FAILED">({
  ...Words(["PENDING", "VERIFIED", "FAILED"]),
  description:
    "VERIFIED: mail may be sent from it. FAILED: its DKIM record was not found for 72 hours, or was missing or wrong in three checks in a row over at least an hour; it becomes VERIFIED as soon as it is seen.",
});

const Record = t.Object(
  {
    type: Words(["TXT", "MX"]),
    name: t.String({ examples: ["pr0123456789._domainkey.shop.example"] }),
    value: t.String({
      description:
        "Publish it in one piece, or split into strings of 255 characters. A domain can have only one SPF record: add the mechanism to an existing one.",
    }),
    priority: t.Optional(Int),
    purpose: Words(["DKIM", "SPF", "RETURN_PATH", "DMARC"]),
    required: t.Boolean({ description: "This record verifies the domain; the others are recommended." }),
    status: t.Unsafe<"PENDING" | "VERIFIED" | "MISSING" | "MISMATCH">({
      ...Words(["PENDING", "VERIFIED", "MISSING", "MISMATCH"]),
      description:
        "The state at the last DNS response. VERIFIED: correct; MISSING: no such record; MISMATCH: another value, or several records; PENDING: no DNS response yet.",
    }),
    found: t.Array(t.String(), {
      description:
        "The values that the DNS has for this name, at most five; for SPF and DMARC only such records.",
      examples: [["v=spf1 include:amazonses.com ~all"]],
    }),
    reason: Nullable(t.String({ description: "Why the record is not correct, as a sentence for people." })),
  },
  { title: "DnsRecord" },
);

const Domain = t.Object(
  {
    id: Uuid,
    domain: t.String({ description: "In lower case, in its ASCII form.", examples: ["shop.example"] }),
    verified: t.Boolean(),
    status: DomainStatus,
    dkimTokens: t.Array(t.String(), { description: "The DKIM selector." }),
    records: t.Array(Record),
    lastCheckedAt: Nullable(Timestamp),
    projectId: Uuid,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: "Domain" },
);

const DomainBody = t.Object(
  {
    domain: Text({ maxLength: 500, examples: ["shop.example"] }),
    projectId: t.Optional(
      t.String({ format: "uuid", description: "With an API key: the project of that key, or omitted." }),
    ),
  },
  { title: "DomainBody" },
);

const one = { params: t.Object({ id: PathId }) };

/** The domain endpoints, in the order of the specification's table. */
export function domainsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/domains", detail: { tags: ["Domains"] } })
    .use(authenticateKey(ctx, "secret"))
    .get("/project/:projectId", async ({ project }) => await listDomains(ctx, project.id), {
      params: t.Object({
        projectId: t.String({ description: "The key decides the project: any value is accepted here." }),
      }),
      response: answers(t.Array(Domain)),
      detail: {
        operationId: "listDomains",
        summary: "List the domains of the project, with their DNS records",
        description:
          "A plain array. With an API key any project id in the path means the project of the key.",
      },
    })
    .post(
      "/",
      async ({ project, actor, body: { domain, projectId = project.id }, set }) => {
        if (projectId.toLowerCase() !== project.id) throw problems.otherProject(projectId);
        set.status = 201;
        return await addDomain(ctx, project.id, domain, actor);
      },
      {
        body: DomainBody,
        response: answers(Domain, { status: 201, refusals: [400, 409, 413, 415, 422] }),
        detail: {
          operationId: "createDomain",
          summary: "Add a domain; the response lists the DNS records it needs",
          description:
            "Its records are checked every 5 minutes until it is verified, and regularly after that.",
        },
      },
    )
    .get("/:id", async ({ project, params: { id } }) => await getDomain(ctx, project.id, idOf(id)), {
      ...one,
      response: answers(Domain, { refusals: [404] }),
      detail: {
        operationId: "getDomain",
        summary: "Get a domain with its DNS records",
        description: "As found at the last check. `GET /domains/{id}/verify` checks them now.",
      },
    })
    .get(
      "/:id/verify",
      async ({ project, params: { id } }) => {
        const { domain, verified, status, records } = await verifyDomain(ctx, project.id, idOf(id));
        return { domain, verified, status, records };
      },
      {
        ...one,
        response: answers(
          t.Pick(Domain, ["domain", "verified", "status", "records"], { title: "DomainCheck" }),
          { refusals: [404] },
        ),
        detail: {
          operationId: "verifyDomain",
          summary: "Check the records of a domain now",
          description: "Within 30 s of the last check, it returns that result.",
        },
      },
    )
    .post(
      "/rekey",
      async ({ project, actor, body: { domain } }) => {
        const { domainId, isReplaced } = await replaceLostDkimKey(ctx, project.id, readDomain(domain), actor);
        return { ...(await getDomain(ctx, project.id, domainId)), changed: isReplaced };
      },
      {
        body: t.Object(
          { domain: Text({ maxLength: 500, examples: ["shop.example"] }) },
          { title: "RekeyBody" },
        ),
        response: answers(
          t.Object({ ...Domain.properties, changed: t.Boolean() }, { title: "RekeyedDomain" }),
          { refusals: [400, 404, 413, 415, 422] },
        ),
        detail: {
          operationId: "rekeyDomain",
          summary: "Replace a DKIM key that was lost",
          description:
            "For ADMIN and OWNER. If the installation has lost the `SECRET_KEY` with which the DKIM key of the domain was encrypted, its mail waits. This creates a new key: publish the record in the response, and the domain will be verified again. A usable key is kept, and `changed` is false.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, actor, params: { id }, set }) => {
        await removeDomain(ctx, project.id, idOf(id), actor);
        set.status = 204;
      },
      {
        ...one,
        response: answers(t.Void(), { status: 204, refusals: [404, 409] }),
        detail: {
          operationId: "deleteDomain",
          summary: "Remove a domain",
          description:
            "Refused while a template or an unsent campaign uses it as the sender: `details` names them.",
        },
      },
    );
}

function idOf(id: string): string {
  if (!isUuid(id)) throw problems.notFound("domain", id);
  return id;
}
