import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { requestDeletion } from "../../src/accounts/projects/removal.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { removeUploads } from "../../src/content/images/mod.ts";
import { inTransaction } from "../../src/context.ts";
import { PUBLIC_REQUESTS_PER_MINUTE } from "../../src/http/entry/public_limits.ts";
import { join, signUp } from "../support/accounts.ts";
import { animatedWebp, exif, gif, jpeg, jpegSegment, PAYLOAD, png, withSegments } from "../support/images.ts";
import { blocked, untilBlocked } from "../support/locks.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService({
  BASE_URL: "https://mail.example/app",
  UPLOADS_MB_PER_PROJECT: "2",
  TRUSTED_PROXIES: "127.0.0.1",
});
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
});

afterEach(() => service.setNow(new Date()));

interface Sent {
  key?: string;
  name?: string;
  type?: string;
  part?: string;
  headers?: Record<string, string>;
}

const encode = async (
  content: Uint8Array | string | null,
  { name = "logo.png", type = "", part = "image" }: Sent,
) => {
  const form = new FormData();
  form.append("note", "x");
  if (content !== null) form.append(part, new File([content as string], name, { type }));
  const response = new Response(form);
  return { type: response.headers.get("content-type")!, raw: await response.bytes() };
};

const upload = async (content: Uint8Array | string | null, sent: Sent = {}) => {
  const { type, raw } = await encode(content, sent);
  const headers = { "content-type": type, ...sent.headers };
  return await service.request("POST", "/uploads/image", { key: sent.key ?? project.secret, raw, headers });
};

/** As everybody gets it. */
const look = async (key: string, init: RequestInit = {}) => {
  const response = await service.app.handle(new Request(`http://localhost/uploads/${key}`, init));
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
};

const rows = async (projectId = project.id) => [
  ...(await service.pool`select key, size from uploads where project_id = ${projectId} order by key`),
];

let shades = 0;
/** An image that nobody has uploaded yet. */
const fresh = (width = 20, height = 10) => {
  const shade = ++shades;
  return png(width, height, (x, y) => [x & 255, y & 255, shade & 255]);
};

describe("POST /uploads/image", () => {
  test.each([
    ["image/png", "png", async () => fresh()],
    ["image/jpeg", "jpg", async () => await jpeg(20, 10)],
    ["image/gif", "gif", async () => gif(20, 10, [{ width: 20, height: 10, colour: 1 }])],
    ["image/webp", "webp", async () => await animatedWebp([[1, 2, 3]])],
  ])("takes a %s, whatever its name and type say", async (contentType, ending, make) => {
    const { status, body } = await upload(await make(), {
      name: "C:\\pictures\\our logo.exe",
      type: "text/html",
    });

    expect([status, body]).toEqual([
      200,
      {
        url: `https://mail.example/app/uploads/${body.key}`,
        key: expect.stringMatching(new RegExp(`^[0-9a-f]{32}\\.${ending}$`)),
        filename: "our logo.exe",
        contentType,
        size: expect.any(Number),
      },
    ]);
    const { headers, bytes } = await look(body.key);
    expect([headers.get("content-type"), bytes.length]).toEqual([contentType, body.size]);
  });

  test.each([
    ["a script", "#!/bin/sh\nrm -rf /"],
    ["HTML", "<!doctype html><script>alert(1)</script>"],
    ["an SVG", '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ["an SVG that begins like a GIF further down", "<svg/>GIF89a"],
    ["a PDF", "%PDF-1.7"],
    ["a BMP", "BM\0\0\0\0\0\0\0\0\0\0\0\0"],
    ["a TIFF", "II*\0\0\0\0\0\0\0\0\0"],
    ["a sound in the container of WebP", "RIFF\x24\0\0\0WAVEfmt "],
    ["half of a signature", "\x89PNG"],
    ["nothing", ""],
  ])("refuses %s with 415 that calls itself an image, and keeps nothing", async (_, content) => {
    const before = await rows();
    const { status, body } = await upload(content, { name: "photo.png", type: "image/png" });

    expect([status, body.error.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    expect(await rows()).toEqual(before);
  });

  test("refuses what is no file, no form, no image that can be read, and one that is too large", async () => {
    const asText = "--x\r\ncontent-disposition: form-data; name=image\r\n\r\nGIF89a\r\n--x--\r\n";
    const form = { "content-type": "multipart/form-data; boundary=x" };
    const post = (raw: string, headers: Record<string, string>) =>
      service.request("POST", "/uploads/image", { key: project.secret, raw, headers });
    const bomb = png(50_000, 50_000, undefined, { raw: Buffer.alloc(100) });
    const answers = [
      await upload(null),
      await upload(fresh(), { part: "file" }),
      await post(asText, form),
      await post("", form),
      await post("{}", { "content-type": "application/json" }),
      await upload(fresh().subarray(0, 60)),
      await upload(bomb),
      await upload(Buffer.concat([fresh(), Buffer.alloc(10 * 1_048_576)])),
      await upload(Buffer.alloc(11 * 1_048_576)),
    ];

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [400, "BAD_REQUEST"],
      [400, "BAD_REQUEST"],
      [400, "BAD_REQUEST"],
      [400, "BAD_REQUEST"],
      [415, "UNSUPPORTED_MEDIA_TYPE"],
      [422, "VALIDATION_ERROR"],
      [413, "PAYLOAD_TOO_LARGE"],
      [413, "PAYLOAD_TOO_LARGE"],
      [413, "PAYLOAD_TOO_LARGE"],
    ]);
  });

  test("serves nothing of what was hidden in a photo", async () => {
    const photo = Buffer.concat([
      withSegments(await jpeg(30, 10), jpegSegment(0xe1, exif(6)), jpegSegment(0xfe, PAYLOAD)),
      Buffer.from(`PK\x03\x04${PAYLOAD}`),
    ]);
    const { body } = await upload(photo);
    const { bytes } = await look(body.key);

    expect([photo.includes("GPS"), photo.includes("<?php")]).toEqual([true, true]);
    expect([bytes.includes("GPS"), bytes.includes("<?php"), bytes.includes("PK")]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await new Bun.Image(bytes).metadata()).toMatchObject({ width: 10, height: 30 });
  });

  test("keeps the same file once, also when it comes many times at once", async () => {
    const image = fresh();
    const first = await Promise.all(Array.from({ length: 5 }, () => upload(image)));
    const again = await upload(image, { name: "another name.gif" });
    const keys = new Set([...first, again].map(({ body }) => body.key));

    expect([...first, again].map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(keys.size).toBe(1);
    expect((await rows()).filter(({ key }) => keys.has(key)).length).toBe(1);
  });

  test("keeps it for each project by itself: the removal of one leaves the other's", async () => {
    const other = await service.createProject();
    const image = fresh();
    const [ours, theirs] = [await upload(image), await upload(image, { key: other.secret })];
    expect(await removeUploads(service, other.id, { limit: 100 })).toBe(1);
    service.setNow(new Date(Date.now() + 61_000));

    expect(ours.body.key).not.toBe(theirs.body.key);
    expect([(await look(ours.body.key)).status, (await look(theirs.body.key)).status]).toEqual([200, 404]);
  });

  test("keeps no more than the settings allow for a project, and what is there can be uploaded again", async () => {
    const { id, secret } = await service.createProject();
    const noise = (seed: number) => {
      const random = Buffer.alloc(700 * 700 * 3);
      for (let i = 0, x = seed; i < random.length; i++) random[i] = (x = (x * 48_271) % 2_147_483_647) & 255;
      return png(700, 700, (x, y) => [...random.subarray((y * 700 + x) * 3, (y * 700 + x) * 3 + 3)]);
    };
    const first = noise(1);
    const answers = [await upload(first, { key: secret }), await upload(noise(2), { key: secret })];
    const again = await upload(first, { key: secret });

    expect(answers.map(({ status }) => status)).toEqual([200, 413]);
    expect(answers[1]!.body.error.message).toContain("2 MB");
    expect([again.status, again.body]).toEqual([200, answers[0]!.body]);
    expect((await rows(id)).length).toBe(1);
  });

  test("lets some of a project wait, and tells the rest at once to come back, but nobody else", async () => {
    const other = await service.createProject();
    const many = Array.from({ length: 40 }, () => upload(fresh()));
    const ofOther = await upload(fresh(), { key: other.secret });
    const answers = await Promise.all(many);
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);

    expect(taken.length).toBeGreaterThanOrEqual(16);
    expect([taken.length + refused.length, refused.length > 0]).toEqual([40, true]);
    expect(refused[0]!.headers.get("retry-after")).toBe("5");
    expect([ofOther.status, (await upload(fresh())).status]).toEqual([200, 200]);
  });

  test("needs the secret key, or the session of a member", async () => {
    const { raw, type } = await encode(fresh(), {});
    const headers = { "content-type": type };
    const member = await signUp(service);
    const stranger = await signUp(service);
    await join(service, member, project.id, "MEMBER");
    const as = (cookie: string) =>
      service.request("POST", "/uploads/image", {
        raw,
        headers: { ...headers, cookie, "x-project-id": project.id, "sec-fetch-site": "same-origin" },
      });

    expect((await service.request("POST", "/uploads/image", { raw, headers })).body.error.code).toBe(
      "MISSING_AUTH",
    );
    expect((await upload(fresh(), { key: project.public })).body.error.code).toBe("INVALID_API_KEY");
    expect((await as(stranger.cookie)).body.error.code).toBe("PROJECT_ACCESS_DENIED");
    expect((await as(member.cookie)).status).toBe(200);
  });
});

describe("GET /uploads/:key", () => {
  test("shows an image to everybody, as nothing but an image, for ever", async () => {
    const { body } = await upload(fresh());
    const { status, headers } = await look(body.key);

    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "image/png",
      "content-disposition": "inline",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
      etag: `"${body.key}"`,
      "x-request-id": expect.any(String),
    });
    expect(headers.has("set-cookie")).toBe(false);
  });

  test("says 304 to a client that has it, and sends no body to HEAD", async () => {
    const { body } = await upload(fresh());
    const tags = [`"${body.key}"`, `W/"${body.key}"`, `"other", "${body.key}"`, "*", '"other"'];
    const answers = await Promise.all(
      tags.map((tag) => look(body.key, { headers: { "if-none-match": tag } })),
    );
    const head = await look(body.key, { method: "HEAD" });

    expect(answers.map(({ status }) => status)).toEqual([304, 304, 304, 304, 200]);
    expect(answers[0]!.bytes.length).toBe(0);
    expect(answers[0]!.headers.get("cache-control")).toContain("immutable");
    expect([head.status, head.bytes.length, head.headers.get("content-type")]).toEqual([200, 0, "image/png"]);
  });

  test.each([
    "0123456789abcdef0123456789abcdef.png",
    "0123456789abcdef0123456789abcdef.svg",
    "..%2f..%2fetc%2fpasswd",
    "%00",
    "image.php",
  ])("finds nothing under %s", async (key) => {
    const { status, bytes } = await look(key);

    expect([status, JSON.parse(bytes.toString()).error.code]).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });

  test("asks the database once a minute for thousands who open a mail at once", async () => {
    const { body } = await upload(fresh());
    const { pool } = service;
    const held = await pool.reserve();
    await held`begin`;
    await held`lock table uploads in access exclusive mode`;
    const looks = Array.from({ length: 500 }, () => look(body.key));
    await untilBlocked(pool);
    const asked = await blocked(pool);
    await held`commit`;
    held.release();
    const first = await Promise.all(looks);
    await pool`delete from uploads where key = ${body.key}`;
    const later = await Promise.all(Array.from({ length: 500 }, () => look(body.key)));
    service.setNow(new Date(Date.now() + 61_000));

    expect(asked).toHaveLength(1);
    expect([...first, ...later].filter(({ status }) => status === 200).length).toBe(1_000);
    expect((await look(body.key)).status).toBe(404);
  });

  test("shows nothing any more of a project that was deleted, within a minute", async () => {
    const gone = await service.createProject();
    const { body } = await upload(fresh(), { key: gone.secret });
    const before = await look(body.key);
    await inTransaction(service, (tx) => requestDeletion(tx, gone.id, { kind: "operator" }));
    service.setNow(new Date(Date.now() + 61_000));

    expect([before.status, (await look(body.key)).status]).toEqual([200, 404]);
  });

  test("has a limit for strangers who look for images, but none for an image that many look at", async () => {
    // A minute begins, so that none ends in between.
    service.setNow(new Date(Math.ceil(Date.now() / 60_000) * 60_000));
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: service.app.fetch });
    service.app.server = server as never;
    try {
      const { body } = await upload(fresh());
      const ask = async (key: string) =>
        (
          await fetch(`${server.url.origin}/uploads/${key}`, {
            headers: { "x-forwarded-for": "198.51.100.9" },
          })
        ).status;
      expect(await ask(body.key)).toBe(200);
      for (let i = 0; i < PUBLIC_REQUESTS_PER_MINUTE; i++)
        await ask(`${i.toString(16).padStart(32, "0")}.png`);

      expect([await ask(`${"f".repeat(32)}.png`), await ask(body.key)]).toEqual([429, 200]);
    } finally {
      service.app.server = null;
      await server.stop(true);
    }
  });
});

describe("the images of a project", () => {
  test("are removed in parts, and only those from before a point in time", async () => {
    const { id, secret } = await service.createProject();
    for (let i = 0; i < 3; i++) await upload(fresh(), { key: secret });
    const kept = fresh();
    await upload(kept, { key: secret });
    const before = new Date(Date.now() + 60_000);
    service.setNow(new Date(Date.now() + 120_000));
    // Uploaded once more, it is as new.
    const again = await upload(kept, { key: secret });
    const removed = [];
    for (let round = 0; round < 3; round++)
      removed.push(await removeUploads(service, id, { before, limit: 2 }));

    expect(removed).toEqual([2, 1, 0]);
    expect((await rows(id)).map(({ key }) => key)).toEqual([again.body.key]);
  });
});

describe("the images of a project", () => {
  const call = (method: string, path: string, key = project.secret) => service.request(method, path, { key });

  test("are listed, the newest first, page by page, with the room they take", async () => {
    project = await service.createProject();
    const keys: string[] = [];
    for (let i = 0; i < 3; i++) {
      service.setNow(new Date(Date.now() + i * 1_000));
      keys.unshift((await upload(png(2 + i, 2))).body.key);
    }
    const first = (await call("GET", "/uploads?limit=2")).body;
    const second = (await call("GET", `/uploads?limit=2&cursor=${first.cursor}`)).body;
    const all = [...first.data, ...second.data];

    expect(all.map(({ key }) => key)).toEqual(keys);
    expect(all[0]).toMatchObject({
      url: `https://mail.example/app/uploads/${keys[0]}`,
      contentType: "image/png",
    });
    expect([first.hasMore, second.hasMore, second.cursor]).toEqual([true, false, null]);
    expect(first).toMatchObject({ total: 3, limitBytes: 2 * 1_048_576 });
    expect(first.bytes).toBe(all.reduce((sum, { size }) => sum + size, 0));
    expect((await call("GET", "/uploads?cursor=nonsense")).status).toBe(400);
    expect((await call("GET", "/uploads?page=2")).status).toBe(400);
  });

  test("are deleted where nothing shows them, or where it is forced", async () => {
    const { key, url } = (await upload(png(9, 9))).body;
    const body = { name: "Hello", subject: "s", body: `<img src="${url}">`, from: `a@${DOMAIN}` };
    const template = await service.request("POST", "/templates", { key: project.secret, body });
    const refused = await call("DELETE", `/uploads/${key}`);

    expect((await call("GET", `/uploads/${key}/usage`)).body.uses).toEqual([
      { noun: "template", id: template.body.id, name: "Hello" },
    ]);
    expect([refused.status, refused.body.error.details.uses[0].name]).toEqual([409, "Hello"]);
    expect((await call("DELETE", `/uploads/${key}?force=true`)).status).toBe(204);
    expect((await call("DELETE", `/uploads/${key}?force=true`)).status).toBe(404);
    expect((await look(key)).status).toBe(404);
  });
});
