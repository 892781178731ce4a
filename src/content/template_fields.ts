// Fields of templates that are more than text: addresses, and the alias.
import { isSandbox } from "../accounts/projects/sandbox_id.ts";
import type { Context } from "../context.ts";
import { violatedConstraint } from "../database_errors.ts";
import { q } from "../db/queries.ts";
import { parseAddress } from "../mail/address.ts";
import { type FieldError, problems } from "../problem/mod.ts";

/** How long an alias may be. */
export const MAX_ALIAS = 128;
/** What an alias is made of, as a regular expression: never a UUID, which is an id. */
export const ALIAS = "^(?![0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$)[A-Za-z0-9._-]*$";

/** Whether a template may have this alias. */
export function isAlias(text: string): boolean {
  return text.length > 0 && text.length <= MAX_ALIAS && new RegExp(ALIAS).test(text);
}

/**
 * The ids of those templates that have one of these aliases; in a sandbox also of those of its project, as with ids: an alias that
 * both have means the sandbox's own.
 */
export async function templatesByAlias(
  ctx: Context,
  projectId: string,
  aliases: string[],
): Promise<Map<string, string>> {
  if (aliases.length === 0) return new Map();
  const own = await q.templates.byAliases(ctx, { projectId, aliases });
  const live =
    isSandbox(projectId) && own.length < aliases.length
      ? await q.templates.liveByAliases(ctx, { projectId, aliases })
      : [];
  return new Map([...live, ...own].map(({ alias, id }) => [alias, id]));
}

/** The refusal of an alias that another template has. Anything else is rethrown. */
export function aliasProblem(error: unknown): unknown {
  if (violatedConstraint(error) !== "templates_project_id_alias_key") return error;
  const message = "Another template of the project has this alias";
  return problems.invalid([{ field: "alias", code: "custom", message }]);
}

/** What is wrong with the addresses of a template that may not be whole. */
export function senderErrors({
  from,
  replyTo,
}: {
  [K in "from" | "replyTo"]?: string | null | undefined;
}): FieldError[] {
  return [
    ...addressErrors("from", from ?? undefined),
    ...addressErrors("replyTo", replyTo?.trim() || undefined),
  ];
}

function addressErrors(field: string, address: string | undefined): FieldError[] {
  if (address === undefined || parseAddress(address)) return [];
  return [
    { field, code: "invalid_string", message: "Expected an email address", received: address.slice(0, 100) },
  ];
}

/** As it is stored; null for none. */
export function addressOrNull(address: string | null | undefined): string | null {
  return address?.trim() ? parseAddress(address)!.email : null;
}
