// Templates, as something that people write in.
import type { Template } from "../../api.gen.ts";
import { callForVersion } from "../../api.ts";
import type { Draft } from "../../parts/edits/draft.ts";
import type { Edited, Stored as StoredOf } from "../../parts/edits/edited.ts";
import { MAIL_TYPES } from "../../parts/mail_types.ts";
import { keyOf } from "../../queries.ts";
import { LABELS, patchOf, type Words, wordsOf } from "./words.ts";

export type Stored = StoredOf<Template>;
export type TemplateDraft = Draft<Template, Words>;

export const TEMPLATE: Edited<Template, Words> = {
  noun: "template",
  wordsOf,
  labels: LABELS,
  shown: (field, words) => (field === "type" ? MAIL_TYPES[words.type].label : words[field]),
  keyOf: (projectId, id) => [...keyOf(projectId, "GET /templates/{id}", { path: { id } }), "version"],
  read: (id, options) => callForVersion("GET /templates/{id}", { path: { id } }, options),
  write: (id, words, fields, options) =>
    callForVersion("PATCH /templates/{id}", { path: { id }, body: patchOf(words, fields) }, options),
  reads: ["GET /templates"],
};
