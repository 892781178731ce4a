// Reads a form with a file (multipart/form-data, RFC 7578), after the caller is authenticated. Not Bun's own
// `formData()`: that one loses the type of each part, and copies the file three times.
import { Kind, TypeRegistry } from "@sinclair/typebox";
import { t } from "elysia";
import { problems } from "../../problem/mod.ts";
import { readBytes, SEND_BODY_LIMIT } from "./body.ts";

/** A file as it came in a form. */
export interface UploadedFile {
  name: string;
  /** As the caller declared it; empty if nothing was declared. */
  type: string;
  bytes: Uint8Array;
}

/** The parts of a form: text, or a file where the part has a file name. */
export type Form = Record<string, string | UploadedFile>;

/** One part; a form may have several with the same name. */
export interface FormPart {
  name: string;
  value: string | UploadedFile;
}

/** What is around the file: boundaries and the headers of the parts. */
export const FORM_OVERHEAD_BYTES = 65_536;

/** How much a form may hold. */
interface FormLimits {
  parts: number;
  /** Of a part that is text. */
  textBytes: number;
}

const LIMITS: FormLimits = { parts: 100, textBytes: 65_536 };
/** Of a message: a recipient may be a part, and a whole message one of text. */
const MESSAGE_LIMITS: FormLimits = { parts: 2_000, textBytes: SEND_BODY_LIMIT };
/** Parsed in one piece. */
const MAX_ENCODED_BYTES = 4_194_304;
const MAX_HEADERS_BYTES = 16_384;
const FORM_TYPE = /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i;
const ENCODED_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const WANTED = "a form with Content-Type: multipart/form-data";

// The document says what is expected; refusals of a form are not field errors, so the route itself makes them.
TypeRegistry.Set("Form", () => true);

/** The body of a route that takes one file, in the part of this name. */
export const FileForm = (name: string, description: string) =>
  t.Unsafe<Form>({
    [Kind]: "Form",
    type: "object",
    properties: { [name]: { type: "string", format: "binary", description } },
    required: [name],
  });

/** True for the schema of a form. */
export function isForm(schema: object): boolean {
  return (schema as { [Kind]?: string })[Kind] === "Form";
}

/**
 * The parts of a form; none of an empty body. Refuses with 413 more than `limit` bytes, and with 415 anything that is
 * not a form.
 */
export async function readForm(request: Request, limit: number): Promise<Form> {
  const form = Object.create(null) as Form;
  for (const { name, value } of await partsOf(request, limit, LIMITS)) form[name] = value;
  return form;
}

/**
 * The parts of a form with a message, in their order, which may be `application/x-www-form-urlencoded` as well. Refuses what
 * {@linkcode readForm} does, and with 400 text with NUL, which PostgreSQL cannot hold.
 */
export async function readMessageForm(request: Request, limit: number): Promise<FormPart[]> {
  const isEncoded = ENCODED_TYPE.test(request.headers.get("content-type") ?? "");
  const parts = isEncoded ? await encodedParts(request) : await partsOf(request, limit, MESSAGE_LIMITS);
  for (const { name, value } of parts) {
    if (`${name}${typeof value === "string" ? value : `${value.name}${value.type}`}`.includes("\0")) {
      throw problems.badRequest("Cannot use NUL in a form", "Leave it out, or send it in a file");
    }
  }
  return parts;
}

async function encodedParts(request: Request): Promise<FormPart[]> {
  const text = Buffer.from(await readBytes(request, MAX_ENCODED_BYTES)).toString();
  if (text.split("&", MESSAGE_LIMITS.parts + 1).length > MESSAGE_LIMITS.parts) throw unreadable();
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name, value }));
}

async function partsOf(request: Request, limit: number, limits: FormLimits): Promise<FormPart[]> {
  const body = await readBytes(request, limit);
  if (body.length === 0) return [];
  const type = request.headers.get("content-type") ?? "application/octet-stream";
  const boundary = FORM_TYPE.exec(type)?.slice(1).find(Boolean);
  if (!boundary) throw problems.unsupportedMediaType(type, WANTED);
  return readParts(Buffer.from(body.buffer, body.byteOffset, body.byteLength), boundary, limits);
}

const unreadable = () => problems.badRequest("Cannot read the body as a form", `Send ${WANTED}`);

function readParts(body: Buffer, boundary: string, limits: FormLimits): FormPart[] {
  const form: FormPart[] = [];
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let at = body.indexOf(delimiter.subarray(2)) - 2;
  for (let parts = 0; parts < limits.parts && at > -3; parts++) {
    const start = at + delimiter.length;
    if (body.toString("latin1", start, start + 2) === "--") return form;
    const headersEnd = body.subarray(0, start + MAX_HEADERS_BYTES).indexOf("\r\n\r\n", start);
    at = headersEnd === -1 ? -1 : body.indexOf(delimiter, headersEnd + 4);
    if (at === -1) break;
    const part = readPart(
      body.toString("utf8", start, headersEnd),
      body.subarray(headersEnd + 4, at),
      limits,
    );
    if (part) form.push(part);
  }
  throw unreadable();
}

function readPart(headers: string, bytes: Buffer, { textBytes }: FormLimits): FormPart | null {
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(headers)?.[1] ?? "";
  const name = parameter(disposition, "name");
  if (name === undefined) return null;
  const fileName = parameter(disposition, "filename");
  if (fileName === undefined) {
    if (bytes.length > textBytes) {
      const most = `A field of text holds at most ${textBytes / 1_024} KB`;
      throw problems.badRequest("Cannot read the body as a form", most);
    }
    return { name, value: bytes.toString() };
  }
  const type = /^content-type:(.*)$/im.exec(headers)?.[1]!.trim() ?? "";
  return { name, value: { name: fileName, type, bytes } };
}

function parameter(disposition: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|[;\\s])${name}=(?:"([^"]*)"|([^\\s;]+))`, "i").exec(disposition);
  return match?.[1] ?? match?.[2];
}
