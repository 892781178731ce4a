// The reference of all endpoints, made from the OpenAPI document: a page that lists them, and one for each. They are read
// without a script; `assets/reference.js` adds the search and the real calls.
import { createHash } from "node:crypto";
import {
  type ReferenceOperation,
  type Parameter,
  readDocument,
  type ReferenceDocument,
} from "./_reference_document.ts";
import { exampleOf, samplesOf } from "./_reference_samples.ts";
import { fieldView, phrase, prose, schemaView } from "./_reference_schemas.ts";
import { escapeHtml, OWN_PAGE_HEADERS, page } from "./html.ts";

/** A page that is ready to be sent. */
export interface ReferencePage {
  body: string;
  headers: Readonly<Record<string, string>>;
}

const PATH = "/docs/api";
const HEADERS = {
  ...OWN_PAGE_HEADERS,
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  "cache-control": "no-cache",
};
const REFUSED = /^[45]/;

/** The pages of a document: the list of all operations, and one operation by its id; null if there is none. */
export function referencePages(document: object) {
  const read = readDocument(document);
  const operations = new Map(
    read.groups.flatMap((group) => group.operations).map((one) => [one.operationId, one]),
  );
  const made = new Map<string, ReferencePage>();
  const keep = (name: string, make: () => ReferencePage) => {
    const known = made.get(name) ?? make();
    made.set(name, known);
    return known;
  };
  return {
    index: () => keep("", () => frame(read, "API reference", overview(read), "")),
    operation(id: string): ReferencePage | null {
      const found = operations.get(id);
      return found
        ? keep(id, () => frame(read, found.summary.replaceAll("`", ""), operationView(found, read), id))
        : null;
    },
  };
}

function frame(document: ReferenceDocument, title: string, main: string, current: string): ReferencePage {
  const body = page({
    title: `${title} · Postrider API`,
    head: `<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="/docs/reference.css">
<script src="/docs/reference.js" defer></script>`,
    body: `<a class="skip" href="#operation">Skip to content</a>
<header><a class="home" href="/docs">Postrider</a> <button type="button" class="menu" popovertarget="operations">Operations</button>
<a href="/docs">Guides</a> <a href="${PATH}"${current === "" ? ' aria-current="page"' : ""}>API reference</a> <a href="/openapi.json">OpenAPI</a></header>
<nav id="operations" popover aria-label="Operations">
<div class="search" hidden><label for="search">Search operations</label><input id="search" type="search" placeholder="Search  /" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"><p id="found" role="status"></p></div>
${document.groups.map((group) => navGroup(group, current)).join("\n")}
</nav>
<main id="operation">
${main}
</main>`,
  });
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { body, headers: { ...HEADERS, etag } };
}

function navGroup({ tag, operations }: ReferenceDocument["groups"][number], current: string): string {
  const links = operations.map(({ operationId, method, path, summary }) => {
    const mark = operationId === current ? ' aria-current="page"' : "";
    const words = escapeHtml(`${method} ${path} ${operationId} ${tag}`.toLowerCase());
    return `<li><a href="${PATH}/${operationId}" data-words="${words}"${mark}>${badge(method)} <span>${phrase(summary)}</span></a></li>`;
  });
  return `<section><h2>${escapeHtml(tag)}</h2><ul>${links.join("")}</ul></section>`;
}

function badge(method: string): string {
  return `<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function overview({ groups, version, server }: ReferenceDocument): string {
  const sections = groups.map(({ tag, description, operations }) => {
    const rows = operations.map(
      ({ operationId, method, path, summary }) =>
        `<li><a href="${PATH}/${operationId}">${phrase(summary)}</a> <span class="address">${badge(method)} <code>${escapeHtml(path)}</code></span></li>`,
    );
    return `<section><h2>${escapeHtml(tag)}</h2><p>${phrase(description)}</p><ul class="overview">${rows.join("")}</ul></section>`;
  });
  return `<h1>API reference</h1>
<p>Version ${escapeHtml(version)}, at <code>${escapeHtml(server)}</code>. What all endpoints have in common is described in <a href="/docs/guides/api">The API</a>, and the first steps in <a href="/docs/guides/getting-started">Getting started</a>.</p>
${sections.join("\n")}`;
}

function operationView(operation: ReferenceOperation, document: ReferenceDocument): string {
  const { method, path, summary, description, body, operationId } = operation;
  return `<h1>${phrase(summary)}</h1>
<p class="address">${badge(method)} <code>${escapeHtml(path)}</code></p>
<div class="columns">
<div>
${prose(description)}
<p class="faded"><code>${escapeHtml(operationId)}</code> in generated clients</p>
${parametersView(operation, document)}
${body ? `<h2>Body</h2><p class="type">${escapeHtml(body.type)}</p>${schemaView(body.schema, document.schemas)}` : ""}
${answersView(operation, document)}
</div>
<div class="beside">
${samplesView(operation, document)}
${exampleView(operation)}
${tryView(operation)}
</div>
</div>`;
}

const PLACES: Record<string, string> = { path: "In the path", query: "In the query", header: "Headers" };

function parametersView({ parameters }: ReferenceOperation, { schemas }: ReferenceDocument): string {
  return Object.entries(PLACES)
    .map(([place, title]) => {
      const fields = parameters
        .filter((one) => one.in === place)
        .map(({ name, schema, required, description }) =>
          fieldView(name, { ...schema, ...(description && { description }) }, required === true, schemas),
        );
      return fields.length > 0 ? `<h2>${title}</h2><ul class="fields">${fields.join("")}</ul>` : "";
    })
    .join("");
}

function answersView({ responses }: ReferenceOperation, { schemas }: ReferenceDocument): string {
  const good = responses
    .filter(({ status }) => !REFUSED.test(status))
    .map(
      ({ status, description, schema }) =>
        `<p><code>${status}</code> ${phrase(description)}</p>${schema ? schemaView(schema, schemas) : ""}`,
    );
  const refused = responses
    .filter(({ status }) => REFUSED.test(status))
    .map(({ status, description }) => `<li><code>${status}</code> ${phrase(description)}</li>`);
  return `<h2>Answer</h2>${good.join("")}
<h2>Refusals</h2><ul class="refusals">${refused.join("")}</ul><p>Every code, its cause and its solution: <a href="/docs/guides/errors">Errors</a>.</p>`;
}

/** One sample is visible at a time, chosen by radio buttons, without a script. */
function samplesView(operation: ReferenceOperation, document: ReferenceDocument): string {
  const samples = samplesOf(operation, document);
  const choices = samples.map(
    ({ id, label }, n) =>
      `<input type="radio" name="language" id="in-${id}" value="${id}"${n === 0 ? " checked" : ""}><label for="in-${id}">${label}</label>`,
  );
  const codes = samples.map(
    ({ id, label, code }) =>
      `<div class="sample ${id}"><pre tabindex="0" aria-label="${label}"><code>${escapeHtml(code)}</code></pre></div>`,
  );
  return `<fieldset class="samples"><legend>Sample</legend>${choices.join("")}<button type="button" class="copy" hidden>Copy</button>${codes.join("")}</fieldset>`;
}

function exampleView({ responses }: ReferenceOperation): string {
  const answer = responses.find(({ example }) => example !== undefined);
  if (!answer) return "";
  return `<h2 class="small">Answer, <code>${answer.status}</code></h2><pre tabindex="0" class="answer" aria-label="Example of an answer"><code>${escapeHtml(JSON.stringify(answer.example, null, 2))}</code></pre>`;
}

/** A form for a real call. It stays hidden without the script. */
function tryView({ method, path, parameters, security, body }: ReferenceOperation): string {
  const ways = security.map((way) => Object.keys(way)[0]!);
  const isKeyed = ways.some((way) => way.endsWith("Key"));
  const inputs = [
    ...(isKeyed
      ? [input("key", "key", ways.includes("publicKey") ? "Public key" : "Secret key", "", true)]
      : []),
    ...(ways.includes("session")
      ? ['<p class="faded">Without a key, the session of this browser is used.</p>'].slice(isKeyed ? 1 : 0)
      : []),
    ...parameters.map((one) =>
      input(
        `${one.in}-${one.name}`,
        `${one.in}:${one.name}`,
        labelOf(one),
        one.in === "path" ? "" : initial(one),
        one.required === true,
      ),
    ),
    ...(body ? [bodyInput(body)] : []),
  ];
  return `<form id="try" data-method="${method}" data-path="${escapeHtml(path)}" hidden>
<h2 class="small">Try it</h2>
<p class="faded">A real call to this installation${method === "GET" ? "" : ": its changes are permanent"}.</p>
${inputs.join("\n")}
<button type="submit">Send</button>
<p id="outcome" role="status"></p>
<pre tabindex="0" id="answer" aria-label="The answer" hidden><code></code></pre>
</form>`;
}

function labelOf({ name, in: place }: Parameter): string {
  return place === "header" ? `${name} (header)` : name;
}

function initial(parameter: Parameter): string {
  return parameter.required ? exampleOf(parameter) : "";
}

function input(id: string, name: string, label: string, value: string, isRequired: boolean): string {
  const required = isRequired && name !== "key" ? " required" : "";
  return `<label for="try-${id}">${escapeHtml(label)}</label><input id="try-${id}" name="${escapeHtml(name)}" value="${escapeHtml(value)}" autocomplete="off" spellcheck="false"${required}>`;
}

function bodyInput({ type, schema, example }: NonNullable<ReferenceOperation["body"]>): string {
  if (type === "application/json") {
    const text = escapeHtml(JSON.stringify(example ?? {}, null, 2));
    return `<label for="try-body">Body</label><textarea id="try-body" name="body" rows="10" spellcheck="false">${text}</textarea>`;
  }
  const field = type === "multipart/form-data" ? Object.keys(schema.properties ?? {})[0]! : "";
  return `<label for="try-file">File</label><input id="try-file" name="file" type="file" data-type="${type}" data-field="${field}">`;
}
