import { withPreheader } from "../../content/preheader.ts";
import { dataErrors, type DataInput, shownData, sortData } from "../../audience/contacts/data.ts";
import { getContact } from "../../audience/contacts/mod.ts";
import { addBeforeBodyEnd } from "../../content/body_end.ts";
import { languageOf } from "../../content/languages/mod.ts";
import { compileBody } from "../../content/mjml/mod.ts";
import { templateErrors } from "../../content/handlebars/errors.ts";
import { compileTemplate, mailScope, newBudget, type Scope } from "../../content/handlebars/mod.ts";
import { compileTextPart } from "../../content/handlebars/text_part.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { createPauses } from "../../pauses.ts";
import { problems } from "../../problem/mod.ts";
import { sampleUrls } from "./mod.ts";
import { type Footer, footerOf } from "./footer.ts";
import { type SubscriptionUrls, subscriptionUrls } from "./subscription_links.ts";

/** The subject of a preview: a template or a campaign. */
export interface PreviewedMessage {
  subject: string;
  preheader: string | null;
  /** Ready to be rendered. */
  html: string;
  type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
}

/** For whom, and with what. */
export interface PreviewInput {
  /** Over the data of the contact, by the rules of `POST /v1/send`; nothing of it is stored. */
  data?: DataInput | undefined;
  /** Left out: a contact who does not exist and has no data. */
  contactId?: string | undefined;
}

/** A message as one contact would see it. */
export interface Preview {
  subject: string;
  html: string;
  text: string;
  /** The variables that would be shown and have no value, in the order in which they appear. */
  missing: string[];
}

/** A message that is not saved. */
export interface UnsavedMessage extends PreviewInput {
  subject: string;
  body: string;
  preheader?: string | null | undefined;
  type?: PreviewedMessage["type"] | undefined;
}

/**
 * Shows what a message would look like once it is saved. Throws the 422 of saving it, with the line and the column of each
 * fault, and CONTACT_NOT_FOUND.
 */
export async function previewUnsaved(
  ctx: Context,
  projectId: string,
  { subject, preheader, body, type = "MARKETING", data, contactId }: UnsavedMessage,
): Promise<Preview & { warnings: string[] }> {
  const errors = [
    ...templateErrors("subject", subject),
    ...templateErrors("preheader", preheader ?? undefined),
  ];
  const html = await compileBody(ctx, projectId, body, errors);
  const message = { subject, preheader: preheader ?? null, html, type };
  const preview = await previewMessage(ctx, projectId, message, { data, contactId });
  return { ...preview, warnings: warningsOf(preview) };
}

/** Gmail cuts off what is larger. */
const MAX_SHOWN_BYTES = 102 * 1024;

function warningsOf({ subject, html }: Preview): string[] {
  const images = html.match(/<img\b[^>]{0,5000}>/gi) ?? [];
  const bare = images.filter((image) => !/\salt\s*=/i.test(image)).length;
  return [
    ...(subject.trim() === "" ? ["The subject is empty"] : []),
    ...(Buffer.byteLength(html) > MAX_SHOWN_BYTES
      ? ["The HTML has more than 102 KB: Gmail cuts off the rest"]
      : []),
    ...(bare > 0 ? [`${bare} of ${images.length} images have no alt text`] : []),
  ];
}

/**
 * How much is examined to report missing variables. Templates have tens of thousands of variables, and lists as many
 * items.
 */
const MAX_STEPS = 1_000_000;

const NO_FOOTER: Footer = { html: "", text: "" };

const SAMPLE_CONTACT = {
  id: "00000000-0000-0000-0000-000000000000",
  email: "ada@example.com",
  subscribed: true,
  data: {},
};

/**
 * Shows what a message looks like; nothing is sent or followed. Throws 422 for data that `POST /v1/send` would refuse,
 * and CONTACT_NOT_FOUND.
 */
export async function previewMessage(
  ctx: Context,
  projectId: string,
  message: PreviewedMessage,
  { data, contactId }: PreviewInput,
): Promise<Preview> {
  const errors = dataErrors(data);
  if (errors.length > 0) throw problems.invalid(errors);
  const contact = contactId === undefined ? SAMPLE_CONTACT : await sampleOf(ctx, projectId, contactId);
  const urls = contactId === undefined ? sampleUrls(ctx) : subscriptionUrls(ctx, projectId, contact.id);
  // Of a contact, empty text leaves what is stored; data of one's own is shown as it is.
  const given = contactId === undefined ? sortData(data).values : shownData(data ?? {});
  const scope = mailScope({ contact, data: given, urls });
  const subject = compileTemplate(message.subject, "subject");
  const pause = createPauses();
  const source = withPreheader(message.html, message.preheader);
  const html = compileTemplate(source, "html");
  await pause();
  const text = compileTextPart(source);
  const shown = new Set<string>();
  const budget = () => ({ ...newBudget(), shown });
  const footer = message.type === "MARKETING" ? await footerFor(ctx, projectId, scope, urls) : NO_FOOTER;
  const written = { subject: subject(scope, budget()), html: html(scope, budget()) };
  return {
    subject: written.subject,
    html: addBeforeBodyEnd(written.html, footer.html),
    text: text(scope) + footer.text,
    missing: missingIn(scope, shown),
  };
}

async function footerFor(
  ctx: Context,
  projectId: string,
  scope: Scope,
  urls: SubscriptionUrls,
): Promise<Footer> {
  const { name, language, postalAddress } = (await q.projects.presented(ctx, { projectId }))!;
  return footerOf({
    projectName: name,
    postalAddress,
    language: languageOf(scope.locale, language),
    ...urls,
  });
}

async function sampleOf(ctx: Context, projectId: string, contactId: string): Promise<typeof SAMPLE_CONTACT> {
  const { id, email, subscribed, data } = await getContact(ctx, projectId, contactId);
  return { id, email, subscribed, data: data as Record<string, unknown> };
}

/** Finds the paths that lead to no value, as far as {@linkcode MAX_STEPS} reach. */
function missingIn(scope: Scope, paths: Iterable<string>): string[] {
  let steps = MAX_STEPS;

  // A path leads through a list when it does so through one of its items; a list without items shows nothing, so that
  // nothing is missing in it. A key may hold dots, and comes first as a whole.
  const hasValue = (value: unknown, path: string): boolean => {
    if (value === null || value === undefined) return false;
    if (path === "") return true;
    for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
      if ((steps -= 1 + (end >> 4)) < 0) return true;
      const key = path.slice(0, end);
      if (Object.hasOwn(value, key) && hasValue((value as Scope)[key], path.slice(end + 1))) return true;
    }
    return Array.isArray(value) && (value.length === 0 || value.some((item) => hasValue(item, path)));
  };

  return [...paths].filter((path) => !hasValue(scope, path));
}
