// Images in S3, or in anything compatible. Bun.S3Client signs the addresses, and `fetch` does the rest: the client
// itself has no time limit, and cannot set how long an image may be cached by those who get it from the bucket.
import type { Context } from "../../context.ts";
import { describeError } from "../../log.ts";
import { problems } from "../../problem/mod.ts";

/** A bucket for images, under their keys. Every failure is a 503, and its reason is in the log. */
export interface ImageStore {
  put(key: string, image: { bytes: Buffer<ArrayBuffer>; contentType: string }): Promise<void>;
  /** Null for a key that the bucket does not have. */
  get(key: string): Promise<Buffer<ArrayBuffer> | null>;
  /** Also fine for one that is not there. */
  remove(key: string): Promise<void>;
}

/** For everybody who gets an image: it never changes. */
export const KEPT_FOREVER = "public, max-age=31536000, immutable";

const TIME_LIMIT_MS = 20_000;
/** Clocks differ, and the address goes nowhere else. */
const SIGNED_FOR_S = 300;

type Method = "GET" | "PUT" | "DELETE";

/** The bucket of the settings, or null if Postgres keeps the images. */
export function imageStore({ config, log }: Context): ImageStore | null {
  const { S3_BUCKET, S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config;
  if (S3_BUCKET === undefined) return null;
  const client = new Bun.S3Client({
    bucket: S3_BUCKET,
    region: S3_REGION,
    accessKeyId: S3_ACCESS_KEY_ID!,
    secretAccessKey: S3_SECRET_ACCESS_KEY!,
    // Said in any case: else the client looks for one in the environment.
    endpoint: S3_ENDPOINT ?? `https://s3.${S3_REGION}.amazonaws.com`,
  });
  const ask = async (method: Method, key: string, request: RequestInit = {}): Promise<Response> => {
    const address = client.presign(key, { method, expiresIn: SIGNED_FOR_S });
    const signal = AbortSignal.timeout(TIME_LIMIT_MS);
    return await fetch(address, { ...request, method, signal, redirect: "error" });
  };
  const orAway = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      log.warn("image store away", describeError(error));
      throw problems.away("the image store");
    }
  };
  return {
    put: (key, { bytes, contentType }) =>
      orAway(async () => {
        const headers = {
          "content-type": contentType,
          "content-disposition": "inline",
          "cache-control": KEPT_FOREVER,
        };
        await assertDone(await ask("PUT", key, { body: bytes, headers }));
      }),
    get: (key) =>
      orAway(async () => {
        const answer = await ask("GET", key);
        if (answer.status === 404) return null;
        await assertDone(answer);
        return Buffer.from(await answer.arrayBuffer());
      }),
    remove: (key) =>
      orAway(async () => {
        const answer = await ask("DELETE", key);
        if (answer.status !== 404) await assertDone(answer);
      }),
  };
}

async function assertDone(answer: Response): Promise<void> {
  if (!answer.ok) throw new Error(`S3 says ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
}
