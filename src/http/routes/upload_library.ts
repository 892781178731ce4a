// /uploads: the images that a project has.
import { Elysia, t } from "elysia";
import { deleteUpload, listUploads, measureUploads, usesOfUpload } from "../../content/images/library.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { answers, Int, Nullable, QueryFlag, readFlag, Timestamp, Uuid, Words } from "../entry/schemas.ts";
import { clampLimit, CursorQuery, readCursor, toCursor } from "./_lists.ts";

const Image = t.Object(
  {
    url: t.String({ description: "Public address." }),
    key: t.String(),
    contentType: t.String(),
    size: Int,
    createdAt: Timestamp,
  },
  { title: "Image" },
);

const ImageUse = t.Object(
  { noun: Words(["template", "campaign"]), id: Uuid, name: t.String() },
  { title: "ImageUse" },
);

const one = { params: t.Object({ key: t.String({ examples: ["0b8e0f0f6d6a4c0c9a3c5d1f1e7b2a44.png"] }) }) };

/** The images of a project. */
export function uploadLibraryRoutes(ctx: Context) {
  return new Elysia({ prefix: "/uploads", detail: { tags: ["Uploads"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, query }) => {
        const limit = clampLimit(query.limit);
        const page = { after: readPlace(query.cursor), limit };
        const [rows, sizes] = await Promise.all([
          listUploads(ctx, project.id, page),
          measureUploads(ctx, project.id),
        ]);
        const data = rows.slice(0, limit);
        const last = rows.length > limit ? data.at(-1) : undefined;
        const cursor = last ? toCursor([last.createdAt.toISOString(), last.key]) : null;
        return { data, cursor, hasMore: cursor !== null, ...sizes };
      },
      {
        query: t.Object(CursorQuery),
        response: answers(
          t.Object({
            data: t.Array(Image),
            cursor: Nullable(t.String()),
            hasMore: t.Boolean(),
            total: Int,
            bytes: Int,
            limitBytes: Int,
          }),
          { refusals: [400] },
        ),
        detail: {
          operationId: "listImages",
          summary: "List images, newest first",
          description: "With their number, the bytes they use, and the limit of the project.",
        },
      },
    )
    .get(
      "/:key/usage",
      async ({ project, params: { key } }) => ({ uses: await usesOfUpload(ctx, project.id, key) }),
      {
        ...one,
        response: answers(t.Object({ uses: t.Array(ImageUse) }), { refusals: [404] }),
        detail: {
          operationId: "getImageUsage",
          summary: "List the templates and campaigns that show an image",
          description: "Those whose body contains its key, at most 50 of each. Sent mails are not included.",
        },
      },
    )
    .delete(
      "/:key",
      async ({ project, params: { key }, query, set }) => {
        await deleteUpload(ctx, project.id, key, { force: readFlag(query.force) ?? false });
        set.status = 204;
      },
      {
        ...one,
        query: t.Object({
          force: QueryFlag("`true`: also where it is in use."),
        }),
        response: answers(t.Void(), { status: 204, refusals: [400, 404, 409] }),
        detail: {
          operationId: "deleteImage",
          summary: "Delete an image",
          description:
            "Sent mails that show it lose it, too, within a minute. Refused with 409 while a template or campaign shows it, with their names, unless `force` is true.",
        },
      },
    );
}

/** Throws BAD_REQUEST for a cursor that is none of this list's. */
function readPlace(cursor: string | undefined) {
  if (cursor === undefined) return null;
  const [at, key] = readCursor(cursor, 2);
  const createdAt = new Date(at!);
  if (Number.isNaN(createdAt.getTime())) throw problems.badCursor();
  return { createdAt, key: key! };
}
