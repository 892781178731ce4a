// Images that a project has uploaded, for its templates and mails. Anybody with the address of one can see it.
import { createHash } from "node:crypto";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { CONTENT_TYPES, type ImageKind, imageKindOf } from "./_kinds.ts";
import { cleanImage } from "./_process.ts";
import { type ImageStore, imageStore } from "./_store.ts";
import { createCache } from "../../cache.ts";

export { KEPT_FOREVER } from "./_store.ts";

/** Limit of a file, in bytes. */
export const MAX_IMAGE_BYTES = 10 * 1_048_576;

const KEY = /^[0-9a-f]{32}\.(jpg|png|gif|webp)$/;

/** An image as its uploader sees it. */
export interface Upload {
  url: string;
  key: string;
  contentType: string;
  /** In bytes. */
  size: number;
}

/** An image as everybody gets it. */
export interface Image {
  contentType: string;
  bytes: Buffer<ArrayBuffer>;
}

/**
 * Stores an image for a project, encoded again from its pixels: nothing else of the file is left. The same file is
 * stored once. Throws 415 for anything that is not an image, 422 for one that cannot be read, 413 for one that is too
 * large or for which there is no room, 503 when too many others are waiting, and 501 where the encoder is not
 * installed.
 */
export async function uploadImage(
  ctx: Context,
  projectId: string,
  file: Uint8Array<ArrayBuffer>,
): Promise<Upload> {
  if (file.length > MAX_IMAGE_BYTES) throw problems.bodyTooLarge(MAX_IMAGE_BYTES);
  const kind = imageKindOf(file);
  if (!kind) throw problems.notAnImage();
  const key = keyOf(projectId, kind, file);
  return (await findUpload(ctx, projectId, key)) ?? (await keep(ctx, projectId, key, kind, file));
}

/**
 * By the file and not by the result: it is known before any work is done, and does not depend on the encoder's version.
 */
function keyOf(projectId: string, kind: ImageKind, file: Uint8Array): string {
  const digest = createHash("sha256").update(projectId).update(file).digest("hex");
  return `${digest.slice(0, 32)}.${kind}`;
}

/** The stored image, or null: also for one that is on its way to S3, and may never have arrived there. */
async function findUpload(ctx: Context, projectId: string, key: string): Promise<Upload | null> {
  const row = await q.uploads.again(ctx, { projectId, key, now: ctx.now() });
  if (!row?.stored) return null;
  return { url: urlOf(ctx, key, row.inS3), key, contentType: row.contentType, size: row.size };
}

async function keep(
  ctx: Context,
  projectId: string,
  key: string,
  kind: ImageKind,
  file: Uint8Array<ArrayBuffer>,
): Promise<Upload> {
  const bytes = await cleanImage(projectId, file);
  const contentType = CONTENT_TYPES[kind];
  const store = imageStore(ctx);
  const now = ctx.now();
  const limitMb = ctx.config.UPLOADS_MB_PER_PROJECT;
  const taken = await q.uploads.keep(ctx, {
    projectId,
    key,
    contentType,
    size: bytes.length,
    bytes: store ? null : bytes,
    storedAt: store ? null : now,
    now,
    limitMb,
  });
  if (store && taken > 0) await putInStore(ctx, store, projectId, key, { bytes, contentType });
  // The first upload has stored it; if none has, there was no room.
  const upload = await findUpload(ctx, projectId, key);
  if (!upload) throw problems.uploadsFull(limitMb);
  return upload;
}

async function putInStore(
  ctx: Context,
  store: ImageStore,
  projectId: string,
  key: string,
  image: Image,
): Promise<void> {
  await store.put(key, image);
  if ((await q.uploads.stored(ctx, { projectId, key, now: ctx.now() })) > 0) return;
  // All images of the project were removed in the meantime, and this one only half.
  await store.remove(key);
  throw problems.away("the image store");
}

/** Where everybody gets an image. */
export function urlOf({ config }: Context, key: string, inS3: boolean): string {
  const { S3_PUBLIC_URL, BASE_URL } = config;
  return inS3 && S3_PUBLIC_URL !== undefined ? `${S3_PUBLIC_URL}/${key}` : `${BASE_URL}/uploads/${key}`;
}

/** Recently requested images: a mail is opened by thousands at once. A removed image is served no longer than this. */
const HELD_MS = 60_000;
const MAX_HELD = 1_000;
const MAX_HELD_BYTES = 32 * 1_048_576;

const imagesOf = perService(({ now }) => ({
  held: createCache<Image>({
    maxEntries: MAX_HELD,
    maxBytes: MAX_HELD_BYTES,
    keepMs: HELD_MS,
    now: () => now().getTime(),
  }),
  coming: new Map<string, Promise<Image | null>>(),
}));

/** An image that is in memory, and costs nothing. */
export function heldImage(ctx: Context, key: string): Image | null {
  return imagesOf(ctx).held.get(key) ?? null;
}

/** An image, or null if there is none. Concurrent requests for the same one share the result. */
export async function findImage(ctx: Context, key: string): Promise<Image | null> {
  if (!KEY.test(key)) return null;
  const { coming } = imagesOf(ctx);
  const known = coming.get(key);
  if (known) return await known;
  const loading = loadImage(ctx, key);
  coming.set(key, loading);
  return await loading.finally(() => coming.delete(key));
}

async function loadImage(ctx: Context, key: string): Promise<Image | null> {
  const row = await q.uploads.byKey(ctx, { key });
  const bytes = row && (row.bytes ?? (await imageStore(ctx)?.get(key)));
  if (!bytes) return null;
  const image = { contentType: row.contentType, bytes: Buffer.from(bytes) };
  imagesOf(ctx).held.set(key, image, image.bytes.length);
  return image;
}

/** Concurrent requests to S3. */
const MAX_REMOVED = 50;

/**
 * Removes some of the images of a project, up to `limit` and no more than 50; with `before` only those uploaded before
 * then. Returns how many they were, 0 when there are no more. Outside of a transaction: what is in S3 goes first. May
 * be repeated at any time.
 */
export async function removeUploads(
  ctx: Context,
  projectId: string,
  { before = null, limit }: { before?: Date | null; limit: number },
): Promise<number> {
  const uploads = await q.uploads.ofProject(ctx, { projectId, before, limit: Math.min(limit, MAX_REMOVED) });
  const store = imageStore(ctx);
  await Promise.all(uploads.filter(({ inS3 }) => inS3).map(({ key }) => store?.remove(key)));
  return await q.uploads.remove(ctx, { projectId, keys: uploads.map(({ key }) => key) });
}
