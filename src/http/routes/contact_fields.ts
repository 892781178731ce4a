// /contacts/fields: what contacts have, by field.
import { Elysia, t } from "elysia";
import {
  deleteContactField,
  getFieldUsage,
  listContactFields,
  listFieldValues,
} from "../../audience/contacts/fields.ts";
import type { Context } from "../../context.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { answers, Int, QueryInteger, Text, Uuid, Words } from "../entry/schemas.ts";
import { clampLimit } from "./_lists.ts";

const Field = t.Object(
  {
    field: t.String(),
    type: Words(["string", "number", "boolean", "date"]),
    coverage: Int,
  },
  { title: "ContactField" },
);
const Uses = t.Array(t.Object({ id: Uuid, name: t.String() }));

const MAX_VALUES = 200;

/** `/contacts/fields` and below. */
export function contactFieldRoutes(ctx: Context) {
  return new Elysia({ prefix: "/contacts", detail: { tags: ["Contacts"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/fields",
      async ({ project }) => {
        const fields = await listContactFields(ctx, project.id);
        return { fields, count: fields.length };
      },
      {
        response: answers(t.Object({ fields: t.Array(Field), count: Int })),
        detail: {
          operationId: "listContactFields",
          summary: "List the fields of contacts, with types and coverage",
          description:
            "The standard fields, and every key of the data of contacts. A key whose values are of several types is a `string`. Coverage is the percentage of contacts that have the field.",
        },
      },
    )
    .get(
      "/fields/:field/values",
      async ({ project, params: { field }, query }) => {
        const limit = clampLimit(query.limit, { fallback: 100, max: MAX_VALUES });
        const found = await listFieldValues(ctx, project.id, field, { limit, search: query.search });
        return { field, ...found, count: found.values.length, limit };
      },
      {
        params: t.Object({ field: t.String() }),
        query: t.Object({
          limit: QueryInteger({ minimum: 1, maximum: MAX_VALUES, fallback: 100 }),
          search: t.Optional(Text({ maxLength: 255 })),
        }),
        response: answers(
          t.Object({
            field: t.String(),
            values: t.Array(t.Unknown()),
            estimated: t.Boolean({
              description: "Whether only the newest 20,000 contacts were looked at.",
            }),
            count: Int,
            limit: Int,
          }),
          { refusals: [400] },
        ),
        detail: {
          operationId: "listContactFieldValues",
          summary: "List the values of a custom field, most frequent first",
          description:
            "The values of a custom field. Of a project with more than 20,000 contacts, those of the newest 20,000; if few of them have the field, all contacts are searched. The prefix `data.` may be left out. A standard field is refused with 400.",
        },
      },
    )
    .get(
      "/fields/:field/usage",
      async ({ project, params: { field } }) => await getFieldUsage(ctx, project.id, field),
      {
        params: t.Object({ field: t.String() }),
        response: answers(
          t.Object({
            usedInSegments: Uses,
            usedInCampaigns: Uses,
            usedInWorkflows: Uses,
            contactCount: Int,
            canDelete: t.Boolean(),
          }),
          { refusals: [400] },
        ),
        detail: {
          operationId: "getContactFieldUsage",
          summary: "List what refers to a custom field",
          description:
            "The segments, campaigns and workflows whose conditions or templates name the field, and how many contacts have it.",
        },
      },
    )
    .delete(
      "/fields/:field",
      async ({ project, params: { field } }) => ({
        deletedFrom: await deleteContactField(ctx, project.id, field),
      }),
      {
        params: t.Object({ field: t.String() }),
        response: answers(t.Object({ deletedFrom: Int }), { refusals: [400, 409] }),
        detail: {
          operationId: "deleteContactField",
          summary: "Remove a custom field from every contact",
          description:
            "Removes the key from the data of every contact. Refused with 409 while a segment, an unsent campaign or a workflow refers to it, and with 400 for a standard field.",
        },
      },
    );
}
