// One claimed mail on its way: composed, signed, handed over to the mail server, and what came of it.
import type { Context } from "../../context.ts";
import { describeError } from "../../log.ts";
import type { Handover } from "../../mail/mailer.ts";
import type { Addressee } from "../compose/mod.ts";
import { NOT_SIGNED, type OnItsWay, sendSigned } from "./_dkim.ts";
import type { Verdict } from "./_domain_pace.ts";
import type { HandoverMarks } from "./_handover_marks.ts";
import type { ClaimedMail } from "./_pass.ts";
import type { ClaimedEmail } from "./emails.ts";
import { failed, type MailOutcome, outcomeOf, suppressed } from "./outcomes.ts";
import { reasonAgainst } from "./reasons_against.ts";
import { gateOf } from "./server_gate.ts";

/** The outcome of a mail, and what it says about the recipient's domain. */
export interface Transmitted {
  outcome: MailOutcome;
  verdict: Verdict;
}

/**
 * Sends one mail, unless something that happened since it was accepted speaks against it. Never throws. `pause` is called
 * when the time that passes is ours and not the domain's, and its answer when it is the domain's again.
 */
export async function transmit(
  ctx: Context,
  marks: HandoverMarks,
  mail: ClaimedMail,
  pause: () => () => void,
): Promise<Transmitted> {
  return await marks.onItsWay(mail.email, async (mayEnd) => {
    const leaves = pause();
    const mayEndInTime = async () => {
      const goOn = pause();
      return await mayEnd().finally(goOn);
    };
    return await handOver(ctx, mail, { mayEnd: mayEndInTime, leaves });
  });
}

async function handOver(
  ctx: Context,
  { email, content, attachments }: ClaimedMail,
  way: OnItsWay,
): Promise<Transmitted> {
  const known = content ?? { fromEmail: null };
  try {
    const reason = reasonAgainst(email, content?.type ?? null);
    if (reason !== null) return unsent(suppressed(ctx, email, known.fromEmail, reason));
    const mail = await content!.compose(addresseeOf(email), attachments);
    const handover = await sendSigned(ctx, content!, mail, way);
    if (handover.state === "unreached") gateOf(ctx).shut(handover.response);
    return { outcome: outcomeOf(ctx, email, content!, mail, handover), verdict: verdictOf(handover) };
  } catch (error) {
    // An internal error in one mail must not delay the others.
    ctx.log.error("mail not composed", { emailId: email.id, ...describeError(error) });
    return unsent(failed(ctx, email, known.fromEmail, "The mail could not be composed"));
  }
}

function unsent(outcome: MailOutcome): Transmitted {
  return { outcome, verdict: "unknown" };
}

function verdictOf({ state, response }: Handover): Verdict {
  if (state === "unreached" || state === "withheld" || response === NOT_SIGNED) return "unknown";
  return state === "deferred" || state === "in_doubt" ? "deferred" : "answered";
}

function addresseeOf(email: ClaimedEmail): Addressee {
  const { id, address, toName, contactId, subscribed, contactData, ownData } = email;
  const contact =
    contactId === null
      ? null
      : { id: contactId, subscribed: subscribed!, data: contactData as Record<string, unknown> };
  return { emailId: id, address, toName, contact, data: ownData as Record<string, unknown> | null };
}
