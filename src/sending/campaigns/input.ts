// The parts of a campaign, as the API takes them and as they are stored.
import { knownSources, sourceErrors } from "../../audience/conditions/sources.ts";
import { type Condition, conditionErrors, referenceErrors } from "../../audience/conditions/tree.ts";
import { compileBody } from "../../content/mjml/mod.ts";
import { templateErrors } from "../../content/handlebars/errors.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { parseAddress } from "../../mail/address.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import type { CampaignAudience } from "./audience.ts";

/** The body of a request, valid by its schema. What is left out may come from the template. */
export interface CampaignInput {
  name: string;
  description?: string | null | undefined;
  subject?: string | null | undefined;
  preheader?: string | null | undefined;
  body?: string | null | undefined;
  from?: string | null | undefined;
  fromName?: string | null | undefined;
  replyTo?: string | null | undefined;
  type?: CampaignAudience["type"] | null | undefined;
  audienceType: CampaignAudience["audienceType"];
  segmentId?: string | null | undefined;
  audienceCondition?: unknown;
  templateId?: string | null | undefined;
}

/** What is kept of it. */
export interface CampaignValues extends CampaignAudience {
  name: string;
  description: string | null;
  subject: string;
  preheader: string | null;
  body: string;
  /** The body, ready to be rendered. */
  html: string;
  fromEmail: string;
  fromName: string | null;
  replyTo: string | null;
  templateId: string | null;
}

/**
 * Everything wrong with the input besides its schema that can be known without the database. `refused` are fields left
 * out of it because their schema is not satisfied.
 */
export function campaignErrors(input: CampaignInput, refused: ReadonlySet<string> = new Set()): FieldError[] {
  const { subject, body, from, templateId } = input;
  const isFromTemplate = Boolean(templateId) || refused.has("templateId");
  return [
    ...(isFromTemplate ? [] : missing({ subject, body, from })),
    ...templateErrors("subject", subject ?? undefined),
    ...templateErrors("preheader", input.preheader ?? undefined),
    ...audienceErrors(input),
  ];
}

/** Everything wrong with a change that can be known without the campaign: what it leaves out is not missing. */
export function campaignPatchErrors(patch: Partial<CampaignInput>): FieldError[] {
  const { subject, preheader, audienceCondition } = patch;
  return [
    ...templateErrors("subject", subject ?? undefined),
    ...templateErrors("preheader", preheader ?? undefined),
    ...(audienceCondition ? conditionErrors(audienceCondition, "audienceCondition") : []),
  ];
}

/**
 * The request over the template that it names. Throws 422 with every field that is missing or has a fault, and
 * TEMPLATE_NOT_FOUND. A body that is `compiled` already is not compiled again.
 */
export async function contentOf(
  ctx: Context,
  projectId: string,
  input: CampaignInput,
  compiled?: { body: string; html: string },
): Promise<CampaignValues> {
  const template = await templateOf(ctx, projectId, input.templateId ?? null);
  const subject = input.subject ?? template?.subject;
  const body = input.body ?? template?.body;
  const from = input.from ?? template?.fromEmail;
  const errors = [
    ...missing({ subject, body, from }),
    ...templateErrors("subject", input.subject ?? undefined),
    ...templateErrors("preheader", input.preheader ?? undefined),
    ...audienceErrors(input),
  ];
  if (errors.length > 0 && !input.body) throw problems.invalid(errors);
  const isKnown = compiled !== undefined && compiled.body === input.body && errors.length === 0;
  // The body of a template was compiled when that was saved.
  const html = isKnown
    ? compiled.html
    : input.body
      ? await compileBody(ctx, projectId, input.body, errors)
      : template!.html;
  return {
    name: input.name.trim(),
    description: input.description ?? null,
    subject: subject!,
    preheader: (input.preheader === undefined ? template?.preheader : input.preheader)?.trim() || null,
    body: body!,
    html,
    fromEmail: parseAddress(from!)!.email,
    fromName: (input.fromName === undefined ? template?.fromName : input.fromName)?.trim() || null,
    replyTo: input.replyTo
      ? parseAddress(input.replyTo)!.email
      : input.replyTo === undefined
        ? (template?.replyTo ?? null)
        : null,
    type: input.type ?? template?.type ?? "MARKETING",
    audienceType: input.audienceType,
    segmentId: input.audienceType === "SEGMENT" ? input.segmentId! : null,
    audienceCondition: input.audienceType === "FILTERED" ? (input.audienceCondition as Condition) : null,
    templateId: template?.id ?? null,
  };
}

/** Throws when the audience names a segment, campaign or template that the project has not. */
export async function assertAudience(
  ctx: Context,
  projectId: string,
  audience: CampaignAudience,
): Promise<void> {
  if (audience.audienceType === "ALL") return;
  const segments = await q.segments.conditions(ctx, { projectId });
  if (audience.audienceType === "SEGMENT") {
    if (!segments.some((segment) => segment.id === audience.segmentId)) {
      throw problems.segmentNotFound(audience.segmentId!);
    }
    return;
  }
  const condition = audience.audienceCondition!;
  const wrong = [
    ...referenceErrors(null, condition, segments, "audienceCondition"),
    ...sourceErrors(condition, await knownSources(ctx, projectId, condition), "audienceCondition"),
  ];
  if (wrong.length > 0) throw problems.invalid(wrong);
}

async function templateOf(ctx: Context, projectId: string, templateId: string | null) {
  if (templateId === null) return null;
  const template = await q.templates.byId(ctx, { projectId, templateId });
  if (!template) throw problems.templateNotFound(templateId);
  return template;
}

function missing(fields: Record<string, string | null | undefined>): FieldError[] {
  return Object.entries(fields)
    .filter(([, value]) => !value)
    .map(([field]) => ({ field, code: "required", message: "This field is required" }));
}

/** Whom a campaign is for, as a request says it. */
export type AudienceInput = Pick<CampaignInput, "audienceType" | "segmentId" | "audienceCondition" | "type">;

/** What of an audience is ignored, because it is that of another `audienceType`. */
export function audienceWarnings({ audienceType, segmentId, audienceCondition }: AudienceInput): string[] {
  const ignored = [
    ...(segmentId && audienceType !== "SEGMENT" ? ["segmentId"] : []),
    ...(audienceCondition && audienceType !== "FILTERED" ? ["audienceCondition"] : []),
  ];
  return ignored.map((field) => `The field ${field} was ignored: the audienceType is ${audienceType}`);
}

/** What is wrong with an audience besides its schema that can be known without the database. */
export function audienceErrors({ audienceType, segmentId, audienceCondition }: AudienceInput): FieldError[] {
  if (audienceType === "SEGMENT" && !segmentId) {
    return [{ field: "segmentId", code: "required", message: "A segment is required for this audienceType" }];
  }
  if (audienceType !== "FILTERED") return [];
  if (audienceCondition === undefined || audienceCondition === null) {
    const message = "A condition is required for this audienceType";
    return [{ field: "audienceCondition", code: "required", message }];
  }
  return conditionErrors(audienceCondition, "audienceCondition");
}
