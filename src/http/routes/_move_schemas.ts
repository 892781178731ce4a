// How moves look in requests and answers.
import { t } from "elysia";
import { CONTACT_STATES } from "../../moving/export_presets.ts";
import { API_SOURCES, MOVE_SOURCES, MOVE_STATES, type MoveInput } from "../../moving/moves.ts";
import { STEPS } from "../../moving/walk.ts";
import type { FieldError } from "../../problem/mod.ts";
import { requiredError, withRules } from "../entry/field_errors.ts";
import { EmailAddress, Int, Nullable, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";

const Tally = t.Object({ created: Int, existing: Int }, { title: "MoveTally" });

const Counts = t.Object(
  {
    contacts: t.Object({ read: Int, created: Int, changed: Int, unsubscribed: Int, refused: Int }),
    suppressions: Int,
    segments: Tally,
    templates: Tally,
    campaigns: Tally,
    workflows: Tally,
  },
  { title: "MoveCounts" },
);

/** A file of a move. */
export const MoveFile = t.Object({ id: Uuid, name: t.String(), bytes: Int }, { title: "MoveFile" });

/** A move. */
export const Move = t.Object(
  {
    id: Uuid,
    from: Words(MOVE_SOURCES),
    state: Words(MOVE_STATES, {
      description:
        "`UPLOADING` (files are awaited), `CHECKING` (the dry run), `READY` (its report is there), `RUNNING`, and one of `DONE`, `FAILED` and `CANCELLED`.",
    }),
    url: Nullable(t.String()),
    sender: Nullable(t.String()),
    as: Nullable(Words(CONTACT_STATES)),
    files: t.Array(MoveFile),
    step: Nullable(Words(STEPS, { description: "What is read now." })),
    isWaiting: t.Boolean({
      description: "The other service could not be read, or asked to be read later: it is tried again.",
    }),
    found: Nullable(Counts),
    moved: Nullable(Counts),
    leftOutTotal: Int,
    failedReason: Nullable(
      t.String({
        description: "Why it failed; while `UPLOADING`: why the files cannot be read as they are.",
      }),
    ),
    createdBy: t.String({ description: "An address, or the key that was used." }),
    createdAt: Timestamp,
    startedAt: Nullable(Timestamp),
    finishedAt: Nullable(Timestamp),
  },
  { title: "Move" },
);

/** Something that did not come. */
export const MoveLeftOut = t.Object(
  { position: Int, what: t.String(), why: t.String() },
  { title: "MoveLeftOut" },
);

const Secret = (description: string) => t.Optional(Text({ minLength: 1, maxLength: 1_000, description }));

/** What a move begins with. */
export const MoveBody = withRules(
  t.Object(
    {
      from: Words(MOVE_SOURCES),
      url: t.Optional(
        Text({
          maxLength: 2_000,
          description: `Where its API is, for ${API_SOURCES.join(", ")}. It has to be at a public address (setting \`ALLOW_PRIVATE_WEBHOOKS\`).`,
          examples: ["https://next-api.useplunk.com"],
        }),
      ),
      key: Secret("The secret key, for plunk and postrider. It is kept encrypted until the move ends."),
      user: Secret("The name of the API user, for listmonk."),
      password: Secret("Its token, for listmonk. It is kept encrypted until the move ends."),
      sender: t.Optional({
        ...EmailAddress,
        description: "For listmonk: the sender of its transactional templates, which have none there.",
      }),
    },
    { title: "MoveBody" },
  ),
  moveErrors,
);

/** What a dry run needs to know. */
export const CheckBody = t.Object(
  {
    as: t.Optional(
      Words(CONTACT_STATES, {
        description: "What the contacts are of files that do not say it. Nobody is subscribed by a guess.",
      }),
    ),
  },
  { title: "CheckMoveBody" },
);

/** What is missing for this service, and what it does not take. */
export function moveErrors(given: Partial<MoveInput>): FieldError[] {
  const { from } = given;
  if (from === undefined || !(MOVE_SOURCES as readonly string[]).includes(from)) return [];
  const needed = NEEDED[from] ?? [];
  const taken = from === "listmonk" ? [...needed, "sender"] : needed;
  const missing = needed.filter((field) => given[field as keyof MoveInput] === undefined);
  const extra = FIELDS.filter((field) => given[field] !== undefined && !taken.includes(field));
  return [
    ...missing.map((field) => requiredError(field)),
    ...extra.map((field) => ({
      field,
      code: "custom" as const,
      message: `A move from ${from} takes no ${field}`,
    })),
  ];
}

const FIELDS = ["url", "key", "user", "password", "sender"] as const;
const NEEDED: Partial<Record<string, string[]>> = {
  plunk: ["url", "key"],
  postrider: ["url", "key"],
  listmonk: ["url", "user", "password"],
};
