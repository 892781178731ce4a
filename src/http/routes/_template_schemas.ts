// How templates look in requests and answers.
import { t } from "elysia";
import { MAX_TEMPLATE_NAME, unsavedErrors, type UnsavedTemplate } from "../../content/templates.ts";
import { ALIAS, MAX_ALIAS, senderErrors } from "../../content/template_fields.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { documented, requiredFields } from "../entry/document.ts";
import { requiredError, withRules } from "../entry/field_errors.ts";
import {
  EmailAddress,
  HeaderText,
  Int,
  isUuid,
  Nullable,
  Preheader,
  Text,
  Timestamp,
  Uuid,
  Words,
} from "../entry/schemas.ts";
import { MailFields, MessageType, OutcomeCounts } from "./_mail_fields.ts";

/** A template. */
export const Template = t.Object(
  {
    id: Uuid,
    ...MailFields,
    alias: Nullable(t.String({ description: "What applications with the SDK of another provider call it." })),
    projectId: Uuid,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: "Template" },
);

/** Where a template is used. */
export const Usage = t.Object(
  {
    campaigns: t.Array(
      t.Object({
        id: Uuid,
        name: t.String(),
        status: Words(["DRAFT", "SCHEDULED", "SENDING", "SENT", "CANCELLED"]),
      }),
    ),
    workflowSteps: t.Array(
      t.Object({ id: Uuid, name: t.String(), workflowId: Uuid, workflowName: t.String() }),
    ),
    emailsSent: Int,
    outcomes: t.Object(
      {
        mails: Int,
        ...OutcomeCounts,
        lastSentAt: Nullable(Timestamp),
      },
      { description: "Of its newest 10,000 mails. Mails of campaigns are counted by the campaign." },
    ),
  },
  { title: "TemplateUsage" },
);

const MAX_SUBJECT = 998;
const MAX_BODY = 1_048_576;

/** Text with something in it; a header has no line breaks. */
const filled = { minLength: 1, pattern: "\\S" };
const BODY = { maxLength: MAX_BODY, description: "HTML or MJML, with `{{variables}}`." };
/** An address that is checked with the content, so that one refusal lists all that is wrong. */
const Address = (description: string) =>
  documented(Text({ maxLength: 1000, description }), { ...EmailAddress, description });
const FROM = "An address of a verified domain.";
/** No UUID: that is an id. */
const Alias = Text({
  minLength: 1,
  maxLength: MAX_ALIAS,
  pattern: ALIAS,
  expected: "Expected letters of ASCII, digits, dots, _ and -, and no UUID",
  description:
    "What applications with the SDK of another provider call it, in place of its id: unique in the project, such as `welcome`, `d-12ab` or `4711`.",
  examples: ["welcome"],
});

/** What may be left out, or cleared with null, whether a template is made or changed. */
const Optional = {
  alias: t.Optional(Nullable(Alias)),
  preheader: t.Optional(Nullable(Preheader)),
  description: t.Optional(Nullable(Text({ maxLength: 1000 }))),
  fromName: t.Optional(Nullable(HeaderText({ maxLength: 255 }))),
  replyTo: t.Optional(Nullable(Address("An address."))),
  type: t.Optional(MessageType),
};

const Name = Text({ format: "header-text", ...filled, maxLength: MAX_TEMPLATE_NAME });
const Subject = Text({ format: "header-text", ...filled, maxLength: MAX_SUBJECT });
const Body = Text({ ...filled, ...BODY });

/** What a template has to have, in the words of a refusal. */
const REQUIRED = { name: "A name", subject: "A subject", body: "A body", from: "A from address" };
type Required = keyof typeof REQUIRED;

/** What makes a template. What is missing is refused in a way of its own, where nothing else is wrong. */
export const TemplateBody = requiredFields(
  withRules(
    t.Object(
      {
        name: t.Optional(documented(Nullable(HeaderText({ maxLength: MAX_TEMPLATE_NAME })), Name)),
        subject: t.Optional(documented(Nullable(HeaderText({ maxLength: MAX_SUBJECT })), Subject)),
        body: t.Optional(documented(Nullable(Text(BODY)), Body)),
        from: t.Optional(documented(Nullable(Address(FROM)), { ...EmailAddress, description: FROM })),
        ...Optional,
      },
      { title: "TemplateBody" },
    ),
    templateRules,
  ),
  Object.keys(REQUIRED),
);

/** What a template may not be without and this one has not. */
export function missingOf(input: Partial<Record<Required, string | null>>): Required[] {
  return (Object.keys(REQUIRED) as Required[]).filter((field) => !input[field]?.trim());
}

/** Such as "A name and a body are required". */
export function requiredMessage(missing: Required[]): string {
  const words = missing
    .map((field) => REQUIRED[field])
    .map((word, i) => (i === 0 ? word : `a${word.slice(1)}`));
  const last = words.pop()!;
  return words.length === 0 ? `${last} is required` : `${words.join(", ")} and ${last} are required`;
}

/** What is missing, and what else is wrong with what is there. */
export function templateRules(
  input: Partial<Record<Required, string | null>> & UnsavedTemplate & { replyTo?: string | null },
): FieldError[] {
  const { from, replyTo } = input;
  return [
    ...missingOf(input).map(requiredError),
    ...unsavedErrors(input),
    ...senderErrors({ from: from?.trim() || undefined, replyTo }),
  ];
}

/** What changes a template. */
export const TemplatePatch = withRules(
  t.Object(
    {
      name: t.Optional(Name),
      subject: t.Optional(Subject),
      body: t.Optional(Body),
      from: t.Optional(Address(FROM)),
      ...Optional,
    },
    { title: "TemplatePatch" },
  ),
  (patch) => [...unsavedErrors(patch), ...senderErrors(patch)],
);

/** A template in a list: of what `fields` names, or all of it. */
export const ListedTemplate = t.Partial(Template, { title: "ListedTemplate" });

/** When a template became what. */
export const ListedVersion = t.Object(
  {
    version: Int,
    name: t.String(),
    subject: t.String(),
    createdAt: Timestamp,
    createdBy: Nullable(t.String({ description: "An address, or the key that was used." })),
  },
  { title: "ListedTemplateVersion" },
);

/** What a template was. */
export const TemplateVersion = t.Object(
  {
    version: Int,
    ...MailFields,
    createdAt: Timestamp,
    createdBy: Nullable(t.String()),
  },
  { title: "TemplateVersion" },
);

/** The id of a template in a path. Throws TEMPLATE_NOT_FOUND for what cannot be one. */
export function templateId(id: string): string {
  if (!isUuid(id)) throw problems.templateNotFound(id);
  return id;
}

/** A page of a list. */
const MAX_IDS = 100;

/** Several templates, in a query. */
export const TemplateIds = t.String({
  description: `Ids of templates, separated by commas: up to ${MAX_IDS}.`,
});

/** The ids in a query. Throws 400 for what is no id, and for too many. */
export function readTemplateIds(text: string): string[] {
  const ids = text.split(",").map((id) => id.trim());
  const bad = ids.find((id) => !isUuid(id));
  const message = `Expected up to ${MAX_IDS} ids of templates, separated by commas`;
  if (bad === undefined && ids.length <= MAX_IDS) return ids;
  const code = bad === undefined ? "too_big" : "invalid_string";
  throw problems.badParameters([
    { field: "ids", code, message, ...(bad && { received: bad.slice(0, 100) }) },
  ]);
}
