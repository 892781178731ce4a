// Bounces and complaints that arrive as mail, at the return paths of mails or, where a provider sends all complaints to
// one address, at `fbl@` on the host of the installation. Either way the return path proves the report: it is made for
// one mail and signed, and only its recipients' side knows it. Anybody may write to `fbl@`, and a report without the
// return path of its mail changes nothing: a Message-ID would not do, because every answer to the mail contains it.
import { createHash } from "node:crypto";
import { inboundHost } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { describeError } from "../../log.ts";
import { type ReportedOutcome, type MailReport, readMailReport } from "../../mail/bounce_reports.ts";
import {
  type InboundLimits,
  type InboundMail,
  type InboundServer,
  startInboundSmtp,
} from "../../mail/inbound_smtp.ts";
import type { MailName, Notice } from "../../mail/notice.ts";
import { takeNotification } from "./notifications.ts";
import { mailNamedIn, mailOfReturnPath } from "../compose/return_paths.ts";

/** Whom a mail that came in is for: the return path of a mail, or the address for complaints. */
type Addressee = { mail: MailName } | "complaints";

const COMPLAINTS = "fbl";
/** Where no other name is known. */
const HOSTNAME = "postrider";

/** Accepts bounces and complaints on `INBOUND_SMTP_PORT` until it is stopped. Rejects where it cannot listen. */
export async function listenForBounces(
  ctx: Context,
  limits: Partial<InboundLimits> = {},
): Promise<InboundServer> {
  const { config } = ctx;
  return await startInboundSmtp<Addressee>(
    {
      hostname: inboundHost(config) ?? HOSTNAME,
      find: (recipient) => lookUp(ctx, () => addresseeOf(ctx, recipient)),
      take: (mail) => takeBounceMail(ctx, mail),
    },
    { host: config.HOST, port: config.INBOUND_SMTP_PORT! },
    limits,
  );
}

async function addresseeOf(ctx: Context, recipient: string): Promise<Addressee | null> {
  const host = inboundHost(ctx.config);
  if (host !== null && recipient.toLowerCase() === `${COMPLAINTS}@${host}`) return "complaints";
  const mail = await mailOfReturnPath(ctx, recipient);
  return mail && { mail };
}

/** Records what a returned mail says: committed when it resolves. A repeated one changes nothing. */
async function takeBounceMail(
  ctx: Context,
  { addressee, sender, source }: InboundMail<Addressee>,
): Promise<void> {
  const report = await readMailReport(source, sender === "");
  const { findings, subject } = report;
  const mail = addressee === "complaints" ? await complainedMail(ctx, report) : addressee.mail;
  if (!mail || findings.length === 0) {
    return ctx.log.info("mail came in that reports nothing", { subject, emailId: mail?.emailId ?? null });
  }
  // A sender that missed our reply sends the very same again.
  const messageId = `${mail.emailId} ${createHash("sha256").update(source).digest("hex")}`;
  const notices = findings.map((finding) => returnedNotice(ctx, mail, finding));
  await takeNotification(ctx, { messageId, notices, received: null });
}

/** Only complaints hold evidence: other reports go to the return path. */
async function complainedMail(ctx: Context, { findings, evidence }: MailReport): Promise<MailName | null> {
  return findings.length === 0 ? null : await lookUp(ctx, () => mailNamedIn(ctx, evidence));
}

/** The notice of what a report has found: nothing before there was a mail, nor after the report, as clocks of others may say. */
export function returnedNotice(ctx: Context, mail: MailName, finding: ReportedOutcome): Notice {
  const now = ctx.now().getTime();
  const said = finding.at?.getTime() ?? now;
  const at = new Date(Math.min(now, Math.max(said, madeAt(mail.emailId!))));
  return { ...finding, mail, at, sentAt: null };
}

/** When an id was made (UUID version 7), in milliseconds; 0 where it does not say. */
function madeAt(id: string): number {
  return id[14] === "7" ? parseInt(id.replace("-", "").slice(0, 12), 16) : 0;
}

async function lookUp<T>(ctx: Context, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    ctx.log.warn("return path not looked up", describeError(error));
    throw error;
  }
}
