// What a transport may be made of, and where it leads after a change.
import { nameErrors } from "../../accounts/names.ts";
import { wrongInSmtp } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { isDirect } from "../../mail/direct_url.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { directErrors, type DirectInput, directRefusals, isDirectGiven, urlOfDirect } from "./direct.ts";
import { feedbackErrors } from "./feedback.ts";
import { openUrl, sealUrl, shownUrl } from "./sealed.ts";
import type { TransportKind } from "./transport.ts";
import { lacksPassword, urlErrors, withKnownPassword } from "./urls.ts";

/** What a transport is made of. What is null is not limited. */
export interface TransportInput extends DirectInput {
  name: string;
  kind: TransportKind;
  url?: string | undefined;
  priority?: number | undefined;
  weight?: number | undefined;
  ratePerSecond?: number | null | undefined;
  perDay?: number | null | undefined;
  connections?: number | null | undefined;
  /** Without `since`: from today on. */
  warmup?: { planId: string; since?: Date | undefined } | null | undefined;
  /** Of the webhooks of its provider. */
  feedbackSecret?: string | null | undefined;
}

/** A change of one: what is left out stays. */
export type TransportChange = Partial<TransportInput> & {
  paused?: boolean | undefined;
  pauseReason?: string | undefined;
};

/** The row of a transport, held until the end of the transaction. */
export type HeldRow = NonNullable<Awaited<ReturnType<Queries["transportSettings"]["lock"]>>>;

type Given = DirectInput & {
  [K in "name" | "kind" | "url" | "feedbackSecret"]?: TransportInput[K] | undefined;
};

/** Every fault of a new transport that can be seen without the database. */
export async function transportErrors(ctx: Context, given: Given, isOwn: boolean): Promise<FieldError[]> {
  const { name, kind, url, feedbackSecret } = given;
  const errors = name === undefined ? [] : nameErrors(name);
  if (kind === "DIRECT") {
    return [...errors, ...directRefusals(ctx, isOwn, given), ...feedbackErrors(ANY_DIRECT, feedbackSecret)];
  }
  if (isDirectGiven(given)) errors.push(...ONLY_DIRECT);
  if (kind === "CAPTURE" && url !== undefined) errors.push(NO_URL);
  if (kind !== "SMTP") return [...errors, ...feedbackErrors(null, feedbackSecret)];
  if (url === undefined) return [...errors, { field: "url", code: "required", message: URL_NEEDED }];
  if (lacksPassword(url)) errors.push({ ...NO_PASSWORD, message: "Give the password, too" });
  const wrong = await urlErrors(ctx, url, isOwn);
  return [...errors, ...wrong, ...(wrong.length === 0 ? feedbackErrors(url, feedbackSecret) : [])];
}

/** Every fault of a change that can be seen without the database. */
export async function changeErrors(
  ctx: Context,
  change: TransportChange,
  isOwn: boolean,
): Promise<FieldError[]> {
  const { name, url } = change;
  const errors = [...(name === undefined ? [] : nameErrors(name)), ...directErrors(ctx, isOwn, change)];
  if (url === undefined) return errors;
  if (isOwn || !isDirect(url)) return [...errors, ...(await urlErrors(ctx, url, isOwn))];
  return [...errors, ...wrongInSmtp(URL.parse(url)).map(urlError)];
}

/** The whole URL of a new transport; null for one that leads nowhere. */
export function wholeUrlOf(ctx: Context, input: TransportInput): string | null {
  return input.kind === "DIRECT" && input.url === undefined
    ? urlOfDirect(ctx, input, null)
    : (input.url ?? null);
}

/** A URL as its row has it. */
export function sealed(ctx: Context, place: { projectId: string; id: string }, url: string | null) {
  return {
    url: url === null ? null : sealUrl(ctx, place, url),
    shownUrl: url === null ? null : shownUrl(url),
  };
}

/**
 * The address after a change, with what it was held for: a new address is tried at once. Throws 422 for what a transport of its kind
 * does not have, and for another kind.
 */
export function addressAfter(ctx: Context, projectId: string, row: HeldRow, change: TransportChange) {
  const place = { projectId, id: row.id };
  const before = () => row.url && openUrl(ctx, place, row.url);
  const { kind = row.kind, url } = change;
  if (kind !== row.kind) throw problems.invalid([{ ...OTHER_KIND, field: "kind", received: kind }]);
  if (isDirectGiven(change) && row.kind !== "DIRECT") throw problems.invalid(ONLY_DIRECT);
  if (url === undefined && !isDirectGiven(change)) {
    const { heldUntil, holdReason } = row;
    return { url: row.url, shownUrl: row.shownUrl, heldUntil, holdReason };
  }
  if (row.kind === "CAPTURE") throw problems.invalid([NO_URL]);
  if (url !== undefined && isDirect(url) !== (row.kind === "DIRECT")) throw problems.invalid([OTHER_KIND]);
  const whole =
    row.kind === "DIRECT"
      ? urlOfDirect(ctx, change, url ?? before())
      : lacksPassword(url!)
        ? withKnownPassword(url!, before())
        : url!;
  if (whole === null) throw problems.invalid([NO_PASSWORD]);
  return { ...sealed(ctx, place, whole), heldUntil: null, holdReason: null };
}

const ANY_DIRECT = "direct://mail.example.com";
const URL_NEEDED = "This field is required for SMTP, such as smtp://user:password@smtp.example.com:587";
const NO_PASSWORD: FieldError = {
  field: "url",
  code: "invalid_string",
  message:
    "Give the password, too: the one that is known is for another server, user or encryption, and is not sent there",
};
const NO_URL = urlError("A transport of the kind CAPTURE has no URL: its mails come into the inbox");
const OTHER_KIND = urlError("The kind of a transport stays as it is: add another one, and remove this one");
const ONLY_DIRECT: FieldError[] = [
  {
    field: "kind",
    code: "custom",
    message: "heloName and bindAddresses are for transports of the kind DIRECT alone",
  },
];

function urlError(message: string): FieldError {
  return { field: "url", code: "custom", message };
}
