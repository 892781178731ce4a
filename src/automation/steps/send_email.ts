import { withPreheader } from "../../content/preheader.ts";
import { assertSenderVerified } from "../../accounts/projects/domains.ts";
import { overLimit } from "../../accounts/billing/usage.ts";
import { fault, isObject, missingOr, notOneOf } from "../../audience/faults.ts";
import { templateErrors } from "../../content/handlebars/errors.ts";
import { type Budget, compileTemplate, newBudget } from "../../content/handlebars/mod.ts";
import { type Context, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs, priorityOf } from "../../jobs.ts";
import { parseAddress } from "../../mail/address.ts";
import { NO_OPTIONS } from "../../sending/compose/mod.ts";
import { type FieldError, Problem } from "../../problem/mod.ts";
import { inParts } from "../runs/jobs.ts";
import { type StepOutcome, type Run, scopeOf } from "../runs/run.ts";
import type { GraphStep } from "../graph.ts";
import { lengthFaults } from "../text_faults.ts";
import { all, defineStep } from "./step_type.ts";

interface Config {
  recipient: { type: "CONTACT" } | { type: "CUSTOM"; customEmail: string };
}

type Step = GraphStep<Config>;

const EMAILS_A_JOB = 20;
const MAX_EMAIL_LENGTH = 1_000;

/**
 * SEND_EMAIL: adds a mail for each execution's contact, or for another address, to the ledger. Its row has the id of
 * the history entry, so there is only one, however often this is tried. Whether it may be sent is checked again when it
 * is. A mail beyond this month's limit is FAILED in the ledger; the execution continues.
 */
export const sendEmailStep = defineStep<Config>({
  schema: {
    type: "object",
    properties: {
      recipient: {
        description: "Left out: the contact.",
        anyOf: [
          {
            type: "object",
            properties: { type: { type: "string", enum: ["CONTACT"] } },
            required: ["type"],
          },
          {
            type: "object",
            properties: {
              type: { type: "string", enum: ["CUSTOM"] },
              customEmail: {
                type: "string",
                maxLength: MAX_EMAIL_LENGTH,
                examples: ["{{event.address}}"],
                description: "An address, or a template for one.",
              },
            },
            required: ["type", "customEmail"],
          },
        ],
      },
    },
  },
  sendsTemplate: true,
  faults: ({ recipient }) => recipientFaults(recipient),
  complete({ recipient }) {
    const given = recipient as { type: string; customEmail: string } | undefined;
    if (given?.type !== "CUSTOM") return { recipient: { type: "CONTACT" } };
    return { recipient: { type: "CUSTOM", customEmail: given.customEmail.trim() } };
  },
  async perform(tx, step, visits) {
    const { projectId } = visits[0]!.run;
    const contentId = await contentOf(tx, projectId, step);
    if (typeof contentId !== "string") return all(visits, contentId);
    const mails = visits.map(({ run, entryId }) => mailOf(step.config, run, entryId));
    const rows = mails.filter((mail) => mail !== null);
    if (rows.length > 0) {
      const pending = await q.executionRun.addEmails(tx, {
        projectId,
        contentId,
        templateId: step.templateId!,
        workflowId: visits[0]!.run.workflowId,
        stepId: step.id,
        now: tx.now(),
        overLimit: overLimit("workflows", tx.now()),
        rows,
      });
      await addSending(
        tx,
        projectId,
        pending.map((mail) => mail.id),
      );
    }
    return visits.map(({ entryId }, i) => {
      if (mails[i] === null) return { kind: "fail", reason: noAddress(step) };
      return { kind: "on", output: { emailId: entryId } };
    });
  },
  async rehearse(ctx, step, run) {
    const template = await sendableOf(ctx, run.projectId, step);
    if (typeof template === "string") return { kind: "fail", reason: template };
    const to = addressOf(step.config, run);
    if (to === null) return { kind: "fail", reason: noAddress(step) };
    return { kind: "on", output: { to, templateId: step.templateId } };
  },
});

function recipientFaults(recipient: unknown): FieldError[] {
  const at = "config.recipient";
  if (recipient === undefined) return [];
  if (!isObject(recipient)) return [missingOr(at, recipient, "Expected an object with type")];
  const { type, customEmail } = recipient;
  if (type !== "CONTACT" && type !== "CUSTOM") return [notOneOf(`${at}.type`, type, ["CONTACT", "CUSTOM"])];
  if (type === "CONTACT") return [];
  const field = `${at}.customEmail`;
  if (typeof customEmail !== "string") return [missingOr(field, customEmail, "Expected an email address")];
  if (customEmail.length > MAX_EMAIL_LENGTH) return lengthFaults(field, customEmail, MAX_EMAIL_LENGTH);
  if (customEmail.includes("{{")) return templateErrors(field, customEmail);
  return parseAddress(customEmail)
    ? []
    : [fault(field, "invalid_string", "Expected an email address", customEmail)];
}

/** The recipient of an execution's mail; null if that is not an address. */
function addressOf({ recipient }: Config, run: Run): string | null {
  if (recipient.type === "CONTACT") return run.contact.email;
  const text = compileTemplate(recipient.customEmail, "text")(scopeOf(run), budgetOfAddress());
  return parseAddress(text)?.email ?? null;
}

/** An address is short, and there may be a thousand of them in a transaction. */
function budgetOfAddress(): Budget {
  return newBudget({ steps: 10_000, chars: 10_000 });
}

/** Why there is no recipient. */
function noAddress({ name, config }: Step): string {
  const { recipient } = config;
  const given = recipient.type === "CUSTOM" ? recipient.customEmail : "";
  return `Cannot send "${name}": ${given} gives no email address`;
}

/** A row of the ledger. */
function mailOf(config: Config, run: Run, id: string) {
  const address = addressOf(config, run);
  if (address === null) return null;
  const { contact, context } = run;
  const hasContext = Object.keys(context).length > 0;
  if (config.recipient.type === "CONTACT") {
    const data = hasContext ? context : undefined;
    return { id, execution_id: run.id, contact_id: contact.id, address, data };
  }
  // Somebody else reads about the contact; they are not a contact that could unsubscribe.
  const { id: contactId, email, subscribed, data: theirs } = contact;
  const data = { ...theirs, contact: { id: contactId, email, subscribed, data: theirs }, ...context };
  return { id, execution_id: run.id, contact_id: null, address, data };
}

/** The current template of a step, or why nothing can be sent. */
async function sendableOf(ctx: Context, projectId: string, { name, templateId }: Step) {
  if (templateId === null) return `Cannot send "${name}": it has no template`;
  const template = await q.executionRun.content(ctx, { projectId, templateId });
  if (!template) return `Cannot send "${name}": its template was deleted`;
  return (await refusalOf(assertSenderVerified(ctx, projectId, template.fromEmail))) ?? template;
}

/** The content that mails of this template share now; made if there is none. An outcome where nothing can be sent. */
async function contentOf(tx: Context, projectId: string, step: Step): Promise<string | StepOutcome> {
  const { templateId } = step;
  const template = await sendableOf(tx, projectId, step);
  if (typeof template === "string") return { kind: "fail", reason: template };
  if (template.contentId !== null) return template.contentId;
  const { writtenAt, tracking, subject, html, preheader, fromEmail, fromName, replyTo, type } = template;
  const id = newId(tx);
  const content = {
    id,
    subject,
    html: withPreheader(html, preheader),
    text: null,
    from_email: fromEmail.toLowerCase(),
    from_name: fromName,
    reply_to: replyTo,
    headers: null,
    data: null,
    template_id: templateId,
    type,
    ...NO_OPTIONS,
    shared: true,
  };
  await q.contents.insertMany(tx, { projectId, rows: [content] });
  await q.executionRun.keepContent(tx, {
    projectId,
    templateId: templateId!,
    contentId: id,
    writtenAt,
    tracking,
  });
  return id;
}

async function refusalOf(check: Promise<void>): Promise<string | null> {
  try {
    await check;
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

async function addSending(tx: Context, projectId: string, ids: string[]): Promise<void> {
  const payloads = inParts(ids, EMAILS_A_JOB).map((emailIds) => ({ projectId, emailIds }));
  await addJobs(tx, "send_emails", payloads, { priority: priorityOf("send_emails", "workflow") });
}
