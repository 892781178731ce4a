// /emails/:id/attachments/:index: a file of a mail, as it was sent.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { getAttachment } from "../../sending/delivery/shown_mail.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { answers, isUuid, PathId, ProjectInQuery } from "../entry/schemas.ts";
import { downloadResponse } from "../pages/download.ts";

const INDEX = /^\d{1,4}$/;

/** The files of mails. */
export function emailAttachmentsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/emails", detail: { tags: ["Emails"] } })
    .use(authenticateKey(ctx, "secret", { projectInQuery: true }))
    .get(
      "/:id/attachments/:index",
      async ({ project, params: { id, index } }) => {
        if (!isUuid(id)) throw problems.notFound("email", id);
        if (!INDEX.test(index)) throw problems.notFound("attachment", index);
        const { filename, content } = await getAttachment(ctx, project.id, id, Number(index));
        return downloadResponse(filename, content);
      },
      {
        params: t.Object({ id: PathId, index: t.String({ examples: ["0"] }) }),
        query: t.Object({ projectId: ProjectInQuery }),
        response: answers(t.Any({ description: "The file." }), { refusals: [400, 404] }),
        detail: {
          operationId: "getEmailAttachment",
          summary: "Get an attachment of a mail",
          description:
            "By its place in `attachments` of `GET /emails/:id/content`, from 0, for as long as bodies are kept. Always as a download (`application/octet-stream`), whatever the file is: no browser draws or runs it.",
        },
      },
    );
}
