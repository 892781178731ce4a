// The content of a webhook: its config, filled in for one execution.
import { type Budget, compileTemplate, type Scope } from "../../content/handlebars/mod.ts";
import type { Json } from "../../db/types.ts";
import { VERSION } from "../../version.ts";
import {
  budgetOf,
  compileTree,
  fillText,
  MAX_FILLED_CHARS,
  Unfillable,
} from "../../content/handlebars/filled.ts";
import type { GuardedRequest } from "../../net/guarded_request.ts";
import { renderUrl } from "./_url_template.ts";
import type { WebhookConfig } from "./config.ts";

/** What a webhook is about. */
export interface WebhookSubject {
  contact: { id: string; email: string; subscribed: boolean; data: Record<string, Json> };
  workflow: { id: string; name: string };
  execution: { id: string; startedAt: Date };
  /** What the caller gave, and under `event` the data of the event. */
  context: Record<string, Json>;
}

const MAX_HEADER_CHARS = 32_000;

/** It cannot be sent. The message is half a sentence. */
export class Unsendable extends Error {}

/** Fills in a webhook; URL, headers and body spend from one budget. Throws {@linkcode Unsendable}. */
export function webhookRequest(config: WebhookConfig, subject: WebhookSubject): GuardedRequest {
  try {
    return filledIn(config, subject, budgetOf("webhook"));
  } catch (error) {
    throw error instanceof Unfillable ? new Unsendable(error.message) : error;
  }
}

function filledIn(config: WebhookConfig, subject: WebhookSubject, budget: Budget): GuardedRequest {
  const scope = scopeOf(subject);
  const url = renderUrl(config.url, scope, budget);
  if (url === null) throw new Unsendable('a part of its path is "." or ".."');
  const hasBody = config.method !== "GET" && config.method !== "DELETE";
  const body = hasBody ? bodyOf(config.body, subject, scope, budget) : null;
  const headers = {
    accept: "application/json, */*;q=0.5",
    "user-agent": `Postrider/${VERSION}`,
    ...(body !== null && { "content-type": typeOf(body) }),
    ...headersOf(config.headers, scope, budget),
  };
  return { method: config.method, url, headers, body };
}

/** What templates see: what a mail sees, and `contact`, `workflow` and `execution` by name. */
function scopeOf({ contact, workflow, execution, context }: WebhookSubject): Scope {
  const data = { ...contact.data, ...context };
  return {
    ...data,
    id: contact.id,
    email: contact.email,
    subscribed: contact.subscribed,
    data,
    contact,
    workflow,
    execution,
    event: context.event,
  };
}

function bodyOf(given: Json | undefined, subject: WebhookSubject, scope: Scope, budget: Budget): string {
  const { contact, workflow, execution, context } = subject;
  if (given === undefined || given === null) {
    return JSON.stringify({ contact, workflow, execution, event: context.event ?? null });
  }
  // A string that is JSON before it is filled in stays JSON whatever the values are.
  const tree = typeof given === "string" ? (parsed(given) ?? given) : given;
  const filled = compileTree(tree)(scope, budget);
  const body = typeof filled === "string" && typeof given === "string" ? filled : JSON.stringify(filled);
  if (body.length <= MAX_FILLED_CHARS) return body;
  throw new Unsendable(`its body has more than ${MAX_FILLED_CHARS.toLocaleString("en")} characters`);
}

/** Objects and lists only: a string that is a number is a text of one. */
function parsed(text: string): Json | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function typeOf(body: string): string {
  return parsed(body) === null ? "text/plain; charset=utf-8" : "application/json";
}

/** Names in lower case; values on one line, in UTF-8. */
function headersOf(given: Record<string, string>, scope: Scope, budget: Budget): Record<string, string> {
  let length = 0;
  const filled = Object.entries(given).map(([name, template]): [string, string] => {
    const text = fillText(compileTemplate(template, "text"), scope, budget);
    const value = text.replace(/[\p{Cc}\s]+/gu, " ").trim();
    if ((length += value.length) > MAX_HEADER_CHARS) throw new Unsendable("its headers are too large");
    return [name.toLowerCase(), Buffer.from(value).toString("latin1")];
  });
  return Object.fromEntries(filled);
}
