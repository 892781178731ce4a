// The console: its page at every address below /app, the files that it loads, and the frame that mails are shown in.
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Elysia } from "elysia";
import { hostedInstead } from "../../accounts/people/links.ts";
import { type BuiltConsole, builtConsole } from "../../console_build.ts";
import type { Context } from "../../context.ts";
import { describeError } from "../../log.ts";
import { consolePage, framePage } from "../pages/console_page.ts";
import { pathOf } from "../pages/form_pages.ts";
import { troublePage } from "../pages/home_page.ts";
import { requestIdOf } from "../entry/requests.ts";

const TYPES: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

const FOREVER = "public, max-age=31536000, immutable";

/** The better one first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** The built files, with the names of all. */
interface OpenConsole extends BuiltConsole {
  names: Set<string>;
}

/** `GET /app` and all below. */
export function appRoutes(ctx: Context) {
  const open = opener(ctx);
  const pictures = pictureOrigins(ctx);
  const base = pathOf(ctx, "");
  const page = async ({ request }: { request: Request }) => {
    const built = await open();
    // The links of account mails work without the console, and without a script, too.
    const withoutScript = hostedInstead(new URL(request.url));
    if (!built) return withoutScript === null ? notBuilt(request) : led(base + withoutScript);
    const nonce = randomBytes(16).toString("base64");
    return consolePage(built.manifest, { nonce, base, pictures, withoutScript });
  };
  return new Elysia({ detail: { hide: true } })
    .get("/app", page)
    .get("/app/*", page)
    .get("/app/frame", ({ query }) => framePage({ withPictures: query.pictures === "true" }))
    .get("/app/assets/:name", async ({ params: { name }, headers, request }) => {
      const built = await open();
      if (!built) return notBuilt(request);
      return asset(built, name, headers["accept-encoding"] ?? "");
    });
}

/** Opens the console at the first need, once for all who wait. What has failed is tried again at the next one. */
function opener(ctx: Context): () => Promise<OpenConsole | null> {
  let opening: Promise<OpenConsole | null> | undefined;
  return async () => {
    const begun = (opening ??= openConsole(ctx));
    const built = await begun;
    if (!built && opening === begun) opening = undefined;
    return built;
  };
}

async function openConsole({ config, log }: Context): Promise<OpenConsole | null> {
  try {
    const built = await builtConsole(config.DATA_DIR);
    return { ...built, names: new Set(readdirSync(built.folder)) };
  } catch (error) {
    log.warn("the console cannot be built", describeError(error));
    return null;
  }
}

/** Only names that were built are looked up, so none leads out of the folder. */
function asset({ folder, names }: OpenConsole, name: string, accepted: string): Response {
  const type = TYPES[name.split(".").at(-1)!];
  if (!type || !names.has(name)) {
    return new Response("Not found", { status: 404, headers: { "cache-control": "no-store" } });
  }
  const headers = {
    "content-type": type,
    "cache-control": FOREVER,
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
  };
  for (const [encoding, ending] of ENCODINGS) {
    if (!accepts(accepted, encoding) || !names.has(name + ending)) continue;
    return new Response(Bun.file(join(folder, name + ending)), {
      headers: { ...headers, "content-encoding": encoding },
    });
  }
  return new Response(Bun.file(join(folder, name)), { headers });
}

/** Whether an `Accept-Encoding` takes it: `br;q=0` says that it does not. */
function accepts(header: string, encoding: string): boolean {
  return header.split(",").some((part) => {
    const [name, ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function notBuilt(request: Request): Response {
  return troublePage({
    status: 503,
    message: "The console is not part of this installation",
    advice: "Use the image, or install the development packages with `bun install`: then it builds itself",
    requestId: requestIdOf(request),
  });
}

function led(location: string): Response {
  const headers = { location, "cache-control": "no-store", "referrer-policy": "same-origin" };
  return new Response(null, { status: 302, headers });
}

/** Where uploaded pictures are kept, if not here. */
function pictureOrigins({ config }: Context): string[] {
  const address = config.S3_PUBLIC_URL ?? config.S3_ENDPOINT;
  return address && URL.canParse(address) ? [new URL(address).origin] : [];
}
