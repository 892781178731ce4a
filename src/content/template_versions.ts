// What a template was before: kept by a trigger (`templates_keep_version`) whenever anything of it changes, the last 100 times.
import { assertSenderVerified } from "../accounts/projects/domains.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
import type { Edit } from "../edits.ts";
import { problems } from "../problem/mod.ts";
import { beginTemplateEdit, getTemplate, type Template, toTemplate } from "./templates.ts";

/** When a template became what, and by whom. */
export type ListedVersion = Awaited<ReturnType<Queries["templates"]["versions"]>>[number];

type Row = NonNullable<Awaited<ReturnType<Queries["templates"]["version"]>>>;

/** What a template was. */
export type TemplateVersion = Omit<Row, "fromEmail"> & { from: string };

/** The versions of a template, newest first: that is what it is now. Throws TEMPLATE_NOT_FOUND. */
export async function listVersions(
  ctx: Context,
  projectId: string,
  templateId: string,
): Promise<ListedVersion[]> {
  await getTemplate(ctx, projectId, templateId);
  return await q.templates.versions(ctx, { projectId, templateId });
}

/** One version. Throws not-found. */
export async function getVersion(
  ctx: Context,
  projectId: string,
  templateId: string,
  version: number,
): Promise<TemplateVersion> {
  const row = await q.templates.version(ctx, { projectId, templateId, version });
  if (!row) throw problems.notFound("template version", `${templateId}/${version}`);
  const { fromEmail, ...rest } = row;
  return { ...rest, from: fromEmail };
}

/**
 * Makes a template what it was, which is a new version: nothing of between is lost. Throws not-found, 403 if its sender
 * is no longer verified, and 412 as {@linkcode beginTemplateEdit} does.
 */
export async function restoreVersion(
  ctx: Context,
  projectId: string,
  templateId: string,
  version: number,
  edit: Edit,
): Promise<Template> {
  return await inTransaction(ctx, async (tx) => {
    await beginTemplateEdit(tx, projectId, templateId, edit);
    const { from } = await getVersion(tx, projectId, templateId, version);
    await assertSenderVerified(tx, projectId, from);
    return toTemplate((await q.templates.restore(tx, { projectId, templateId, version }))!);
  });
}
