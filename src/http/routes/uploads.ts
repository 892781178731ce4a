// /uploads: images for templates and mails. Projects upload them, and anybody with the address of one can see it.
import { Elysia, t } from "elysia";
import {
  findImage,
  heldImage,
  type Image,
  KEPT_FOREVER,
  MAX_IMAGE_BYTES,
  uploadImage,
} from "../../content/images/mod.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { FileForm, FORM_OVERHEAD_BYTES, type UploadedFile } from "../entry/form.ts";
import { takePublicRequest } from "../entry/public_limits.ts";
import { answers, Int } from "../entry/schemas.ts";

const MAX_FILE_NAME = 200;

/** An image is nothing but an image wherever it is opened: no page, no script, and any site may show it. */
const IMAGE_HEADERS = {
  "content-disposition": "inline",
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "cross-origin",
  "cache-control": KEPT_FOREVER,
};

const Uploaded = t.Object(
  {
    url: t.String({ description: "Public address, valid for as long as the project keeps the image" }),
    key: t.String({ examples: ["0b8e0f0f6d6a4c0c9a3c5d1f1e7b2a44.png"] }),
    filename: t.String({ description: "As sent by the client" }),
    contentType: t.String({ description: "Determined by the content of the file", examples: ["image/png"] }),
    size: Int,
  },
  { title: "UploadedImage" },
);

/** `POST /uploads/image` for projects, `GET /uploads/:key` for everybody. */
export function uploadsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/uploads", detail: { tags: ["Uploads"] } }).use(uploadRoute(ctx)).get(
    "/:key",
    async ({ params: { key }, request, server, set }) => {
      const image = heldImage(ctx, key) ?? (await ask(key, request, server));
      if (!image) throw problems.notFound("image", key);
      return answerWith(image, key, request, set);
    },
    { detail: { hide: true } },
  );

  /** What has to be fetched counts against the limit of strangers; what many look at does not. */
  async function ask(key: string, request: Request, server: Parameters<typeof takePublicRequest>[2]) {
    const wait = takePublicRequest(ctx, request, server);
    if (wait !== null) throw problems.publicLimitExceeded(wait);
    return await findImage(ctx, key);
  }
}

function uploadRoute(ctx: Context) {
  const bodyLimit = MAX_IMAGE_BYTES + FORM_OVERHEAD_BYTES;
  return new Elysia().use(authenticateKey(ctx, "secret", { reads: "form", bodyLimit })).post(
    "/image",
    async ({ project, body }) => {
      const { name, bytes } = imageOf(body.image);
      const upload = await uploadImage(ctx, project.id, bytes as Uint8Array<ArrayBuffer>);
      return { ...upload, filename: plainName(name) };
    },
    {
      body: FileForm("image", "A JPEG, PNG, GIF or WebP of at most 10 MB."),
      response: answers(Uploaded, { refusals: [400, 413, 415, 422, 501] }),
      detail: {
        operationId: "uploadImage",
        summary: "Upload an image",
        description:
          "The type is determined by the content of the file. It is re-encoded from its pixels, without metadata such as the " +
          "place where a photo was taken. At most 10,000 pixels a side, 50 million in all, and 100 million in all " +
          "frames of an animation. The same file is kept once.",
      },
    },
  );
}

function imageOf(part: string | UploadedFile | undefined): UploadedFile {
  if (part === undefined || typeof part === "string") {
    throw problems.badRequest("Cannot upload without an image", "Send a file in the form field `image`");
  }
  return part;
}

/** Some browsers send all of the path. */
function plainName(name: string): string {
  const last = name.split(/[/\\]/).at(-1)!;
  return last
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, MAX_FILE_NAME)
    .toWellFormed();
}

function answerWith(
  image: Image,
  key: string,
  request: Request,
  set: { status?: number | string },
): Response {
  const etag = `"${key}"`;
  const known = request.headers.get("if-none-match") ?? "";
  if (known.split(",").some((tag) => [etag, "*"].includes(tag.trim().replace(/^W\//, "")))) {
    set.status = 304;
    return new Response(null, { status: 304, headers: { ...IMAGE_HEADERS, etag } });
  }
  const headers = { ...IMAGE_HEADERS, etag, "content-type": image.contentType };
  return new Response(image.bytes, { headers });
}
