// One claimed mail on its way: composed, signed, handed over to the mail server, and what came of it.
import { isSandbox } from "../../accounts/projects/sandbox_id.ts";
import type { Context } from "../../context.ts";
import { describeError } from "../../log.ts";
import type { Handover } from "../../mail/mailer.ts";
import { refusalOf } from "../../mail/provider_refusals.ts";
import { asksToSlowDown, isGreylisting, pacesOf } from "../transports/paces.ts";
import { messageOfMail } from "../compose/message_of_mail.ts";
import type { Addressee } from "../compose/mod.ts";
import { hold } from "../transports/holds.ts";
import { mailboxProvidersOf } from "../transports/mailbox_providers.ts";
import { transportsOf } from "../transports/known.ts";
import type { Transport } from "../transports/transport.ts";
import { NOT_SIGNED, type OnItsWay, sendSigned } from "./_dkim.ts";
import { domainOfAddress } from "./_requests.ts";
import type { Verdict } from "./_domain_pace.ts";
import type { HandoverMarks } from "./_handover_marks.ts";
import type { Outlet } from "./_outlets.ts";
import type { ClaimedMail } from "./_pass.ts";
import { handToSimulator, simulatedReason } from "./_simulator.ts";
import type { ClaimedEmail } from "./emails.ts";
import type { MailAttempt, AttemptEnd } from "./figures.ts";
import { failed, type MailOutcome, outcomeOf, suppressed } from "./outcomes.ts";
import { reasonAgainst } from "./reasons_against.ts";

/** The outcome of a mail, and what it says about the recipient's domain. */
export interface Transmitted {
  outcome: MailOutcome;
  verdict: Verdict;
}

/**
 * Sends one mail by an outlet, unless something that happened since it was accepted speaks against it. Never throws. `pause` is called
 * when the time that passes is ours and not the domain's, and its answer when it is the domain's again.
 */
export async function transmit(
  ctx: Context,
  { marks, outlet }: { marks: HandoverMarks; outlet: Outlet },
  mail: ClaimedMail,
  pause: () => () => void,
): Promise<Transmitted> {
  return await marks.onItsWay(mail.email, async (mayEnd) => {
    const leaves = pause();
    const mayEndInTime = async () => {
      const goOn = pause();
      return await mayEnd().finally(goOn);
    };
    return await handOver(ctx, outlet, mail, { mayEnd: mayEndInTime, leaves });
  });
}

async function handOver(
  ctx: Context,
  { transport, gate }: Outlet,
  { email, content, attachments }: ClaimedMail,
  way: OnItsWay,
): Promise<Transmitted> {
  const known = content ?? { fromEmail: null };
  try {
    const reason = reasonAgainst(email, content?.type ?? null) ?? simulatedReason(email);
    if (reason !== null) return unsent(suppressed(ctx, email, known.fromEmail, reason));
    const addressee = addresseeOf(email);
    if (content!.isPersonal && addressee.message?.first === null) {
      return unsent(suppressed(ctx, email, known.fromEmail, "The contact whose data it shows was deleted"));
    }
    const mail = await content!.compose(addressee, attachments);
    // Asked of the mail itself, and here, at the last moment: nothing of a sandbox leaves, whatever was chosen for it.
    const sent = isSandbox(email.projectId)
      ? await handToSimulator(transportsOf(ctx).sandbox.mailer, email, mail, way)
      : await sendSigned(ctx, transport, content!, mail, way);
    // One that was removed, or opened again with another address, is asked no more.
    const isInUse = transportsOf(ctx).byId(transport.id) === transport;
    if (sent.state === "unreached" && isInUse) gate.shut(sent.response);
    const handover = await ofTheAccount(ctx, transport, sent);
    notePace(ctx, transport, email.address, sent);
    const outcome = outcomeOf(ctx, { email, content: content!, transport }, mail, handover);
    outcome.attempt = attemptOf(email, content!.fromEmail, outcome, handover);
    return { outcome, verdict: verdictOf(handover) };
  } catch (error) {
    // An internal error in one mail must not delay the others.
    ctx.log.error("mail not composed", { emailId: email.id, ...describeError(error) });
    return unsent(failed(ctx, email, known.fromEmail, "The mail could not be composed"));
  }
}

/**
 * A relay that refuses the account has not taken the mail, which says nothing about it: it goes another way, or waits. The
 * standard transport stays as it was where there is no other.
 */
async function ofTheAccount(ctx: Context, transport: Transport, handover: Handover): Promise<Handover> {
  const isRefusal = ["deferred", "bounced", "refused"].includes(handover.state);
  if (!isRefusal || transport.kind !== "SMTP" || transportsOf(ctx).isPlain) return handover;
  const refused = refusalOf(handover.response);
  // “The account is disabled” to a recipient is about theirs.
  if (refused === null || (handover.isOfRecipient && !ABOUT_SENDING.test(handover.response))) return handover;
  if (refused === "ACCOUNT" && handover.state === "bounced") return handover;
  await hold(ctx, transport, refused, handover.response);
  return { state: "unreached", response: handover.response };
}

/** What relays say of their own limits, also when they are told the recipient. */
const ABOUT_SENDING = /sending|relay|submission|throttling/i;

/** Who asks to slow down is listened to: a relay about all mails, a mailbox provider about its own. */
function notePace(ctx: Context, transport: Transport, address: string, handover: Handover): void {
  const { state, response, via } = handover;
  const domain = domainOfAddress(address);
  if (via) mailboxProvidersOf(ctx).note(domain, via.provider);
  if (state === "accepted") return pacesOf(ctx).noteAccepted(transport, domain);
  const asks = transport.kind === "DIRECT" ? asksToSlowDown(response) : refusalOf(response) === "RATE";
  if (state === "deferred" && asks) void pacesOf(ctx).slowDown(transport, domain, response);
}

function unsent(outcome: MailOutcome): Transmitted {
  return { outcome, verdict: "unknown" };
}

/** What of a handover is counted: what the other side has said about the mail. */
function attemptOf(
  { triedAt }: ClaimedEmail,
  from: string,
  { at, status, project_id: projectId, address, transport_id: transportId }: MailOutcome,
  { state, response, via }: Handover,
): MailAttempt | null {
  const isGivenUp = state === "deferred" && status === "FAILED";
  const end = isGivenUp ? "refused" : ENDS[state];
  if (end === undefined || response === NOT_SIGNED) return null;
  return { end, at, projectId, address, from, transportId, tookMs: at.getTime() - triedAt.getTime(), via };
}

const ENDS: Partial<Record<Handover["state"], AttemptEnd>> = {
  accepted: "accepted",
  deferred: "deferred",
  bounced: "bounced",
  refused: "refused",
};

function verdictOf({ state, response }: Handover): Verdict {
  if (state === "unreached" || state === "withheld" || response === NOT_SIGNED) return "unknown";
  if (state === "deferred" && isGreylisting(response)) return "answered";
  return state === "deferred" || state === "in_doubt" ? "deferred" : "answered";
}

function addresseeOf(email: ClaimedEmail): Addressee {
  const { id, address, toName, contactId, subscribed, contactData, ownData } = email;
  const contact =
    contactId === null
      ? null
      : { id: contactId, subscribed: subscribed!, data: contactData as Record<string, unknown> };
  const data = ownData as Record<string, unknown> | null;
  return { emailId: id, address, toName, contact, data, message: messageOfMail(email) };
}
