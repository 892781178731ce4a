// A server on loopback that speaks as much of S3 as images need. It keeps what it is given, and refuses what is not signed.

/** What a bucket has under a key. */
export interface StoredObject {
  bytes: Buffer<ArrayBuffer>;
  headers: Headers;
}

/** A bucket of tests. */
export interface TestBucket {
  url: string;
  /** By `bucket/key`. */
  objects: Map<string, StoredObject>;
  /** The methods and paths of all requests. */
  requests: string[];
  /** Done before each request is answered; null for nothing. */
  meanwhile: (() => Promise<unknown>) | null;
  /** Answers every request with this status from now on; null ends it. */
  failWith(status: number | null): void;
  stop(): Promise<void>;
}

/** What a signed address holds (Signature Version 4). */
const SIGNED: Record<string, RegExp> = {
  "X-Amz-Algorithm": /^AWS4-HMAC-SHA256$/,
  "X-Amz-Credential": /^AKTEST\/\d{8}\/eu-north-1\/s3\/aws4_request$/,
  "X-Amz-Date": /^\d{8}T\d{6}Z$/,
  "X-Amz-SignedHeaders": /^host$/,
  "X-Amz-Signature": /^[0-9a-f]{64}$/,
};

/** Starts an empty one. Its access key is `AKTEST`, its region eu-north-1. */
export function startBucket(): TestBucket {
  const objects = new Map<string, StoredObject>();
  const requests: string[] = [];
  let failure: number | null = null;
  const bucket = { objects, requests, meanwhile: null } as unknown as TestBucket;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const path = pathname.slice(1);
      const isSigned = Object.entries(SIGNED).every(([name, form]) =>
        form.test(searchParams.get(name) ?? ""),
      );
      requests.push(`${request.method} ${path}`);
      await bucket.meanwhile?.();
      if (failure !== null) return new Response("<Error><Code>SlowDown</Code></Error>", { status: failure });
      if (!isSigned) return new Response("", { status: 403 });
      if (request.method === "PUT") {
        objects.set(path, { bytes: Buffer.from(await request.arrayBuffer()), headers: request.headers });
        return new Response("", { headers: { etag: '"1"' } });
      }
      if (request.method === "DELETE")
        return new Response(null, { status: objects.delete(path) ? 204 : 404 });
      const found = objects.get(path);
      return found ? new Response(found.bytes) : new Response("", { status: 404 });
    },
  });
  return Object.assign(bucket, {
    url: server.url.origin,
    failWith: (status: number | null) => (failure = status),
    stop: () => server.stop(true),
  });
}
