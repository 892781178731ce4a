// One call of a tool: asked back where it has to be confirmed, then the request, and its answer as text.
import { createHash } from "node:crypto";
import type { Context } from "../../context.ts";
import { confirmationOf, type ToolEffect, isConfirmed, type MeantCall } from "./confirmations.ts";
import { ToolRefusal } from "./effects.ts";
import type { ApiAnswer, CallOperation, OperationInput } from "./operations.ts";
import { isOfProject } from "./tool_schemas.ts";
import type { Tool } from "./tools.ts";

/** Who calls a tool. */
export interface ToolCaller {
  project: { id: string };
  scopes: readonly string[] | null;
}

interface ToolCall {
  caller: ToolCaller;
  call: CallOperation;
  input: OperationInput;
}

/** A model reads all of it: much more than a page of a list helps nobody. */
const MAX_ANSWER_LENGTH = 30_000;

/** What a tool gives back. */
export interface ToolResult {
  content: { type: "text"; text: string }[];
  isError?: true;
  [key: string]: unknown;
}

/** Calls a tool, or asks for a confirmation first. What the API refuses is a result, which the model can act on. */
export async function runTool(
  ctx: Context,
  tool: Tool,
  { caller, call, input }: ToolCall,
): Promise<ToolResult> {
  const { confirmation, ...given } = input;
  const filled = { ...given, ...projectIn(tool, caller) };
  try {
    const effect = (await tool.effect?.(call, filled)) ?? null;
    const meant = { projectId: caller.project.id, tool: tool.name, input: filled };
    if (effect && !(typeof confirmation === "string" && isConfirmed(ctx, meant, effect, confirmation))) {
      return text(JSON.stringify(question(ctx, meant, effect, confirmation !== undefined)));
    }
    return toResult(await call(tool.operation.operationId, filled, keyOf(tool, confirmation)));
  } catch (error) {
    if (error instanceof ToolRefusal) return toResult(error.answer);
    throw error;
  }
}

/** The project is that of the key. */
function projectIn({ operation }: Tool, { project }: ToolCaller): OperationInput {
  const names = (operation.parameters ?? []).map(({ name }) => name);
  const own = names.filter((name) => isOfProject(operation, name) && operation.path.includes(`{${name}}`));
  return Object.fromEntries(own.map((name) => [name, project.id]));
}

function question(
  ctx: Context,
  meant: MeantCall,
  { what, people, isEstimate }: ToolEffect,
  isRepeated: boolean,
) {
  const { token, until } = confirmationOf(ctx, meant, { what, people });
  return {
    done: false,
    wouldDo: what,
    people,
    ...(isEstimate && { peopleAreEstimated: true }),
    ...(isRepeated && {
      note: "The confirmation was for another call, or for fewer people, or has expired.",
    }),
    confirmation: token,
    validUntil: until,
    next: "Nothing was done. Tell the person what would happen and how many people it touches. Only if they agree, call the tool again with the same arguments and this confirmation.",
  };
}

/** A confirmation is good for one mail, however often it is used. */
function keyOf({ operation }: Tool, confirmation: unknown): Record<string, string> {
  const isKeyed = operation.parameters?.some(({ name }) => name === "idempotency-key");
  if (!isKeyed || typeof confirmation !== "string") return {};
  return { "idempotency-key": `agent-${createHash("sha256").update(confirmation).digest("hex")}` };
}

function toResult({ status, body }: ApiAnswer): ToolResult {
  const isError = status >= 400;
  const answer = isError ? (body?.error ?? { message: `Status ${status}` }) : (body ?? { done: true });
  return {
    ...text(typeof answer === "string" ? answer : JSON.stringify(answer)),
    ...(isError && { isError }),
  };
}

function text(whole: string): ToolResult {
  const isCut = whole.length > MAX_ANSWER_LENGTH;
  const shown = isCut
    ? `${whole.slice(0, MAX_ANSWER_LENGTH).toWellFormed()}\n… cut off after ${MAX_ANSWER_LENGTH} of ${whole.length} characters: ask for less, such as a smaller limit`
    : whole;
  return { content: [{ type: "text", text: shown }] };
}
