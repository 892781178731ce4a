import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { removeUploads, uploadImage } from "../../src/content/images/mod.ts";
import type { Context } from "../../src/context.ts";
import { Problem } from "../../src/problem/mod.ts";
import { png } from "../support/images.ts";
import { startBucket, type TestBucket } from "../support/s3.ts";
import { useService } from "../support/service.ts";

const CDN = "https://images.example.com/mail";
const service = useService({ BASE_URL: "https://mail.example" });
let bucket: TestBucket;
let projectId: string;

beforeAll(async () => {
  bucket = startBucket();
  projectId = (await service.createProject()).id;
});

afterEach(() => {
  bucket.failWith(null);
  bucket.meanwhile = null;
  bucket.requests.length = 0;
});

afterAll(() => bucket.stop());

/** The service with a bucket. A pool of its own, so that nothing is remembered of another one. */
const withBucket = (settings: object = {}): Context => ({
  ...service,
  config: {
    ...service.config,
    S3_BUCKET: "images",
    S3_ENDPOINT: bucket.url,
    S3_REGION: "eu-north-1",
    S3_ACCESS_KEY_ID: "AKTEST",
    S3_SECRET_ACCESS_KEY: "secret",
    ...settings,
  },
});

let shades = 0;
const fresh = () => {
  const shade = ++shades;
  return png(9, 9, () => [shade, 0, 0]) as Buffer<ArrayBuffer>;
};

const rowOf = async (key: string) => {
  const [row] = await service.pool`select bytes, stored_at from uploads where key = ${key}`;
  return row as { bytes: Buffer | null; storedAt: Date | null } | undefined;
};

const look = async (key: string, ctx: Context) => {
  const { uploadsRoutes } = await import("../../src/http/routes/uploads.ts");
  const response = await uploadsRoutes(ctx).handle(new Request(`http://localhost/uploads/${key}`));
  return {
    status: response.status,
    bytes: Buffer.from(await response.arrayBuffer()),
    headers: response.headers,
  };
};

describe("with S3", () => {
  test("an image is put there once, signed, with its type and for how long it may be kept", async () => {
    const ctx = withBucket();
    const image = fresh();
    const uploads = [await uploadImage(ctx, projectId, image), await uploadImage(ctx, projectId, image)];
    const { key, size } = uploads[0]!;
    const stored = bucket.objects.get(`images/${key}`)!;

    expect(uploads[1]).toEqual(uploads[0]!);
    expect(bucket.requests).toEqual([`PUT images/${key}`]);
    expect([stored.bytes.length, stored.headers.get("content-type")]).toEqual([size, "image/png"]);
    expect(stored.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(await rowOf(key)).toEqual({ bytes: null, storedAt: expect.any(Date) });
  });

  test("it is served here, or from where the settings say that everybody can read it", async () => {
    const ctx = withBucket();
    const image = fresh();
    const here = await uploadImage(ctx, projectId, image);
    const there = await uploadImage(withBucket({ S3_PUBLIC_URL: CDN }), projectId, image);
    const { status, bytes, headers } = await look(here.key, ctx);

    expect([here.url, there.url]).toEqual([`https://mail.example/uploads/${here.key}`, `${CDN}/${here.key}`]);
    expect([status, bytes.length, headers.get("content-type")]).toEqual([200, here.size, "image/png"]);
    expect(bytes.equals(bucket.objects.get(`images/${here.key}`)!.bytes)).toBe(true);
  });

  test("what was kept in Postgres before is still served from there", async () => {
    const image = fresh();
    const { key, url } = await uploadImage(service, projectId, image);
    const ctx = withBucket({ S3_PUBLIC_URL: CDN });

    expect((await uploadImage(ctx, projectId, image)).url).toBe(url);
    expect((await look(key, ctx)).status).toBe(200);
    expect(bucket.requests).toEqual([]);
  });

  test("that is away, an upload is refused with 503 and the reason in the log; later it is done again", async () => {
    const ctx = withBucket();
    const image = fresh();
    bucket.failWith(503);
    const refused = await uploadImage(ctx, projectId, image).catch((error: unknown) => error);
    const [row] = await service.pool`select key, stored_at from uploads order by created_at desc limit 1`;
    bucket.failWith(null);
    const { key } = await uploadImage(ctx, projectId, image);

    expect(refused).toBeInstanceOf(Problem);
    expect([(refused as Problem).status, row!.key, row!.storedAt]).toEqual([503, key, null]);
    expect(service.lines.findLast(({ message }) => message === "image store away")).toMatchObject({
      error: expect.stringContaining("S3 says 503"),
    });
    expect((await rowOf(key))!.storedAt).toBeInstanceOf(Date);
    expect(bucket.objects.has(`images/${key}`)).toBe(true);
  });

  test("what never came there is not shown", async () => {
    const ctx = withBucket();
    bucket.failWith(500);
    await uploadImage(ctx, projectId, fresh()).catch(() => {});
    const [row] = await service.pool`select key from uploads where stored_at is null`;

    expect((await look(row!.key, ctx)).status).toBe(404);
  });

  test("images are removed from the bucket before their rows are; one that is not there is fine", async () => {
    const ctx = withBucket();
    const other = (await service.createProject()).id;
    const keys = [];
    for (let i = 0; i < 3; i++) keys.push((await uploadImage(ctx, other, fresh())).key);
    bucket.objects.delete(`images/${keys[0]}`);
    bucket.failWith(500);
    await expect(removeUploads(ctx, other, { limit: 10 })).rejects.toThrow("image store");
    const kept = await Promise.all(keys.map(rowOf));
    bucket.failWith(null);

    expect(kept.every((row) => row !== undefined)).toBe(true);
    expect(await removeUploads(ctx, other, { limit: 10 })).toBe(3);
    expect(keys.filter((key) => bucket.objects.has(`images/${key}`))).toEqual([]);
    expect(await rowOf(keys[1]!)).toBeUndefined();
  });

  test("an image whose project is removed while it is on its way there leaves nothing behind", async () => {
    const ctx = withBucket();
    const other = (await service.createProject()).id;
    const image = fresh();
    const { key } = await uploadImage(ctx, other, image);
    await service.pool`update uploads set stored_at = null where key = ${key}`;
    bucket.meanwhile = () => service.pool`delete from uploads where key = ${key}`;
    const end = await uploadImage(ctx, other, image).catch((error: unknown) => error);

    expect((end as Problem).status).toBe(503);
    expect([await rowOf(key), bucket.objects.has(`images/${key}`)]).toEqual([undefined, false]);
  });
});
