// Reads a form with a file in it (multipart/form-data), after it is known who is asking.
import { Kind, TypeRegistry } from "@sinclair/typebox";
import { t } from "elysia";
import { problems } from "../problem.ts";
import { readBytes } from "./_body.ts";

/** What stands around the file: boundaries and the headers of the parts. */
export const FORM_OVERHEAD_BYTES = 65_536;

const FORM_TYPE = /^multipart\/form-data\s*;/i;
const WANTED = "a form with Content-Type: multipart/form-data";

// The document says what is expected; the refusals of a form are no field errors, so the route itself makes them.
TypeRegistry.Set("Form", () => true);

/** The body of a route that takes one file, in the part of this name. */
export const FileForm = (name: string, description: string) =>
  t.Unsafe<Record<string, string | UploadedFile>>({
    [Kind]: "Form",
    type: "object",
    properties: { [name]: { type: "string", format: "binary", description } },
    required: [name],
  });

/** True for the schema of a form. */
export function isForm(schema: object): boolean {
  return (schema as { [Kind]?: string })[Kind] === "Form";
}

/** A file as it came in a form. */
export interface UploadedFile {
  name: string;
  /** As the caller declared it; empty where nothing was declared. */
  type: string;
  bytes: Uint8Array;
}

/** The parts of a form; none of an empty body. Refuses with 413 what is larger than `limit` bytes, with 415 what is no form. */
export async function readForm(
  request: Request,
  limit: number,
): Promise<Record<string, string | UploadedFile>> {
  const body = await readBytes(request, limit);
  if (body.length === 0) return {};
  const type = request.headers.get("content-type") ?? "application/octet-stream";
  if (!FORM_TYPE.test(type)) throw problems.unsupportedMediaType(type, WANTED);
  const form = await new Response(body, { headers: { "content-type": type } }).formData().catch(() => {
    throw problems.badRequest("Cannot read the body as a form", `Send ${WANTED}`);
  });
  const types = declaredTypes(Buffer.from(body.buffer, body.byteOffset, body.byteLength), type);
  const parts = [...form].map(async ([name, value], i): Promise<[string, string | UploadedFile]> => {
    if (typeof value === "string") return [name, value];
    return [name, { name: value.name, type: types[i] ?? "", bytes: await value.bytes() }];
  });
  return Object.fromEntries(await Promise.all(parts));
}

/** The content type of each part, which Bun forgets: its files have the type that goes with their name. */
function declaredTypes(body: Buffer, formType: string): string[] {
  const boundary = `--${/boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(formType)?.slice(1).find(Boolean) ?? ""}`;
  const types: string[] = [];
  for (let start = body.indexOf(boundary); start !== -1; start = body.indexOf(boundary, start + 1)) {
    const end = body.indexOf("\r\n\r\n", start);
    if (end === -1) break;
    const headers = body.toString("latin1", start, end);
    types.push(/^content-type:(.*)$/im.exec(headers)?.[1]!.trim() ?? "");
  }
  return types;
}
