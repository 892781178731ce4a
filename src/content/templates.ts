import { assertSenderVerified } from "../accounts/projects/domains.ts";
import { type Context, inTransaction } from "../context.ts";
import { beginEdit, type Edit, editTag, NOBODY } from "../edits.ts";
import { containing } from "../db/like.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
import { parseAddress } from "../mail/address.ts";
import { type FieldError, problems } from "../problem/mod.ts";
import { compileBody } from "./mjml/mod.ts";
import { templateErrors } from "./handlebars/errors.ts";
import { addressOrNull, aliasProblem, senderErrors } from "./template_fields.ts";

type Row = NonNullable<Awaited<ReturnType<Queries["templates"]["get"]>>>;

/** A template as the API shows it. */
export type Template = Omit<Row, "fromEmail"> & { from: string };

/** A template, ready to be rendered. */
export type TemplateContent = NonNullable<Awaited<ReturnType<Queries["templates"]["byId"]>>>;

/** A template in a list; its body is null if it was not asked for. */
export type ListedTemplate = Omit<Template, "body"> & { body: string | null };

/** Whether a template is for transactional mail, for campaigns with a footer, or for campaigns without one. */
export type TemplateType = Template["type"];

/** What a new template is made of. */
export interface TemplateInput {
  name: string;
  /** What SDKs of other providers call it; no other template of the project has it. */
  alias?: string | null | undefined;
  description?: string | null | undefined;
  subject: string;
  preheader?: string | null | undefined;
  body: string;
  from: string;
  fromName?: string | null | undefined;
  replyTo?: string | null | undefined;
  type?: TemplateType | undefined;
}

/** What a PATCH may change. Null clears a field. */
export type TemplatePatch = { [Field in keyof TemplateInput]?: TemplateInput[Field] | undefined };

/** Which page of which templates. */
export interface TemplatePage {
  page: number;
  pageSize: number;
  type?: TemplateType | undefined;
  /** A part of the name, the description or the subject, in any case. */
  search?: string | undefined;
  sort: "name" | "createdAt" | "updatedAt";
  dir: "asc" | "desc";
  /** Only these; null: all. */
  ids: string[] | null;
  /** After this template, in the order of creation. */
  afterId: string | null;
  withBody: boolean;
}

/** What refers to a template, and how many mails were made of it. */
export interface TemplateUsage {
  campaigns: Awaited<ReturnType<Queries["templates"]["campaigns"]>>;
  workflowSteps: Awaited<ReturnType<Queries["workflowUsage"]["ofTemplate"]>>;
  emailsSent: number;
  /** Of its newest mails, without those of campaigns. */
  outcomes: Awaited<ReturnType<Queries["templates"]["outcomes"]>>;
}

/** How long a name may be. */
export const MAX_TEMPLATE_NAME = 255;
const COPY = " (Copy)";
/** How many of its newest mails count for the outcomes of a template. */
const NEWEST = 10_000;

/** One page of templates, and how many there are in all. */
export async function listTemplates(
  ctx: Context,
  projectId: string,
  { page, pageSize, type, search, ids, sort, dir, afterId, withBody }: TemplatePage,
): Promise<{ data: ListedTemplate[]; total: number }> {
  const text = search?.trim();
  const filter = { projectId, type: type ?? null, pattern: text ? containing(text) : null, ids };
  const [rows, { total }] = await Promise.all([
    q.templates.list(ctx, {
      ...filter,
      sort,
      dir,
      afterId,
      withBody,
      limit: pageSize,
      offset: (page - 1) * pageSize,
    }),
    q.templates.count(ctx, filter),
  ]);
  return { data: rows.map(({ fromEmail, ...row }) => ({ ...row, from: fromEmail })), total };
}

/** One template. Throws TEMPLATE_NOT_FOUND. */
export async function getTemplate(ctx: Context, projectId: string, templateId: string): Promise<Template> {
  const row = await q.templates.get(ctx, { projectId, templateId });
  if (!row) throw problems.templateNotFound(templateId);
  return toTemplate(row);
}

/** A template, ready to be rendered. Throws TEMPLATE_NOT_FOUND. */
export async function getTemplateContent(
  ctx: Context,
  projectId: string,
  templateId: string,
): Promise<TemplateContent> {
  const row = await q.templates.byId(ctx, { projectId, templateId });
  if (!row) throw problems.templateNotFound(templateId);
  return row;
}

/**
 * Makes a template; an MJML body is compiled here, once. Throws 422 with every field that has a fault, and 403 for a
 * sender whose domain is not verified.
 */
export async function createTemplate(
  ctx: Context,
  projectId: string,
  input: TemplateInput,
  edit: Edit = NOBODY,
): Promise<Template> {
  const html = await compileBody(ctx, projectId, input.body, inputErrors(input));
  const fromEmail = parseAddress(input.from)!.email;
  return await inTransaction(ctx, async (tx) => {
    await assertSenderVerified(tx, projectId, fromEmail);
    await q.edits.actAs(tx, { editor: edit.by });
    const row = await q.templates.insert(tx, {
      projectId,
      name: input.name,
      alias: input.alias ?? null,
      description: input.description ?? null,
      subject: input.subject,
      preheader: input.preheader?.trim() || null,
      body: input.body,
      html,
      fromEmail,
      fromName: input.fromName?.trim() || null,
      replyTo: addressOrNull(input.replyTo),
      type: input.type ?? "MARKETING",
    });
    return toTemplate(row);
  }).catch((error: unknown) => {
    throw aliasProblem(error);
  });
}

/**
 * Changes the fields that are given, and no others. Throws TEMPLATE_NOT_FOUND, and what {@linkcode createTemplate}
 * throws.
 */
export async function patchTemplate(
  ctx: Context,
  projectId: string,
  templateId: string,
  patch: TemplatePatch,
  edit: Edit = NOBODY,
): Promise<Template> {
  const errors = inputErrors(patch);
  if (patch.body === undefined && errors.length > 0) throw problems.invalid(errors);
  const html = patch.body === undefined ? null : await compileBody(ctx, projectId, patch.body, errors);
  const fromEmail = patch.from === undefined ? null : parseAddress(patch.from)!.email;
  return await inTransaction(ctx, async (tx) => {
    if (fromEmail !== null) await assertSenderVerified(tx, projectId, fromEmail);
    await beginTemplateEdit(tx, projectId, templateId, edit);
    const row = await q.templates.patch(tx, {
      projectId,
      templateId,
      name: patch.name ?? null,
      setAlias: patch.alias !== undefined,
      alias: patch.alias ?? null,
      setDescription: patch.description !== undefined,
      description: patch.description ?? null,
      subject: patch.subject ?? null,
      setPreheader: patch.preheader !== undefined,
      preheader: patch.preheader?.trim() || null,
      body: patch.body ?? null,
      html,
      fromEmail,
      setFromName: patch.fromName !== undefined,
      fromName: patch.fromName?.trim() || null,
      setReplyTo: patch.replyTo !== undefined,
      replyTo: addressOrNull(patch.replyTo),
      type: patch.type ?? null,
    });
    if (!row) throw problems.templateNotFound(templateId);
    return toTemplate(row);
  }).catch((error: unknown) => {
    throw aliasProblem(error);
  });
}

/** Holds the template, so that nobody edits it between the comparison and the change. */
export async function beginTemplateEdit(
  tx: Context,
  projectId: string,
  templateId: string,
  edit: Edit,
): Promise<void> {
  if (!(await q.templates.lock(tx, { projectId, templateId }))) throw problems.templateNotFound(templateId);
  await beginEdit(tx, edit, { kind: "template", projectId, id: templateId }, async () =>
    editedOf(await getTemplate(tx, projectId, templateId)),
  );
}

/** The `ETag` of a template. */
export function templateTag(template: Template): string {
  return editTag(editedOf(template));
}

function editedOf(template: Template) {
  const { name, alias, description, subject, preheader, body, from, fromName, replyTo, type } = template;
  return { name, alias, description, subject, preheader, body, from, fromName, replyTo, type };
}

/**
 * Deletes a template. Throws CONFLICT while a step of a workflow sends it, or a campaign that was made from it is to be
 * sent, and 412 where somebody has edited it since.
 */
export async function deleteTemplate(
  ctx: Context,
  projectId: string,
  templateId: string,
  edit: Edit = NOBODY,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await beginTemplateEdit(tx, projectId, templateId, { ...edit, purpose: "delete" });
    const campaigns = await q.templates.campaigns(tx, { projectId, templateId });
    const unsent = campaigns.filter(({ status }) => ["DRAFT", "SCHEDULED", "SENDING"].includes(status));
    const workflowSteps = await q.workflowUsage.ofTemplate(tx, { projectId, templateId });
    if (unsent.length > 0 || workflowSteps.length > 0) {
      throw problems.templateInUse({ campaigns: unsent, workflowSteps });
    }
    await q.templates.remove(tx, { projectId, templateId });
  });
}

/** A copy of a template, with " (Copy)" after its name. Throws TEMPLATE_NOT_FOUND. */
export async function duplicateTemplate(
  ctx: Context,
  projectId: string,
  templateId: string,
  edit: Edit = NOBODY,
): Promise<Template> {
  const { name } = await getTemplate(ctx, projectId, templateId);
  return await inTransaction(ctx, async (tx) => {
    await q.edits.actAs(tx, { editor: edit.by });
    const row = await q.templates.duplicate(tx, { projectId, templateId, name: copyName(name) });
    if (!row) throw problems.templateNotFound(templateId);
    return toTemplate(row);
  });
}

/** Where a template is used. Throws TEMPLATE_NOT_FOUND. */
export async function getTemplateUsage(
  ctx: Context,
  projectId: string,
  templateId: string,
): Promise<TemplateUsage> {
  await getTemplate(ctx, projectId, templateId);
  const [campaigns, workflowSteps, { total }, outcomes] = await Promise.all([
    q.templates.campaigns(ctx, { projectId, templateId }),
    q.workflowUsage.ofTemplate(ctx, { projectId, templateId }),
    q.templates.countSent(ctx, { projectId, templateId }),
    q.templates.outcomes(ctx, { projectId, templateId, limit: NEWEST }),
  ]);
  return { campaigns, workflowSteps, emailsSent: total, outcomes };
}

/** What a request says of a template that may not be whole. */
export type UnsavedTemplate = { [K in "subject" | "preheader" | "body"]?: string | null | undefined };

/** What is wrong with the texts of a template that may not be whole. MJML is not compiled. */
export function unsavedErrors({ subject, preheader, body }: UnsavedTemplate): FieldError[] {
  return [
    ...templateErrors("subject", subject ?? undefined),
    ...templateErrors("preheader", preheader ?? undefined),
    ...templateErrors("body", body ?? undefined),
  ];
}

/** What is wrong with the fields besides their schema. The body is checked when it is compiled. */
function inputErrors({ subject, preheader, from, replyTo }: TemplatePatch): FieldError[] {
  return [
    ...templateErrors("subject", subject),
    ...templateErrors("preheader", preheader ?? undefined),
    ...senderErrors({ from, replyTo }),
  ];
}

/** Cut if there is no room, but never within a character. */
function copyName(name: string): string {
  return name.slice(0, MAX_TEMPLATE_NAME - COPY.length).replace(/[\ud800-\udbff]$/, "") + COPY;
}

/** A template of the database as the API shows it. */
export function toTemplate({ fromEmail, ...row }: Row): Template {
  return { ...row, from: fromEmail };
}
