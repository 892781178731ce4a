// How a call is written in the languages of the reference. The key, or the session, comes from the environment; ids in a
// path are examples.
import type { ReferenceOperation, Parameter, ReferenceDocument } from "./_reference_document.ts";

/** A call as a program. */
export interface Sample {
  /** Identifies the language in the address, and in what the page remembers. */
  id: "curl" | "javascript" | "python" | "go" | "php";
  label: string;
  code: string;
}

/** A header: a text, or one that ends with a variable of the environment. */
interface Header {
  name: string;
  value: string;
  variable?: string;
}

interface Call {
  method: string;
  url: string;
  headers: Header[];
  /** JSON, the name of the field that takes a file, or a file as the body. */
  body: { json: unknown } | { field: string } | { file: string } | null;
}

const EXAMPLE_ID = "019aa8f0-1c00-7000-8000-000000000005";
const INDENT = 2;
/** For the reader's program, not for ours. */
const SETTINGS = ["process", "env"].join(".");

/** The same call in every language. */
export function samplesOf(operation: ReferenceOperation, document: ReferenceDocument): Sample[] {
  const call = callOf(operation, document);
  return [
    { id: "curl", label: "curl", code: curl(call) },
    { id: "javascript", label: "JavaScript", code: javascript(call) },
    { id: "python", label: "Python", code: python(call) },
    { id: "go", label: "Go", code: go(call) },
    { id: "php", label: "PHP", code: php(call) },
  ];
}

/** The example value of a parameter: its own, or one that suits its type or name. */
export function exampleOf({ name, schema }: Parameter): string {
  const [example] = schema.examples ?? schema.enum ?? [];
  if (example !== undefined) return String(example);
  if (schema.type === "integer" || schema.type === "number") return String(schema.minimum ?? 1);
  if (schema.format === "date") return "2026-11-01";
  return /id$/i.test(name) ? EXAMPLE_ID : name;
}

function callOf(
  { method, path, parameters, security, body }: ReferenceOperation,
  document: ReferenceDocument,
): Call {
  const needed = (place: string) => parameters.filter((one) => one.in === place && one.required);
  const filled = needed("path").reduce(
    (left, one) => left.replace(`{${one.name}}`, encodeURIComponent(exampleOf(one))),
    path,
  );
  const query = new URLSearchParams(needed("query").map((one) => [one.name, exampleOf(one)])).toString();
  return {
    method,
    url: `${document.server}${filled}${query && `?${query}`}`,
    headers: [...credentials(security, document.cookie), ...contentType(body)],
    body: body && bodyOf(body),
  };
}

function credentials(security: ReferenceOperation["security"], cookie: string): Header[] {
  const ways = security.map((way) => Object.keys(way)[0]);
  if (ways.includes("secretKey")) return [{ name: "Authorization", value: "Bearer ", variable: "SK" }];
  if (ways.includes("publicKey")) return [{ name: "Authorization", value: "Bearer ", variable: "PK" }];
  return ways.includes("session") ? [{ name: "Cookie", value: `${cookie}=`, variable: "SESSION" }] : [];
}

function contentType(body: ReferenceOperation["body"]): Header[] {
  return body && body.type !== "multipart/form-data" ? [{ name: "Content-Type", value: body.type }] : [];
}

function bodyOf({ type, schema, example }: NonNullable<ReferenceOperation["body"]>): Call["body"] {
  if (type === "multipart/form-data") return { field: Object.keys(schema.properties ?? {})[0] ?? "file" };
  return type === "application/json" ? { json: example ?? {} } : { file: "contacts.csv" };
}

const json = (value: unknown) => JSON.stringify(value, null, INDENT);
const lines = (...parts: (string | false)[]) => parts.filter((part) => part !== false).join("\n");
const fileOf = (field: string) => (field === "image" ? "logo.png" : "contacts.csv");

function curl({ method, url, headers, body }: Call): string {
  const isImplied = method === (body ? "POST" : "GET");
  const parts = [`curl${isImplied ? "" : ` -X ${method}`} "${url}"`];
  for (const { name, value, variable } of headers)
    parts.push(`-H "${name}: ${value}${variable ? `$${variable}` : ""}"`);
  if (body && "json" in body) parts.push(`-d '${json(body.json).replaceAll("'", `'\\''`)}'`);
  if (body && "field" in body) parts.push(`-F "${body.field}=@${fileOf(body.field)}"`);
  if (body && "file" in body) parts.push(`--data-binary "@${body.file}"`);
  return parts.join(" \\\n  ");
}

function javascript({ method, url, headers, body }: Call): string {
  const entries = headers.map(
    ({ name, value, variable }) =>
      `    ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${
        variable ? `\`${value}\${${SETTINGS}.${variable}}\`` : JSON.stringify(value)
      },`,
  );
  const isFile = body && !("json" in body);
  return lines(
    isFile ? `import { openAsBlob } from "node:fs";\n` : false,
    body && "field" in body
      ? `const form = new FormData();\nform.append("${body.field}", await openAsBlob("${fileOf(body.field)}"), "${fileOf(body.field)}");\n`
      : false,
    `const response = await fetch("${url}", {`,
    `  method: "${method}",`,
    entries.length > 0 && `  headers: {\n${entries.join("\n")}\n  },`,
    body && "json" in body ? `  body: JSON.stringify(${indented(json(body.json), 2)}),` : false,
    body && "field" in body ? "  body: form," : false,
    body && "file" in body ? `  body: await openAsBlob("${body.file}"),` : false,
    "});",
    "console.log(response.status, await response.text());",
  );
}

function indented(text: string, by: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(by)}`);
}

/** With nothing but the standard library. */
function python({ method, url, headers, body }: Call): string {
  const usesEnvironment = headers.some(({ variable }) => variable);
  if (body && "field" in body) return pythonUpload({ method, url, headers, body }, body.field);
  const entries = headers.map(
    ({ name, value, variable }) =>
      `        "${name}": ${variable ? `f"${value}{os.environ['${variable}']}"` : `"${value}"`},`,
  );
  return lines(
    body && "json" in body ? "import json" : false,
    usesEnvironment && "import os",
    "import urllib.request\n",
    "request = urllib.request.Request(",
    `    "${url}",`,
    `    method="${method}",`,
    entries.length > 0 && `    headers={\n${entries.join("\n")}\n    },`,
    body && "json" in body ? `    data=json.dumps(${indented(pythonValue(body.json), 4)}).encode(),` : false,
    body && "file" in body ? `    data=open("${body.file}", "rb").read(),` : false,
    ")",
    "with urllib.request.urlopen(request) as response:",
    "    print(response.status, response.read().decode())",
  );
}

/** The standard library has no multipart forms: this uses the package that is most common. */
function pythonUpload({ method, url, headers }: Call, field: string): string {
  const entries = headers.map(({ name, value, variable }) =>
    variable ? `"${name}": f"${value}{os.environ['${variable}']}"` : `"${name}": "${value}"`,
  );
  return lines(
    "import os\nimport requests\n",
    `response = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    `    headers={${entries.join(", ")}},`,
    `    files={"${field}": open("${fileOf(field)}", "rb")},`,
    ")",
    "print(response.status_code, response.text)",
  );
}

function pythonValue(value: unknown, depth = 0): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const pad = " ".repeat(4 * (depth + 1));
  const inner = Array.isArray(value)
    ? value.map((item) => `${pad}${pythonValue(item, depth + 1)},`)
    : Object.entries(value).map(
        ([key, item]) => `${pad}${JSON.stringify(key)}: ${pythonValue(item, depth + 1)},`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return inner.length === 0
    ? `${open}${close}`
    : `${open}\n${inner.join("\n")}\n${" ".repeat(4 * depth)}${close}`;
}

function go({ method, url, headers, body }: Call): string {
  const isForm = body && "field" in body;
  const usesEnvironment = headers.some(({ variable }) => variable) || (body && !("json" in body));
  const imports = [
    isForm && "bytes",
    "fmt",
    "io",
    isForm && "mime/multipart",
    "net/http",
    usesEnvironment && "os",
    body && "json" in body && "strings",
  ].filter(Boolean);
  const before = !body
    ? ""
    : "json" in body
      ? `\tbody := strings.NewReader(${goText(json(body.json))})\n`
      : "file" in body
        ? `\tbody, err := os.Open("${body.file}")\n\tif err != nil {\n\t\tpanic(err)\n\t}\n`
        : goForm(body.field);
  return lines(
    `package main\n\nimport (\n${imports.map((name) => `\t"${name}"`).join("\n")}\n)\n`,
    `func main() {\n${before}\trequest, err := ${goRequest(method, url, body !== null, Boolean(isForm))}`,
    "\tif err != nil {\n\t\tpanic(err)\n\t}",
    ...headers.map(
      ({ name, value, variable }) =>
        `\trequest.Header.Set("${name}", "${value}"${variable ? `+os.Getenv("${variable}")` : ""})`,
    ),
    isForm ? `\trequest.Header.Set("Content-Type", form.FormDataContentType())` : false,
    "\tresponse, err := http.DefaultClient.Do(request)\n\tif err != nil {\n\t\tpanic(err)\n\t}",
    "\tdefer response.Body.Close()\n\tanswer, _ := io.ReadAll(response.Body)",
    "\tfmt.Println(response.StatusCode, string(answer))\n}",
  );
}

function goRequest(method: string, url: string, hasBody: boolean, isForm: boolean): string {
  return `http.NewRequest("${method}", "${url}", ${hasBody ? (isForm ? "&body" : "body") : "nil"})`;
}

function goForm(field: string): string {
  return lines(
    `\tfile, err := os.Open("${fileOf(field)}")\n\tif err != nil {\n\t\tpanic(err)\n\t}`,
    "\tvar body bytes.Buffer\n\tform := multipart.NewWriter(&body)",
    `\tpart, _ := form.CreateFormFile("${field}", "${fileOf(field)}")\n\tio.Copy(part, file)\n\tform.Close()\n`,
  );
}

/** A raw text cannot hold its own quotes. */
function goText(text: string): string {
  return `\`${text.replaceAll("`", '` + "`" + `')}\``;
}

function php({ method, url, headers, body }: Call): string {
  const entries = headers.map(
    ({ name, value, variable }) => `    "${name}: ${value}"${variable ? ` . getenv("${variable}")` : ""},`,
  );
  const fields =
    !body || "json" in body
      ? body && `json_encode(${phpValue(body.json)})`
      : "field" in body
        ? `["${body.field}" => new CURLFile("${fileOf(body.field)}")]`
        : `file_get_contents("${body.file}")`;
  return lines(
    `<?php\n$request = curl_init("${url}");`,
    "curl_setopt_array($request, [",
    `  CURLOPT_CUSTOMREQUEST => "${method}",`,
    "  CURLOPT_RETURNTRANSFER => true,",
    entries.length > 0 && `  CURLOPT_HTTPHEADER => [\n${entries.join("\n")}\n  ],`,
    fields ? `  CURLOPT_POSTFIELDS => ${indented(fields, 2)},` : false,
    "]);",
    "$answer = curl_exec($request);",
    'echo curl_getinfo($request, CURLINFO_HTTP_CODE), " ", $answer, "\\n";',
  );
}

/** In single quotes, where nothing is replaced. An empty object is not an empty list. */
function phpValue(value: unknown, depth = 0): string {
  if (typeof value === "string") return `'${value.replace(/[\\']/g, "\\$&")}'`;
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return Array.isArray(value) ? "[]" : "(object) []";
  const pad = " ".repeat(INDENT * (depth + 1));
  const inner = entries.map(
    ([key, item]) =>
      `${pad}${Array.isArray(value) ? "" : `${phpValue(key)} => `}${phpValue(item, depth + 1)},`,
  );
  return `[\n${inner.join("\n")}\n${" ".repeat(INDENT * depth)}]`;
}
