// /templates/…: how often templates are used, and a mail that shows one.
import { Elysia, t } from "elysia";
import { listTemplateUses } from "../../content/template_uses.ts";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { sendTemplateTest } from "../../sending/send/test_mail.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { answers, EmailAddress, Int, Nullable, PathId, Timestamp, Uuid } from "../entry/schemas.ts";
import { SentTest } from "./_mail_fields.ts";
import { readTemplateIds, templateId, TemplateIds } from "./_template_schemas.ts";

const TemplateUses = t.Object(
  {
    id: Uuid,
    campaigns: Int,
    workflows: Int,
    lastSentAt: Nullable(Timestamp),
  },
  { title: "TemplateUses" },
);

/** The uses of templates. */
export function templateUsesRoutes(ctx: Context) {
  return new Elysia({ prefix: "/templates", detail: { tags: ["Templates"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/uses",
      async ({ project, query }) => await listTemplateUses(ctx, project.id, readTemplateIds(query.ids)),
      {
        query: t.Object({ ids: TemplateIds }),
        response: answers(t.Array(TemplateUses), { refusals: [400] }),
        detail: {
          operationId: "listTemplateUses",
          summary: "List how often templates are used",
          description:
            "For each template, the number of campaigns created from it and of workflows that send it, and when it was last sent. `GET /templates/{id}/usage` names them. Unknown ids are omitted.",
        },
      },
    )
    .post(
      "/:id/test",
      async ({ project, params: { id }, body }) => {
        const address = parseAddress(body.email)!.email;
        const email = await sendTemplateTest(ctx, project.id, templateId(id), address);
        const message = `A test is on its way to ${address}`;
        return { success: true as const, data: { email }, emailId: email, message };
      },
      {
        params: t.Object({ id: PathId }),
        body: t.Object({ email: EmailAddress }),
        response: answers(SentTest, { refusals: [400, 402, 404, 413, 415, 422] }),
        detail: {
          operationId: "testTemplate",
          summary: "Send a test of a template to one address; `emailId` is its id in the ledger",
          description:
            "Sends the saved template, with `[TEST]` before its subject and the data of the contact with that address; if there is no such contact, each variable shows its own name. It is not counted in statistics.",
        },
      },
    );
}
