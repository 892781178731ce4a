// /projects/:id/captured-mails: what was captured is sent after all, or given up.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import {
  type CapturedPlace,
  discardOwn,
  type OwnScope,
  releaseOwn,
} from "../../sending/captured/of_project.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { authenticateMember } from "../entry/authenticate.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import { answers, Int, isUuid, Nullable, PathId, Text, Uuid } from "../entry/schemas.ts";
import { readCursor, toCursor } from "./_lists.ts";

const MAX_IDS = 1_000;

const Ids = t.Array(Uuid, { minItems: 1, maxItems: MAX_IDS });
const Time = t.String({ format: "date-time", maxLength: 40, description: "Captured at this time or later." });
const Options = {
  dryRun: t.Optional(t.Boolean({ description: "Only count them." })),
  cursor: t.Optional(
    Nullable(
      Text({ maxLength: 300, description: "The `cursor` of the previous response, to continue from there." }),
    ),
  ),
};

interface Selection {
  ids?: string[];
  since?: string;
  all?: boolean;
  dryRun?: boolean;
  cursor?: string | null;
}

/** Nothing is sent or given up without somebody having said what. */
const Body = documented(
  withRules(
    t.Object({ ids: t.Optional(Ids), since: t.Optional(Time), all: t.Optional(t.Boolean()), ...Options }),
    selectionErrors,
  ),
  {
    title: "CapturedMailsBody",
    oneOf: [
      t.Object({ ids: Ids, dryRun: Options.dryRun }, { title: "CapturedMailsByIds" }),
      t.Object({ since: Time, ...Options }, { title: "CapturedMailsSince" }),
      t.Object({ all: t.Literal(true), ...Options }, { title: "AllCapturedMails" }),
    ],
  },
);

const Cursor = Nullable(
  t.String({
    description: "Null at the end. Otherwise there are more: repeat the request with this cursor.",
  }),
);
const Tally = (description: string) => t.Record(t.String(), Int, { description });

const Released = t.Object(
  {
    captured: Int,
    released: Int,
    refused: Tally("How many must not be sent any more, by the reason: they are SUPPRESSED."),
    skipped: Tally("How many stay as they are, by the reason."),
    overLimit: t.Integer({
      description: "How many would exceed this month's limits: they stay captured.",
    }),
    cursor: Cursor,
  },
  { title: "ReleaseReport" },
);

const Discarded = t.Object(
  { captured: Int, discarded: Int, skipped: Int, cursor: Cursor },
  { title: "DiscardReport" },
);

/** What owners do with captured mails. */
export function capturedMailsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/projects", detail: { tags: ["Inbox"], security: [{ session: [] }] } })
    .use(authenticateMember(ctx, { sessionOnly: true }))
    .post(
      "/:id/captured-mails/release",
      async ({ project, actor, body }) => shown(await releaseOwn(ctx, project.id, scopeOf(body), actor)),
      {
        params: t.Object({ id: PathId }),
        body: Body,
        response: answers(Released, { refusals: [400, 404, 409, 413, 415, 422, 501] }),
        detail: {
          operationId: "releaseCapturedMails",
          summary: "Send mails that were captured while there was no mail server",
          description:
            "For an OWNER. Oldest first, up to 5,000 per request. Like the operator's `release`, it checks the subscription, suppressions, campaign, sender and the month's limits again. Refused with 501 if there is no mail server, and with 409 while a process of the service would capture them again.",
        },
      },
    )
    .post(
      "/:id/captured-mails/discard",
      async ({ project, actor, body }) => shown(await discardOwn(ctx, project.id, scopeOf(body), actor)),
      {
        params: t.Object({ id: PathId }),
        body: Body,
        response: answers(Discarded, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "discardCapturedMails",
          summary: "Give up captured mails: they can no longer be sent",
          description:
            "For an OWNER. Up to 5,000 per request. They become SUPPRESSED with a reason; their copies in the inbox stay.",
        },
      },
    );
}

function selectionErrors(given: Selection, refused: ReadonlySet<string>): FieldError[] {
  const kinds = (["ids", "since", "all"] as const).filter(
    (kind) => (given[kind] !== undefined && given[kind] !== false) || refused.has(kind),
  );
  if (kinds.length === 1) return [];
  const message = "Say which captured mails: ids, since, or all: true";
  return [{ field: kinds[1] ?? "all", code: kinds.length === 0 ? "required" : "custom", message }];
}

function scopeOf(body: Selection): OwnScope {
  const errors = selectionErrors(body, new Set());
  if (errors.length > 0) throw problems.invalid(errors);
  const { ids, since, dryRun, cursor } = body;
  return { ids, since: since === undefined ? undefined : new Date(since), dryRun, after: placeOf(cursor) };
}

function placeOf(cursor: string | null | undefined): CapturedPlace | undefined {
  if (!cursor) return undefined;
  const [time, id] = readCursor(cursor, 2);
  const capturedAt = new Date(Number(time));
  if (!isUuid(id!) || !/^\d{1,15}$/.test(time!) || Number.isNaN(capturedAt.getTime()))
    throw problems.badCursor();
  return { capturedAt, id: id! };
}

function shown<Report extends { rest: CapturedPlace | null }>({ rest, ...report }: Report) {
  return { ...report, cursor: rest && toCursor([String(rest.capturedAt.getTime()), rest.id]) };
}
