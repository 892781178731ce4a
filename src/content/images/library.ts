// The images of a project as its people see them: a list, where each is shown, and how to be rid of one.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { type Upload, urlOf } from "./mod.ts";
import { imageStore } from "./_store.ts";

/** How many templates, and how many campaigns, are named. */
const MAX_USES = 50;

/** An image in a list. */
export interface ListedUpload extends Upload {
  createdAt: Date;
}

/** What shows an image. */
export interface ImageUse {
  noun: "template" | "campaign";
  id: string;
  name: string;
}

/** Where a page begins: behind this image. */
export interface UploadPlace {
  createdAt: Date;
  key: string;
}

/** One page, newest first, and one image more when there are more. */
export async function listUploads(
  ctx: Context,
  projectId: string,
  { after, limit }: { after: UploadPlace | null; limit: number },
): Promise<ListedUpload[]> {
  const place = { beforeAt: after?.createdAt ?? null, beforeKey: after?.key ?? null };
  const rows = await q.uploads.page(ctx, { projectId, ...place, limit: limit + 1 });
  return rows.map(({ inS3, ...row }) => ({ ...row, url: urlOf(ctx, row.key, inS3) }));
}

/** How many images a project has, and how many bytes of how many it may have. */
export async function measureUploads(
  ctx: Context,
  projectId: string,
): Promise<{ total: number; bytes: number; limitBytes: number }> {
  const { images, bytes } = await q.uploads.total(ctx, { projectId });
  return { total: images, bytes, limitBytes: ctx.config.UPLOADS_MB_PER_PROJECT * 1_048_576 };
}

/** The templates and campaigns that show an image, 50 of each at most. Mails that were sent are not among them. Throws not-found. */
export async function usesOfUpload(ctx: Context, projectId: string, key: string): Promise<ImageUse[]> {
  if (!(await q.uploads.one(ctx, { projectId, key }))) throw problems.notFound("image", key);
  return (await q.uploads.uses(ctx, { projectId, key, limit: MAX_USES })) as ImageUse[];
}

/**
 * Deletes an image; mails that show it lose it, too, at the latest in a minute. Throws not-found, and 409 while a template or campaign shows it, unless
 * it is forced. What is in S3 goes first: nothing there is without a row.
 */
export async function deleteUpload(
  ctx: Context,
  projectId: string,
  key: string,
  { force }: { force: boolean },
): Promise<void> {
  const upload = await q.uploads.one(ctx, { projectId, key });
  if (!upload) throw problems.notFound("image", key);
  const uses = force ? [] : await usesOfUpload(ctx, projectId, key);
  if (uses.length > 0) throw problems.imageInUse(uses);
  if (upload.inS3) await imageStore(ctx)?.remove(key);
  await q.uploads.remove(ctx, { projectId, keys: [key] });
}
